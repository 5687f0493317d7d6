#include "gpu/worker/worker.h"

#include "base/stop_event.h"
#include "gpu/worker/bench.h"
#include "gpu/worker/host_product.h"
#include "gpu/worker/peaks.h"
#include "gpu/worker/rig.h"
#include "gpu/worker/stream.h"
#include "gpu/worker/stream_rig.h"
#include "gpu/worker/sweep.h"
#include "gpu/worker/sweep_bench.h"
#include "gpu/worker/timeline.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>
#include <type_traits>
#include <unistd.h>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

base::Result<Hello> greet(const std::shared_ptr<const Driver>& driver) {
    Hello hello;
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) hello.host = host.data();
    int count = 0, version = 0;
    if (auto done = driver->check(driver->device_count(&count), base::phrase("cannot count the GPUs")); !done)
        return done.error();
    if (count == 0)
        return Error{Failure::missing,
                     base::say("the driver found no GPU"),
                     {},
                     base::say("recorded figures are shown without a GPU")};
    for (int i = 0; i < count; ++i) {
        CUdevice handle = 0;
        if (auto done = driver->check(driver->device_get(&handle, i), base::phrase("cannot open the GPU")); !done)
            return done.error();
        auto device = describe(*driver, handle);
        if (!device) return device.error();
        hello.devices.push_back(*device);
        if (i == 0) hello.driver = Nvml(pci_bus_id(*driver, handle)).driver_version();
    }
    driver->driver_version(&version);
    hello.cuda = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    if (auto cublas = find_cublas()) hello.cublas = *cublas;
    else hello.cublas_missing = cublas.error().sentence();
    return hello;
}

class Server {
public:
    Server(std::shared_ptr<const Driver> driver, const std::function<bool(std::string_view)>& write)
        : driver_(std::move(driver)), write_(write) {}

    // About the request in hand.
    bool say(const Reply& reply) { return write_(to_json(reply, number_)); }

    // False: this was the last.
    bool answer(std::string_view line) {
        auto asked = request_from_json(line);
        number_ = asked.number;
        if (!asked.request) return say(Refusal{asked.request.error(), false});
        return std::visit([this](const auto& message) { return handle(message); }, *asked.request);
    }

    bool failed = false; // the GPU is lost to this process

private:
    bool handle(const Quit&) { return false; }
    bool handle(const Ping&) { return say(Pong{}); }

    bool handle(const BenchRequest& request) { return answer(request, bench); }
    bool handle(const RunRequest& request) {
        return answer(request,
                      [](Station& station, const RunRequest& what, const Report&) { return run(station, what); });
    }
    bool handle(const PeaksRequest& request) { return answer(request, measure_peaks); }
    bool handle(const TimelineRequest& request) { return answer(request, record_blocks); }
    bool handle(const HostProductRequest& request) { return answer(request, bench_host_product); }
    bool handle(const StreamRequest& request) { return answer(request, stream); }
    bool handle(const SweepRequest& request) { return answer(request, sweep); }

    // Is the GPU lost, though there is an answer?
    static bool lost(const Swept& swept) { return swept.lost; }
    template <class Answer>
    static bool lost(const Answer&) {
        return false;
    }

    // With what work(station, request, report) gives.
    template <class OfAGpu, class Work>
    bool answer(const OfAGpu& request, Work work) {
        if (!station_ || request.device != ordinal_) {
            station_.reset();
            auto opened = open_station(driver_, request.device);
            if (!opened) return say(Refusal{opened.error(), false});
            station_.emplace(std::move(*opened));
            ordinal_ = request.device;
        }
        if (!std::is_same_v<OfAGpu, SweepRequest>) station_->sweep_bench.reset();
        auto reply = work(*station_, request, [this](const measure::Progress& progress) { say(progress); });
        failed = reply ? lost(*reply) : !usable(*driver_);
        bool heard = reply ? say(std::move(*reply)) : say(Refusal{reply.error(), failed});
        if (!failed) station_->rig.reset(), station_->stream_rig.reset();
        return heard && !failed;
    }

    std::shared_ptr<const Driver> driver_;
    const std::function<bool(std::string_view)>& write_;
    std::optional<Station> station_;
    int ordinal_ = 0;
    uint64_t number_ = 0;
};

constexpr size_t longest_request = size_t{1} << 26; // bytes; machine code and a recording, in base64, take some MB

// False: there is none. What is longer is cut there, and thus no request.
bool read_line(std::istream& in, std::string& line) {
    line.clear();
    std::streambuf& bytes = *in.rdbuf();
    for (int byte; (byte = bytes.sbumpc()) != std::char_traits<char>::eof();) {
        if (byte == '\n') return true;
        if (line.size() == longest_request) return true;
        line.push_back(static_cast<char>(byte));
    }
    return !line.empty();
}

// Ends this process when nobody reads its answers any more, though a kernel still runs: a connection that is cut gives the GPU back.
class Listened {
public:
    explicit Listened(int descriptor)
        : thread_([descriptor](const std::stop_token& stop) {
              const base::StopEvent stopped(stop);
              std::array<pollfd, 2> polled{{{descriptor, 0, 0}, {stopped.descriptor(), POLLIN, 0}}};
              while (::poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) {
              }
              if (polled[0].revents & (POLLERR | POLLHUP)) ::_exit(static_cast<int>(Failure::check_failed));
          }) {}

private:
    std::jthread thread_;
};

bool write_line(int descriptor, std::string_view line) {
    std::string text(line);
    text += '\n';
    for (size_t sent = 0; sent < text.size();) {
        ssize_t count = ::write(descriptor, text.data() + sent, text.size() - sent);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) sent += static_cast<size_t>(count);
    }
    return true;
}

} // namespace

int serve(std::istream& in, const std::function<bool(std::string_view)>& write) {
    auto driver = Driver::open();
    auto hello = driver ? greet(*driver) : base::Result<Hello>(driver.error());
    if (!hello) {
        write(to_json(Reply(Refusal{hello.error(), true})));
        return static_cast<int>(hello.error().failure);
    }
    auto server = std::make_unique<Server>(*driver, write);
    if (!server->say(*hello)) return 0;
    for (std::string line; read_line(in, line);)
        if (!server->answer(line)) break;
    if (!server->failed) return 0;
    (void)server.release(); // to give anything back would wait for the GPU; the process's end does it
    return static_cast<int>(Failure::check_failed);
}

int run_worker() {
    std::ios::sync_with_stdio(false); // a request is read byte by byte
    int protocol = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    const Listened listened(protocol);
    int code = serve(std::cin, [protocol](std::string_view line) { return write_line(protocol, line); });
    ::close(protocol);
    return code;
}

} // namespace gpu
