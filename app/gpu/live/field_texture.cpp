#include "gpu/live/field_texture.h"

#include "base/file.h"

#include <glad/gl.h>

#include <algorithm>
#include <string>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

int integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value;
}

// The state that drawing changes, put back at the end of the scope: Dear ImGui's backend and others rely on theirs.
class SavedState {
public:
    SavedState() {
        unit_ = integer(GL_ACTIVE_TEXTURE);
        glActiveTexture(GL_TEXTURE0);
        texture_ = integer(GL_TEXTURE_BINDING_2D);
        draw_framebuffer_ = integer(GL_DRAW_FRAMEBUFFER_BINDING);
        read_framebuffer_ = integer(GL_READ_FRAMEBUFFER_BINDING);
        program_ = integer(GL_CURRENT_PROGRAM);
        vertices_ = integer(GL_VERTEX_ARRAY_BINDING);
        glGetIntegerv(GL_VIEWPORT, viewport_.data());
        for (size_t i = 0; i < switches.size(); ++i) {
            on_[i] = glIsEnabled(switches[i]);
            glDisable(switches[i]);
        }
    }
    ~SavedState() {
        for (size_t i = 0; i < switches.size(); ++i)
            if (on_[i]) glEnable(switches[i]);
        glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_framebuffer_));
        glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_framebuffer_));
        glUseProgram(static_cast<GLuint>(program_));
        glBindVertexArray(static_cast<GLuint>(vertices_));
        glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture_));
        glActiveTexture(static_cast<GLenum>(unit_));
    }
    SavedState(const SavedState&) = delete;
    SavedState& operator=(const SavedState&) = delete;

private:
    static constexpr std::array<GLenum, 5> switches{GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_STENCIL_TEST,
                                                    GL_SCISSOR_TEST};
    int unit_ = 0, texture_ = 0, draw_framebuffer_ = 0, read_framebuffer_ = 0, program_ = 0, vertices_ = 0;
    std::array<GLint, 4> viewport_{};
    std::array<GLboolean, 5> on_{};
};

// How rows lie in the caller's memory, while it is uploaded: ours are packed.
class PackedRows {
public:
    PackedRows() {
        for (size_t i = 0; i < names.size(); ++i) {
            before_[i] = integer(names[i]);
            glPixelStorei(names[i], names[i] == GL_UNPACK_ALIGNMENT ? 4 : 0);
        }
        buffer_ = integer(GL_PIXEL_UNPACK_BUFFER_BINDING);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }
    ~PackedRows() {
        for (size_t i = 0; i < names.size(); ++i) glPixelStorei(names[i], before_[i]);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, static_cast<GLuint>(buffer_));
    }
    PackedRows(const PackedRows&) = delete;
    PackedRows& operator=(const PackedRows&) = delete;

private:
    static constexpr std::array<GLenum, 4> names{GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS,
                                                 GL_UNPACK_SKIP_PIXELS};
    std::array<int, 4> before_{};
    int buffer_ = 0;
};

base::Result<unsigned> compiled(GLenum kind, const std::filesystem::path& path) {
    auto text = base::read_file(path);
    if (!text) return text.error();
    unsigned shader = glCreateShader(kind);
    const char* start = text->c_str();
    glShaderSource(shader, 1, &start, nullptr);
    glCompileShader(shader);
    GLint done = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done) return shader;
    std::array<char, 1024> log{};
    glGetShaderInfoLog(shader, static_cast<GLsizei>(log.size()), nullptr, log.data());
    glDeleteShader(shader);
    return Error{Failure::missing, base::say("OpenGL refuses the shader: {}", log.data()), path.string(),
                 base::say("update the graphics driver")};
}

base::Result<unsigned> linked(unsigned vertex, unsigned fragment) {
    unsigned program = glCreateProgram();
    glAttachShader(program, vertex);
    glAttachShader(program, fragment);
    glLinkProgram(program);
    GLint done = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (done) return program;
    std::array<char, 1024> log{};
    glGetProgramInfoLog(program, static_cast<GLsizei>(log.size()), nullptr, log.data());
    glDeleteProgram(program);
    return Error{Failure::missing, base::say("OpenGL refuses the shaders together: {}", log.data()),
                 "field.vert, field.frag", base::say("update the graphics driver")};
}

// Allocates texture `name` anew, one level, no filtering between elements.
void allocate(unsigned name, GLint format, GLenum channels, GLenum type, int width, int height) {
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, channels, type, nullptr);
}

} // namespace

