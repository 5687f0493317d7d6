// machines: Remote GPUs, by name: remembered, tried, forgotten.
#include "cli/machines.h"

#include "base/folder_lock.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/table.h"
#include "session/machines.h"

#include <fmt/format.h>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct MachinesOptions {
    std::string name, command;
    bool remove = false, json = false;
};

// Machines are tried side by side.
constexpr double hello_limit_s = 20;

std::string answer_text(const session::MachineAnswer& answer) {
    std::string text;
    for (const measure::Device& device : answer.devices) text += (text.empty() ? "" : ", ") + device.name;
    if (!answer.driver.empty()) text += ", driver " + answer.driver;
    text += fmt::format(", CUDA {}, {:.3g} ms there and back", answer.cuda, answer.round_trip_ms);
    return answer.host.empty() ? text : text + ", " + answer.host;
}

base::Status list(const std::vector<session::Machine>& machines, bool json) {
    const std::vector<Check> checks = machine_checks(machines);
    if (json) {
        Json rows = Json::array();
        for (size_t i = 0; i < machines.size(); ++i)
            rows.push_back({{"name", machines[i].name},
                            {"command", machines[i].command},
                            {"found", checks[i].found},
                            {"detail", checks[i].detail}});
        print(line(rows));
        return base::Done{};
    }
    if (machines.empty()) print("no machine is remembered: gemmscope machines NAME 'ssh NAME gemmscope worker'\n");
    using enum Table::Align;
    Table table({left, left, left});
    for (size_t i = 0; i < machines.size(); ++i) {
        table.row({machines[i].name, checks[i].found ? "answers" : "NO ANSWER", checks[i].detail});
        table.row({"", "", machines[i].command});
    }
    print(table.text());
    return base::Done{};
}

base::Status machines(const MachinesOptions& options) {
    const auto file = session::own_machines();
    std::optional<base::FolderLock> alone; // while the list is changed, not while a machine is tried
    if (options.remove || !options.command.empty()) alone.emplace(file.parent_path());
    auto known = session::read_machines(file);
    if (!known) return known.error();
    if (!options.command.empty())
        if (auto added = known->add({options.name, options.command}); !added) return added;
    if (options.name.empty()) return list(known->machines, options.json);
    const session::Machine* const named = known->find(options.name);
    if (!named)
        return Error{
            Failure::usage,
            base::say("there is no machine {}", options.name),
            {},
            base::say("give its command, too: gemmscope machines {0} 'ssh {0} gemmscope worker'", options.name)};
    const session::Machine machine = *named;
    if (options.remove) {
        (void)known->remove(machine.name);
        return session::write_machines(file, *known);
    }
    if (!options.command.empty())
        if (auto written = session::write_machines(file, *known); !written) return written;
    alone.reset();
    return list({machine}, options.json);
}

} // namespace

std::vector<Check> machine_checks(const std::vector<session::Machine>& machines) {
    std::vector<std::unique_ptr<session::MachineTrial>> trials;
    for (const session::Machine& machine : machines)
        trials.push_back(std::make_unique<session::MachineTrial>(machine.command, nullptr, hello_limit_s));
    std::vector<Check> checks;
    for (size_t i = 0; i < machines.size(); ++i) {
        while (!trials[i]->outcome()) trials[i]->wait(0.1);
        const auto& outcome = *trials[i]->outcome();
        Check check{"machine " + machines[i].name, outcome.ok(), {}, {}};
        if (outcome) check.detail = answer_text(*outcome);
        else check.detail = outcome.error().what.english(), check.todo = outcome.error().todo.english();
        checks.push_back(std::move(check));
    }
    return checks;
}

Action define_machines(Options& app, const Common&) {
    auto options = std::make_shared<MachinesOptions>();
    app.add_option("NAME", options->name, "one of them: it is tried; without a name, all");
    app.add_option("COMMAND", options->command,
                   "what starts a worker there, to be remembered: 'ssh lab gemmscope worker', "
                   "'srun -N1 --gpus=1 gemmscope worker'");
    app.add_flag("--remove", options->remove, "forget it");
    app.add_flag("--json", options->json, "print one JSON array");
    return [options] { return machines(*options); };
}

} // namespace cli
