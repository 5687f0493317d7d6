// Machine code as a front end: each instruction becomes one operation or a few, on the handlers that PTX has. Internal to app/sim.
//
// A 32-bit register, uniform register or predicate is a register of the draft. What 64-bit handlers take or give is joined from two
// registers and split into two by operations beside them, but where handlers take the halves (Choice::halves, Operation::address_upper).
// All operations of an instruction are silent (Effect::silent) but one, in general the last, which alone writes what the instruction
// writes: so any of them may read what another one is going to overwrite.
#pragma once

#include "sass/module.h"
#include "sim/lanes/warp.h"
#include "sim/program/draft.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim {

// Bank 0 of the constants: what a launch fills in, and the parameters.
struct ConstantBanks {
    int sm = 0; // whose layout it is
    uint32_t parameters_at = 0, parameter_bytes = 0;
    std::vector<Parameter> parameters = {};
    std::map<int, std::vector<std::byte>> others = {};       // by number
    std::map<int, uint64_t> places = {};                     // where they lie among Program::variables
    std::map<std::pair<int, int64_t>, Origin> pointers = {}; // by bank and offset: addresses of variables
    std::vector<std::string> externals = {}; // functions of the driver; their addresses are address_of_external()
};
constexpr uint64_t address_of_external(size_t number) { return code_window + number; }

// What the PTX says that an instruction was made of, and the instruction does not.
struct MadeOf {
    Strength strength = Strength::weak; // of an access: shared memory is accessed alike, whatever it is
    bool meets_lanes = true;            // lanes wait for each other there
    uint32_t meetings = 0;              // such instructions in the PTX before it
    bool is_used_in_time = false;       // what it reads from shared memory: Draft::used_in_time
    int32_t shared_array = -1;          // that it accesses, as Operation::shared_array,
    uint32_t bytes = 0;                 // and how many of it
};

// Where a block's shared memory begins for 32-bit addresses: from sm_90 on what lies below is the system's.
constexpr int64_t shared_base(int sm) { return sm >= 90 ? 0x400 : 0; }

class Lowering {
public:
    Lowering(Draft& draft, Lanes lanes, ConstantBanks banks, bool groups_of_bulk_copies, const sass::Module& module)
        : draft_(draft), program_(draft.program), lanes_(lanes), banks_(std::move(banks)),
          groups_of_bulk_copies_(groups_of_bulk_copies), module_(module) {}

    // Appends the instruction's operations; one of Flow::unknown where it is not executed. `pc` counts instructions.
    void lower(const sass::Instruction&, uint32_t pc, const MadeOf&);
    // Branches lead to operations, once all are there.
    void resolve();

private:
    using Operand = sass::Operand;
    using Kind = sass::OperandKind;
    using Source = std::pair<RowAt, uint8_t>; // and its width
    enum File : uint8_t { general, uniform, predicates, uniform_predicates };
    enum class Numbers : uint8_t { integers, floats }; // what a sign is of

    Draft& draft_;
    Program& program_;
    Lanes lanes_;
    ConstantBanks banks_;
    bool groups_of_bulk_copies_; // the kernel makes some: DEPBAR waits for them, too
    const sass::Module& module_;
    std::map<std::pair<File, uint16_t>, RowAt> registers_;
    std::vector<uint32_t> first_; // operation, by pc
    struct Step {                 // what an instruction is to those who part and meet
        enum Kind : uint8_t {
            other,
            begins,
            meets,
            leaves,
            gathers,
            separates,
            branches,
            jumps,
            calls,
            calls_any, // function, by a register
            exits
        } kind = other;
        bool conditional = false;
        uint16_t barrier = 0;
        uint32_t target = 0; // pc
        uint32_t condition =
            0; // the guard and the predicate of those who take part; other conditions have other numbers
    };
    std::vector<Step> steps_;         // by pc
    std::vector<uint32_t> gathering_; // by pc: see gathering_places()
    // Operations that resolve() tells where they lead: by the register that holds the address and what is added, those that return; those
    // that branch by tables or call by a register.
    std::map<std::pair<uint16_t, int64_t>, std::vector<uint32_t>> returns_;
    std::vector<uint32_t> table_branches_;

    RowAt barrier_count_ = no_row, barrier_answer_ = no_row; // of BAR.RED, for B2R

    // Of the instruction that is being lowered:
    const sass::Instruction* i_ = nullptr;
    std::string_view name_; // its opcode, as opcode_table.inc has it: without the U of the uniform datapath
    MadeOf made_of_;
    uint32_t pc_ = 0;
    struct Guard { // of what is appended
        RowAt row = no_row;
        bool negated = false;
    } guard_;
    base::Sentence error_;
    bool after_cluster_fence_ = false; // CGAERRBAR: what arrives at the cluster's barrier now releases