base::Result<std::unique_ptr<FieldTexture>> FieldTexture::create(const std::filesystem::path& shaders) {
    auto vertex = compiled(GL_VERTEX_SHADER, shaders / "field.vert");
    if (!vertex) return vertex.error();
    auto fragment = compiled(GL_FRAGMENT_SHADER, shaders / "field.frag");
    if (!fragment) {
        glDeleteShader(*vertex);
        return fragment.error();
    }
    auto program = linked(*vertex, *fragment);
    glDeleteShader(*vertex);
    glDeleteShader(*fragment);
    if (!program) return program.error();
    std::unique_ptr<FieldTexture> texture(new FieldTexture);
    texture->program_ = *program;
    glGenVertexArrays(1, &texture->vertices_);
    glGenFramebuffers(1, &texture->framebuffer_);
    glGenTextures(1, &texture->floats_);
    glGenTextures(1, &texture->picture_);
    return texture;
}

FieldTexture::~FieldTexture() {
    glDeleteTextures(1, &picture_);
    glDeleteTextures(1, &floats_);
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteVertexArrays(1, &vertices_);
    glDeleteProgram(program_);
}

base::Status FieldTexture::resize(int m, int n) {
    int most = integer(GL_MAX_TEXTURE_SIZE);
    if (m < 1 || n < 1 || m > most || n > most)
        return Error{Failure::usage,
                     base::say("a picture of {} x {} elements is larger than this OpenGL's {} x {}", m, n, most, most),
                     {},
                     base::say("choose a smaller problem to see C")};
    if (m == m_ && n == n_) return base::Done{};
    SavedState saved;
    PackedRows packed;
    allocate(floats_, GL_R32F, GL_RED, GL_FLOAT, n, m);
    m_ = m;
    n_ = n;
    drawn_ = false;
    return base::Done{};
}

void FieldTexture::upload(std::span<const float> values, int first_row) {
    SavedState saved;
    PackedRows packed;
    glBindTexture(GL_TEXTURE_2D, floats_);
    const auto rows = static_cast<int>(values.size() / static_cast<size_t>(n_));
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, first_row, n_, rows, GL_RED, GL_FLOAT, values.data());
    drawn_ = false;
}

std::vector<float> FieldTexture::download() const {
    SavedState saved;
    std::vector<float> values(static_cast<size_t>(m_) * static_cast<size_t>(n_));
    const int alignment = integer(GL_PACK_ALIGNMENT), buffer = integer(GL_PIXEL_PACK_BUFFER_BINDING);
    glPixelStorei(GL_PACK_ALIGNMENT, 4); // rows of floats are packed by it
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glBindTexture(GL_TEXTURE_2D, floats_);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, values.data());
    glBindBuffer(GL_PIXEL_PACK_BUFFER, static_cast<GLuint>(buffer));
    glPixelStorei(GL_PACK_ALIGNMENT, alignment);
    return values;
}

unsigned FieldTexture::picture(int width, int height, const FieldStyle& style) {
    width = std::clamp(width, 1, integer(GL_MAX_TEXTURE_SIZE));
    height = std::clamp(height, 1, integer(GL_MAX_TEXTURE_SIZE));
    if (drawn_ && width == width_ && height == height_ && style == style_) return picture_;
    draw(width, height, style);
    style_ = style;
    drawn_ = true;
    return picture_;
}

void FieldTexture::draw(int width, int height, const FieldStyle& style) {
    SavedState saved;
    if (width != width_ || height != height_) {
        PackedRows packed;
        allocate(picture_, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height);
        width_ = width;
        height_ = height;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture_, 0);
    glViewport(0, 0, width, height);
    glUseProgram(program_);
    auto at = [this](const char* name) { return glGetUniformLocation(program_, name); };
    glUniform1i(at("field"), 0);
    glUniform2f(at("first"), style.first_column, style.first_row);
    glUniform2f(at("extent"), style.columns > 0 ? style.columns : static_cast<float>(n_),
                style.rows > 0 ? style.rows : static_cast<float>(m_));
    glUniform2f(at("pixels"), static_cast<float>(width), static_cast<float>(height));
    glUniform1f(at("largest"), style.largest > 0 ? style.largest : 1);
    glUniform1i(at("take_largest"), style.take_largest);
    glUniform1f(at("least_averaged"), least_averaged);
    glUniform3fv(at("ramp"), static_cast<GLsizei>(style.ramp.size()), style.ramp.front().data());
    glUniform3fv(at("not_a_number"), 1, style.not_a_number.data());
    glUniform3fv(at("outside"), 1, style.outside.data());
    glBindVertexArray(vertices_);
    glBindTexture(GL_TEXTURE_2D, floats_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

} // namespace gpu
