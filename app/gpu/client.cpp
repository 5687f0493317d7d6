#include "gpu/client.h"

#include "gpu/process.h"

#include "base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t longest_line = size_t{1} << 29;
constexpr int longest_greeting = 100; // lines that a login shell may print before the Hello

Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

double limit_of(const Request& request) {
    if (auto* bench = std::get_if<BenchRequest>(&request)) return bench->time_limit_s;
    if (auto* run = std::get_if<RunRequest>(&request)) return run->time_limit_s;
    if (auto* peaks = std::get_if<PeaksRequest>(&request)) return peaks->time_limit_s;
    if (auto* timeline = std::get_if<TimelineRequest>(&request)) return timeline->time_limit_s;
    if (auto* product = std::get_if<HostProductRequest>(&request)) return product->time_limit_s;
    if (auto* stream = std::get_if<StreamRequest>(&request)) return stream->time_limit_s;
    return 0;
}

base::Error missing(std::string what, std::string todo = {}) {
    return {base::Failure::missing, std::move(what), {}, std::move(todo)};
}

std::string shortened(std::string_view line) {
    std::string text(line.substr(0, 80));
    if (text.size() < line.size()) text += "...";
    return text;
}

// The last line of `text` that says more than `known`: a shell repeats how its command died.
std::string last_line(std::string_view text, std::string_view known) {
    while (!text.empty()) {
        size_t start = text.find_last_of("\r\n") + 1; // 0 if there is none
        std::string_view line = text.substr(start);
        if (!line.empty() && known.find(line.substr(0, line.find(" ("))) == std::string_view::npos) return std::string(line);
        text = text.substr(0, start == 0 ? 0 : start - 1);
    }
    return {};
}

// What the owner's thread and the thread of one child share.
struct Mailbox {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Event> events;       // to the owner
    std::string outgoing;           // to the child
    double silence_limit_s = 0;     // of what is awaited
    Clock::time_point deadline;     // of the next line, while something is awaited
    bool awaiting = false;          // a Hello or an answer
    bool greeted = false;           // the Hello has come
    bool gone = false;              // the child's thread is about to end
    std::atomic<bool> stop = false; // the owner wants the child's end
    std::atomic<bool> kill = false; // at once, without asking
};

// Runs in a thread of its own: one child from start to end.
class Channel {
public:
    Channel(Mailbox& box, const Worker::Options& options, int wake_fd)
        : box_(box), options_(options), wake_fd_(wake_fd) {}

    void run() {
        auto process = Process::start(options_.command.empty() ? own_worker_command() : options_.command);
        if (!process) {
            leave(process.error());
            return;
        }
        process_ = &*process;
        while (!ended_) step();
        if (!failure_ && !box_.kill) say_goodbye();
        process->input.close();
        std::string how = process->finish(box_.kill || hung_ ? 0 : 1);
        if (!failure_ && !box_.stop) failure_ = death(how);
        leave(failure_);
    }

private:
    void step() {
        if (box_.stop) {
            ended_ = true;
            return;
        }
        bool writing = take_outgoing();
        std::array<pollfd, 4> polled{{{process_->output.number(), POLLIN, 0},
                                      {process_->error.number(), POLLIN, 0},
                                      {wake_fd_, POLLIN, 0},
                                      {writing ? process_->input.number() : -1, POLLOUT, 0}}};
        ::poll(polled.data(), polled.size(), milliseconds_left());
        if (polled[2].revents) drain_wake();
        if (polled[3].revents) write_some();
        if (polled[1].revents) read_error();
        if (polled[0].revents) read_output();
        else if (!ended_ && milliseconds_left() == 0) fail_hung();
    }

    // Moves what the owner wants to say into our own buffer.
    bool take_outgoing() {
        std::lock_guard lock(box_.mutex);
        if (box_.greeted) unsent_ += std::exchange(box_.outgoing, {});
        return !unsent_.empty();
    }

    int milliseconds_left() { // to the deadline; -1: nothing is awaited
        std::lock_guard lock(box_.mutex);
        if (!box_.awaiting) return -1;
        auto left = std::chrono::ceil<std::chrono::milliseconds>(box_.deadline - Clock::now()).count();
        return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
    }

    void drain_wake() {
        uint64_t count = 0;
        [[maybe_unused]] ssize_t ignored = ::read(wake_fd_, &count, sizeof count);
    }

