#include "gpu/client.h"

#include "base/caught.h"
#include "base/json.h"
#include "base/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int longest_greeting = 100;       // lines that a login shell may print before the Hello
constexpr size_t most_last_words = 1 << 16; // bytes that are still read of stderr when stdout has ended
constexpr size_t most_events = 1000;        // kept for an owner who does not collect them
constexpr size_t most_greeting = 1 << 20;   // bytes up to the Hello
constexpr size_t most_said = base::longest_json + (size_t{1} << 26); // for one request: an answer and its Progress
constexpr size_t most_complaints = 1 << 26;                          // bytes of stderr
constexpr double longest_farewell_s = 3; // until a child's thread lets go of it, where it was asked to quit

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
    if (auto* sweep = std::get_if<SweepRequest>(&request)) return sweep->time_limit_s;
    return 0;
}

// The kind of its answer, as an index of Reply.
size_t answer_to(const Request& request) {
    constexpr auto kind = []<class Answer>(std::type_identity<Answer>) {
        return Reply(std::in_place_type<Answer>).index();
    };
    if (std::holds_alternative<RunRequest>(request)) return kind(std::type_identity<RunResult>());
    if (std::holds_alternative<PeaksRequest>(request)) return kind(std::type_identity<measure::Peaks>());
    if (std::holds_alternative<TimelineRequest>(request)) return kind(std::type_identity<measure::BlockTimeline>());
    if (std::holds_alternative<StreamRequest>(request)) return kind(std::type_identity<measure::StreamRecord>());
    if (std::holds_alternative<SweepRequest>(request)) return kind(std::type_identity<Swept>());
    if (std::holds_alternative<Ping>(request)) return kind(std::type_identity<Pong>());
    return kind(std::type_identity<measure::NotedPoint>());
}

base::Error missing(base::Sentence what, base::Sentence todo = {}) {
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
        if (!line.empty() && known.find(line.substr(0, line.find(" ("))) == std::string_view::npos)
            return std::string(line);
        text = text.substr(0, start == 0 ? 0 : start - 1);
    }
    return {};
}

// What the owner's thread and the thread of one child share. Until the Hello the child is starting; then it is
// idle, or one request awaits its answer. The thread may outlive the Worker, while it buries a child.
struct Mailbox {
    explicit Mailbox(Worker::Options given) : options(std::move(given)) {}

    const Worker::Options options;
    const base::Descriptor wake_fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)}; // by which the owner wakes the thread
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<Event> events;                      // to the owner
    std::string outgoing;                          // to the child
    uint64_t asked = 0;                            // the number of the request that awaits its answer; 0: none
    size_t kind = 0;                               // of that answer, as an index of Reply
    double silence_limit_s = 0, total_limit_s = 0; // of that request
    Clock::time_point deadline;                    // of the next line
    Clock::time_point end;                         // of the Hello or the answer
    bool greeted = false;                          // the Hello has come
    bool gone = false;                             // the child has ended, or has been sent its SIGKILL
    std::atomic<bool> stop = false;                // the owner wants the child's end
    std::atomic<bool> kill = false;                // at once, without asking

    // The rest with the mutex held.
    bool awaiting() const { return !gone && (!greeted || asked); }

    void ask(const Request& request, uint64_t number) {
        outgoing = to_json(request, number) + "\n";
        asked = number;
        kind = answer_to(request);
        silence_limit_s = options.silence_limit_s + limit_of(request);
        total_limit_s = options.total_limit_s + 10 * limit_of(request);
        if (greeted) start_clocks(); // else those of the Hello run
    }

    void start_clocks() {
        deadline = after(silence_limit_s);
        end = after(total_limit_s);
    }

    // The mutex held, so that an owner who has ended this child is woken no more.
    void wake() const {
        if (options.wake && !stop) options.wake();
    }

    void nudge() const {
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t ignored = ::write(wake_fd.number(), &one, sizeof one);
    }
};

// Runs in a thread of its own: one child from start to end.
class Channel {
public:
    explicit Channel(Mailbox& box) : box_(box) {}

