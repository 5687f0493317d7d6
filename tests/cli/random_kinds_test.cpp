// Counters by kinds of blocks against those of the whole grid, for kernels made at random of what leads from a block's index to addresses
// and branches: sums, products, shifts, masks, remainders, choices, loops.
#include "base/file.h"
#include "base/random.h"
#include "cases.h"
#include "session/sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <unistd.h>

namespace {

class Generator {
public:
    explicit Generator(uint64_t seed) : random_(seed, 6) {}

    std::string kernel() {
        for (const char* of : {"ctaid.x", "ctaid.y", "tid.x", "nctaid.x"}) line("mov.u32 %r{}, %{};", next(), of);
        line("ld.param.u32 %r{}, [n];", next());
        for (uint32_t n = 0, all = 6 + draw(14); n < all; ++n) statement(2);
        for (int n = 0; n < 2; ++n) access();
        return fmt::format(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kinds(.param .u64 in, .param .u64 out, .param .u32 n) {{\n"
            ".reg .pred %p<256>;\n.reg .b32 %r<256>;\n.reg .b64 %rd<256>;\n.reg .f32 %f<256>;\n.shared .align 4 .b8 s[1024];\n"
            "ld.param.u64 %rd0, [in];\nld.param.u64 %rd1, [out];\nmov.f32 %f0, 0f3F800000;\n{}ret;\n}}\n",
            text_);
    }

private:
    base::RandomStream random_;
    uint64_t drawn_ = 0;
    uint32_t registers_ = 0, predicates_ = 1, longs_ = 2, floats_ = 1, labels_ = 0;
    std::string text_;

    uint32_t draw(uint32_t below) { return static_cast<uint32_t>((random_.bits(drawn_++) >> 32) * below >> 32); }
    uint32_t next() { return registers_++; }
    uint32_t any() { return draw(registers_); }
    template <class... A>
    void line(fmt::format_string<A...> format, A&&... a) {
        text_ += fmt::format(format, std::forward<A>(a)...) + "\n";
    }
    const char* one_of(std::initializer_list<const char*> all) {
        return all.begin()[draw(static_cast<uint32_t>(all.size()))];
    }

    void statement(int depth) {
        const uint32_t what = draw(20);
        if (what < 3) return access();
        if (what < 5 && depth > 0) return branch(depth);
        if (what == 5 && depth > 0) return loop(depth);
        arithmetic();
    }

    void arithmetic() {
        const uint32_t a = any(), b = any(), p = draw(8) == 0 ? compare() : 0,
                       d = draw(6) == 0 && registers_ > 5 ? 5 + draw(registers_ - 5)
                                                          : next(); // sometimes it is written again
        static constexpr uint32_t divisors[] = {2, 3, 5, 7, 8, 12, 16, 32, 37, 64};
        if (p != 0) return line("selp.b32 %r{}, %r{}, %r{}, %p{};", d, a, b, p);
        switch (draw(12)) {
        case 0: return line("add.s32 %r{}, %r{}, %r{};", d, a, b);
        case 1: return line("sub.s32 %r{}, %r{}, %r{};", d, a, b);
        case 2: return line("mul.lo.s32 %r{}, %r{}, {};", d, a, 1 + draw(40));
        case 3: return line("mad.lo.s32 %r{}, %r{}, {}, %r{};", d, a, 1 << draw(8), b);
        case 4: return line("shl.b32 %r{}, %r{}, {};", d, a, draw(8));
        case 5: return line("{} %r{}, %r{}, {};", one_of({"shr.u32", "shr.s32"}), d, a, draw(6));
        case 6:
            return line("and.b32 %r{}, %r{}, {};", d, a, draw(2) == 0 ? (1u << draw(9)) - 1 : ~((1u << draw(5)) - 1));
        case 7: return line("{} %r{}, %r{}, {};", one_of({"or.b32", "xor.b32"}), d, a, draw(32));
        case 8: return line("{} %r{}, %r{}, %r{};", one_of({"min.s32", "max.s32", "min.u32", "max.u32"}), d, a, b);
        case 9:
            return line("{} %r{}, %r{}, {};", one_of({"div.u32", "rem.u32", "div.s32", "rem.s32"}), d, a,
                        divisors[draw(10)]);
        case 10: return through_64_bits(d, a, divisors[draw(10)]);
        default: return line("mul.lo.s32 %r{}, %r{}, %r{};", d, a, b);
        }
    }

    void through_64_bits(uint32_t d, uint32_t a, uint32_t divisor) {
        const uint32_t l = longs_++;
        line("{} %rd{}, %r{}, {};", one_of({"mul.wide.u32", "mul.wide.s32"}), l, a, 1 + draw(300));
        line("{} %rd{}, %rd{}, {};", one_of({"div.u64", "rem.u64", "shr.u64", "add.s64"}), l + 1, l, divisor);
        line("cvt.u32.u64 %r{}, %rd{};", d, ++longs_ - 1);
    }

    uint32_t compare() {
        const uint32_t p = predicates_++;
        line("setp.{}.{} %p{}, %r{}, %r{};", one_of({"lt", "le", "gt", "ge", "eq", "ne"}), one_of({"s32", "u32"}), p,
             any(), any());
        return p;
    }

    void branch(int depth) {
        const uint32_t label = labels_++;
        line("@{}%p{} bra L{};", draw(2) == 0 ? "" : "!", compare(), label);
        for (uint32_t n = 0, all = 1 + draw(3); n < all; ++n) statement(depth - 1);
        line("L{}:", label);
    }

    void loop(int depth) {
        const uint32_t label = labels_++, counter = next(), end = next(), p = predicates_++;
        line("mov.u32 %r{}, 0;\nand.b32 %r{}, %r{}, 7;\nL{}:", counter, end, draw(registers_ - 2), label);
        statement(depth - 1);
        line("add.s32 %r{}, %r{}, 1;\nsetp.lt.s32 %p{}, %r{}, %r{};\n@%p{} bra L{};", counter, counter, p, counter, end,
             p, label);
    }

    // Of global or shared memory; what is loaded decides nothing but, seldom, an address.
    void access() {
        const uint32_t at = next(), l = longs_++, f = floats_++, mask = 1u << (4 + draw(7));
        line("and.b32 %r{}, %r{}, {};", at, any(), mask - 1);
        line("mul.wide.u32 %rd{}, %r{}, 4;", l, at);
        const uint32_t address = longs_++;
        line("add.s64 %rd{}, %rd{}, %rd{};", address, draw(2), l);
        switch (draw(9)) {
        case 0:
        case 1:
        case 2: return line("ld.global.f32 %f{}, [%rd{}];\nadd.f32 %f0, %f0, %f{};", f, address, f);
        case 3:
        case 4: return line("st.global.f32 [%rd{}], %f0;", address);
        case 5:
        case 6: return shared(at, f);
        case 7: return line("red.global.add.f32 [%rd{}], %f0;", address);
        default: return draw(8) == 0 ? line("ld.global.u32 %r{}, [%rd{}];", next(), address) : shared(at, f);
        }
    }
    void shared(uint32_t at, uint32_t f) {
        const uint32_t bytes = next();
        line("and.b32 %r{}, %r{}, 255;\nshl.b32 %r{}, %r{}, 2;\nmov.u32 %r{}, s;\nadd.s32 %r{}, %r{}, %r{};", at, at,
             bytes, at, registers_, registers_ + 1, registers_, bytes);
        registers_ += 2;
        draw(2) == 0 ? line("ld.shared.f32 %f{}, [%r{}];", f, registers_ - 1)
                     : line("st.shared.f32 [%r{}], %f0;", registers_ - 1);
    }
};

enum class Outcome { few_kinds, all_kinds, whole_only, failed };

Outcome outcome_of(const std::string& file, const std::string& grid) {
    auto job = cases::job_of(file, "--block 64 " + grid + " --arg in:f32[8192] --arg out:f32[8192] --arg i32=100");
    if (!job) return ADD_FAILURE() << job.error().sentence(), Outcome::failed;
    job->checks = false;
    const auto prepared = session::prepare(*job);
    if (prepared.failed) return ADD_FAILURE() << prepared.failed->error.sentence(), Outcome::failed;
    const auto sampled = session::run_sample(*job, *prepared.value, 1, {});
    if (sampled.failed && sampled.failed->error.failure != base::Failure::missing)
        return ADD_FAILURE() << sampled.failed->error.sentence(), Outcome::failed;
    if (sampled.failed) return Outcome::whole_only;
    const auto whole = session::run_grid(*job, *prepared.value, 1, {});
    if (whole.failed) return ADD_FAILURE() << whole.failed->error.sentence(), Outcome::failed;
    for (size_t pc = 0; pc < whole.value->counts.size(); ++pc)
        EXPECT_EQ(whole.value->counts[pc], sampled.value->counts[pc])
            << "instruction " << pc << ", " << prepared.value->listing->instructions[pc].text;
    return sampled.value->sample->executed() < sampled.value->sample->blocks() ? Outcome::few_kinds
                                                                               : Outcome::all_kinds;
}

// GEMMSCOPE_KINDS_SEEDS=N: so many kernels.
TEST(RandomKinds, CountWhatTheirWholeGridsCount) {
    const char* wanted = std::getenv("GEMMSCOPE_KINDS_SEEDS");
    const uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 300;
    const auto file = std::filesystem::temp_directory_path() / fmt::format("gemmscope_kinds.{}.ptx", ::getpid());
    std::map<Outcome, uint64_t> outcomes;
    for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const std::string text = Generator(seed).kernel();
        ASSERT_TRUE(base::write_file(file, {text.data(), text.size()}));
        ++outcomes[outcome_of(file, seed % 3 == 0 ? "--grid 48" : "--grid 12,7")];
        if (testing::Test::HasFailure()) std::cout << text;
    }
    std::filesystem::remove(file);
    EXPECT_GT(outcomes[Outcome::few_kinds], seeds / 4) << "most were not put to the test";
    std::cout << outcomes[Outcome::few_kinds] << " of few kinds of blocks, " << outcomes[Outcome::all_kinds]
              << " with as many kinds as blocks, " << outcomes[Outcome::whole_only] << " can only be counted whole\n";
}

} // namespace
