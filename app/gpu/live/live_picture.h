// C as a picture in the window. On the GPU that draws the window, the kernel runs in this process and a CUDA kernel writes C
// straight into the texture; where that is not to be had, C comes through the host (from any GPU that CUDA finds, or
// from the CPU engine by show()), and `reason` says why. Only kernels that passed the CPU's checks belong in here: one
// that crashes takes the CUDA of this process with it, and one that does not end holds it. Then CUDA is called no more,
// as a call would wait or fail, and nothing is given back to it; pictures of the CPU's C go on.
#pragma once

#include "gpu/live/field_texture.h"
#include "gpu/protocol.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gpu {

// What C should be, and what an element may be off.
struct Exact {
    std::shared_ptr<const std::vector<double>> c; // m x n, row-major; nullptr: not known
    double tolerance = 1;
    explicit operator bool() const { return c != nullptr; }
};
// |c - exact.c| in units of the tolerance, which are at most 1 where C is right; NaN where c holds one.
std::vector<float> errors_of(base::NumbersView c, const Exact&);

// C on the host as pictures show it, doubles rounded, and its error.
struct HostField {
    int m = 0, n = 0;
    std::vector<float> c, error; // m x n, row-major; no error without a reference
    float largest = 0;           // |c|, of the elements that are numbers
    bool finite = true;          // all of them are
    float largest_error = 0;     // of the elements that are numbers
};
// From any thread: half a second for 4096 x 4096.
HostField host_field(base::NumbersView c, int m, int n, const Exact& exact = {});

// A kernel and its operands, made by the caller off the window's thread: matrix_inputs() fills them.
struct LiveRun {
    Launch launch;              // image: machine code for the GPU's architecture, or PTX that ends in 0
    base::Numbers a, b, before; // m x k, k x n, m x n as the kernel finds them (C before the launch; may be
                                // empty if beta is 0)
    Exact exact;                // for the picture of the error
    double time_limit_s = 10;
};
// Makes the run once the GPU's architecture ("sm_90") is known; called in the background, so it may compile.
using RunFor = std::function<base::Result<LiveRun>(const std::string& arch)>;
LiveRun live_run(Launch); // with the seeded operands that the CPU engine and the worker use

class LivePicture {
public:
    enum class Field { c, error };           // the error: errors_of() C
    enum class Path { none, host, interop }; // host: copied by glTexSubImage2D
    struct State {
        Path path = Path::none;
        base::Sentence reason; // why it is not interop; empty if it is, or if nothing was tried
        std::string device;    // that ran the kernel; empty: C was given by show()
        int m = 0, n = 0;
        float largest = 0;  // |C|, of the elements that are numbers
        bool finite = true; // all of them are
        std::optional<float>
            largest_error;    // of the elements that are numbers; nothing: there is no picture of the error
        double kernel_ms = 0; // of the one launch, by events
        std::optional<base::Error> failed; // the last run's; the older picture stays, except where `lost`
        bool lost = false;                 // this process has no GPU any more; a worker has
    };

    // All functions need the window's OpenGL context to be current, the destructor too. `shaders`: the folder.
    static base::Result<std::unique_ptr<LivePicture>> create(const std::filesystem::path& shaders);
    ~LivePicture();

    // C from the host. Ends a run in progress. update(), once a frame, hands OpenGL a piece; until it has all, there is no
    // picture. Errors: more than OpenGL's textures hold.
    base::Status show(std::shared_ptr<const HostField>);
    bool uploading() const;
    // The same at once.
    base::Status show(base::NumbersView c, int m, int n, const Exact& exact = {});

    // Starts the kernel on the GPU; update(), once a frame, carries it on: it copies a piece of the matrices, a few milliseconds
    // at most, or looks how far the GPU is. A newer run replaces an older one.
    void start(std::shared_ptr<const LiveRun>);
    void start(RunFor);
    void cancel(); // the picture stays as it is; what the GPU has begun ends unseen
    bool update(); // true if state() or the picture has changed
    bool busy() const;

    const State& state() const;
    // C of the picture, m x n, row-major; floats are fetched from the texture, doubles from the GPU's memory:
    // milliseconds for millions. Empty: no picture.
    base::Numbers values() const;
    // For ImGui::Image: an RGBA texture of that many pixels; 0 while there is no such picture. `largest` of the style is
    // taken from state() if it is 0.
    unsigned picture(int width, int height, FieldStyle, Field field = Field::c);

private:
    struct Impl;
    explicit LivePicture(std::unique_ptr<Impl>);
    std::unique_ptr<Impl> impl_;
};

} // namespace gpu
