#include "compile/compile_service.h"

#include "base/number.h"
#include "base/process.h"
#include "base/sanitizer.h"
#include "compile/confined.h"
#include "compile/local_includes.h"
#include "compile/outcome.h"
#include "compile/translation.h"
#include "compile/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace compile {
namespace {

using wire::Fields;

void lower(decltype(RLIMIT_AS) resource, rlim_t value) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = std::min(value, limit.rlim_max);
    (void)::setrlimit(resource, &limit);
}

// ptxas inherits them.
void limit_process() {
    if (!base::reserves_terabytes) lower(RLIMIT_AS, rlim_t{4} << 30);
    lower(RLIMIT_STACK, rlim_t{64} << 20); // what nests as deep as this is no kernel; "unlimited" would be all memory
    lower(RLIMIT_FSIZE, wire::most_bytes);
    lower(RLIMIT_CORE, 0);
}

// Of one compilation: the limit counts from the start of the process.
void limit_processor_time(int64_t seconds) {
    rusage used{};
    (void)::getrusage(RUSAGE_SELF, &used);
    lower(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1 + seconds));
}

// NVRTC cannot be interrupted, so that another thread looks whether anybody still waits. In a group of our own ptxas ends
// with us.
void end_with(int socket) {
    pollfd other_end{socket, POLLRDHUP, 0};
    while (::poll(&other_end, 1, -1) < 0 && errno == EINTR) {
    }
    if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
    ::_exit(0);
}

bool read_all(int from, char* to, size_t size) {
    for (size_t at = 0; at < size;) {
        const ssize_t count = ::read(from, to + at, size - at);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += static_cast<size_t>(count);
    }
    return true;
}

bool write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(to, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

std::optional<Fields> receive(int from) {
    std::string bytes(wire::head_bytes, '\0');
    if (!read_all(from, bytes.data(), bytes.size())) return {};
    const uint64_t length = wire::length_of(bytes);
    if (length > wire::most_bytes) return {};
    bytes.resize(length);
    return read_all(from, bytes.data(), bytes.size()) ? wire::unpacked(bytes) : std::nullopt;
}

base::Error plain_error(base::Sentence what) { return {base::Failure::usage, std::move(what), {}, {}}; }

class Service {
public:
    Fields hello() const {
        return wire::answer(nvrtc_ ? success(wire::to_fields(nvrtc_->facts())) : failure<Fields>(nvrtc_.error()));
    }

    Fields perform(Fields request) {
        try {
            Fields given = wire::answer(answer(std::move(request)));
            if (wire::packed(given).size() <= wire::most_bytes) return given;
            return wire::answer(failure<Fields>(plain_error(
                base::say("what the compiler makes of this is larger than {} MB", wire::most_bytes >> 20))));
        } catch (const std::bad_alloc&) {
            return wire::answer(failure<Fields>(plain_error(base::say("the compiler's memory ran out"))));
        } catch (const std::exception& error) {
            return wire::answer(failure<Fields>(plain_error(base::verbatim(error.what()))));
        }
    }

private:
    base::Result<Nvrtc> nvrtc_ = Nvrtc::load();
    std::optional<base::Result<Ptxas>> ptxas_; // looked for when it is first needed

    const base::Result<Ptxas>& ptxas() {
        if (!ptxas_) ptxas_ = Ptxas::find(nvrtc_ ? nvrtc_->facts().path : "");
        return *ptxas_;
    }

    template <class T>
    static Outcome<Fields> fields_of(const Outcome<T>& outcome) {
        return outcome.value ? success(wire::to_fields(*outcome.value)) : failure<Fields>(*outcome.failed);
    }

    // A request is what to do, how many seconds it may take, and of what.
    Outcome<Fields> answer(Fields request) {
        const auto seconds = base::parse_integer(request.size() < 2 ? "" : request[1], "seconds", 1, INT32_MAX);
        if (!seconds) return failure<Fields>(seconds.error());
        limit_processor_time(*seconds);
        const std::string what = request[0];
        request.erase(request.begin(), request.begin() + 2);
        if (what == wire::translate) return translated(std::move(request));
        if (what == wire::assemble) return assembled(std::move(request));
        if (what == wire::find_ptxas) return found_ptxas();
        if (what == wire::warm_up) return warmed_up();
        return failure<Fields>(plain_error(base::say("there is no such request")));
    }

    Outcome<Fields> translated(Fields fields) {
        const auto source = wire::source_of(std::move(fields));
        if (!source) return failure<Fields>(plain_error(base::say("the request is not source code")));
        if (!nvrtc_) return failure<Fields>(nvrtc_.error());
        const NvrtcFacts& facts = nvrtc_->facts();
        std::vector<std::filesystem::path> readable = readable_folders(source->name);
        // The toolkit's headers may be links to where they lie in it: those that `gemmscope setup` fetched are.
        for (const std::string& folder : facts.include_folders)
            readable.push_back(std::filesystem::path(folder).parent_path());
        readable.push_back(std::filesystem::path(facts.path).parent_path());
        Outcome<Fields> outcome;
        confined(readable, [&] { outcome = fields_of(translate(*nvrtc_, *source)); });
        return outcome;
    }

    Outcome<Fields> assembled(Fields fields) {
        constexpr size_t of_ptx = 2;
        if (fields.size() < of_ptx) return failure<Fields>(plain_error(base::say("the request is not PTX")));
        const Ptx ptx{std::move(fields[0]), std::move(fields[1]), {}};
        fields.erase(fields.begin(), fields.begin() + of_ptx);
        const auto source = wire::source_of(std::move(fields));
        if (!source) return failure<Fields>(plain_error(base::say("the request is not source code")));
        return ptxas() ? fields_of(assemble(*ptxas(), ptx, *source)) : failure<Fields>(ptxas().error());
    }

    Outcome<Fields> found_ptxas() {
        if (!ptxas()) return failure<Fields>(ptxas().error());
        return success(Fields{ptxas()->facts().path, ptxas()->facts().version});
    }

    Outcome<Fields> warmed_up() const {
        if (nvrtc_ && !nvrtc_->facts().architectures.empty()) {
            const std::string arch = fmt::format("-arch=compute_{}", nvrtc_->facts().architectures.back());
            (void)nvrtc_->compile("__global__ void nothing() {}", "nothing.cu", {}, {arch, "--std=c++20"});
        }
        return success(Fields{});
    }
};

} // namespace

base::Status serve_compilations() {
    struct stat given {};
    if (::fstat(STDIN_FILENO, &given) != 0 || !S_ISSOCK(given.st_mode))
        return base::Error{base::Failure::usage,
                           base::say("compiler serves other processes of gemmscope only"),
                           {},
                           base::say("see gemmscope compile --help")};
    // What NVRTC may print is no answer.
    const base::Descriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
        output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
        nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!input || !output || ::dup2(nothing.number(), STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return base::Error{base::Failure::missing, base::say("compiler cannot take its standard streams"), {}, {}};
    (void)::prctl(PR_SET_NAME, "gs compiler"); // of /proc/self/exe it would be "exe"
    limit_process();
    std::thread(end_with, input.number()).detach();
    Service service;
    if (!write_all(output.number(), wire::message(service.hello()))) return base::Done{};
    while (auto request = receive(input.number()))
        if (!write_all(output.number(), wire::message(service.perform(std::move(*request))))) break;
    return base::Done{};
}

} // namespace compile
