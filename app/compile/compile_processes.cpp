#include "compile/compile_processes.h"

#include "base/file.h"
#include "base/number.h"
#include "base/process.h"
#include "base/stop_event.h"
#include "compile/outcome.h"
#include "compile/wire.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace compile {
namespace {
namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;
using wire::Fields;

constexpr base::Phrase raise_limit = base::phrase("make it simpler, or allow more by GEMMSCOPE_COMPILE_SECONDS");
constexpr std::chrono::milliseconds grace{500}; // after a stop
constexpr std::chrono::seconds start_limit{60}; // for the Hello and whatever depends on no source

// Of processor time, and half of the time that it may take altogether: the machine does other things, too.
int64_t seconds_allowed() {
    constexpr int64_t usual = 300, most = 1'000'000;
    const char* given = std::getenv("GEMMSCOPE_COMPILE_SECONDS");
    const auto seconds = base::parse_integer(given ? given : "", "GEMMSCOPE_COMPILE_SECONDS", 1, most);
    return seconds ? *seconds : usual;
}

// "gemmscope", also as "gemmscope-0.2" and, after an upgrade, "gemmscope (deleted)".
bool is_gemmscope(const fs::path& program) {
    const std::string name = program.filename().string(), expected = "gemmscope";
    if (!name.starts_with(expected)) return false;
    return name.size() == expected.size() ||
           (!std::isalnum(static_cast<unsigned char>(name[expected.size()])) && name[expected.size()] != '_');
}

// A process, and the conversation with it.
class CompileProcess {
public:
    enum class End { answered, ended, stopped, overdue, garbled };

    // `look`: the how manyth for compilers found those that it has.
    CompileProcess(base::Process process, int niceness, int look)
        : process_(std::move(process)), niceness_(niceness), look_(look) {}

    int niceness() const { return niceness_; }
    int look() const { return look_; }

    // Alive, and has not said anything unasked.
    bool is_quiet() const {
        pollfd output{process_.output.number(), POLLIN, 0};
        return ::poll(&output, 1, 0) == 0;
    }

    // Sends a message, if there is one, and waits for the next answer.
    End talk(std::string_view outgoing, Clock::time_point deadline, const std::stop_token& token) {
        const base::StopEvent stop(token);
        incoming_.clear();
        for (bool stopped = false;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
            if (left <= 0) return stopped ? End::stopped : End::overdue;
            std::array<pollfd, 4> polled{{{process_.output.number(), POLLIN, 0},
                                          {process_.error.number(), POLLIN, 0},
                                          {outgoing.empty() ? -1 : process_.input.number(), POLLOUT, 0},
                                          {stopped ? -1 : stop.descriptor(), POLLIN, 0}}};
            (void)::poll(polled.data(), polled.size(), static_cast<int>(std::min<int64_t>(left, 1'000'000)));
            if (polled[3].revents) stopped = true, deadline = std::min(deadline, Clock::now() + grace);
            if (polled[2].revents) send_some(outgoing);
            if (polled[1].revents) read_words();
            if (!polled[0].revents) continue;
            if (const auto end = read_some()) return *end;
        }
    }

    std::optional<Fields> answer() const {
        return wire::unpacked(std::string_view(incoming_).substr(wire::head_bytes));
    }

    // Why talk() came to no answer. `tool` worked on `where` and had so many seconds.
    base::Error failure(End end, const std::string& tool, const std::string& where, int64_t seconds) {
        if (end == End::stopped) return {base::Failure::check_failed, base::say("stopped"), where, {}};
        if (end == End::garbled)
            return {base::Failure::missing, base::say("the answer of {}'s process is not understood", tool), where,
                    base::say("install gemmscope again")};
        const base::Sentence how = process_.finish(end == End::ended ? 1 : 0);
        if (end == End::overdue || process_.was_killed_by(SIGXCPU))
            return {base::Failure::usage, base::say("{} did not come to an end within {} s", tool, seconds), where,
                    raise_limit};
        while (process_.error && read_words()) {
        }
        base::Sentence what =
            how.empty() ? base::say("{} ended without an answer", tool) : base::say("{} {}", tool, how);
        if (const std::string words = last_words(); !words.empty()) what = base::say("{}: {}", what, words);
        return {base::Failure::usage, what, where, base::say("simplify what nests deeply or expands without end")};
    }

private:
    base::Process process_;
    const int niceness_, look_;
    std::string incoming_, words_;

    void send_some(std::string_view& outgoing) {
        const ssize_t sent = ::send(process_.input.number(), outgoing.data(), outgoing.size(), MSG_NOSIGNAL);
        if (sent > 0) outgoing.remove_prefix(static_cast<size_t>(sent));
        else if (errno != EAGAIN && errno != EINTR) outgoing = {}; // it died: the end of its output says so
    }