    void write_some() {
        ssize_t sent = ::send(process_->input.number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
        if (sent > 0) unsent_.erase(0, static_cast<size_t>(sent));
        else if (errno != EAGAIN && errno != EINTR) unsent_.clear(); // it died: the end of its output says so
    }

    void read_error() {
        std::array<char, 4096> chunk;
        ssize_t count = ::read(process_->error.number(), chunk.data(), chunk.size());
        if (count > 0) complaint_.append(chunk.data(), static_cast<size_t>(count));
        else if (count == 0 || errno != EAGAIN) process_->error.close();
        if (complaint_.size() > 8192) complaint_.erase(0, complaint_.size() - 4096);
    }

    void read_output() {
        std::array<char, 1 << 16> chunk;
        ssize_t count = ::read(process_->output.number(), chunk.data(), chunk.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) {
            while (process_->error) { // its last words; the pipe's other end may be held open by a grandchild
                size_t before = complaint_.size();
                read_error();
                if (complaint_.size() == before) break;
            }
            ended_ = true;
            return;
        }
        size_t searched = incoming_.size();
        incoming_.append(chunk.data(), static_cast<size_t>(count));
        size_t start = 0;
        for (size_t end; !ended_ && (end = incoming_.find('\n', std::max(start, searched))) != std::string::npos; start = end + 1)
            take_line(std::string_view(incoming_).substr(start, end - start));
        incoming_.erase(0, start);
        if (incoming_.size() > longest_line) fail(missing("the GPU worker sent a line without end"));
    }

    void take_line(std::string_view line) {
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (!greeted_ && (line.empty() || line.front() != '{')) {
            if (++greeting_lines_ > longest_greeting) fail_garbled(line, "it is no worker");
            return;
        }
        auto reply = reply_from_json(line);
        if (!reply) return fail_garbled(line, reply.error().what);
        {
            std::lock_guard lock(box_.mutex);
            box_.deadline = after(box_.silence_limit_s);
        }
        std::visit([this](auto& message) { take(message); }, *reply);
    }

    void take(Hello& hello) {
        if (hello.version != protocol_version)
            return fail(missing(fmt::format("the GPU worker speaks version {} of the protocol, this program version {}",
                                            hello.version, protocol_version),
                                "install the same gemmscope on both sides"));
        greeted_ = true;
        {
            std::lock_guard lock(box_.mutex);
            box_.greeted = true;
            box_.awaiting = !box_.outgoing.empty(); // a request waits for this
        }
        deliver(std::move(hello));
    }
    void take(Progress& progress) { deliver(progress); }
    void take(Point& point) { answer(std::move(point)); }
    void take(RunResult& result) { answer(std::move(result)); }
    void take(Peaks& peaks) { answer(std::move(peaks)); }
    void take(BlockTimeline& timeline) { answer(std::move(timeline)); }
    void take(StreamRecord& record) { answer(std::move(record)); }
    void take(Refusal& refusal) {
        if (refusal.fatal || !greeted_) return fail(refusal.error);
        answer(refusal.error);
    }

    void deliver(Event event) {
        {
            std::lock_guard lock(box_.mutex);
            box_.events.push_back(std::move(event));
        }
        box_.arrived.notify_all();
        if (options_.wake) options_.wake();
    }

    void answer(Event event) {
        {
            std::lock_guard lock(box_.mutex);
            box_.awaiting = false;
        }
        deliver(std::move(event));
    }

    void fail(base::Error error) {
        failure_ = std::move(error);
        ended_ = hung_ = true;
    }

    void fail_garbled(std::string_view line, const std::string& why) {
        fail(missing(fmt::format("the GPU worker's answer is not understood ({}): {}", why, shortened(line)),
                     "check the worker's command"));
    }

    void fail_hung() {
        fail(greeted_ ? missing("the GPU worker gave no sign of life in time and was killed")
                      : missing(fmt::format("the GPU worker did not say hello within {:g} s and was killed{}", options_.hello_limit_s, last_words()),
                                "check the worker's command"));
    }

    std::string last_words(const std::string& known = {}) const {
        std::string line = last_line(complaint_, known);
        return line.empty() ? "" : ": " + shortened(line);
    }

    base::Error death(const std::string& how) const {
        std::string what = how.empty() ? "ended" : how;
        return missing(fmt::format("the GPU worker {}{}", what, last_words(how)), greeted_ ? "" : "check the worker's command");
    }

    void say_goodbye() {
        std::string line = to_json(Request(Quit{})) + "\n";
        [[maybe_unused]] ssize_t ignored = ::send(process_->input.number(), line.data(), line.size(), MSG_NOSIGNAL);
    }

    // An idle worker's end is no news: the next request starts another.
    void leave(const std::optional<base::Error>& error) {
        bool tell = false;
        {
            std::lock_guard lock(box_.mutex);
            tell = error && box_.awaiting && !box_.stop;
            if (tell) box_.events.emplace_back(*error);
            box_.awaiting = false;
            box_.gone = true;
        }
        box_.arrived.notify_all();
        if (tell && options_.wake) options_.wake();
    }

    Mailbox& box_;
    const Worker::Options& options_;
    int wake_fd_;
    Process* process_ = nullptr;
    std::string unsent_, incoming_, complaint_;
    int greeting_lines_ = 0;
    bool greeted_ = false, ended_ = false, hung_ = false; // hung: there is no point in waiting for its end
    std::optional<base::Error> failure_;
};

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

} // namespace

