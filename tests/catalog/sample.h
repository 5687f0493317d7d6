// A kernel file with two-sided rules, for the tests of the catalogue.
#pragma once

#include <string>

inline const std::string sample = R"cu(/* gemmscope
family = "ladder"
rung = 3
provenance = "test"
title = { en = "Sample", zh = "样例" }
idea = { en = "One idea." }

[[parameter]]
name = "BM"
values = [16, 32, 64, 128]
initial = 64
meaning = { en = "rows of C per block", zh = "每块的行数" }

[[parameter]]
name = "TM"
values = [1, 2, 4, 8]
initial = 4

[[parameter]]
name = "PAD"
values = [0, 1]

[[rule]]
expression = "BM % TM == 0"
reason = { en = "A thread's rows divide the block's.", zh = "整除" }

[[rule]]
expression = "BM / TM <= 16"
reason = { en = "At most 16 threads." }

[launch]
block = ["BM / TM", "2"]
grid = ["ceil_div(N, 16)", "ceil_div(M, BM)"]
dynamic_shared = "4 * (BM + PAD) * TM"
*/
template <int BM, int TM, int PAD> __global__ void sample(int M) {}
)cu";
