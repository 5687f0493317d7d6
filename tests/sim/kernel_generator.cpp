#include "kernel_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <vector>

namespace {

constexpr int words = 10, halves = 4, longs = 5, floats = 8, doubles = 4, predicates = 5; // registers of each type

class Generator {
public:
    Generator(uint32_t seed, uint32_t threads, const std::string& name, Flavour flavour)
        : random_(seed), threads_(threads), name_(name), exchange_(name + "_exchange"),
          for_ptxas_(flavour == Flavour::for_ptxas) {}

    GeneratedKernel make() {
        begin();
        const int statements = 6 + static_cast<int>(below(10));
        for (int n = 0; n < statements; ++n) statement(0, true);
        GeneratedKernel k;
        end(k);
        k.text = std::move(text_);
        return k;
    }

private:
    std::mt19937 random_;
    uint32_t threads_;
    std::string name_, exchange_; // of the kernel and of its shared memory
    bool for_ptxas_;
    std::string text_;
    int labels_ = 0, loops_ = 0, around_ = 0; // all, all, loops around what is made
    std::vector<std::string> asked_,
        kept_; // predicates of the branches around; those of them that the loops around leave as they are

    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    bool chance(uint32_t one_in) { return below(one_in) == 0; }
    template <class... A>
    void line(fmt::format_string<A...> format, A&&... a) {
        text_ += fmt::format(format, std::forward<A>(a)...) + "\n";
    }
    std::string pick(std::initializer_list<const char*> all) {
        return all.begin()[below(static_cast<uint32_t>(all.size()))];
    }
    std::string reg(char kind, int count) { return fmt::format("%{}{}", kind, below(static_cast<uint32_t>(count))); }
    std::string word() { return reg('r', words); }
    std::string half() { return reg('h', halves); }
    std::string wide() { return reg('w', longs); }
    std::string single() { return reg('f', floats); }
    std::string number() { return reg('d', doubles); } // f64
    std::string predicate() { return reg('p', predicates); }
    std::string written_predicate(const std::string& other = "") {
        for (;;)
            if (std::string p = predicate(); p != other && std::find(kept_.begin(), kept_.end(), p) == kept_.end())
                return p;
    }
    std::string word_or_constant() {
        constexpr int64_t odd[] = {0,        1, -1, 31, 32, 255, 256, 65535, 2147483647, -2147483648LL, 4294967295LL,
                                   305419896};
        return chance(4) ? std::to_string(odd[below(std::size(odd))]) : word();
    }

    void begin() {
        line(".shared .align 16 .b8 {}[{}];", exchange_, threads_ * 8); // two words a thread
        line(".visible .entry {}(.param .u64 out, .param .u64 in)\n{{", name_);
        line(
            ".reg .b32 %r<{}>, %thread, %k<16>, %at, %end, %slot, %all; .reg .b16 %h<{}>; .reg .b64 %w<{}>, %in, %out, %a; .reg .f32 %f<{}>; .reg .f64 %d<{}>; .reg .pred %p<{}>, %q;",
            words, halves, longs, floats, doubles, predicates);
        line(
            "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %thread, %tid.x; mov.u32 %all, %ctaid.x; mov.u32 %slot, %ntid.x; mad.lo.u32 %all, %all, %slot, %thread;");
        line("mov.u32 %slot, {}; mad.lo.u32 %slot, %thread, 4, %slot;", exchange_);
        for (int n = 0; n < words; ++n) {
            input(n);
            line("ld.global.u32 %r{}, [%a];", n);
        }
        for (int n = 0; n < halves; ++n) line("cvt.u16.u32 %h{}, %r{};", n, n);
        for (int n = 0; n < longs; ++n) line("mul.wide.s32 %w{}, %r{}, %r{};", n, n, n + 1);
        for (int n = 0; n < floats; ++n) {
            input(100 + n);
            if (n % 2) line("ld.global.f32 %f{}, [%a];", n); // any bits
            else line("cvt.rn.f32.s32 %f{}, %r{}; mul.f32 %f{}, %f{}, 0f33800000;", n, n, n, n);
        }
        for (int n = 0; n < doubles; ++n) line("cvt.f64.f32 %d{}, %f{};", n, n * 2);
        for (int n = 0; n < predicates; ++n) line("setp.lt.s32 %p{}, %r{}, %r{};", n, n, n + 1);
    }
    void input(int salt) { // %a: an address in `in` that differs from thread to thread
        line("mad.lo.u32 %at, %all, {}, {}; and.b32 %at, %at, {}; mad.wide.u32 %a, %at, 4, %in;", 2 * below(60) + 1,
             salt * 7, GeneratedKernel::inputs - 1);
    }