    // Where the form of the instruction has fewer, it is one that is not executed.
    const Operand& at(size_t n) {
        static constexpr Operand absent;
        if (n < i_->operands.size()) return i_->operands[n];
        cannot();
        return absent;
    }
    void fail(base::Sentence why) {
        if (error_.empty()) error_ = std::move(why);
    }
    void cannot(); // the instruction has a form that is not executed
    bool only(std::initializer_list<std::string_view> modifiers) const; // it has no others

    // convergence.cpp
    void note_step();
    struct Region { // between a BSSY and its BSYNC
        uint16_t barrier = 0;
        uint32_t behind = 0; // pc
    };
    struct Way { // through the code
        uint32_t pc = 0;
        bool called = false; // a function
        std::vector<Region> inside = {};
        const Step* leaving = nullptr; // a BREAK with a guard: the branch with the same guard leads out of its region
    };
    std::vector<uint32_t> gathering_places() const;
    void find_meeting_points();
    bool go_on(Way&, std::vector<Way>& open);
    Way branch_of(Way&, const Step&);
    void set_meeting_point(uint32_t branch, const Way&);

    // operands.cpp
    RowAt new_register(uint8_t width) { return draft_.add_register(width); }
    RowAt register_row(File, uint16_t number);
    RowAt constant(uint64_t bits, uint8_t width) { return draft_.value(bits, width); }
    RowAt parameter(uint32_t offset, uint8_t width, uint8_t bytes);
    RowAt bank(const Operand&, uint8_t bytes);
    RowAt driver_constant(int64_t at, uint8_t bytes);
    RowAt special(std::string_view name);
    RowAt plain(const Operand&); // of 32 bits, without its sign
    RowAt read(const Operand&, Numbers = Numbers::integers);
    RowAt read_pair(const Operand&);
    RowAt second_of(const Operand&, uint32_t n); // the n-th register of several
    RowAt written(const Operand&, uint32_t n = 0);
    RowAt predicate(const Operand&);
    bool is_zero(const Operand&) const;
    static bool is_true(const Operand& o) { return o.number == sass::true_predicate && !o.negated; }
    static bool is_false(const Operand& o) { return o.number == sass::true_predicate && o.negated; }
    // Of two registers of `part` bytes one of twice that, and back.
    RowAt joined(RowAt low, RowAt high, uint8_t part = 4);
    void join(RowAt whole, RowAt low, RowAt high, uint8_t part = 4);
    void split(RowAt whole, RowAt low, RowAt high, uint8_t part = 4);
    std::optional<uint64_t> bank_window(uint16_t number) const; // where a bank lies in memory

    // lowering.cpp
    Operation& append(What, uint8_t written);
    Operation& compute(What, ptx::Opcode, ptx::Type, ptx::Modifiers, Source to, std::initializer_list<Source> from);
    void choose(Operation&, Choice);
    void take_from_ptx(uint32_t operation);
    void read_predicate(Operation&, int slot, const Operand&);
    void write_predicate(Operation&, int slot, const Operand&);
    void dispatch();

    void move();
    void move_special();
    void add();
    void add_two();
    struct Term {
        const Operand* operand = nullptr; // says its sign
        RowAt row = no_row;
    };
    void add_with_carries(RowAt to, const Operand* carry_out, const Operand* second_out,
                          std::initializer_list<Term> terms, const Operand* carry_in, const Operand* second_in,
                          RowAt carried = no_row); // a carry in that is no operand
    void shift_and_add();
    void multiply_add();
    void multiply_wide();
    void say_carry(const Operand& to, RowAt carried);
    RowAt sum_with_carries(RowAt whole, const Operand& c, RowAt carried, const Operand* carry_in);
    void logic();
    void shift();
    void permute();
    bool float_modifiers(ptx::Modifiers&) const;
    void fused();
    void sum_or_product();

    // bits.cpp
    void unary_integer();
    void find_leading_bit();
    void bit_field();
    void dot_product();
    void absolute_difference();
    void absolute_differences();
    void add_packed();

    // comparisons.cpp
    bool take_comparison(ptx::Modifiers&, std::initializer_list<std::string_view> others) const;
    void combine_with(Operation&, const Operand& predicate);
    void compare();
    void compare_upper_halves();
    void choose_extreme_double();
    void set_by_comparison();
    void select();
    void extreme();
    void extreme_of_pairs();
    ptx::Type integers_of_extreme() const;
    void take_extreme(ptx::Type, ptx::Modifiers, bool least, RowAt x, RowAt y, RowAt z);
    void extreme_of_sum();

    // predicates.cpp
    File file_of_predicates() const { return i_->traits & sass::uniform ? uniform_predicates : predicates; }
    void predicate_logic();
    RowAt sign_of(const Operand&);
    void gather_predicates();
    void spread_predicates();

    // doubles.cpp
    RowAt read_double(const Operand&);
    std::pair<RowAt, RowAt> read_halves_of_double(const Operand&);
    void compute_halves(What, ptx::Opcode, ptx::Type, ptx::Modifiers, std::initializer_list<RowAt> rows);
    void compute_pair(What, ptx::Opcode, ptx::Type, ptx::Modifiers, const Operand& to,
                      std::initializer_list<Source> from);
    void doubles();
    void special_function();
    void check_division();

