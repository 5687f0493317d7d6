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
    EXPECT_EQ(catalog::argument_number(Operation::product, 'A'),
              4u); // the stream of A's random values, in every file recorded so far
    EXPECT_EQ(catalog::argument_number(Operation::product, 'C'), 7u);
    EXPECT_EQ(catalog::argument_number(Operation::pack_rows, 'C'), 3u);
    EXPECT_FALSE(catalog::argument_number(Operation::add_one, 'B'));
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
