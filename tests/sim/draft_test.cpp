// A program from a front end that is not PTX's: registers with places of their own, operands as machine code has them, no source file.
#include "sim/engine.h"
#include "sim/lanes/warp.h"
#include "sim/program/draft.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using sim::Choice;
using sim::Operation;
using sim::RowAt;
using sim::What;

Choice choice(ptx::Opcode opcode, ptx::Type type, ptx::Type source, ptx::Modifiers modifiers = {}) {
    Choice c;
    c.opcode = opcode, c.modifiers = modifiers, c.type = type, c.source_type = source;
    return c;
}

// Operations written by hand, as a decoder of machine code would: R0, R1 ... are rows of 32 words, one after the other.
class Machine : public testing::Test {
protected:
    static constexpr uint32_t row_bytes = 4 * trace::warp_size;

    Machine() {
        draft_->program.vectors = lanes_.vectors;
        draft_->program.parameter_bytes = 8;
        draft_->program.parameters = {{0, 8}};
        draft_->listing = listing_;
        listing_->engine = "machine";
    }
    RowAt reg(bool pinned = false) {
        draft_->registers.push_back({.width = 4, .pinned = pinned, .kept = pinned});
        draft_->places.push_back(draft_->program.register_bytes);
        draft_->program.register_bytes += row_bytes;
        const auto at = static_cast<RowAt>(draft_->registers.size() - 1) << 1;
        draft_->program.names.push_back({"R" + std::to_string(draft_->registers.size() - 1), at, 4});
        return at;
    }
    RowAt constant(sim::Constant c) {
        c.at = draft_->program.constant_bytes | 1;
        draft_->program.constants.push_back(c);
        draft_->program.constant_bytes += sim::constant_row_bytes;
        return c.at;
    }
    // Rows: the result, if `written`, and what is read, all of these widths.
    Operation& add(What what, const Choice& choice, std::vector<std::pair<RowAt, uint8_t>> rows, bool written = true) {
        Choice chosen = choice;
        Operation op;
        op.what = what;
        op.pc = static_cast<uint32_t>(draft_->program.operations.size());
        for (size_t n = 0; n < rows.size(); ++n) {
            op.row[n] = rows[n].first;
            op.width[n] = chosen.width[n] = rows[n].second;
        }
        const sim::Handlers handlers = lanes_.select(chosen);
        EXPECT_TRUE(handlers.full);
        op.full = handlers.full, op.masked = handlers.masked;
        listing_->instructions.emplace_back().text = "operation " + std::to_string(op.pc);
        draft_->program.effects.push_back({.written = written});
        return draft_->program.operations.emplace_back(op);
    }
    // 64 bits in two registers.
    void pair(uint32_t operation, const std::vector<sim::Adaption>& adaptions) {
        sim::WideRows wide;
        for (const sim::Adaption& a : adaptions) {
            const bool written =
                a.place == sim::Adaption::row && draft_->program.effects[operation].written >> a.slot & 1;
            (written ? wide.written : wide.read).push_back(a.high);
        }
        draft_->program.operations[operation].wide = static_cast<uint32_t>(draft_->program.wide.size());
        draft_->program.wide.push_back(wide);
        draft_->adaptions[operation] = adaptions;
    }
    void leave() {
        Operation op{.full = sim::no_operation, .masked = sim::no_operation, .flow = sim::Flow::exit};
        op.pc = static_cast<uint32_t>(draft_->program.operations.size());
        listing_->instructions.emplace_back().kind = trace::Kind::exit;
        draft_->program.effects.push_back({});
        draft_->program.operations.push_back(op);
    }

    const sim::Lanes lanes_ = sim::best_lanes();
    std::shared_ptr<sim::Draft> draft_ = std::make_shared<sim::Draft>();
    std::shared_ptr<trace::Listing> listing_ = std::make_shared<trace::Listing>();
};

