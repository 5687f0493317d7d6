#version 330 core
// A matrix of floats as colours, on a ramp from -largest to +largest: each pixel is the mean of the elements it covers, or the largest of
// them. One that covers hardly more than one shows the one in its middle: means of one here and of two there would beat as a pattern
// that C does not have.
in vec2 position;
out vec4 colour;

uniform sampler2D field;   // one texel an element, row 0 first
uniform vec2 first;        // column and row at the top left of the picture
uniform vec2 extent;       // columns and rows that it shows
uniform vec2 pixels;       // size of the picture
uniform float largest;     // the value at the ramp's end
uniform bool take_largest; // of the elements of a pixel; else their mean
uniform float least_averaged; // elements of a pixel, along either axis, below which it shows the one in its middle
uniform vec3 ramp[9];
uniform vec3 not_a_number; // colour of elements that are none
uniform vec3 outside;      // colour beside the matrix

const int most_samples = 8; // along each axis of a pixel that covers more elements than that

vec3 on_ramp(float value) {
    float at = clamp(value / largest * 0.5 + 0.5, 0.0, 1.0) * 8.0;
    int below = min(int(at), 7);
    return mix(ramp[below], ramp[below + 1], at - float(below));
}

void main() {
    ivec2 size = textureSize(field, 0);
    vec2 per_pixel = extent / pixels;
    vec2 corner = first + floor(position * pixels) * per_pixel;
    ivec2 count = ivec2(clamp(ceil(per_pixel), vec2(1.0), vec2(float(most_samples))));
    float sum = 0.0, most = 0.0;
    int inside = 0;
    for (int y = 0; y < count.y; ++y)
        for (int x = 0; x < count.x; ++x) {
            ivec2 element = ivec2(floor(corner + (vec2(x, y) + 0.5) / vec2(count) * per_pixel));
            if (any(lessThan(element, ivec2(0))) || any(greaterThanEqual(element, size))) continue;
            float value = texelFetch(field, element, 0).r;
            if (isnan(value) || isinf(value)) {
                colour = vec4(not_a_number, 1.0);
                return;
            }
            sum += value;
            most = inside == 0 ? value : max(most, value);
            ++inside;
        }
    float value = take_largest ? most : sum / float(inside);
    ivec2 middle = ivec2(floor(corner + 0.5 * per_pixel));
    if (!take_largest && all(lessThan(per_pixel, vec2(least_averaged))) && all(lessThan(middle, size)))
        value = texelFetch(field, max(middle, ivec2(0)), 0).r;
    colour = vec4(inside == 0 ? outside : on_ramp(value), 1.0);
}
