#include "cli/counters.h"

#include "cli/table.h"
#include "cli/words.h"
#include "views/number_rows.h"

#include <fmt/format.h>

namespace cli {
namespace {

using analysis::Basis;
using analysis::CounterRow;
using analysis::Program;

std::string access_name(const analysis::AccessWidth& row) {
    const char* space = row.space == trace::Space::shared ? "shared" : "global";
    if (row.kind == trace::Kind::async_copy) return "async copy";
    return fmt::format("{} {}", space, row.kind == trace::Kind::load ? "load" : "store");
}

Json widths_json(const std::vector<analysis::AccessWidth>& widths) {
    Json all = Json::array();
    for (const analysis::AccessWidth& row : widths)
        all.push_back({{"access", access_name(row)},
                       {"bytes", row.bytes},
                       {"line", row.source_line},
                       {"ptx", row.ptx},
                       {"machine", row.machine}});
    return all;
}

// "ptxas moved an instruction ..., line 63"
std::string reason(const Basis& basis, const views::Strings& tr) {
    const std::string text = in_a_table(one_line(tr(views::unknown_key(basis.unknown) + "_why")));
    return basis.source_line > 0 ? fmt::format("{} (line {})", text, basis.source_line) : text;
}

} // namespace

Json counters_json(const analysis::Totals& ptx, const std::optional<session::MachineRun>& machine) {
    return to_json(machine ? machine->counts.totals : ptx);
}

Json counted_json(const analysis::Totals& ptx, const std::optional<session::MachineRun>& machine,
                  const views::Strings& tr) {
    Json basis = Json::object(), why = Json::object();
    const bool executed = machine && machine->executed;
    for (const CounterRow& row : analysis::counter_rows()) {
        if (row.program == Program::ptx_alone && !executed) continue;
        const Basis one = machine ? machine->counts.of(row.counter) : Basis{};
        const bool by_machine = executed || (row.program == Program::machine_code && one.machine());
        basis[row.name] = by_machine ? "machine" : "ptx";
        if (row.program == Program::machine_code && !by_machine) why[row.name] = reason(one, tr);
    }
    const std::vector<analysis::AccessWidth> widths = machine ? machine->widths : std::vector<analysis::AccessWidth>{};
    return {{"basis", std::move(basis)},
            {"why", std::move(why)},
            {"ptx", executed ? Json() : to_json(ptx)},
            {"widths", widths_json(widths)}};
}

std::string basis_text(const analysis::Totals& ptx, const session::MachineRun& machine, const std::string& file,
                       const views::Strings& tr) {
    if (machine.executed) return "counted: the machine code's instructions, as they were executed\n";
    std::string text;
    if (machine.counts.totals.shared_load.instructions != ptx.shared_load.instructions)
        text += fmt::format("PTX has {} shared loads where the machine code has {}\n",
                            thousands(ptx.shared_load.instructions),
                            thousands(machine.counts.totals.shared_load.instructions));
    for (const CounterRow& row : analysis::counter_rows()) {
        const Basis& one = machine.counts.of(row.counter);
        if (row.program == Program::machine_code && !one.machine())
            text += fmt::format("{}: {} counted in the PTX: {}\n", file, row.name, reason(one, tr));
    }
    return text;
}

} // namespace cli