    bool read_words() {
        constexpr size_t kept = 4096;
        std::array<char, kept> chunk;
        const ssize_t count = ::read(process_.error.number(), chunk.data(), chunk.size());
        if (count > 0) words_.append(chunk.data(), static_cast<size_t>(count));
        else if (count == 0 || (errno != EAGAIN && errno != EINTR)) process_.error.close();
        if (words_.size() > kept) words_.erase(0, words_.size() - kept);
        return count > 0;
    }

    std::optional<End> read_some() {
        std::array<char, 1 << 16> chunk;
        const ssize_t count = ::read(process_.output.number(), chunk.data(), chunk.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return {};
        if (count <= 0) return End::ended;
        incoming_.append(chunk.data(), static_cast<size_t>(count));
        if (incoming_.size() < wire::head_bytes) return {};
        const uint64_t length = wire::length_of(incoming_), here = incoming_.size() - wire::head_bytes;
        if (length > wire::most_bytes || here > length) return End::garbled;
        return here == length ? std::optional(End::answered) : std::nullopt;
    }

    std::string last_words() const {
        const size_t end = words_.find_last_not_of("\r\n ") + 1; // 0 if there are none
        const size_t start =
            words_.find_last_of('\n', end) == words_.npos || end == 0 ? 0 : words_.find_last_of('\n', end - 1) + 1;
        return words_.substr(start, std::min<size_t>(end - start, 200));
    }
};

} // namespace

struct CompileProcesses::Impl {
    std::mutex mutex;
    std::vector<std::unique_ptr<CompileProcess>> idle; // the one used last at the end
    std::optional<base::Result<NvrtcFacts>> nvrtc;
    std::optional<base::Result<PtxasFacts>> ptxas;
    int look = 0; // how often they were looked for anew

    // A process inherits the priority of the thread that starts it and could not be raised again, so that each priority
    // has processes of its own.
    std::unique_ptr<CompileProcess> take_idle(int niceness) {
        while (true) {
            std::unique_ptr<CompileProcess> found; // let go of, where it died meanwhile, without the mutex
            {
                std::lock_guard lock(mutex);
                const auto of_same = [&](const auto& process) { return process->niceness() == niceness; };
                const auto last = std::find_if(idle.rbegin(), idle.rend(), of_same);
                if (last == idle.rend()) return nullptr;
                found = std::move(*last);
                idle.erase(std::next(last).base());
            }
            if (found->is_quiet()) return found;
        }
    }

    base::Result<std::unique_ptr<CompileProcess>> take(const std::stop_token& stop) {
        const int niceness = ::getpriority(PRIO_PROCESS, 0); // of this thread
        if (auto found = take_idle(niceness)) return found;
        const auto program = compiler_program();
        if (!program) return program.error();
        const int present = present_look();
        auto started = base::Process::start({*program, "compiler"}, base::Group::session, "the compiler's process");
        if (!started) return started.error();
        auto process = std::make_unique<CompileProcess>(std::move(*started), niceness, present);
        if (const auto end = process->talk({}, Clock::now() + start_limit, stop); end != CompileProcess::End::answered)
            return process->failure(end, "NVRTC", {}, start_limit.count());
        const auto outcome = answer_of(*process);
        const auto facts = outcome && outcome->value ? wire::facts_of(*outcome->value) : std::nullopt;
        if (!outcome || (outcome->value && !facts))
            return process->failure(CompileProcess::End::garbled, "NVRTC", {}, 0);
        std::lock_guard lock(mutex);
        if (!nvrtc && look == present)
            nvrtc = facts ? base::Result(*facts) : base::Result<NvrtcFacts>(outcome->failed->error);
        return process;
    }

    int present_look() {
        std::lock_guard lock(mutex);
        return look;
    }

    void give_back(std::unique_ptr<CompileProcess> process) {
        const size_t most = std::max(2u, std::thread::hardware_concurrency());
        std::unique_ptr<CompileProcess> surplus; // ends without the mutex
        std::lock_guard lock(mutex);
        if (process->look() != look) return surplus.swap(process);
        idle.push_back(std::move(process));
        if (idle.size() <= most) return;
        surplus = std::move(idle.front());
        idle.erase(idle.begin());
    }

    static std::optional<Outcome<Fields>> answer_of(const CompileProcess& process) {
        auto fields = process.answer();
        return fields ? wire::outcome_of(std::move(*fields)) : std::nullopt;
    }

