#include "catalog/kernel.h"

#include <gtest/gtest.h>

namespace {

using catalog::Operation;

TEST(Operation, IsFoundByItsName) {
    for (const Operation operation :
         {Operation::product, Operation::add_one, Operation::pack_rows, Operation::pack_columns})
        EXPECT_EQ(catalog::operation_named(catalog::name_of(operation)), operation);
    EXPECT_FALSE(catalog::operation_named("divide"));
}

TEST(Operation, SaysWhereItsArgumentsStand) {
    EXPECT_EQ(catalog::argument_number(Operation::product, 0, 'A'), 4u);
    EXPECT_EQ(catalog::argument_number(Operation::product, 0, 'C'), 7u);
    EXPECT_EQ(catalog::argument_number(Operation::pack_rows, 0, 'C'), 3u);
    EXPECT_FALSE(catalog::argument_number(Operation::add_one, 0, 'B'));
    EXPECT_FALSE(catalog::argument_number(Operation::product, 0, 'x')) << "lda is for aligned rows";
    EXPECT_TRUE(catalog::has_argument(Operation::product, 'B'));
    EXPECT_FALSE(catalog::has_argument(Operation::add_one, 'B'));
}

// As in BLAS; and the elements are those of the other kernels, in every file recorded so far.
TEST(Operation, OfAlignedRowsTakesLeadingDimensions) {
    EXPECT_EQ(catalog::argument_number(Operation::product, 128, 'A'), 4u);
    EXPECT_EQ(catalog::argument_number(Operation::product, 128, 'x'), 5u);
    EXPECT_EQ(catalog::argument_number(Operation::product, 128, 'B'), 6u);
    EXPECT_EQ(catalog::argument_number(Operation::product, 128, 'y'), 7u);
    EXPECT_EQ(catalog::argument_number(Operation::product, 128, 'C'), 9u);
    EXPECT_EQ(catalog::argument_number(Operation::product, 128, 'z'), 10u);
    EXPECT_EQ(catalog::led_by('z'), 'C');
    EXPECT_EQ(catalog::stream_of(Operation::product, 'A'), 4u);
    EXPECT_EQ(catalog::stream_of(Operation::product, 'B'), 5u);
    EXPECT_EQ(catalog::stream_of(Operation::product, 'C'), 7u);
}

TEST(Operation, AlignedRowsAreAsLongAsTheNextMultiple) {
    const auto of = [](int n, catalog::OperandType type, char name, uint32_t alignment) {
        return catalog::matrix_of({3, n, 65}, Operation::product, type, name, alignment);
    };
    using catalog::OperandType;
    EXPECT_EQ(of(100, OperandType::f32, 'C', 0).leading_dimension(), 100);
    EXPECT_EQ(of(100, OperandType::f32, 'C', 128).leading_dimension(), 128);
    EXPECT_EQ(of(96, OperandType::f32, 'C', 128).leading_dimension(), 96);
    EXPECT_EQ(of(100, OperandType::f32, 'C', 16).leading_dimension(), 100);
    EXPECT_EQ(of(100, OperandType::f64, 'C', 128).leading_dimension(), 112);
    EXPECT_EQ(of(100, OperandType::bf16, 'B', 128).leading_dimension(), 128);
    EXPECT_EQ(of(100, OperandType::bf16, 'B', 128).pitch(), 256u);
    EXPECT_EQ(of(100, OperandType::f32, 'A', 128).leading_dimension(), 96) << "65 elements of k";
    EXPECT_EQ(of(100, OperandType::f32, 'C', 128).bytes(), 3u * 512) << "the last row is padded, too";
}

TEST(Operation, CountsItsArithmetic) {
    EXPECT_DOUBLE_EQ(catalog::operations(Operation::product, 1 << 20, 1 << 20, 1 << 20), 2.0 * (1ll << 60));
    EXPECT_DOUBLE_EQ(catalog::operations(Operation::add_one, 100, 20, 8), 2000);
}

TEST(Operation, SaysHowItsMatricesAreStored) {
    const catalog::Problem problem{100, 37, 65};
    const auto of = [&](Operation operation, char name) {
        return catalog::matrix_of(problem, operation, catalog::OperandType::f32, name);
    };
    EXPECT_EQ(of(Operation::product, 'A').columns, 65);
    EXPECT_EQ(of(Operation::add_one, 'A').columns, 37);
    EXPECT_EQ(of(Operation::add_one, 'B').bytes(), 0u) << "there is none";
    EXPECT_EQ(of(Operation::add_one, 'C').bytes(), 100u * 37 * 4);
    EXPECT_EQ(of(Operation::pack_rows, 'C').bytes(), 100u * 2 * 4) << "37 elements are two words";
    EXPECT_EQ(of(Operation::pack_columns, 'C').bytes(), 4u * 37 * 4) << "100 elements are four words";
}

} // namespace
