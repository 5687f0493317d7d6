#include "cpu/openblas.h"
#include "cpu/processor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

TEST(Processor, ThreadsOfACoreCountOnce) {
    std::string cpuinfo;
    for (const char* of : {"0 0 0", "1 0 1", "2 0 0", "3 0 1", "4 1 0"}) {
        const std::string words = of; // processor, socket, core
        cpuinfo +=
            fmt::format("processor\t: {}\nmodel name\t: A(R) CPU(TM) @ 2.10GHz\nphysical id\t: {}\ncore id\t\t: {}\n"
                        "cpu cores\t: 2\n\n",
                        words[0], words[2], words[4]);
    }
    const auto found = cpu::processor_from(cpuinfo);
    EXPECT_EQ(found.name, "A CPU @ 2.10GHz");
    EXPECT_EQ(found.cores, 3); // two on the first socket, one on the second
    EXPECT_EQ(cpu::name_of(found), "A CPU @ 2.10GHz, 3 cores");
    EXPECT_EQ(cpu::name_of({"A CPU", 1}), "A CPU, 1 core");
}

TEST(Processor, OpenBlasThatDoesNotKnowItIsSaid) {
    const auto with = [](const std::string& flags) {
        return cpu::processor_from("processor\t: 0\nflags\t\t: fpu " + flags + "\n");
    };
    EXPECT_EQ(cpu::note_on_kernels("Prescott", with("sse3")), "") << "an old one";
    EXPECT_EQ(cpu::note_on_kernels("Haswell", with("avx2 avx512f")), "");
    EXPECT_NE(cpu::note_on_kernels("Prescott", with("avx avx2")).find("OPENBLAS_CORETYPE=Haswell"), std::string::npos);
    EXPECT_NE(cpu::note_on_kernels("Prescott", with("avx2 avx512f avx512dq")).find("=SkylakeX"), std::string::npos);
}

TEST(Processor, WhereTheSystemSaysLittle) { // as on ARM
    const auto found = cpu::processor_from("processor\t: 0\nBogoMIPS\t: 50.00\n\nprocessor\t: 1\nflags:\n");
    EXPECT_EQ(found.name, "unknown CPU");
    EXPECT_EQ(found.cores, 2);
    EXPECT_EQ(cpu::processor_from("").cores, 1);
}

} // namespace