std::string own_worker_command() { return "exec " + quoted(base::executable().string()) + " worker"; }

struct Worker::Impl {
    Options options;
    Descriptor wake_fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::unique_ptr<Mailbox> box;
    std::thread thread;

    bool running() const {
        if (!box) return false;
        std::lock_guard lock(box->mutex);
        return !box->gone;
    }

    void nudge() {
        uint64_t one = 1;
        [[maybe_unused]] ssize_t ignored = ::write(wake_fd.number(), &one, sizeof one);
    }

    // Events that were not collected yet stay.
    void launch() {
        if (thread.joinable()) thread.join();
        auto fresh = std::make_unique<Mailbox>();
        if (box) fresh->events = std::move(box->events);
        fresh->awaiting = true;
        fresh->deadline = after(options.hello_limit_s);
        box = std::move(fresh);
        thread = std::thread([this, b = box.get()] { Channel(*b, options, wake_fd.number()).run(); });
    }

    void end(bool kill) {
        if (!thread.joinable()) return;
        box->kill = kill;
        box->stop = true;
        nudge();
        thread.join();
    }
};

Worker::Worker(Options options) : impl_(std::make_unique<Impl>()) { impl_->options = std::move(options); }

Worker::~Worker() { impl_->end(busy()); }

void Worker::start() {
    if (!impl_->running()) impl_->launch();
}

base::Status Worker::send(Request request) {
    if (busy()) return base::Error{base::Failure::usage, "the GPU is busy with an earlier request", {}, "wait or cancel it"};
    start();
    {
        std::lock_guard lock(impl_->box->mutex);
        impl_->box->outgoing = to_json(request) + "\n";
        impl_->box->silence_limit_s = impl_->options.silence_limit_s + limit_of(request);
        if (impl_->box->greeted) impl_->box->deadline = after(impl_->box->silence_limit_s); // else that of the Hello holds
        impl_->box->awaiting = true;
    }
    impl_->nudge();
    return base::Done{};
}

void Worker::cancel() {
    impl_->end(true);
    if (!impl_->box) return;
    std::lock_guard lock(impl_->box->mutex);
    impl_->box->events.clear();
}

bool Worker::busy() const {
    if (!impl_->box) return false;
    std::lock_guard lock(impl_->box->mutex);
    return impl_->box->awaiting;
}

std::vector<Event> Worker::poll() {
    std::vector<Event> events;
    if (!impl_->box) return events;
    std::lock_guard lock(impl_->box->mutex);
    events.assign(std::make_move_iterator(impl_->box->events.begin()), std::make_move_iterator(impl_->box->events.end()));
    impl_->box->events.clear();
    return events;
}

std::optional<Event> Worker::next(double seconds) {
    if (!impl_->box) return {};
    std::unique_lock lock(impl_->box->mutex);
    impl_->box->arrived.wait_until(lock, after(seconds), [this] { return !impl_->box->events.empty() || impl_->box->gone; });
    if (impl_->box->events.empty()) return {};
    Event event = std::move(impl_->box->events.front());
    impl_->box->events.pop_front();
    return event;
}

} // namespace gpu
