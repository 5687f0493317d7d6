#include "session/machines.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder_lock.h"
#include "base/text.h"
#include "gpu/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace session {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Failure;

constexpr size_t longest_name = 32, longest_command = 1000; // bytes
constexpr size_t largest_file = 64 * 1024;
constexpr int pings = 3;

bool is_name(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    };
    return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), fits) &&
           name.front() != '-'; // else it would be an option
}

base::Status check(const Machine& machine) {
    if (!is_name(machine.name))
        return Error{Failure::usage,
                     base::say("\"{}\" is no name of a machine", machine.name),
                     {},
                     base::say("take at most {} letters, digits, dots and dashes", longest_name)};
    const auto control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    if (machine.command.empty() || machine.command.size() > longest_command ||
        std::any_of(machine.command.begin(), machine.command.end(), control))
        return Error{Failure::usage,
                     base::say("the machine {} has no command of one line", machine.name),
                     {},
                     base::say("write \"ssh {} gemmscope worker\", for example", machine.name)};
    return base::Done{};
}

// Without the blanks in front; the first word is cut off.
std::string take_word(std::string_view& line) {
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    std::string word(line.substr(0, end));
    line = base::trimmed(line.substr(end));
    return word;
}

} // namespace

const Machine* MachineList::find(std::string_view name) const {
    const auto found =
        std::find_if(machines.begin(), machines.end(), [&](const Machine& one) { return one.name == name; });
    return found == machines.end() ? nullptr : &*found;
}

base::Status MachineList::add(Machine machine) {
    machine.command = std::string(base::trimmed(machine.command));
    if (auto checked = check(machine); !checked) return checked;
    const auto known =
        std::find_if(machines.begin(), machines.end(), [&](const Machine& one) { return one.name == machine.name; });
    if (known != machines.end()) {
        known->command = std::move(machine.command);
        return base::Done{};
    }
    if (machines.size() >= most_machines)
        return Error{Failure::usage,
                     base::say("{} machines are remembered already", most_machines),
                     {},
                     base::say("remove one first")};
    machines.push_back(std::move(machine));
    return base::Done{};
}

bool MachineList::remove(std::string_view name) {
    if (chosen == name) chosen.clear();
    return std::erase_if(machines, [&](const Machine& one) { return one.name == name; }) > 0;
}

fs::path own_machines() { return base::state_folder() / "machines"; }

base::Result<MachineList> machines_from(std::string_view text, const fs::path& file) {
    MachineList list;
    size_t number = 0;
    const auto fail = [&](const base::Sentence& why) {
        return Error{Failure::usage, why, fmt::format("{}:{}", file.string(), number),
                     base::say("correct the file, or remove it")};
    };
    if (text.size() > largest_file)
        return fail(base::say("the list of machines is longer than {} bytes", largest_file));
    for (std::string_view line : base::lines(text)) {
        ++number;
        line = base::trimmed(line);
        if (line.empty() || line.front() == '#') continue;
        const bool chosen = line.front() == '*';
        if (chosen) line = base::trimmed(line.substr(1));
        Machine machine;
        machine.name = take_word(line);
        machine.command = std::string(line);
        if (chosen) list.chosen = machine.name;
        if (auto added = list.add(std::move(machine)); !added) return fail(added.error().what);
    }
    return list;
}

std::string text_of(const MachineList& list) {
    std::string text = "# Remote GPUs: a name, and the command that starts a worker there. *: the window runs there.\n";
    for (const Machine& machine : list.machines)
        text += fmt::format("{}{} {}\n", machine.name == list.chosen ? "* " : "", machine.name, machine.command);
    return text;
}

base::Result<MachineList> read_machines(const fs::path& file) {
    std::error_code error;
    if (file.empty() || !fs::exists(file, error)) return MachineList{};
    const auto text = base::read_file(file);
    if (!text) return text.error();
    return machines_from(*text, file);
}

base::Status write_machines(const fs::path& file, const MachineList& list) {
    return base::write_file(file, text_of(list));
}

std::string worker_command(const std::string& name_or_command) {
    if (!is_name(name_or_command)) return name_or_command;
    const auto list = read_machines(own_machines());
    const Machine* const known = list ? list->find(name_or_command) : nullptr;
    return known ? known->command : name_or_command;
}

struct MachineTrial::Impl {
    gpu::Worker worker;
    base::Clock::time_point start = base::Clock::now();
    MachineAnswer answer;
    int pongs = 0;
    std::optional<base::Result<MachineAnswer>> outcome;

    explicit Impl(gpu::Worker::Options options) : worker(std::move(options)) { worker.start(); }

