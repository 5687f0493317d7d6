#include "ptx/block_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ptx {
namespace {

using base::Error;
using base::Failure;

constexpr std::string_view registers = R"(
	.reg .pred %record_p;
	.reg .b32 %record_a, %record_b, %record_c;
	.reg .b64 %record_at, %record_sm, %record_time;
)";

constexpr std::string_view now = "\tmov.u64 %record_time, %globaltimer;\n";

// The address of the block's record in %record_at; {} is the parameter.
constexpr std::string_view address = R"(	mov.u32 %record_a, %ctaid.z;
	mov.u32 %record_b, %nctaid.y;
	mov.u32 %record_c, %ctaid.y;
	mad.lo.u32 %record_a, %record_a, %record_b, %record_c;
	mov.u32 %record_b, %nctaid.x;
	mov.u32 %record_c, %ctaid.x;
	mad.lo.u32 %record_a, %record_a, %record_b, %record_c;
	ld.param.u64 %record_at, [{}];
	mad.wide.u32 %record_at, %record_a, 24, %record_at;
)";

// By thread 0 alone.
constexpr std::string_view first_words = R"(	mov.u32 %record_a, %tid.x;
	mov.u32 %record_b, %tid.y;
	mov.u32 %record_c, %tid.z;
	or.b32 %record_a, %record_a, %record_b;
	or.b32 %record_a, %record_a, %record_c;
	setp.eq.u32 %record_p, %record_a, 0;
	mov.u32 %record_a, %smid;
	cvt.u64.u32 %record_sm, %record_a;
	@%record_p st.global.u64 [%record_at], %record_time;
	@%record_p st.global.u64 [%record_at+16], %record_sm;
)";

// By the first of the lanes that are here: none below it is.
constexpr std::string_view last_word = R"(	activemask.b32 %record_a;
	mov.u32 %record_b, %lanemask_lt;
	and.b32 %record_a, %record_a, %record_b;
	setp.eq.u32 %record_p, %record_a, 0;
	@%record_p red.global.max.u64 [%record_at+8], %record_time;
)";

bool ends_thread(const Instruction& i, bool entry) {
    return i.opcode == Opcode::exit || (entry && i.opcode == Opcode::ret);
}

// Places in the text and what to put there, ascending.
class Insertions {
public:
    void add(size_t at, std::string text) { list_.push_back({at, std::move(text)}); }
    std::string into(std::string_view text) {
        std::stable_sort(list_.begin(), list_.end(),
                         [](const Insertion& a, const Insertion& b) { return a.at < b.at; });
        std::string result;
        size_t done = 0;
        for (const Insertion& insertion : list_) {
            result += text.substr(done, insertion.at - done);
            result += insertion.text;
            done = insertion.at;
        }
        return result += text.substr(done);
    }

private:
    struct Insertion {
        size_t at;
        std::string text;
    };
    std::vector<Insertion> list_;
};

} // namespace

base::Result<std::string> with_block_records(const Module& module, const std::string& entry) {
    const Function* kernel = nullptr;
    for (const Function& f : module.functions) {
        if (f.entry && f.defined && f.name == entry) kernel = &f;
        for (const Instruction& i : f.instructions)
            if (!f.entry && ends_thread(i, false))
                return Error{Failure::usage,
                             base::say("{} ends its thread, and only the kernel itself can record that", f.name),
                             fmt::format("line {}", i.line), base::say("let the function return")};
    }
    if (!kernel) return Error{Failure::usage, base::say("the PTX has no entry {}", entry), {}, {}};

    const std::string parameter = entry + "_block_records", declared = ".param .u64 " + parameter;
    const std::string at = fmt::format(fmt::runtime(address), parameter);
    const std::string begin = fmt::format("\n\t{{{}{}{}{}\t}}", registers, now, at, first_words);
    const std::string end = fmt::format("{{{}{}{}{}\t}}\n\t", registers, at, now, last_word);
    Insertions added;
    const bool list = module.text[kernel->parameters_end] == ')';
    added.add(kernel->parameters_end,
              list ? (kernel->parameters.empty() ? "" : ",\n\t") + declared : "(" + declared + ")");
    added.add(kernel->body_begin, begin);
    // A guard of the instruction is of no interest: a thread that goes on comes to an end later, and the
    // latest time is kept.
    for (const Instruction& i : kernel->instructions)
        if (ends_thread(i, true)) added.add(i.begin, end);
    const bool falls_off = kernel->instructions.empty() || !ends_thread(kernel->instructions.back(), true) ||
                           kernel->instructions.back().guard >= 0;
    if (falls_off) added.add(kernel->body_end, end);
    return added.into(module.text);
}

} // namespace ptx