    void run() {
        const std::string& given = box_.options.command;
        // A session of its own has no terminal: what asks for a password fails, and says so, instead of waiting.
        auto process = base::Process::start({"/bin/sh", "-c", given.empty() ? own_worker_command() : given},
                                            base::Group::session, "the GPU worker");
        if (!process) {
            leave(process.error());
            return;
        }
        process_ = &*process;
        while (!ended_) step();
        process_->input.close();
        if (box_.kill || hung_) {
            process_->kill();
            return leave(failure_); // nobody waits until it is buried
        }
        const base::Sentence how = process_->finish(1);
        if (!failure_ && !box_.stop) failure_ = death(how);
        leave(failure_);
    }

private:
    void step() {
        if (box_.stop) {
            if (!box_.kill) say_goodbye();
            ended_ = true;
            return;
        }
        bool writing = take_outgoing();
        std::array<pollfd, 4> polled{{{process_->output.number(), POLLIN, 0},
                                      {process_->error.number(), POLLIN, 0},
                                      {box_.wake_fd.number(), POLLIN, 0},
                                      {writing ? process_->input.number() : -1, POLLOUT, 0}}};
        ::poll(polled.data(), polled.size(), milliseconds_left());
        if (polled[2].revents) drain_wake();
        if (polled[3].revents) write_some();
        if (polled[1].revents) read_error();
        if (polled[0].revents) read_output();
        else if (!ended_ && milliseconds_left() == 0) fail_hung();
        if (!ended_ && overdue()) fail_hung();
    }

    // Moves what the owner wants to say into our own buffer.
    bool take_outgoing() {
        std::lock_guard lock(box_.mutex);
        if (box_.greeted && !box_.outgoing.empty()) {
            unsent_ += std::exchange(box_.outgoing, {});
            heard_ = 0;
        }
        return !unsent_.empty();
    }

    int milliseconds_left() { // to the deadline; -1: nothing is awaited
        std::lock_guard lock(box_.mutex);
        if (!box_.awaiting()) return -1;
        auto next = std::min(box_.deadline, box_.end);
        auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
        return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
    }

    // Bytes that come put off the deadline of a line, but not the end.
    bool overdue() {
        std::lock_guard lock(box_.mutex);
        return box_.awaiting() && Clock::now() >= box_.end;
    }

    void drain_wake() {
        uint64_t count = 0;
        [[maybe_unused]] ssize_t ignored = ::read(box_.wake_fd.number(), &count, sizeof count);
    }

