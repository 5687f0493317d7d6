// C as the Result view shows it: the CPU engine's as soon as the whole grid has run; after R the GPU's too, which is
// computed in this process and, where CUDA and OpenGL share a GPU, written straight into the texture. The window and
// the buffer without a display own one; it works without OpenGL too, then there are values but no picture.
#pragma once

#include "base/job.h"
#include "base/reclaimer.h"
#include "gpu/live/live_picture.h"
#include "session/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ui {

struct ResultShown {
    enum class Source { none, cpu, gpu } source = Source::none;
    int m = 0, n = 0;
    base::NumbersView values;      // m x n, row-major, of the source; empty: on the GPU alone, too many to fetch
    base::NumbersView cpu;         // the CPU engine's, of the same run
    float least = 0, most = 0;     // of the elements that are numbers; without `values` -largest and largest
    float largest = 0;             // magnitude
    std::span<const float> errors; // of `values`, see gpu::errors_of(); empty: without a reference, or on the GPU alone
    std::optional<float> largest_error;                // nothing: no reference
    bool finite = true;                                // all elements are numbers
    std::optional<session::Verification> verification; // of the CPU engine's C
    // Of a GPU:
    std::string device;
    base::Sentence reason; // why it came through the host; empty: written by CUDA
    double kernel_ms = 0;
    struct Difference {        // from the CPU engine's C
        uint64_t elements = 0; // whose bits differ
        float largest = 0;
    };
    std::optional<Difference> difference; // nothing: not compared
};

class LiveResult {
public:
    // What became of the wish for a run on this machine's GPU.
    struct Gpu {
        enum class Face { none, waiting, running, shown, wrong, unverified, failed } face = Face::none;
        base::Sentence reason{}; // of failed; of unverified where the check itself could not be made
        std::shared_ptr<const session::StandIn>
            stand_in{}; // the check that decided; nullptr: the whole grid's, or none yet
    };
    static constexpr uint64_t compare_limit = 4u << 20; // elements fetched from the GPU to be compared and read out

    // With `wake`, which is called from another thread when update() has news, the view of a large C is made beside the frames; without
    // it, look() makes it.
    explicit LiveResult(std::function<void()> wake = {});
    ~LiveResult();

    // Call with OpenGL's context current, which it must also be in every later call and in the destructor. Without
    // the shaders there is no picture, and problem() says why.
    void open(const base::Result<std::filesystem::path>& shaders);

    // With a machine chosen elsewhere waits for the C that the session brings from there. Else
    // runs the session's kernel on the GPU for the picture, once the CPU has checked it with the same parameters, in its whole
    // grid or by Products::stand_in: a kernel that reads or writes where it must not would take this process's CUDA with it.
    // Otherwise gpu() says why not.
    void run(const session::Session&);
    void cancel();
    // Between frames: carries a run on, drops one whose subject is no longer the session's. True if there is something
    // to draw.
    bool update(const session::Session&);
    bool busy() const { return gpu_.face == Gpu::Face::waiting || gpu_.face == Gpu::Face::running || takes(); }
    // Whether the view of a C that has come is still being made. Until then there is none.
    bool takes() const { return jobs_.busy() || (live_ && live_->uploading()); }
    const Gpu& gpu() const { return gpu_; }

    // What there is to show now; takes the CPU engine's C where it is new. Valid until the next call of this or update().
    const ResultShown& look(const session::Session&);
    // A texture for ImGui::Image; 0 without OpenGL or if problem() says something.
    unsigned picture(int width, int height, const gpu::FieldStyle&, gpu::LivePicture::Field);
    const base::Sentence& problem() const { return problem_; }

private:
    void begin(const session::Session&);
    // The CPU engine's C of a run: what the view shows of it, and the picture.
    struct Cpu {
        gpu::Exact exact;     // what it was verified with
        base::Numbers values; // empty: those of `field`, where it holds all bits
        std::shared_ptr<const gpu::HostField> field;
        ResultShown shown; // into the above
    };
    static std::shared_ptr<const Cpu> cpu_of(const std::shared_ptr<const session::FullRun>&);

    void take_cpu(std::shared_ptr<const session::FullRun>);
    void show_cpu(std::shared_ptr<const Cpu>);
    void show_gpu(int m, int n, std::string device, base::Sentence reason, double kernel_ms);
    void follow_cpu(const session::Session&);
    void compare_with_cpu();
    void take_gpu(const session::Session&);
    bool follow_elsewhere(const session::Session&);
    void take_elsewhere(const session::Session&, const session::GpuResult&);
    void take_errors();

    std::unique_ptr<gpu::LivePicture> live_;
    base::Sentence problem_;
    Gpu gpu_;
    bool elsewhere_ = false;                        // it runs on another machine
    std::optional<session::Subject> wanted_;        // what gpu_ is about
    std::shared_ptr<const catalog::Kernel> kernel_; // likewise: another one when its file has changed
    std::shared_ptr<const session::FullRun> run_;   // that was taken last
    std::shared_ptr<const Cpu> cpu_;                // of it; nullptr: none, or not made yet
    base::Numbers gpu_values_;
    std::vector<float> gpu_errors_;
    ResultShown shown_;
    const bool beside_;
    const base::Reclaimer reclaimer_;
    base::Jobs jobs_; // last: it is joined before what its deliveries set goes
};

} // namespace ui
