#include "sass/latency.h"

#include <algorithm>
#include <string_view>

namespace sass {
namespace {

constexpr int newest = 999;
constexpr struct {
    int first_sm, last_sm;
    Unit result, reader;
    uint8_t cycles;
} rows[] = {
#define LATENCY(first, last, result, reader, cycles) {first, last, Unit::result, Unit::reader, cycles},
#include "sass/latency_table.inc"
#undef LATENCY
};

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), opcode) != names.end();
}

} // namespace

Unit unit_of(const Instruction& i) {
    const std::string_view name = i.opcode;
    using trace::Kind;
    if (is_one_of(name, {"UMOV", "ULDC"})) return Unit::uniform_move;
    if (is_one_of(name, {"UIADD3", "ULEA", "ULOP3", "USHF", "UIMAD", "USEL", "UPRMT", "UISETP", "UPLOP3"}))
        return Unit::uniform;
    if (is_one_of(name, {"FFMA", "FADD", "FMUL", "IMAD", "IDP", "VIADD"})) return Unit::fma;
    if (is_one_of(name, {"HFMA2", "HADD2", "HMUL2", "HSET2", "HSETP2", "HMNMX2"})) return Unit::half;
    if (is_one_of(name, {"DFMA", "DADD", "DMUL", "DSETP"})) return Unit::fp64;
    if (is_one_of(name, {"HMMA", "IMMA"})) return Unit::matrix;
    if (is_one_of(name, {"IADD3", "IADD",  "LOP3",  "SHF",  "LEA",      "SEL",   "ISETP",  "MOV",       "PRMT",
                         "FSEL",  "FSETP", "FMNMX", "FSET", "IABS",     "IMNMX", "VIMNMX", "VIADDMNMX", "PLOP3",
                         "P2R",   "R2P",   "SGXT",  "BMSK", "VABSDIFF", "I2FP",  "F2FP"}))
        return Unit::integer;
    switch (i.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::atomic:
    case Kind::async_copy: return Unit::memory;
    default: return Unit::special;
    }
}

uint8_t latency(int sm, Unit result, Unit reader) {
    for (const auto& row : rows)
        if (row.result == result && row.reader == reader && sm >= row.first_sm && sm <= row.last_sm) return row.cycles;
    return 0;
}

} // namespace sass
