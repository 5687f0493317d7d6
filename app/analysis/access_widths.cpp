#include "analysis/access_widths.h"

#include <map>
#include <tuple>

namespace analysis {
namespace {

using trace::Kind;
using trace::Space;

bool is_told(Kind kind, Space space) {
    if (kind == Kind::async_copy) return true;
    return (kind == Kind::load || kind == Kind::store) && (space == Space::shared || space == Space::global);
}

} // namespace

std::vector<AccessWidth> access_widths(const trace::Listing& ptx, const trace::MachineListing& code) {
    std::map<std::tuple<Kind, Space, int, int>, AccessWidth> rows;
    const auto add = [&](const auto& instruction, int bytes, uint32_t AccessWidth::*count) {
        if (!is_told(instruction.kind, instruction.space) || bytes == 0) return;
        AccessWidth& row = rows[{instruction.kind, instruction.space, bytes, instruction.source_line}];
        row.kind = instruction.kind, row.space = instruction.space, row.bytes = bytes,
        row.source_line = instruction.source_line;
        ++(row.*count);
    };
    for (const trace::Instruction& i : ptx.instructions) add(i, i.register_bytes, &AccessWidth::ptx);
    for (const trace::MachineInstruction& i : code.instructions) add(i, i.bytes, &AccessWidth::machine);
    std::vector<AccessWidth> list;
    for (const auto& [key, row] : rows) list.push_back(row);
    return list;
}

} // namespace analysis
