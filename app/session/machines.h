// The machines whose GPUs the user works with: a name, and the command that starts a worker there. They are kept in a
// text file of one machine a line, "lab ssh lab gemmscope worker"; a star before a name says where the window runs.
#pragma once

#include "base/result.h"
#include "measure/device.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace session {

constexpr size_t most_machines = 32;

struct Machine {
    std::string name;    // letters, digits, . _ -
    std::string command; // for /bin/sh: "ssh lab gemmscope worker"
    bool operator==(const Machine&) const = default;
};

struct MachineList {
    std::vector<Machine> machines;
    std::string chosen; // a name; empty: this machine
    bool operator==(const MachineList&) const = default;

    const Machine* find(std::string_view name) const; // nullptr: there is none
    base::Status add(Machine);                        // or another command for that name
    bool remove(std::string_view name);               // false: there was none
};

// FOLDER/machines of base::state_folder().
std::filesystem::path own_machines();

// Errors: a line that is none of these, or too many; they name `file`.
base::Result<MachineList> machines_from(std::string_view text, const std::filesystem::path& file);
std::string text_of(const MachineList&);
base::Result<MachineList> read_machines(const std::filesystem::path&); // no file holds none
base::Status write_machines(const std::filesystem::path&, const MachineList&);

// What --worker means: the command of the machine of that name, or a command as it is given.
std::string worker_command(const std::string& name_or_command);

// What a machine answered to a worker's start and to a word.
struct MachineAnswer {
    std::string host, driver, cuda;
    std::vector<measure::Device> devices;
    double round_trip_ms = 0; // the least of some
    double start_s = 0;       // until the worker said hello
};

// Starts a worker and asks it. Destroying it ends the worker.
class MachineTrial {
public:
    MachineTrial(std::string command, std::function<void()> wake, double hello_limit_s);
    ~MachineTrial();
    bool update(); // collects what the worker says; true if something has changed
    bool wait(double seconds);
    double seconds() const; // since it began
    // Nothing: it is being tried.
    const std::optional<base::Result<MachineAnswer>>& outcome() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct MachineWish {
    enum class Kind { add, remove, choose, try_out, stop };
    Kind kind;
    Machine machine; // without a command: this one
};

// The list as a window keeps it, and what became of trying.
class Machines {
public:
    // `given`: --worker, a name or a command; a command is a machine without a name, for this session alone.
    // An empty file name: nothing is kept.
    Machines(std::filesystem::path file, const std::string& given, std::function<void()> wake);
    ~Machines();

    const std::vector<Machine>& all() const { return list_.machines; }
    // The command of where runs are made; empty: this machine.
    const std::string& command() const { return command_; }
    bool chosen(const Machine&) const; // an empty command: this machine
    bool elsewhere() const;            // is one of all() chosen? A command of --worker may start a worker here

    // Errors: the file, which another window may have changed meanwhile, cannot be read or written.
    base::Status add(Machine);
    base::Status remove(const std::string& name); // chosen: this machine is from now on
    base::Status choose(const Machine&);
    void try_out(const Machine&);
    void stop(const Machine&); // no more of that
    base::Status obey(const MachineWish&);

    const MachineTrial* trial(const std::string& command) const; // nullptr: it was not tried
    bool update();                                               // true if something has changed
    bool busy() const;
    const base::Sentence& notice() const { return notice_; } // of reading the file; empty: all is well

private:
    base::Status edit(const std::function<base::Status(MachineList&)>& change);

    std::filesystem::path file_;
    std::function<void()> wake_;
    MachineList list_;
    std::string command_;
    base::Sentence notice_;
    std::map<std::string, std::unique_ptr<MachineTrial>> trials_; // by command
};

} // namespace session