    // `tool` is asked to do `what` with `fields`, about the file `where`.
    Outcome<Fields> ask(const char* what, const std::string& tool, const std::string& where, Fields fields,
                        const std::stop_token& stop) {
        const int64_t seconds = seconds_allowed();
        fields.insert(fields.begin(), {what, std::to_string(seconds)});
        const std::string message = wire::message(fields);
        if (message.size() > wire::most_bytes)
            return failure<Fields>(
                base::Error{base::Failure::usage,
                            base::say("a file of more than {} MB is not compiled", wire::most_bytes >> 20),
                            where,
                            {}});
        auto process = take(stop);
        if (!process) return failure<Fields>(process.error());
        auto end = (*process)->talk(message, Clock::now() + 2 * std::chrono::seconds(seconds), stop);
        auto outcome = end == CompileProcess::End::answered ? answer_of(**process) : std::nullopt;
        if (end == CompileProcess::End::answered && !outcome) end = CompileProcess::End::garbled;
        if (!outcome) return failure<Fields>((*process)->failure(end, tool, where, seconds));
        give_back(std::move(*process));
        return std::move(*outcome);
    }

    // The answer as a value.
    template <class T, class Read>
    static Outcome<T> value_of(Outcome<Fields> outcome, Read read) {
        if (!outcome.value) return failure<T>(std::move(*outcome.failed));
        auto value = read(*outcome.value);
        if (!value)
            return failure<T>(base::Error{base::Failure::missing,
                                          base::say("the answer of the compiler's process is not understood"),
                                          {},
                                          base::say("install gemmscope again")});
        return success(std::move(*value));
    }
};

CompileProcesses::CompileProcesses() : impl_(std::make_unique<Impl>()) {}
CompileProcesses::~CompileProcesses() = default;

base::Result<NvrtcFacts> CompileProcesses::nvrtc(std::stop_token stop) {
    while (true) { // once, or again where look_again() came between
        {
            std::lock_guard lock(impl_->mutex);
            if (impl_->nvrtc) return *impl_->nvrtc;
        }
        auto process = impl_->take(stop);
        if (!process) return process.error();
        impl_->give_back(std::move(*process));
    }
}

base::Result<PtxasFacts> CompileProcesses::ptxas(std::stop_token stop) {
    {
        std::lock_guard lock(impl_->mutex);
        if (impl_->ptxas) return *impl_->ptxas;
    }
    const int present = impl_->present_look();
    const auto read = [](const Fields& fields) {
        return fields.size() == 2 ? std::optional(PtxasFacts{fields[0], fields[1]}) : std::nullopt;
    };
    auto found = Impl::value_of<PtxasFacts>(impl_->ask(wire::find_ptxas, "ptxas", {}, {}, stop), read);
    if (stop.stop_requested() && !found.value) return found.failed->error;
    const auto facts = found.value ? base::Result(*found.value) : base::Result<PtxasFacts>(found.failed->error);
    std::lock_guard lock(impl_->mutex);
    if (!impl_->ptxas && impl_->look == present) impl_->ptxas = facts;
    return facts;
}

Outcome<Ptx> CompileProcesses::translate(const Source& source, std::stop_token stop) {
    return Impl::value_of<Ptx>(impl_->ask(wire::translate, "NVRTC", source.name, wire::to_fields(source), stop),
                               wire::ptx_of);
}

Outcome<MachineCode> CompileProcesses::assemble(const Ptx& ptx, const Source& source, std::stop_token stop) {
    Fields fields = wire::to_fields(Source{{}, source.name, source.entry, source.defines, source.arch});
    fields.insert(fields.begin(), {ptx.text, ptx.entry});
    return Impl::value_of<MachineCode>(impl_->ask(wire::assemble, "ptxas", source.name, std::move(fields), stop),
                                       wire::machine_code_of);
}

void CompileProcesses::look_again() {
    std::vector<std::unique_ptr<CompileProcess>> old; // end without the mutex
    std::lock_guard lock(impl_->mutex);
    ++impl_->look;
    impl_->nvrtc.reset(), impl_->ptxas.reset();
    old.swap(impl_->idle);
}

void CompileProcesses::warm_up(std::stop_token stop) { (void)impl_->ask(wire::warm_up, "NVRTC", {}, {}, stop); }

base::Result<std::string> compiler_program() {
    if (const char* given = std::getenv("GEMMSCOPE_PROGRAM"); given && *given) return std::string(given);
    const fs::path own = base::executable();
    // By this name also a file that was replaced meanwhile: both ends are of one version.
    if (is_gemmscope(own)) return std::string("/proc/self/exe");
    const fs::path beside = own.parent_path() / "gemmscope";
    if (::access(beside.c_str(), X_OK) == 0) return beside.string();
    return base::Error{base::Failure::missing,
                       base::say("gemmscope, in whose processes NVRTC and ptxas run, is missing"),
                       own.parent_path().string(), base::say("put it there, or let $GEMMSCOPE_PROGRAM name it")};
}

} // namespace compile
