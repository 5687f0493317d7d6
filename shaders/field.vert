#version 330 core
// One triangle that covers the target; `position` is the texture coordinate of what is drawn, (0, 0) to (1, 1).
out vec2 position;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    position = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
