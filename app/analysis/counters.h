// The counters of a run: the rows of counter_table.inc, and what they come to.
#pragma once

#include "trace/counts.h"
#include "trace/listing.h"

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace analysis {

enum class Sum : uint8_t { // what a counter adds up
    instructions,          // warp instructions
    threads,               // thread instructions: active lanes
    flop,                  // operations of tensor cores: two for each multiply-add
    wavefronts,            // of shared memory, with the instructions that cause them
    sectors,               // of global memory, likewise
};

enum class Told : uint8_t { // among the counters of a run
    always,
    if_any, // left out of tables where it is 0
    beside, // in the JSON beside "counters", not in it
};

struct SharedTotals {
    uint64_t instructions = 0, wavefronts = 0, wavefronts_ideal = 0;
};
struct GlobalTotals {
    uint64_t instructions = 0, sectors = 0, sectors_ideal = 0;
};
template <Sum sum>
using Total = std::conditional_t<sum == Sum::wavefronts, SharedTotals,
                                 std::conditional_t<sum == Sum::sectors, GlobalTotals, uint64_t>>;

#define COUNTER(name, sum, which, told) name,
enum class Counter : uint8_t {
#include "analysis/counter_table.inc"
};
#undef COUNTER

#define COUNTER(name, sum, which, told) Total<Sum::sum> name{};
struct Totals { // a member for each row
#include "analysis/counter_table.inc"
};
#undef COUNTER

struct Which { // instructions
    std::optional<trace::Kind> kind;
    trace::Space space = trace::Space::none; // none: any
    std::optional<trace::Unit> fma_on;       // fused multiply-adds that this unit computes; nothing: any
};

bool counts(const Which&, const trace::Instruction&);

struct CounterRow {
    Counter counter;
    const char* name; // as in the JSON, and in the keys of its words
    Sum sum;
    Which which;
    Told told;
    std::variant<uint64_t Totals::*, SharedTotals Totals::*, GlobalTotals Totals::*> member;
};
const std::vector<CounterRow>& counter_rows(); // in the order of Counter

// A number of a counter: {"", 96} of one that is a number, {"wavefronts", 64} of one that counts accesses.
struct CounterField {
    const char* name;
    uint64_t value;
    bool derived = false; // from the others; not in the JSON
};
std::vector<CounterField> fields(const CounterRow&, const Totals&);
bool is_zero(const CounterRow&, const Totals&);

// What some instructions come to; `moved` and `ideal` are wavefronts or sectors.
struct Amounts {
    uint64_t instructions = 0, threads = 0, flop = 0, moved = 0, ideal = 0;
};
void set(const CounterRow&, const Amounts&, Totals&);

// Of the program that the listing is of: as many as a GPU counts where that is the machine code.
Totals totals(const trace::Listing&, const trace::Counts&);

double fma_percent(const Totals&);          // of the thread instructions; 0 where there are none
double flop_per_instruction(const Totals&); // of FMAs and tensor cores, for each warp instruction; likewise

} // namespace analysis
