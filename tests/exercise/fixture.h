// What the tests of exercises share: folders of their own, and the exercise that they judge by.
#pragma once

#include "base/file.h"
#include "exercise/grade.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <string>

namespace fixture {

namespace fs = std::filesystem;

// Removed at the end.
class Folder {
public:
    Folder() {
        static int count = 0;
        path_ = fs::path(testing::TempDir()) / fmt::format("exercise_{}_{}", ::getpid(), count++);
        fs::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }
    fs::path write(const fs::path& name, const std::string& text) const {
        EXPECT_TRUE(base::write_file(path_ / name, text));
        return path_ / name;
    }

private:
    fs::path path_;
};

inline const std::string grid_over_columns = "[\"ceil_div(N, 32)\", \"ceil_div(M, 8)\"]";
inline const std::string grid_over_rows = "[\"ceil_div(M, 32)\", \"ceil_div(N, 8)\"]";

// One thread an element; `body` computes row and column and may return.
inline std::string kernel(const std::string& body, const std::string& grid = grid_over_columns,
                          const std::string& sum = "A[row * K + k] * B[k * N + column]") {
    return "/* gemmscope\nfunction = \"work\"\n[launch]\nblock = [\"32\", \"8\"]\ngrid = " + grid +
           "\n*/\n__global__ void work(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) "
           "{\n" +
           body + "    float sum = 0;\n    for (int k = 0; k < K; ++k) sum += " + sum +
           ";\n    float* c = C + row * N + column;\n    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;\n}\n";
}
inline const std::string right_body =
    "    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;\n"
    "    if (row >= M || column >= N) return;\n";
inline const std::string unguarded_body =
    "    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;\n";
inline const std::string uncoalesced_body =
    "    const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 8 + threadIdx.y;\n"
    "    if (row >= M || column >= N) return;\n";

inline const std::string rules = R"(title = "Work"
text = "Do it."
[[step]]
title = "Right"
[[step.rule]]
check = "findings"
sizes = ["{33..63}x{33..63}x20"]
schedules = ["in-order", "seed:1"]
hint = "Guard."
[[step.rule]]
check = "result"
sizes = ["64x64x64", "1x1x1"]
hint = "Cover C."
[[step]]
title = "Fast"
[[step.rule]]
figure = "counters.global_load.sectors"
sizes = ["64x64x64"]
most = "M * N * K / 4"
say = "sectors of global loads"
hint = "Coalesce."
view = "sectors"
points = 3
)";

// The folder of an exercise "work" with these rules, whose starter is the unguarded kernel.
inline base::Result<exercise::Exercise> exercise_of(const Folder& folder, const std::string& toml = rules) {
    folder.write("work/exercise.toml", toml);
    folder.write("work/work.cu", kernel(unguarded_body));
    return exercise::read(folder.path() / "work");
}

} // namespace fixture