    // `uniform`: all threads of the block come here together.
    void statement(int depth, bool uniform) {
        const uint32_t what = below(depth < 3 ? 16 : 11);
        if (what < 9) {
            for (uint32_t n = 1 + below(4); n > 0; --n) instruction();
        } else if (what == 9 && uniform) {
            exchange();
        } else if (what <= 10) {
            access();
        } else if (what <= 12) {
            choice(depth);
        } else if (what == 13) {
            several(depth);
        } else {
            loop(depth, uniform);
        }
    }
    void block(int depth, bool uniform) {
        for (uint32_t n = 1 + below(3); n > 0; --n) statement(depth + 1, uniform);
    }
    void choice(int depth) {
        const int label = labels_++;
        asked_.push_back(predicate());
        line("@{}{} bra ELSE{};", chance(2) ? "!" : "", asked_.back(), label);
        block(depth, false);
        if (chance(2)) {
            line("bra END{};\nELSE{}:", label, label);
            block(depth, false);
            line("END{}:", label);
        } else {
            line("ELSE{}:", label);
        }
        asked_.pop_back();
    }
    void several(int depth) { // brx.idx
        const int label = labels_++;
        line("and.b32 %at, {}, 3;\nT{}: .branchtargets C{}a, C{}b, C{}c, C{}b;\nbrx.idx %at, T{};", word(), label,
             label, label, label, label, label);
        for (char part : {'a', 'b', 'c'}) {
            line("C{}{}:", label, part);
            block(depth, false);
            if (part != 'c') line("bra.uni M{};", label);
        }
        line("M{}:", label);
    }
    void loop(int depth, bool uniform) {
        if (loops_ == 16) return;
        const int label = labels_++, counter = loops_++;
        const bool same = uniform && chance(2);
        if (same) line("mov.u32 %k{}, {};", counter, 1 + below(4));
        else line("and.b32 %k{}, {}, 3; add.u32 %k{}, %k{}, 1;", counter, word(), counter, counter);
        line("L{}:", label);
        const std::vector<std::string> kept = kept_;
        if (for_ptxas_) kept_ = asked_;
        ++around_;
        block(depth, same);
        --around_;
        kept_ = kept;
        if (!same && chance(3)) line("@{} bra X{};", predicate(), label); // breaks off
        line("sub.u32 %k{}, %k{}, 1; setp.ne.u32 %q, %k{}, 0; @%q bra L{};\nX{}:", counter, counter, counter, label,
             label);
    }
    // %at: a number that follows some pattern over the threads.
    void pattern(const char* thread) {
        switch (below(6)) {
        case 0: line("mad.lo.u32 %at, {}, {}, {};", thread, 1 + below(7), below(64)); break;
        case 1: line("shr.u32 %at, {}, {};", thread, 1 + below(5)); break;   // neighbours share
        case 2: line("and.b32 %at, {}, {};", thread, 15 >> below(3)); break; // the halves of a warp share
        case 3: line("sub.u32 %at, {}, {};", threads_ * 8, thread); break;   // descending
        case 4: line("mov.u32 %at, {};", below(threads_)); break;
        default: line("mov.u32 %at, {};", thread); break;
        }
    }
    // Loads through one register, each at an offset of its own below `room` words; now and then the register changes.
    template <class F>
    void loads(const char* space, const char* base, uint32_t room, F change) {
        change();
        for (uint32_t n = 1 + below(5); n > 0; --n) {
            if (chance(5)) change();
            if (chance(6)) text_ += fmt::format("@{} ", predicate());
            const uint32_t at = 4 * below(room);
            switch (below(8)) {
            case 0: line("ld.{}.s16 {}, [{}+{}];", space, word(), base, at + 2 * below(2)); break;
            case 1: line("ld.{}.u8 {}, [{}+{}];", space, word(), base, at + below(4)); break;
            case 2: line("ld.{}.s8 {}, [{}+{}];", space, half(), base, at + below(4)); break;
            case 3:
            case 4: line("ld.{}.f32 {}, [{}+{}];", space, single(), base, at); break;
            default: line("ld.{}.u32 {}, [{}+{}];", space, word(), base, at); break;
            }
        }
    }
    // What one thread puts into shared memory others take out.
    void exchange() {
        line("st.shared.u32 [%slot], {}; st.shared.u32 [%slot+{}], {}; bar.sync 0;", word(), threads_ * 4, word());
        loads("shared", "%at", threads_, [this] {
            pattern("%thread");
            line("rem.u32 %at, %at, {}; mov.u32 %end, {}; mad.lo.u32 %at, %at, 4, %end;", threads_, exchange_);
        });
        line("bar.sync 0;");
    }
    void access() {
        constexpr uint32_t half = GeneratedKernel::inputs / 2;
        loads("global", "%a", half, [this] {
            pattern("%all");
            line("and.b32 %at, %at, {}; mad.wide.u32 %a, %at, 4, %in;", half - 1);
        });
    }

