#include "views/wait_rows.h"

#include "base/text.h"
#include "views/error_words.h"
#include "views/say.h"

#include <algorithm>
#include <map>

namespace views {
namespace {

using timing::Lost;
using timing::Wait;

constexpr size_t wait_count = static_cast<size_t>(Wait::count);

struct Words {
    const char *name, *plain, *tip; // keys
    const char* nsight;
};
constexpr std::array<Words, wait_count> words{{
    {"wait.selected", "wait.selected_plain", "wait.selected_tip", "Selected"},
    {"wait.fixed_latency", "wait.fixed_latency_plain", "wait.fixed_latency_tip", "Stall Wait"},
    {"wait.short_scoreboard", "wait.short_scoreboard_plain", "wait.short_scoreboard_tip", "Stall Short Scoreboard"},
    {"wait.long_scoreboard", "wait.long_scoreboard_plain", "wait.long_scoreboard_tip", "Stall Long Scoreboard"},
    {"wait.barrier", "wait.barrier_plain", "wait.barrier_tip", "Stall Barrier"},
    {"wait.math_pipe", "wait.math_pipe_plain", "wait.math_pipe_tip", "Stall Math Pipe Throttle"},
    {"wait.memory_queue", "wait.memory_queue_plain", "wait.memory_queue_tip", "Stall MIO Throttle"},
    {"wait.global_queue", "wait.global_queue_plain", "wait.global_queue_tip", "Stall LG Throttle"},
    {"wait.register_port", "wait.register_port_plain", "wait.register_port_tip", "Stall Dispatch Stall"},
    {"wait.not_selected", "wait.not_selected_plain", "wait.not_selected_tip", "Stall Not Selected"},
    {"wait.branch", "wait.branch_plain", "wait.branch_tip", "Stall Branch Resolving"},
    {"wait.instruction", "wait.instruction_plain", "wait.instruction_tip", "Stall No Instruction"},
    {"wait.mbarrier", "wait.mbarrier_plain", "wait.mbarrier_tip", ""},
    {"wait.products", "wait.products_plain", "wait.products_tip", ""},
}};

void add(Lost& sum, const Lost& more) {
    for (size_t n = 0; n < wait_count; ++n) sum.cycles[n] += more.cycles[n];
}

WaitRow row_of(const Lost& lost) {
    WaitRow row;
    row.issued = lost[Wait::selected];
    for (size_t n = 0; n < wait_count; ++n) {
        const auto why = static_cast<Wait>(n);
        if (why == Wait::selected || lost[why] == 0) continue;
        row.lost += lost[why];
        row.reasons.push_back({why, lost[why], 0});
    }
    for (WaitShare& one : row.reasons) one.share = static_cast<double>(one.cycles) / static_cast<double>(row.lost);
    std::stable_sort(row.reasons.begin(), row.reasons.end(),
                     [](const WaitShare& a, const WaitShare& b) { return a.cycles > b.cycles; });
    return row;
}

std::vector<WaitRow> sorted(std::vector<WaitRow> rows) {
    std::erase_if(rows, [](const WaitRow& row) { return row.lost == 0 && row.issued == 0; });
    uint64_t all = 0;
    for (const WaitRow& row : rows) all += row.lost;
    for (WaitRow& row : rows) row.share = all > 0 ? static_cast<double>(row.lost) / static_cast<double>(all) : 0;
    std::stable_sort(rows.begin(), rows.end(), [](const WaitRow& a, const WaitRow& b) { return a.lost > b.lost; });
    return rows;
}

int line_of(const trace::Listing& listing, size_t pc) {
    const trace::Instruction& instruction = listing.instructions[pc];
    return instruction.source_file == 0 ? instruction.source_line : 0;
}

} // namespace

std::vector<WaitRow> waits_by_instruction(std::span<const Lost> lost, const trace::Listing& listing) {
    std::vector<WaitRow> rows;
    for (size_t pc = 0; pc < std::min(lost.size(), listing.instructions.size()); ++pc) {
        WaitRow& row = rows.emplace_back(row_of(lost[pc]));
        row.line = line_of(listing, pc);
        row.pc = static_cast<int64_t>(pc);
    }
    return sorted(std::move(rows));
}

std::vector<WaitRow> waits_by_line(std::span<const Lost> lost, const trace::Listing& listing) {
    std::map<int, Lost> sums;
    for (size_t pc = 0; pc < std::min(lost.size(), listing.instructions.size()); ++pc)
        add(sums[line_of(listing, pc)], lost[pc]);
    std::vector<WaitRow> rows;
    for (const auto& [line, sum] : sums) rows.emplace_back(row_of(sum)).line = line;
    return sorted(std::move(rows));
}

WaitRow all_waits(std::span<const Lost> lost) {
    Lost sum;
    for (const Lost& one : lost) add(sum, one);
    WaitRow row = row_of(sum);
    row.share = row.lost > 0 ? 1 : 0;
    return row;
}

const char* wait_key(Wait why) { return words[static_cast<size_t>(why)].name; }
const char* wait_name(const Strings& tr, Wait why) { return tr(wait_key(why)); }
const char* wait_plain(const Strings& tr, Wait why) { return tr(words[static_cast<size_t>(why)].plain); }
const char* wait_tip(const Strings& tr, Wait why) { return tr(words[static_cast<size_t>(why)].tip); }
const char* nsight_wait(Wait why) { return words[static_cast<size_t>(why)].nsight; }

std::string largest_waits(const Strings& tr, const WaitRow& row, size_t most) {
    std::string text;
    for (size_t n = 0; n < std::min(most, row.reasons.size()); ++n)
        text += fmt::format("{}{} {:.0f} %", n > 0 ? tr("wait.next") : "", wait_name(tr, row.reasons[n].why),
                            100 * row.reasons[n].share);
    return text;
}

std::string waits_text(const Strings& tr, const session::ExpectedError& error, const WaitRow& row) {
    std::string text = say(tr, "wait.row", predicted_kind(tr, error), base::thousands(row.lost),
                           fmt::format("{:.1f}", 100 * row.share), base::thousands(row.issued));
    for (const WaitShare& one : row.reasons)
        text += "\n" + say(tr, "wait.share", wait_name(tr, one.why), wait_plain(tr, one.why),
                           base::thousands(one.cycles), fmt::format("{:.1f}", 100 * one.share));
    return text;
}

} // namespace views
