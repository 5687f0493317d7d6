// A program from a front end that is not PTX's: operations written by hand, no source file.
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

// Operations written by hand, as a decoder of machine code would, on registers R0, R1 ...
class Machine : public testing::Test {
protected:
    Machine() {
        draft_->program.vectors = lanes_.vectors;
        draft_->program.parameter_bytes = 8;
        draft_->program.parameters = {{0, 8}};
        draft_->listing = listing_;
        listing_->engine = trace::Engine::machine;
    }
    RowAt reg(uint8_t width = 4) {
        const RowAt at = draft_->add_register(width);
        draft_->program.names.push_back({"R" + std::to_string(draft_->program.names.size()), at, width});
        return at;
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
TEST_F(Machine, RunsWhatNoPtxWasReadFor) {
    using ptx::Opcode;
    using ptx::Type;
    const RowAt number = reg(), x = reg(), less = reg(), at = reg(8), result = reg();
    const RowAt tid = draft_->special(ptx::Special::tid_x, 4);
    const RowAt out = draft_->constant({.width = 8, .parameter = true, .bytes = 8});
    const Choice add = choice(Opcode::add, Type::s32, Type::s32);
    this->add(What::add, add, {{number, 4}, {tid, 4}, {draft_->value(0xFFFFFFFC, 4), 4}});
    this->add(What::convert, choice(Opcode::cvt, Type::f32, Type::s32), {{x, 4}, {number, 4}});
    this->add(What::bit_or, choice(Opcode::or_, Type::b32, Type::b32),
              {{less, 4}, {x, 4}, {draft_->value(0x80000000, 4), 4}});
    ptx::Modifiers rn;
    rn.add(ptx::Modifier::rn);
    this->add(What::compute, choice(Opcode::fma, Type::f32, Type::f32, rn), {{result, 4}, {less, 4}, {x, 4}, {x, 4}});
    ptx::Modifiers wide;
    wide.add(ptx::Modifier::wide);
    this->add(What::multiply, choice(Opcode::mul, Type::u32, Type::u32, wide),
              {{at, 8}, {tid, 4}, {draft_->value(4, 4), 4}});
    this->add(What::add, choice(Opcode::add, Type::s64, Type::s64), {{at, 8}, {at, 8}, {out, 8}});
    Operation& store = this->add(What::store, choice(Opcode::st, Type::f32, Type::f32), {{result, 4}}, false);
    store.address = at;
    store.space = sim::Space::global;
    store.bytes = 4;
    store.stores_rows = true;
    listing_->instructions.back().kind = trace::Kind::store;
    listing_->instructions.back().space = trace::Space::global;
    listing_->instructions.back().bytes = 4;
    leave();

    const auto program = sim::finish(draft_, sim::Rows::reused);
    sim::Memory memory;
    const uint64_t buffer =
        memory.allocate({.name = "out", .bytes = 128, .element = base::NumberType::f32, .rows = 1, .columns = 32});
    sim::Launch launch{{1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(8)};
    std::memcpy(launch.parameters.data(), &buffer, sizeof buffer);
    const auto state = sim::state_at(*program, launch, memory, {0, 0, 0}, 3);
    ASSERT_TRUE(state) << state.error().sentence();
    const auto outcome = sim::run(*program, launch, memory, {});
    ASSERT_TRUE(outcome) << outcome.error().sentence();
    for (const trace::Finding& f : outcome->findings) ADD_FAILURE() << f.text.english();
    EXPECT_EQ(outcome->warp_instructions, 8u);
    ASSERT_EQ(state->registers[0].size(), 5u);
    EXPECT_EQ(state->registers[0][1].name, "R1");
    for (int i = 0; i < 32; ++i) {
        const auto value = static_cast<float>(i - 4);
        float stored = 0, kept = 0;
        std::memcpy(&stored, memory.bytes(buffer).data() + 4 * i, 4);
        const auto bits = static_cast<uint32_t>(state->registers[0][1].lanes[static_cast<size_t>(i)]);
        std::memcpy(&kept, &bits, 4);
        EXPECT_EQ(kept, value);
        EXPECT_EQ(stored, -std::abs(value) * value + value);
    }
}

TEST_F(Machine, ARegisterThatNothingHasWrittenIsFoundByItsName) {
    using ptx::Opcode;
    using ptx::Type;
    const RowAt never = reg(), sum = reg();
    this->add(What::add, choice(Opcode::add, Type::s32, Type::s32), {{sum, 4}, {never, 4}, {draft_->value(1, 4), 4}});
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
