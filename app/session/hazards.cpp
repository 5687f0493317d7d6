#include "session/hazards.h"

namespace session {

std::vector<trace::Finding> findings_of(const std::vector<sass::Hazard>& hazards, const trace::Listing& listing) {
    const auto line_of = [&](int64_t pc) {
        const auto index = static_cast<size_t>(pc);
        return index < listing.instructions.size() ? listing.instructions[index].source_line : 0;
    };
    std::vector<trace::Finding> findings;
    for (const sass::Hazard& hazard : hazards) {
        trace::Finding& f = findings.emplace_back();
        f.kind = trace::FindingKind::unwaited_register;
        f.severity = trace::Severity::warning;
        f.pc = static_cast<int64_t>(hazard.address / sass::instruction_bytes);
        f.source_line = line_of(f.pc);
        f.text = hazard.text;
        if (hazard.cause == hazard.address) continue;
        trace::Finding::Other other;
        other.pc = static_cast<int64_t>(hazard.cause / sass::instruction_bytes);
        other.source_line = line_of(other.pc);
        f.other = other;
    }
    return findings;
}

} // namespace session