// out[tid] = -|x| * x + x with x = tid - 4, in a block of 32 threads.
TEST_F(Machine, RunsWithItsOwnRowsAndAdaptedOperands) {
    using ptx::Opcode;
    using ptx::Type;
    const RowAt tid = reg(true), number = reg(), x = reg(), low = reg(), high = reg(), result = reg();
    draft_->program.specials.push_back({ptx::Special::tid_x, tid, 4});
    const RowAt out = constant({.width = 8, .parameter = true, .bytes = 8});
    const Choice add = choice(Opcode::add, Type::s32, Type::s32);
    this->add(What::add, add, {{number, 4}, {tid, 4}, {constant({.bits = 0xFFFFFFFC}), 4}});
    this->add(What::convert, choice(Opcode::cvt, Type::f32, Type::s32), {{x, 4}, {number, 4}});
    ptx::Modifiers rn;
    rn.add(ptx::Modifier::rn);
    this->add(What::compute, choice(Opcode::fma, Type::f32, Type::f32, rn), {{result, 4}, {x, 4}, {x, 4}, {x, 4}});
    draft_->adaptions[2] = {{.slot = 1, .keep = 0x7FFFFFFF, .flip = 0x80000000}};
    ptx::Modifiers wide;
    wide.add(ptx::Modifier::wide);
    this->add(What::multiply, choice(Opcode::mul, Type::u32, Type::u32, wide),
              {{low, 8}, {tid, 4}, {constant({.bits = 4}), 4}});
    pair(3, {{.slot = 0, .high = high}});
    this->add(What::add, choice(Opcode::add, Type::s64, Type::s64), {{low, 8}, {low, 8}, {out, 8}});
    pair(4, {{.slot = 0, .high = high}, {.slot = 1, .high = high}});
    Operation& store = this->add(What::store, choice(Opcode::st, Type::f32, Type::f32), {{result, 4}}, false);
    store.address = low;
    store.space = sim::Space::global;
    store.bytes = 4;
    store.stores_rows = true;
    pair(5, {{.place = sim::Adaption::address, .high = high}});
    listing_->instructions.back().kind = trace::Kind::store;
    listing_->instructions.back().space = trace::Space::global;
    listing_->instructions.back().bytes = 4;
    leave();

    const auto program = sim::finish(draft_, sim::Rows::reused);
    sim::Memory memory;
    const uint64_t at =
        memory.allocate({.name = "out", .bytes = 128, .element = base::NumberType::f32, .rows = 1, .columns = 32});
    sim::Launch launch{{1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.parameters.data(), &at, sizeof at);
    const auto state = sim::state_at(*program, launch, memory, {0, 0, 0}, 3);
    ASSERT_TRUE(state) << state.error().sentence();
    const auto outcome = sim::run(*program, launch, memory, {});
    ASSERT_TRUE(outcome) << outcome.error().sentence();
    for (const trace::Finding& f : outcome->findings) ADD_FAILURE() << f.text.english();
    EXPECT_EQ(outcome->warp_instructions, 7u);
    ASSERT_EQ(state->registers[0].size(), 6u);
    EXPECT_EQ(state->registers[0][2].name, "R2");
    for (int i = 0; i < 32; ++i) {
        const auto value = static_cast<float>(i - 4);
        float stored = 0, kept = 0;
        std::memcpy(&stored, memory.bytes(at).data() + 4 * i, 4);
        const auto bits = static_cast<uint32_t>(state->registers[0][2].lanes[static_cast<size_t>(i)]);
        std::memcpy(&kept, &bits, 4);
        EXPECT_EQ(kept, value) << "what a change makes of a register is not in the register";
        EXPECT_EQ(stored, -std::abs(value) * value + value);
    }
}

TEST_F(Machine, ARegisterThatNothingHasWrittenIsFoundByItsName) {
    using ptx::Opcode;
    using ptx::Type;
    const RowAt never = reg(), sum = reg();
    this->add(What::add, choice(Opcode::add, Type::s32, Type::s32), {{sum, 4}, {never, 4}, {constant({.bits = 1}), 4}});
    leave();
    sim::Memory memory;
    const sim::Launch launch{{1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(8)};
    const auto outcome = sim::run(*sim::finish(draft_, sim::Rows::reused), launch, memory, {});
    ASSERT_TRUE(outcome);
    ASSERT_EQ(outcome->findings.size(), 1u);
    EXPECT_EQ(outcome->findings[0].kind, trace::FindingKind::uninitialised_register);
    EXPECT_NE(outcome->findings[0].text.english().find("R0"), std::string::npos);
}

} // namespace
