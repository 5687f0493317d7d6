#include "measure/accuracy.h"

#include "base/file.h"

#include <gtest/gtest.h>

namespace {

using catalog::Problem;
using measure::AccuracyRecord;

AccuracyRecord some() {
    return {.device = "NVIDIA H200",
            .arch = "sm_90",
            .measured = "driver 580, CUDA 13.0, 2026-11-20",
            .half = "judged",
            .rule = "odd",
            .command = "gemmscope judge ladder",
            .date = "2026-11-25",
            .version = "0.1.0",
            .rows = {{"naive", "7d0a", Problem{1024, 1024, 1024}, {12, 0.05, 0.1, 0.2, -0.02, -0.1, 0.05, 0.9, 3}},
                     {"naive", "7d0a", {}, {12, 0.05, 0.1, 0.2, -0.02, -0.1, 0.05, {}, 0}}}};
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
    const auto read = measure::accuracy_record_from(text, "h200.json");
    return read ? "no error" : read.error().sentence();
}

TEST(Accuracy, IsReadAsItWasWritten) {
    const AccuracyRecord written = some();
    const auto read = measure::accuracy_record_from(measure::text_of(written), "h200.json");
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(read->rows, written.rows);
    for (const auto member :
         {&AccuracyRecord::device, &AccuracyRecord::arch, &AccuracyRecord::measured, &AccuracyRecord::half,
          &AccuracyRecord::rule, &AccuracyRecord::command, &AccuracyRecord::date, &AccuracyRecord::version})
        EXPECT_EQ((*read).*member, written.*member);
}

TEST(Accuracy, DamageIsNamedWithItsLine) {
    const std::string text = measure::text_of(some());
    EXPECT_NE(error_of(with(text, "\"median\":0.05", "\"median\":-1")).find("median is not from 0"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"p90\":0.1", "\"p90\":0.01")).find("p90 is not from 0.05"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"worst\":0.2", "\"worst\":1e9")).find("worst is not from"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"low\":-0.1", "\"low\":0.5")).find("low is not from"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"tau\":0.9", "\"tau\":2")).find("tau is not from -1 to 1"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"points\":12", "\"points\":0")).find("points"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"m\":1024", "\"m\":0")).find("h200.json:2"), std::string::npos);
    EXPECT_NE(error_of(with(text, "\"device\":\"NVIDIA H200\",", "")).find("device"), std::string::npos);
    EXPECT_NE(error_of(text.substr(0, text.find('\n') + 1)).find("no accuracy is in it"), std::string::npos);
    EXPECT_NE(error_of("").find("no accuracy is in it"), std::string::npos);
    EXPECT_NE(error_of(text.substr(0, text.size() - 9)).find("h200.json:3"), std::string::npos) << "cut off";
}

} // namespace