    // halves.cpp
    RowAt read_halves(const Operand&);
    RowAt read_half(const Operand&);
    ptx::Type type_of_halves() const;
    RowAt widened(RowAt pair);
    void halves();
    bool constant_halves();
    void compare_halves();

    // conversions.cpp
    RowAt part_of(RowAt, std::string_view suffix);
    void convert();
    void convert_between(ptx::Type to, ptx::Type from, Conversion);
    void convert_pairs();
    void convert_eight_bits();
    void pack_integers();
    void pack_floats();

    // matrix.cpp
    void multiply_matrices();
    void access_matrices();
    void transpose_matrix();

    // exchanges.cpp
    RowAt lanes_here();
    void vote();
    void shuffle();
    void match();
    void reduce();

    // atomics.cpp
    RowAt read_wide(const Operand&, uint32_t bytes);
    void write_wide(const Operand&, RowAt whole, uint32_t bytes);
    void atomic();
    void say_whether_swapped(const Operand& to, RowAt old, RowAt expected, uint32_t bytes);

    // memory.cpp
    RowAt address(const Operand&, Operation& where, bool by_halves = false);
    Space space_of_access() const;
    void access();
    void move_elements(const Operation& where, RowAt address, const Operand& data, bool loads);
    void load_constant();
    void copy_async();
    void commit_copies();
    void wait_copies();
    void barrier();
    void read_result_of_barrier();
    void branch();
    void exit();
    void do_nothing();
    void guard_also(const Operand&);
    void narrow_guard(RowAt predicate, bool negated);
    void count_here();

    // calls.cpp
    void call();
    void call_driver();
    void system_call(SystemCall::Kind);
    void return_();
    void branch_by_table();
    void load_address();
    void save_barrier();
    void trap();
    void branch_to_address(RowAt address, std::vector<uint64_t> known);
    void resolve_returns();
    void fill_table(uint32_t operation);

    // asynchronous.cpp: mbarriers, bulk copies, clusters, lanes that meet
    int64_t shared_shift() const; // from what machine code calls an address in shared memory to what the engine does
    RowAt generic_address(const Operand&);
    void fence();
    void no_mbarriers();
    void mbarrier();
    void initialise_mbarrier();
    void arrive();
    void poll();
    void arrive_after_copies();
    void use_of_mbarrier(const Operand& address, MbarrierUse, RowAt count, Handler);
    void bulk_copy();
    void tensor_copy();
    void async_store();
    void append_copy(const Operation& rows, BulkUse);
    RowAt upper_half(RowAt word); // 2 bytes
    void commit_bulk_copies();
    void wait_bulk_copies();
    void cluster_barrier();
    void elect();
    void broadcast();
    void is_in_space();
    bool gathers_all() const; // a WARPSYNC of all lanes
    void meet();
    void separate();
    void branch_of_any();
    void branch_by_place();

    // warpgroup.cpp: products of a warpgroup
    void multiply_in_warpgroup();
    void order_products();
    RowAt matrix_descriptor(uint16_t first_register);
    void set_registers();
};

// Handlers of what PTX has no instruction for.
// Rows: p, q, three predicates; Detail::number has the table of p and, above it, that of q.
void combine_predicates(Warp&, const Operation&, uint32_t active);
// Rows: d, low, amount, upper. Detail::number has these bits: an amount beyond the width, 32 or 64, wraps or shifts all out.
constexpr uint32_t shifts_left = 1, gives_upper = 2, wraps_amount = 4, wide_amount = 8, keeps_sign = 16;
void shift_of_pair(Warp&, const Operation&, uint32_t active);
// Rows: d, p, q; Detail::number: whether q holds in all lanes (0), in any (1), in all or none (2).
void vote_of_lanes(Warp&, const Operation&, uint32_t active);
void vote_of_meeting_lanes(Warp&, const Operation&, uint32_t active);
// Rows: d, a, p, q: d of all lanes becomes a of the first one in which p holds; q says who of those has another a, or, by Detail::number, had q.
void broadcast_first(Warp&, const Operation&, uint32_t active);
// Rows: p, lanes, q: p says that some of those lanes are not among those that are here and have q; else all of them meet.
void meet_unless_apart(Warp&, const Operation&, uint32_t active);
// Those meet that are here.
void meet_here(Warp&, const Operation&, uint32_t active);
// Rows: p, q, doubles a and b: whether the smaller or the greater one is a, and whether both are NaNs.
void is_least(Warp&, const Operation&, uint32_t active);
void is_greatest(Warp&, const Operation&, uint32_t active);
// What MUFU with this modifier does, nullptr where it is not known. Rows: d, a.
Handler special_function(std::string_view name);
// Rows: p, a, b.
void check_division(Warp&, const Operation&, uint32_t active);

} // namespace sim