    void instruction() {
        if (chance(6)) text_ += fmt::format("@{}{} ", chance(2) ? "!" : "", predicate());
        switch (below(9)) {
        case 0:
        case 1: arithmetic(); break;
        case 2: bits(); break;
        case 3:
        case 4: floating(); break;
        case 5: {
            const std::string p = written_predicate(), q = written_predicate(p);
            line("setp.{}.{} {}|{}, {}, {};", pick({"eq", "ne", "lt", "le", "gt", "ge"}), pick({"s32", "u32"}), p, q,
                 word(), word_or_constant());
            break;
        }
        case 6: comparison(); break;
        case 7: conversion(); break;
        default: small(); break;
        }
    }
    void arithmetic() {
        const std::string t = pick({"s32", "u32"}), l = pick({"s64", "u64"});
        switch (below(11)) {
        case 0:
            line("{}.{} {}, {}, {};", pick({"add", "sub", "min", "max"}), t, word(), word(), word_or_constant());
            break;
        case 1: line("mul.{}.{} {}, {}, {};", pick({"lo", "hi"}), t, word(), word(), word_or_constant()); break;
        case 2: line("mul.wide.{} {}, {}, {};", t, wide(), word(), word_or_constant()); break;
        case 3: {
            const char* part = for_ptxas_ && around_ > 0 ? "lo" : below(2) == 0 ? "lo" : "hi";
            line("mad.{}.{} {}, {}, {}, {};", part, t, word(), word(), word(), word());
            break;
        }
        case 4: line("mad.wide.{} {}, {}, {}, {};", t, wide(), word(), word(), wide()); break;
        case 5: line("{}.{} {}, {}, {};", pick({"add", "sub", "min", "max"}), l, wide(), wide(), wide()); break;
        case 6: line("mul.{}.{} {}, {}, {};", pick({"lo", "hi"}), l, wide(), wide(), wide()); break;
        case 7: line("{} {}, {};", for_ptxas_ ? "cnot.b32" : pick({"neg.s32", "abs.s32"}), word(), word()); break;
        case 8: line("sad.{} {}, {}, {}, {};", t, word(), word(), word(), word()); break;
        case 9: line("{}.u32 {}, {}, {};", pick({"div", "rem"}), word(), word(), 1 + below(1000)); break;
        default: line("{}.s32 {}, {}, {};", pick({"div", "rem"}), word(), word(), 1 + below(1000)); break;
        }
    }
    std::string field() { // its place and length
        const uint32_t at = below(for_ptxas_ ? 32 : 40), most = for_ptxas_ ? 33 - at : 40;
        return fmt::format("{}, {}", at, below(most));
    }
    void bits() {
        switch (below(12)) {
        case 0: line("{}.b32 {}, {}, {};", pick({"and", "or", "xor"}), word(), word(), word_or_constant()); break;
        case 1: line("{}.b64 {}, {}, {};", pick({"and", "or", "xor"}), wide(), wide(), wide()); break;
        case 2: line("not.b32 {}, {};", word(), word()); break;
        case 3:
            line("{}.{} {}, {}, {};", "shr", pick({"u32", "s32", "b32"}), word(), word(), word_or_constant());
            break;
        case 4: line("shl.b32 {}, {}, {};", word(), word(), word_or_constant()); break;
        case 5: line("{}.{} {}, {}, {};", "shr", pick({"u64", "s64"}), wide(), wide(), word_or_constant()); break;
        case 6: line("{}.b32 {}, {};", pick({"popc", "clz", "brev"}), word(), word()); break;
        case 7: line("bfe.{} {}, {}, {};", pick({"u32", "s32"}), word(), word(), field()); break;
        case 8: line("bfi.b32 {}, {}, {}, {};", word(), word(), word(), field()); break;
        case 9: line("prmt.b32 {}, {}, {}, {};", word(), word(), word(), word_or_constant()); break;
        case 10:
            line("shf.{}.{}.b32 {}, {}, {}, {};", pick({"l", "r"}), pick({"wrap", "clamp"}), word(), word(), word(),
                 word_or_constant());
            break;
        default: line("lop3.b32 {}, {}, {}, {}, {};", word(), word(), word(), word(), below(256)); break;
        }
    }
    void floating() {
        switch (below(9)) {
        case 0:
        case 1:
            line("{}.f32 {}, {}, {};", pick({"add.rn", "sub.rn", "mul.rn", "min", "max"}), single(), single(),
                 single());
            break;
        case 2:
        case 3: line("fma.rn.f32 {}, {}, {}, {};", single(), single(), single(), single()); break;
        case 4: line("{}.f32 {}, {};", pick({"neg", "abs", "sqrt.rn", "rcp.rn"}), single(), single()); break;
        case 5: line("div.rn.f32 {}, {}, {};", single(), single(), single()); break;
        case 6: line("mul.rn.f32 {}, {}, 0f{:08X};", single(), single(), 0x3F800000u + (below(16) << 19)); break;
        case 7:
            line("{}.f64 {}, {}, {};", pick({"add.rn", "sub.rn", "mul.rn", "min", "max"}), number(), number(),
                 number());
            break;
        default: line("fma.rn.f64 {}, {}, {}, {};", number(), number(), number(), number()); break;
        }
    }
    void comparison() {
        switch (below(5)) {
        case 0:
            line("setp.{}.f32 {}, {}, {};", pick({"lt", "ge", "eq", "neu", "ltu", "num", "nan"}), written_predicate(),
                 single(), single());
            break;
        case 1:
            line("setp.{}.{}.s64 {}, {}, {}, {}{};", pick({"lt", "ge", "eq"}), pick({"and", "or", "xor"}),
                 written_predicate(), wide(), wide(), chance(2) ? "!" : "", predicate());
            break;
        case 2: line("selp.b32 {}, {}, {}, {};", word(), word(), word_or_constant(), predicate()); break;
        case 3: line("selp.f32 {}, {}, {}, {};", single(), single(), single(), predicate()); break;
        default:
            line("{}.pred {}, {}, {};", pick({"and", "or", "xor"}), written_predicate(), predicate(), predicate());
            break;
        }
    }
    void conversion() {
        switch (below(8)) {
        case 0: line("cvt.rn.f32.{} {}, {};", pick({"s32", "u32"}), single(), word()); break;
        case 1:
            line("cvt.{}.{}.f32 {}, {};", pick({"rzi", "rni", "rmi"}), pick({"s32", "u32"}), word(), single());
            break;
        case 2: line("cvt.{}.{} {}, {};", pick({"u32", "s32"}), pick({"s8", "u8"}), word(), half()); break;
        case 3: line("cvt.sat.{}.s32 {}, {};", pick({"u8", "s8", "u16", "s16"}), half(), word()); break;
        case 4: line("cvt.{}.{} {}, {};", pick({"s64", "u64"}), pick({"s32", "u32"}), wide(), word()); break;
        case 5: line("cvt.u32.u64 {}, {};", word(), wide()); break;
        case 6: line("cvt.f64.f32 {}, {};", number(), single()); break;
        default: line("mov.b32 {}, {};", single(), word()); break;
        }
    }
    void small() { // of 16 bits, and moves
        switch (below(5)) {
        case 0:
            line("{}.{} {}, {}, {};", pick({"add", "sub", "min", "max"}), pick({"s16", "u16"}), half(), half(), half());
            break;
        case 1: line("mul.{}.{} {}, {}, {};", pick({"lo", "hi"}), pick({"s16", "u16"}), half(), half(), half()); break;
        case 2: line("mul.wide.{} {}, {}, {};", pick({"s16", "u16"}), word(), half(), half()); break;
        case 3: line("cvt.{}.{} {}, {};", pick({"u32", "s32"}), pick({"u16", "s16"}), word(), half()); break;
        default: line("mov.u32 {}, {};", word(), pick({"%tid.x", "%ctaid.x", "%laneid", "%ntid.x"})); break;
        }
    }

