// worker: serves GPU runs over standard input and output.
#include "gpu/worker/worker.h"
#include "cli/command.h"

namespace cli {

Action define_worker(Options&, const Common&) {
    return []() -> base::Status {
        const int code = gpu::run_worker(); // it has told its client the reason already
        if (code == 0) return base::Done{};
        const auto failure = code == 3 ? base::Failure::missing : base::Failure::check_failed;
        return base::Error{failure, base::say("the worker ended"), {}, base::say("see the last line of its output")};
    };
}

} // namespace cli
