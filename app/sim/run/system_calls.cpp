#include "sim/run/system_calls.h"

#include "sim/run/block.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

// printf returns how many arguments it took (CUDA C++ Programming Guide, "Formatted output"); -1: there is no format.
int32_t arguments_of(const std::string& format) {
    int32_t count = 0;
    for (size_t n = 0; n < format.size(); ++n) {
        if (format[n] != '%') continue;
        const size_t end = format.find_first_not_of("0123456789+-# .*lhjztL", n + 1);
        if (end == std::string::npos) break;
        for (size_t i = n + 1; i < end; ++i) count += format[i] == '*';
        count += format[end] != '%';
        n = end;
    }
    return count;
}

} // namespace

void print_text(Warp& w, const Operation& op, uint32_t active) { w.block->system_calls.print(w, op, active); }

template <class T>
T SystemCalls::argument(const Warp& w, const Operation& op, size_t number, uint32_t lane) const {
    const SystemCall& call = block_.program.system_calls[op.detail.number];
    if (call.in_registers) return row<T>(w, op.row[number + 1])[lane];
    T value{};
    std::memcpy(&value, spaces_.local(w, lane) + call.arguments[number], sizeof value);
    return value;
}

// A string of the file, or as much of it as a sentence has room for.
std::string SystemCalls::text_at(uint64_t address) {
    constexpr size_t longest = 200;
    std::string text;
    for (const Segment* s = segments_.find(address, address + 1);
         s && text.size() < longest && s->holds(address, address + 1); ++address) {
        const char c = static_cast<char>(*Segments::host(*s, address, 1, false));
        if (c == 0) break;
        text += c;
    }
    return text;
}

void SystemCalls::print(const Warp& w, const Operation& op, uint32_t active) {
    const SystemCall& call = block_.program.system_calls[op.detail.number];
    if (!call.returns) return;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(active >> lane & 1)) continue;
        const auto format = argument<uint64_t>(w, op, 0, lane);
        const int32_t result = format == 0 ? -1 : arguments_of(text_at(format));
        if (call.in_registers) row<int32_t>(w, op.row[0])[lane] = result;
        else std::memcpy(spaces_.local(w, lane) + call.result, &result, sizeof result);
    }
}

// What the ended lanes would have done is missing from here on: barriers that they do not reach and memory that they did not write are
// no findings of their own.
void SystemCalls::end_lanes(const Warp& w, const Operation& op, uint32_t active) {
    report_.give_up();
    const SystemCall& call = block_.program.system_calls[op.detail.number];
    const auto kind = call.kind == SystemCall::no_function ? trace::FindingKind::out_of_bounds
                      : call.kind == SystemCall::too_deep  ? trace::FindingKind::unsupported
                                                           : trace::FindingKind::wrong_result;
    if (report_.known(kind, op)) return;
    const base::Sentence who =
        (active & (active - 1)) == 0
            ? base::say("{} of warp {} of {} ends here, and what the block lacks without it is not reported",
                        lanes_text(active), w.index, block_name(block_.index))
            : base::say("{} of warp {} of {} end here, and what the block lacks without them is not reported",
                        lanes_text(active), w.index, block_name(block_.index));
    if (call.kind == SystemCall::trap) {
        const bool asks_for_the_grid =
            std::any_of(block_.program.specials.begin(), block_.program.specials.end(),
                        [](const SpecialRow& s) { return s.special == ptx::Special::environment; });
        return report_.finding(
            kind, w, op, active,
            asks_for_the_grid
                ? base::say(
                      "the kernel executed trap, which ends it: grid.sync() does so in a launch that is not cooperative, the only kind the engine has: {}",
                      who)
                : base::say("the kernel executed trap, which ends it: {}", who));
    }
    if (call.kind == SystemCall::no_function)
        return report_.finding(
            kind, w, op, active,
            base::say("the call leads to an address where no function of the kernel's file is: {}", who));
    if (call.kind == SystemCall::too_deep)
        return report_.finding(
            kind, w, op, active,
            base::say("the call nests a function more than {} times in itself, and the engine follows no deeper: {}",
                      call.depth, who));
    const auto lane = static_cast<uint32_t>(__builtin_ctz(active));
    report_.finding(kind, w, op, active,
                    base::say("the assertion \"{}\" in line {} of {} failed: {}",
                              text_at(argument<uint64_t>(w, op, 0, lane)), argument<uint32_t>(w, op, 2, lane),
                              text_at(argument<uint64_t>(w, op, 1, lane)), who));
}

} // namespace sim
