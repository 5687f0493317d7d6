#include "reference_executor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

struct Thread {
    uint32_t index = 0;
    std::vector<uint64_t> registers;
    size_t pc = 0;
    bool done = false, waits = false;
};

unsigned bits_of(Type t) { return t == Type::pred ? 1 : ptx::bytes(t) * 8; }
uint64_t cut(uint64_t v, unsigned bits) { return bits >= 64 ? v : v & ((uint64_t{1} << bits) - 1); }
int64_t extend(uint64_t v, unsigned bits) {
    return bits >= 64 ? static_cast<int64_t>(v) : static_cast<int64_t>(v << (64 - bits)) >> (64 - bits);
}

uint64_t single(float v) {
    return v == v ? std::bit_cast<uint32_t>(v) : 0x7FFFFFFF;
} // the GPU has one NaN for results in f32
float as_single(uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
double as_double(uint64_t v) { return std::bit_cast<double>(v); }

class Executor {
public:
    Executor(const ptx::Module& module, const ReferenceLaunch& launch)
        : module_(module), function_(module.functions[0]), launch_(launch) {}

    std::string run() {
        lay_out();
        for (block_ = 0; block_ < launch_.blocks && error_.empty(); ++block_) run_block();
        return error_;
    }

private:
    const ptx::Module& module_;
    const ptx::Function& function_;
    const ReferenceLaunch& launch_;
    uint32_t block_ = 0;
    std::map<int32_t, uint64_t> place_; // of variables
    std::vector<std::byte> shared_;
    Thread* thread_ = nullptr;
    const ptx::Instruction* now_ = nullptr;
    std::string error_;

    void lay_out() {
        uint64_t parameter = 0, shared = 0;
        for (int32_t n : function_.parameters) {
            const ptx::Variable& v = module_.variables[static_cast<size_t>(n)];
            parameter = (parameter + v.align - 1) / v.align * v.align;
            place_[n] = parameter;
            parameter += v.bytes;
        }
        for (size_t n = 0; n < module_.variables.size(); ++n) {
            if (module_.variables[n].space != ptx::Space::shared) continue;
            place_[static_cast<int32_t>(n)] = shared;
            shared += (module_.variables[n].bytes + 15) / 16 * 16;
        }
        shared_.resize(shared);
    }

    void run_block() {
        std::vector<Thread> threads(launch_.threads);
        for (uint32_t n = 0; n < launch_.threads; ++n) {
            threads[n].index = n;
            threads[n].registers.resize(static_cast<size_t>(function_.register_count));
        }
        for (bool any = true; any && error_.empty();) {
            any = false;
            for (Thread& t : threads) {
                thread_ = &t;
                t.waits = false;
                while (!t.done && !t.waits && error_.empty()) step();
                any |= !t.done;
            }
        }
    }

    bool has(Modifier m) const { return now_->modifiers.has(m); }
    Type type() const { return now_->types.empty() ? Type::b32 : now_->types.front(); }

    uint64_t read(size_t n, unsigned bits) {
        const Operand& o = now_->operands[n];
        uint64_t v = 0;
        if (o.kind == OperandKind::reg) v = thread_->registers[static_cast<size_t>(o.index)];
        else if (o.kind == OperandKind::immediate) v = o.bits;
        else if (o.kind == OperandKind::variable) v = place_[o.index] + static_cast<uint64_t>(o.offset);
        else if (o.kind == OperandKind::special) v = special(static_cast<ptx::Special>(o.index));
        else error_ = "an operand of " + now_->mnemonic;
        return cut(o.negated ? ~v : v, bits);
    }
    uint64_t special(ptx::Special s) {
        switch (s) {
        case ptx::Special::tid_x: return thread_->index;
        case ptx::Special::ntid_x: return launch_.threads;
        case ptx::Special::ctaid_x: return block_;
        case ptx::Special::laneid: return thread_->index % 32;
        default: error_ = "a special register"; return 0;
        }
    }
    void write(uint64_t v, unsigned bits) {
        if (now_->operands[0].kind == OperandKind::reg)
            thread_->registers[static_cast<size_t>(now_->operands[0].index)] = cut(v, bits);
    }

    void step() {
        if (thread_->pc >= function_.instructions.size()) {
            thread_->done = true;
            return;
        }
        now_ = &function_.instructions[thread_->pc++];
        if (now_->guard >= 0 && (thread_->registers[static_cast<size_t>(now_->guard)] != 0) == now_->guard_negated)
            return;
        switch (now_->opcode) {
        case Opcode::bra: jump(now_->operands[0].index); return;
        case Opcode::brx_idx:
            jump(function_.labels[static_cast<size_t>(now_->operands[1].index)].targets[read(0, 32)]);
            return;
        case Opcode::ret:
        case Opcode::exit: thread_->done = true; return;
        case Opcode::bar_sync: thread_->waits = true; return;
        case Opcode::ld:
        case Opcode::st: access(); return;
        case Opcode::setp: compare(); return;
        case Opcode::cvt: convert(); return;
        case Opcode::selp: write(read(3, 1) ? read(1, 64) : read(2, 64), bits_of(type())); return;
        case Opcode::mov: write(read(1, 64), bits_of(type())); return;
        default: compute();
        }
    }
    void jump(int32_t label) { thread_->pc = static_cast<size_t>(function_.labels[static_cast<size_t>(label)].target); }

    std::byte* memory(uint64_t address, uint64_t size) {
        if (has(Modifier::shared)) return address + size <= shared_.size() ? shared_.data() + address : nullptr;
        for (const ReferenceMemory& m : launch_.memory)
            if (address >= m.address && address + size <= m.address + m.bytes.size())
                return m.bytes.data() + (address - m.address);
        return nullptr;
    }
    void access() {
        const bool loads = now_->opcode == Opcode::ld;
        const Operand& address = now_->operands[loads ? 1 : 0];
        const Operand& base = address.elements[0];
        const unsigned size = ptx::bytes(type());
        const uint64_t start =
            base.kind == OperandKind::reg ? thread_->registers[static_cast<size_t>(base.index)] : place_[base.index];
        const uint64_t at = start + static_cast<uint64_t>(address.offset);
        uint64_t v = 0;
        if (has(Modifier::param)) {
            std::memcpy(&v, launch_.parameters.data() + at, size);
            return write(v, size * 8);
        }
        std::byte* p = memory(at, size);
        if (!p) {
            error_ = "out of bounds: " + now_->mnemonic;
            return;
        }
        if (loads) {
            std::memcpy(&v, p, size);
            return write(ptx::is_signed(type()) ? static_cast<uint64_t>(extend(v, size * 8)) : v,
                         bits_of(ptx::register_type(function_, now_->operands[0].index)));
        }
        v = read(1, 64);
        std::memcpy(p, &v, size);
    }

    template <class T>
    bool compared(T a, T b) const {
        using enum Modifier;
        if (has(eq)) return a == b;
        if (has(lt) || has(Modifier::lo)) return a < b;
        if (has(le) || has(ls)) return a <= b;
        if (has(gt) || has(Modifier::hi)) return a > b;
        if (has(ge) || has(hs)) return a >= b;
        const bool unordered = a != a || b != b;
        if (has(ne)) return !unordered && a != b;
        if (has(neu)) return unordered || a != b;
        if (has(ltu)) return unordered || a < b;
        if (has(num)) return !unordered;
        return unordered; // nan
    }
    void compare() {
        const unsigned bits = bits_of(type());
        const uint64_t a = read(1, bits), b = read(2, bits);
        bool r = false;
        if (type() == Type::f32) r = compared(as_single(a), as_single(b));
        else if (type() == Type::f64) r = compared(as_double(a), as_double(b));
        else if (ptx::is_signed(type())) r = compared(extend(a, bits), extend(b, bits));
        else r = compared(a, b);
        const bool c = now_->operands.size() > 3 && read(3, 1);
        const auto combined = [&](bool v) {
            return has(Modifier::and_) ? v && c : has(Modifier::or_) ? v || c : has(Modifier::xor_) ? v != c : v;
        };
        const Operand& d = now_->operands[0];
        const auto set = [&](const Operand& o, bool v) {
            if (o.kind == OperandKind::reg) thread_->registers[static_cast<size_t>(o.index)] = v;
        };
        if (d.kind != OperandKind::pair) return set(d, combined(r));
        set(d.elements[0], combined(r));
        set(d.elements[1], combined(!r));
    }

    void convert() {
        const Type to = now_->types[0], from = now_->types[1];
        const unsigned bits = bits_of(from), out = bits_of(to);
        const uint64_t a = read(1, bits);
        const unsigned width = bits_of(ptx::register_type(function_, now_->operands[0].index));
        if (to == Type::f64)
            return write(std::bit_cast<uint64_t>(from == Type::f32      ? static_cast<double>(as_single(a))
                                                 : ptx::is_signed(from) ? static_cast<double>(extend(a, bits))
                                                                        : static_cast<double>(a)),
                         64);
        if (to == Type::f32)
            return write(single(ptx::is_signed(from) ? static_cast<float>(extend(a, bits)) : static_cast<float>(a)),
                         32);
        if (from == Type::f32) return write(integer_of(as_single(a), to), width);
        if (has(Modifier::sat)) {
            const int64_t v =
                ptx::is_signed(from)
                    ? extend(a, bits)
                    : static_cast<int64_t>(std::min<uint64_t>(a, INT64_MAX)); // sources have 32 bits at most
            const int64_t low = ptx::is_signed(to) ? -(int64_t{1} << (out - 1)) : 0,
                          high = (int64_t{1} << (out - (ptx::is_signed(to) ? 1 : 0))) - 1;
            return write(static_cast<uint64_t>(std::clamp(v, low, high)), width);
        }
        const uint64_t v = ptx::is_signed(from) ? static_cast<uint64_t>(extend(a, bits)) : a;
        write(ptx::is_signed(to) ? static_cast<uint64_t>(extend(cut(v, out), out)) : cut(v, out), width);
    }
    uint64_t integer_of(float v, Type to) const { // u32 or s32: to nearest or towards zero, saturated; a NaN is 0
        if (v != v) return 0;
        const double r = has(Modifier::rni)   ? std::nearbyint(static_cast<double>(v))
                         : has(Modifier::rmi) ? std::floor(static_cast<double>(v))
                                              : std::trunc(static_cast<double>(v));
        if (to == Type::s32)
            return static_cast<uint64_t>(static_cast<int64_t>(std::clamp(r, -2147483648.0, 2147483647.0)));
        return static_cast<uint64_t>(std::clamp(r, 0.0, 4294967295.0));
    }

    void compute() {
        if (type() == Type::f32) return single_precision();
        if (type() == Type::f64) return double_precision();
        integer();
    }
    template <class T>
    static T smaller(T a, T b) { // -0 before +0; a NaN loses
        if (a != a) return b;
        if (b != b) return a;
        if (a == b) return std::signbit(a) ? a : b;
        return a < b ? a : b;
    }
    void single_precision() {
        const float a = as_single(read(1, 32)), b = now_->operands.size() > 2 ? as_single(read(2, 32)) : 0.0f;
        switch (now_->opcode) {
        case Opcode::add: return write(single(a + b), 32);
        case Opcode::sub: return write(single(a - b), 32);
        case Opcode::mul: return write(single(a * b), 32);
        case Opcode::fma: return write(single(std::fma(a, b, as_single(read(3, 32)))), 32);
        case Opcode::div: return write(single(a / b), 32);
        case Opcode::sqrt: return write(single(std::sqrt(a)), 32);
        case Opcode::rcp: return write(single(1.0f / a), 32);
        case Opcode::min: return write(single(smaller(a, b)), 32);
        case Opcode::max: return write(single(-smaller(-a, -b)), 32);
        case Opcode::neg: return write(single(-a), 32);
        case Opcode::abs: return write(single(std::fabs(a)), 32);
        default: error_ = now_->mnemonic;
        }
    }
    void double_precision() {
        const double a = as_double(read(1, 64)), b = as_double(read(2, 64));
        const auto put = [&](double v) { write(std::bit_cast<uint64_t>(v), 64); };
        switch (now_->opcode) {
        case Opcode::add: return put(a + b);
        case Opcode::sub: return put(a - b);
        case Opcode::mul: return put(a * b);
        case Opcode::fma: return put(std::fma(a, b, as_double(read(3, 64))));
        case Opcode::div: return put(a / b);
        case Opcode::min: return put(smaller(a, b));
        case Opcode::max: return put(-smaller(-a, -b));
        default: error_ = now_->mnemonic;
        }
    }

    // The product of two numbers of up to 64 bits, in full.
    static std::pair<uint64_t, uint64_t> product(uint64_t a, uint64_t b, bool is_signed) { // low, high
        const uint64_t al = a & 0xFFFFFFFF, ah = a >> 32, bl = b & 0xFFFFFFFF, bh = b >> 32;
        const uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xFFFFFFFF);
        uint64_t high = ah * bh + (middle >> 32) + (other >> 32);
        if (is_signed && a >> 63) high -= b;
        if (is_signed && b >> 63) high -= a;
        return {a * b, high};
    }
    uint64_t multiplied(unsigned bits, bool is_signed) { // of operands 1 and 2, as .lo, .hi or .wide
        const uint64_t a = read(1, bits), b = read(2, bits);
        const auto [low, high] = product(is_signed ? static_cast<uint64_t>(extend(a, bits)) : a,
                                         is_signed ? static_cast<uint64_t>(extend(b, bits)) : b, is_signed);
        if (!has(Modifier::hi)) return low;
        return bits == 64 ? high : low >> bits;
    }
    void integer() {
        const bool is_signed = ptx::is_signed(type());
        const unsigned bits = bits_of(type()), out = has(Modifier::wide) ? bits * 2 : bits;
        const uint64_t a = read(1, bits);
        const int64_t sa = extend(a, bits);
        const auto b = [&] { return read(2, bits); };
        const auto sb = [&] { return extend(read(2, bits), bits); };
        switch (now_->opcode) {
        case Opcode::add: return write(a + b(), bits);
        case Opcode::sub: return write(a - b(), bits);
        case Opcode::mul: return write(multiplied(bits, is_signed), out);
        case Opcode::mad: return write(multiplied(bits, is_signed) + read(3, out), out);
        case Opcode::and_: return write(a & b(), bits);
        case Opcode::or_: return write(a | b(), bits);
        case Opcode::xor_: return write(a ^ b(), bits);
        case Opcode::not_: return write(~a, bits);
        case Opcode::neg: return write(0 - a, bits);
        case Opcode::abs: return write(sa < 0 ? 0 - a : a, bits);
        case Opcode::min: return write(is_signed ? (sa < sb() ? a : b()) : std::min(a, b()), bits);
        case Opcode::max: return write(is_signed ? (sa > sb() ? a : b()) : std::max(a, b()), bits);
        case Opcode::sad:
            return write(read(3, bits) + (is_signed ? (sa < sb() ? b() - a : a - b())
                                          : a < b() ? b() - a
                                                    : a - b()),
                         bits);
        case Opcode::popc: return write(static_cast<uint64_t>(std::popcount(a)), 32);
        case Opcode::clz: return write(static_cast<uint64_t>(std::countl_zero(a)) - (64 - bits), 32);
        default: shifts_and_fields(bits, is_signed, a);
        }
    }
    void shifts_and_fields(unsigned bits, bool is_signed, uint64_t a) {
        const auto amount = [&](size_t n) { return read(n, 32); };
        switch (now_->opcode) {
        case Opcode::shl: return write(amount(2) >= bits ? 0 : a << amount(2), bits);
        case Opcode::shr: {
            const uint64_t by = std::min<uint64_t>(amount(2), bits);
            return write(is_signed    ? static_cast<uint64_t>(extend(a, bits) >> std::min<uint64_t>(by, 63))
                         : by >= bits ? 0
                                      : a >> by,
                         bits);
        }
        case Opcode::shf: { // l or r, wrap or clamp: of {b, a}
            const uint64_t both = read(2, 32) << 32 | a,
                           by = has(Modifier::wrap) ? amount(3) & 31 : std::min<uint64_t>(amount(3), 32);
            return write(has(Modifier::l) ? both << by >> 32 : both >> by, 32);
        }
        case Opcode::brev: {
            uint64_t r = 0;
            for (unsigned n = 0; n < bits; ++n) r |= (a >> n & 1) << (bits - 1 - n);
            return write(r, bits);
        }
        case Opcode::bfe: {
            const unsigned from = static_cast<unsigned>(amount(2) & 255),
                           length = static_cast<unsigned>(amount(3) & 255);
            const unsigned last = std::min(from + length - 1, bits - 1);
            const bool sign = is_signed && length > 0 && a >> last & 1;
            uint64_t r = 0;
            for (unsigned n = 0; n < bits; ++n)
                r |= static_cast<uint64_t>(n < length && from + n < bits ? a >> (from + n) & 1 : sign) << n;
            return write(r, bits);
        }
        case Opcode::bfi: { // d, a, b, c, d: a into b
            const unsigned from = static_cast<unsigned>(read(3, 32) & 255),
                           length = static_cast<unsigned>(read(4, 32) & 255);
            uint64_t r = read(2, bits);
            for (unsigned n = 0; n < length && from + n < bits; ++n)
                r = (r & ~(uint64_t{1} << (from + n))) | (a >> n & 1) << (from + n);
            return write(r, bits);
        }
        case Opcode::prmt: {
            const uint64_t both = read(2, 32) << 32 | a, pick = read(3, 32);
            uint64_t r = 0;
            for (unsigned n = 0; n < 4; ++n) {
                const uint64_t s = pick >> (4 * n) & 15, byte = both >> (8 * (s & 7)) & 255;
                r |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * n);
            }
            return write(r, 32);
        }
        case Opcode::lop3: {
            const uint64_t b = read(2, 32), c = read(3, 32), table = read(4, 8);
            uint64_t r = 0;
            for (unsigned n = 0; n < 32; ++n)
                r |= (table >> ((a >> n & 1) * 4 + (b >> n & 1) * 2 + (c >> n & 1)) & 1) << n;
            return write(r, 32);
        }
        case Opcode::div:
            return write(is_signed ? static_cast<uint64_t>(extend(a, bits) / extend(read(2, bits), bits))
                                   : a / read(2, bits),
                         bits);
        case Opcode::rem:
            return write(is_signed ? static_cast<uint64_t>(extend(a, bits) % extend(read(2, bits), bits))
                                   : a % read(2, bits),
                         bits);
        default: error_ = now_->mnemonic;
        }
    }
};

} // namespace

std::string run_reference(const ptx::Module& module, const ReferenceLaunch& launch) {
    return Executor(module, launch).run();
}
