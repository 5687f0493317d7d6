// What a listing says of PTX instructions beside their text.
#include "ptx/parser.h"
#include "sim/engine.h"

#include <gtest/gtest.h>

namespace {

using trace::Instruction;
using trace::Kind;
using trace::Role;
using trace::Unit;

class Facts : public testing::Test {
protected:
    // The instructions of a kernel of this body.
    const std::vector<Instruction>& of(const std::string& body) {
        auto module = ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 tile[256];\n"
                                 ".visible .entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 "
                                 "%f<8>; .reg .b64 %rd<4>; .reg .f64 %fd<4>;\n" +
                                 body + "\n}");
        EXPECT_TRUE(module);
        auto program = sim::prepare(std::make_shared<const ptx::Module>(std::move(*module)), "k");
        EXPECT_TRUE(program);
        listing_ = sim::listing(**program);
        return listing_->instructions;
    }
    std::vector<std::string> named(const std::vector<int32_t>& numbers) const {
        std::vector<std::string> names;
        for (const int32_t n : numbers) names.push_back(n < 0 ? "-" : listing_->names[static_cast<size_t>(n)]);
        return names;
    }
    using Names = std::vector<std::string>;

private:
    std::shared_ptr<const trace::Listing> listing_;
};

TEST_F(Facts, OfAStore) {
    const Instruction& i = of("@!%p1 st.shared.v4.f32 [%r1+16], {%f1, 0f00000000, %f2, %f1};").front();
    EXPECT_EQ(i.mnemonic, "st.shared.v4.f32");
    EXPECT_EQ(named({i.guard}), Names{"%p1"});
    EXPECT_TRUE(i.guarded());
    EXPECT_EQ(named(i.read), (Names{"%f1", "-", "%f2", "%f1"}));
    EXPECT_EQ(named(i.address), Names{"%r1"});
    EXPECT_EQ(i.displacement, 16);
    EXPECT_TRUE(i.written.empty());
    EXPECT_EQ(i.bytes, 16);
    EXPECT_EQ(i.register_bytes, 16);
}

TEST_F(Facts, OfALoadWhoseElementsAreNotAllKept) {
    const Instruction& i = of("ld.shared.v2.f32 {_, %f2}, [tile-8];").front();
    EXPECT_EQ(named(i.written), (Names{"-", "%f2"}));
    EXPECT_EQ(named(i.address), Names{"tile"});
    EXPECT_EQ(i.displacement, -8);
    EXPECT_FALSE(i.guarded());
}

TEST_F(Facts, OfArithmetic) {
    const auto& all =
        of("fma.rn.f32 %f1, %f2, %f3, %f1; fma.rn.f64 %fd1, %fd2, %fd3, %fd1; setp.lt.s32 %p1|%p2, %r1, 4; "
           "mov.u32 %r2, %tid.x; mov.b64 {%r1, %r2}, %rd1;");
    EXPECT_EQ(all[0].kind, Kind::fma);
    EXPECT_EQ(all[0].role, Role::fma);
    EXPECT_EQ(all[0].unit, Unit::fp32);
    EXPECT_EQ(named(all[0].written), Names{"%f1"});
    EXPECT_EQ(named(all[0].read), (Names{"%f2", "%f3", "%f1"}));
    EXPECT_EQ(all[1].kind, Kind::arithmetic);
    EXPECT_EQ(all[1].role, Role::fma);
    EXPECT_EQ(all[1].unit, Unit::fp64);
    EXPECT_EQ(named(all[2].written), (Names{"%p1", "%p2"}));
    EXPECT_EQ(named(all[2].read), (Names{"%r1", "-"}));
    EXPECT_EQ(all[3].role, Role::move);
    EXPECT_EQ(all[3].unit, Unit::other);
    EXPECT_EQ(named(all[3].read), Names{"-"});
    EXPECT_EQ(named(all[4].written), (Names{"%r1", "%r2"}));
}

TEST_F(Facts, OfAsynchronousCopies) {
    const auto& all =
        of("@%p1 cp.async.cg.shared.global [%r1], [%rd1], 16, %r2; cp.async.ca.shared.global [%r1], [%rd1], 4; "
           "cp.async.commit_group; cp.async.wait_group 2; cp.async.wait_all;");
    EXPECT_EQ(all[0].cache, trace::Cache::past_l1);
    EXPECT_EQ(named(all[0].address), (Names{"%r1", "%rd1"}));
    EXPECT_EQ(named(all[0].read), (Names{"-", "%r2"}));
    EXPECT_EQ(all[1].cache, trace::Cache::every_level);
    EXPECT_EQ(all[2].role, Role::commit);
    EXPECT_EQ(all[2].groups_left, -1);
    EXPECT_EQ(all[3].groups_left, 2);
    EXPECT_EQ(all[4].groups_left, 0);
}

TEST_F(Facts, OfMatrices) {
    const auto& all = of(
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3]; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};");
    EXPECT_EQ(all[0].bytes, 16) << "of a row that a lane gives the address of";
    EXPECT_EQ(all[0].register_bytes, 8) << "of two matrices";
    EXPECT_EQ(all[0].role, Role::matrix_rows);
    EXPECT_EQ(all[1].unit, Unit::tensor_core);
    EXPECT_EQ(all[1].flop, 2u * 16 * 8 * 8);
    EXPECT_EQ(all[1].written.size(), 4u);
    EXPECT_EQ(all[1].read.size(), 10u);
}

TEST_F(Facts, OfControlFlow) {
    const auto& all = of("@%p1 bra L; frob.a %r1; trap; L: ret;");
    EXPECT_EQ(all[0].target, 3);
    EXPECT_TRUE(all[0].guarded());
    EXPECT_EQ(all[0].role, Role::other);
    EXPECT_EQ(all[1].mnemonic, "frob.a") << "not in the table: still named";
    EXPECT_EQ(all[2].role, Role::trap);
    EXPECT_EQ(all[3].kind, Kind::exit);
}

} // namespace