    void write_some() {
        ssize_t sent = ::send(process_->input.number(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
        if (sent > 0) unsent_.erase(0, static_cast<size_t>(sent)), written_ = Clock::now();
        else if (errno != EAGAIN && errno != EINTR) unsent_.clear(); // it died: the end of its output says so
    }

    // How many bytes came.
    size_t read_error() {
        std::array<char, 4096> chunk;
        ssize_t count = ::read(process_->error.number(), chunk.data(), chunk.size());
        if (count > 0) complaint_.append(chunk.data(), static_cast<size_t>(count));
        else if (count == 0 || errno != EAGAIN) process_->error.close();
        if (complaint_.size() > 8192) complaint_.erase(0, complaint_.size() - 4096);
        const auto came = static_cast<size_t>(std::max<ssize_t>(count, 0));
        if ((complained_ += came) > most_complaints)
            fail(missing(with_last_words(base::say("the GPU worker's messages had no end, and it was killed")),
                         base::say("check the worker's command")));
        return came;
    }

    // The pipe's other end may be held open, and filled, by a grandchild.
    void read_last_words() {
        size_t read = 0;
        while (process_->error && read < most_last_words) {
            const size_t came = read_error();
            if (came == 0) break;
            read += came;
        }
    }

    void read_output() {
        std::array<char, 1 << 16> chunk;
        ssize_t count = ::read(process_->output.number(), chunk.data(), chunk.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count <= 0) {
            read_last_words();
            ended_ = true;
            return;
        }
        size_t searched = incoming_.size();
        incoming_.append(chunk.data(), static_cast<size_t>(count));
        size_t start = 0;
        for (size_t end; !ended_ && (end = incoming_.find('\n', std::max(start, searched))) != std::string::npos;
             start = end + 1)
            take_line(std::string_view(incoming_).substr(start, end - start));
        incoming_.erase(0, start);
        if (ended_) return;
        if (incoming_.size() > base::longest_json) fail(missing(base::say("the GPU worker sent a line without end")));
        heard_ += static_cast<size_t>(count);
        if (heard_ > (greeted_ ? most_said : most_greeting))
            fail(missing(base::say("the GPU worker said more than an answer holds, and was killed"),
                         base::say("check the worker's command")));
    }

    void take_line(std::string_view line) {
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (!greeted_ && (line.empty() || line.front() != '{')) {
            if (++greeting_lines_ > longest_greeting) fail_garbled(line, base::say("it is not a worker"));
            return;
        }
        auto said = reply_from_json(line);
        if (!said) return fail_garbled(line, said.error().what);
        if (auto why = out_of_turn(*said); !why.empty()) return fail_out_of_turn(line, why);
        std::visit([this](auto& message) { take(message); }, said->reply);
    }

    // Why this is not what may be said now; empty: it is.
    base::Sentence out_of_turn(const Said& said) {
        const bool hello = std::holds_alternative<Hello>(said.reply);
        auto* refusal = std::get_if<Refusal>(&said.reply);
        if (!greeted_) return hello || refusal ? base::Sentence() : base::say("it has not said hello");
        if (hello) return base::say("it says hello again");
        if (refusal && refusal->fatal) return {}; // it ends
        std::lock_guard lock(box_.mutex);
        if (!box_.asked) return base::say("nothing is asked");
        if (said.number != box_.asked) return base::say("request {} is asked, not {}", box_.asked, said.number);
        const bool known =
            refusal || std::holds_alternative<measure::Progress>(said.reply) || said.reply.index() == box_.kind;
        return known ? base::Sentence() : base::say("another kind of answer is asked");
    }

    void take(Hello& hello) {
        if (hello.version != protocol_version)
            return fail(missing(base::say("the GPU worker speaks version {} of the protocol, this program version {}",
                                          hello.version, protocol_version),
                                base::say("install the same gemmscope on both sides")));
        greeted_ = true;
        deliver(std::move(hello), [this] {
            box_.greeted = true;
            box_.start_clocks(); // of the request that waits for this, if any
        });
    }
    void take(measure::Progress& progress) {
        deliver(progress, [this] { box_.deadline = after(box_.silence_limit_s); });
    }
    void take(Refusal& refusal) {
        if (refusal.fatal || !greeted_) return fail(refusal.error);
        answer(refusal.error);
    }
    void take(Pong& pong) {
        pong.ms = std::chrono::duration<double, std::milli>(Clock::now() - written_).count();
        answer(pong);
    }
    template <class Answer>
    void take(Answer& found) {
        answer(std::move(found));
    }

    void answer(Event event) {
        deliver(std::move(event), [this] { box_.asked = 0; });
    }

    // In one step with what it changes in the mailbox: whoever sees that nothing is awaited finds the event.
    template <class Change>
    void deliver(Event event, Change change) {
        const std::lock_guard lock(box_.mutex);
        if (box_.stop) return;
        change();
        auto& events = box_.events;
        const bool replaces = events.size() >= most_events && std::holds_alternative<measure::Progress>(event) &&
                              std::holds_alternative<measure::Progress>(events.back());
        if (replaces) { // whoever did not come for those before is not woken for this
            events.back() = std::move(event);
            return;
        }
        events.push_back(std::move(event));
        box_.arrived.notify_all();
        box_.wake();
    }

    void fail(base::Error error) {
        failure_ = std::move(error);
        ended_ = hung_ = true;
    }

    void fail_garbled(std::string_view line, const base::Sentence& why) {
        fail(missing(base::say("the GPU worker's answer is not understood ({}): {}", why, shortened(line)),
                     base::say("check the worker's command")));
    }

    void fail_out_of_turn(std::string_view line, const base::Sentence& why) {
        fail(missing(base::say("the GPU worker spoke out of turn ({}): {}", why, shortened(line)),
                     base::say("check the worker's command")));
    }

    void fail_hung() {
        if (greeted_ && overdue())
            return fail(
                missing(base::say("the GPU worker reported progress but gave no answer in time and was killed")));
        fail(greeted_
                 ? missing(base::say("the GPU worker gave no sign of life in time and was killed"))
                 : missing(with_last_words(base::say("the GPU worker did not say hello within {:g} s and was killed",
                                                     box_.options.hello_limit_s)),
                           base::say("check the worker's command")));
    }

    base::Sentence with_last_words(base::Sentence what, const std::string& known = {}) const {
        const std::string line = last_line(complaint_, known);
        return line.empty() ? what : base::say("{}: {}", what, shortened(line));
    }

    base::Error death(const base::Sentence& how) const {
        return missing(
            with_last_words(how.empty() ? base::say("the GPU worker ended") : base::say("the GPU worker {}", how),
                            how.english()),
            greeted_ ? base::say("run it again: that starts a new worker") : base::say("check the worker's command"));
    }

    void say_goodbye() {
        std::string line = to_json(Request(Quit{})) + "\n";
        [[maybe_unused]] ssize_t ignored = ::send(process_->input.number(), line.data(), line.size(), MSG_NOSIGNAL);
    }

    // An idle worker's end is no news: the next request starts another.
    void leave(const std::optional<base::Error>& error) {
        const std::lock_guard lock(box_.mutex);
        const bool tell = error && box_.awaiting() && !box_.stop;
        if (tell) box_.events.emplace_back(*error);
        box_.gone = true;
        box_.arrived.notify_all();
        if (tell) box_.wake();
    }

    Mailbox& box_;
    base::Process* process_ = nullptr;
    std::string unsent_, incoming_, complaint_;
    size_t heard_ = 0, complained_ = 0; // bytes: since the last request, and of stderr
    Clock::time_point written_;         // something of a request, the last time
    int greeting_lines_ = 0;
    bool greeted_ = false, ended_ = false, hung_ = false; // hung: there is no point in waiting for its end
    std::optional<base::Error> failure_;
};

// The channel's thread could not go on, for lack of memory mostly; its child is gone.
void give_up(Mailbox& box, const std::exception_ptr& thrown) {
    const std::lock_guard lock(box.mutex);
    const bool tell =
        box.awaiting() && !box.stop && !base::caught([&] { box.events.emplace_back(base::error_of(thrown)); });
    box.gone = true;
    box.arrived.notify_all();
    if (tell) (void)base::caught([&] { box.wake(); });
}

} // namespace

// This very file, also where another has taken its name meanwhile: both ends are of one version. It is the shell that starts
// it, so that "self" would be the shell.
std::string own_worker_command() { return fmt::format("exec /proc/{}/exe worker", ::getpid()); }

struct Worker::Impl {
    Options options;
    std::shared_ptr<Mailbox> box; // of the newest child
    uint64_t requests = 0;        // numbers them, whichever child they go to: a late answer is no other's

