// What a client reads from a worker that says anything: first nothing or a Hello, of a request at most one answer, of the kind that was
// asked, and an end. The worker is a real process; it says the input and ends.
// Coverage: app/gpu/client.cpp
#include "entry.h"
#include "file.h"

#include "gpu/client.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

namespace {

constexpr size_t most_text = 64 << 10;

size_t threads() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

void talk(const std::filesystem::path& said) {
    gpu::Worker worker({.command = "exec cat " + said.string(), .wake = {}});
    if (!worker.send(gpu::PeaksRequest{})) std::abort();
    bool greeted = false, answered = false;
    const auto take = [&](const gpu::Event& event) {
        if (std::holds_alternative<gpu::Hello>(event)) {
            if (std::exchange(greeted, true)) std::abort();
            return;
        }
        if (std::holds_alternative<base::Error>(event)) {
            if (std::exchange(answered, true)) std::abort();
            return;
        }
        const bool progress = std::holds_alternative<measure::Progress>(event);
        if (!greeted || answered || (!progress && !std::holds_alternative<measure::Peaks>(event))) std::abort();
        answered = !progress;
    };
    while (!answered) {
        const auto event = worker.next(60);
        if (!event) std::abort(); // it has ended, and nobody says so
        take(*event);
    }
    worker.cancel();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > most_text) return 0;
    const size_t before = threads();
    talk(FileOf(data, size).path());
    // The thread that buries the worker outlives the client; what it holds is not found by who looks for leaks while it ends.
    while (threads() > before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
}