    void take(gpu::Hello& hello) {
        answer.start_s = base::seconds_since(start);
        answer.host = std::move(hello.host);
        answer.driver = std::move(hello.driver);
        answer.cuda = std::move(hello.cuda);
        answer.devices = std::move(hello.devices);
        ask();
    }
    void take(const gpu::Pong& pong) {
        answer.round_trip_ms = pongs++ == 0 ? pong.ms : std::min(answer.round_trip_ms, pong.ms);
        if (pongs < pings) return ask();
        end(answer);
    }
    void take(const Error& error) { end(error); }
    template <class Other>
    void take(const Other&) {}

    void ask() {
        if (auto sent = worker.send(gpu::Ping{}); !sent) end(sent.error());
    }
    void end(base::Result<MachineAnswer> found) {
        outcome.emplace(std::move(found));
        worker.cancel(); // to ask it to quit would wait for the way there
    }
    void take(gpu::Event& event) {
        if (!outcome) std::visit([this](auto& one) { take(one); }, event);
    }
};

MachineTrial::MachineTrial(std::string command, std::function<void()> wake, double hello_limit_s)
    : impl_(std::make_unique<Impl>(gpu::Worker::Options{
          .command = std::move(command), .hello_limit_s = hello_limit_s, .wake = std::move(wake)})) {}

MachineTrial::~MachineTrial() { impl_->worker.cancel(); }

bool MachineTrial::update() {
    auto events = impl_->worker.poll();
    for (gpu::Event& event : events) impl_->take(event);
    return !events.empty();
}

bool MachineTrial::wait(double seconds) {
    auto event = impl_->worker.next(seconds);
    if (event) impl_->take(*event);
    else if (!impl_->outcome && !impl_->worker.busy())
        impl_->end(Error{Failure::missing, base::say("the GPU worker gave no answer"), {}, {}});
    return event.has_value();
}

double MachineTrial::seconds() const { return base::seconds_since(impl_->start); }

const std::optional<base::Result<MachineAnswer>>& MachineTrial::outcome() const { return impl_->outcome; }

Machines::Machines(fs::path file, const std::string& given, std::function<void()> wake)
    : file_(std::move(file)), wake_(std::move(wake)) {
    auto list = read_machines(file_);
    if (list) list_ = std::move(*list);
    else notice_ = list.error().said();
    if (const Machine* named = list_.find(given.empty() ? list_.chosen : given)) command_ = named->command;
    else command_ = given;
}

Machines::~Machines() = default;

bool Machines::chosen(const Machine& machine) const { return machine.command == command_; }

bool Machines::elsewhere() const {
    return std::any_of(all().begin(), all().end(), [this](const Machine& one) { return chosen(one); });
}

base::Status Machines::edit(const std::function<base::Status(MachineList&)>& change) {
    if (file_.empty()) return change(list_);
    const base::FolderLock alone(file_.parent_path()); // of two windows none loses what the other remembers
    auto list = read_machines(file_);
    if (!list) return list.error();
    if (auto changed = change(*list); !changed) return changed;
    list_ = std::move(*list);
    return write_machines(file_, list_);
}

base::Status Machines::add(Machine machine) {
    const Machine* const known = list_.find(machine.name);
    const bool moves = known && chosen(*known);
    auto done = edit([&](MachineList& list) { return list.add(machine); });
    if (const Machine* now = list_.find(machine.name); moves && now) command_ = now->command;
    return done;
}

base::Status Machines::remove(const std::string& name) {
    const Machine* const known = list_.find(name);
    if (known && chosen(*known)) command_.clear();
    if (known) trials_.erase(known->command);
    return edit([&](MachineList& list) {
        (void)list.remove(name);
        return base::Status(base::Done{});
    });
}

base::Status Machines::choose(const Machine& machine) {
    command_ = machine.command;
    return edit([&](MachineList& list) {
        list.chosen = list.find(machine.name) ? machine.name : std::string();
        return base::Status(base::Done{});
    });
}

void Machines::try_out(const Machine& machine) {
    trials_[machine.command] = std::make_unique<MachineTrial>(machine.command, wake_, gpu::queue_limit_s);
}

void Machines::stop(const Machine& machine) { trials_.erase(machine.command); }

base::Status Machines::obey(const MachineWish& wish) {
    switch (wish.kind) {
    case MachineWish::Kind::add: return add(wish.machine);
    case MachineWish::Kind::remove: return remove(wish.machine.name);
    case MachineWish::Kind::choose: return choose(wish.machine);
    case MachineWish::Kind::try_out: try_out(wish.machine); break;
    case MachineWish::Kind::stop: stop(wish.machine); break;
    }
    return base::Done{};
}

const MachineTrial* Machines::trial(const std::string& command) const {
    const auto found = trials_.find(command);
    return found == trials_.end() ? nullptr : found->second.get();
}

bool Machines::update() {
    bool changed = false;
    for (auto& [command, trial] : trials_) changed |= trial->update();
    return changed;
}

bool Machines::busy() const {
    return std::any_of(trials_.begin(), trials_.end(), [](const auto& each) { return !each.second->outcome(); });
}

} // namespace session