    void end(GeneratedKernel& k) {
        k.results = words + halves + longs + floats + predicates + doubles;
        k.floats_from = words + halves + longs;
        k.floats_to = k.floats_from + floats;
        k.doubles_from = k.results - doubles;
        line("mad.wide.u32 %out, %all, {}, %out;", k.results * 8);
        uint32_t n = 0;
        const auto put = [&](const std::string& convert) { line("{} st.global.u64 [%out+{}], %a;", convert, 8 * n++); };
        for (int r = 0; r < words; ++r) put(fmt::format("cvt.u64.u32 %a, %r{};", r));
        for (int r = 0; r < halves; ++r) put(fmt::format("cvt.u64.u16 %a, %h{};", r));
        for (int r = 0; r < longs; ++r) put(fmt::format("mov.b64 %a, %w{};", r));
        for (int r = 0; r < floats; ++r) put(fmt::format("mov.b32 %at, %f{}; cvt.u64.u32 %a, %at;", r));
        for (int r = 0; r < predicates; ++r) put(fmt::format("selp.b64 %a, 1, 0, %p{};", r));
        for (int r = 0; r < doubles; ++r) put(fmt::format("mov.b64 %a, %d{};", r));
        line("ret;\n}}");
    }
};

} // namespace

GeneratedKernel generate_kernel(uint32_t seed, uint32_t threads, const std::string& name, Flavour flavour) {
    return Generator(seed, threads, name, flavour).make();
}