    bool running() const {
        if (!box) return false;
        const std::lock_guard lock(box->mutex);
        return !box->gone;
    }

    // Events that were not collected yet stay. A request waits for the Hello.
    void launch(const Request* request) {
        auto fresh = std::make_shared<Mailbox>(options);
        if (box) {
            const std::lock_guard lock(box->mutex);
            fresh->events = std::move(box->events);
        }
        fresh->deadline = fresh->end = after(options.hello_limit_s);
        if (request) fresh->ask(*request, requests);
        box = std::move(fresh);
        std::thread([b = box] {
            if (const std::exception_ptr thrown = base::caught([&] { Channel(*b).run(); })) give_up(*b, thrown);
        }).detach();
    }

    // False: there is no child to be asked. In one step, or it could end in between and leave its request awaited.
    bool ask(const Request& request) const {
        if (!box) return false;
        {
            const std::lock_guard lock(box->mutex);
            if (box->gone) return false;
            box->ask(request, requests);
        }
        box->nudge();
        return true;
    }

    void end(bool kill) const {
        if (!box) return;
        std::unique_lock lock(box->mutex);
        box->kill = kill;
        box->stop = true;
        box->events.clear();
        box->nudge();
        box->arrived.wait_until(lock, after(longest_farewell_s), [this] { return box->gone; });
    }
};

Worker::Worker(Options options) : impl_(std::make_unique<Impl>()) { impl_->options = std::move(options); }

Worker::~Worker() { impl_->end(busy()); }

void Worker::start() {
    if (!impl_->running()) impl_->launch(nullptr);
}

base::Status Worker::send(Request request) {
    if (busy())
        return base::Error{base::Failure::usage,
                           base::say("the GPU is busy with an earlier request"),
                           {},
                           base::say("wait or cancel it")};
    ++impl_->requests;
    if (!impl_->ask(request)) impl_->launch(&request);
    return base::Done{};
}

void Worker::cancel() { impl_->end(true); }

bool Worker::busy() const {
    if (!impl_->box) return false;
    std::lock_guard lock(impl_->box->mutex);
    return impl_->box->awaiting();
}

std::vector<Event> Worker::poll() {
    std::vector<Event> events;
    if (!impl_->box) return events;
    std::lock_guard lock(impl_->box->mutex);
    events.assign(std::make_move_iterator(impl_->box->events.begin()),
                  std::make_move_iterator(impl_->box->events.end()));
    impl_->box->events.clear();
    return events;
}

std::optional<Event> Worker::next(double seconds) {
    if (!impl_->box) return {};
    std::unique_lock lock(impl_->box->mutex);
    impl_->box->arrived.wait_until(lock, after(seconds),
                                   [this] { return !impl_->box->events.empty() || impl_->box->gone; });
    if (impl_->box->events.empty()) return {};
    Event event = std::move(impl_->box->events.front());
    impl_->box->events.pop_front();
    return event;
}

} // namespace gpu
