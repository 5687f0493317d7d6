// What a block that is only counted leaves out.
#include "ptx/parser.h"
#include "sim/engine.h"
#include "sim/kinds/slice.h"

#include <gtest/gtest.h>

namespace {

// out[tid] = in[tid] * 2 for tid < n, beside what leads there: a load, a product and a store of which only the addresses count.
constexpr const char* doubled = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry doubled(.param .u64 in, .param .u64 out, .param .u32 n) {
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd5], %f2;
DONE:
    ret;
})";

struct Sliced {
    std::shared_ptr<const sim::Program> whole;
    sim::Program rest;
};

Sliced slice(const char* ptx) {
    auto module = ptx::parse(ptx);
    EXPECT_TRUE(module);
    auto program = sim::prepare(std::make_shared<const ptx::Module>(std::move(*module)), "doubled");
    EXPECT_TRUE(program);
    const auto own = (*program)->with_own_rows();
    const sim::Launch launch{{1, 1, 1}, {32, 1, 1}, 0, std::vector<std::byte>(24)};
    const sim::Code code{*own};
    const sim::UniformValues uniform(code, launch);
    Sliced sliced{*program, **program};
    sim::Slice(code, uniform).apply(sliced.rest);
    return sliced;
}

TEST(Slice, LeavesOutWhatDecidesNothing) {
    using sim::What;
    const Sliced s = slice(doubled);
    for (size_t n = 0; n < s.whole->operations.size(); ++n) {
        const auto& op = s.whole->operations[n];
        const bool left_out = s.rest.operations[n].full != op.full;
        const bool is_data = op.what == What::add && !s.whole->effects[n].integers;
        const bool moves_data = op.what == What::load || op.what == What::store;
        EXPECT_EQ(left_out, is_data || moves_data) << "operation " << n;
        if (!is_data) continue;
        EXPECT_EQ(s.rest.operations[n].full, sim::no_operation);
    }
}

} // namespace
