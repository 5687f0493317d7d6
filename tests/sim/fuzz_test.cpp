// Damaged PTX must give findings or errors, never a crash or a hang.
#include "ptx/parser.h"
#include "sim/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace {

std::vector<std::string> corpus() {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TEST_DATA) + "/ptx")) {
        if (entry.path().extension() != ".ptx") continue;
        std::ifstream file(entry.path());
        std::stringstream text;
        for (std::string line; std::getline(file, line);)
            if (!line.starts_with("// expect")) text << line << '\n';
        all.push_back(text.str());
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> all;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(" ,;\n[]{}()", at), text.size());
        if (end > at) all.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

// A few edits: words swapped for others of the file, bytes changed, stretches dropped or doubled.
std::string damaged(std::string text, std::mt19937& random) {
    auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
    for (size_t edits = 1 + below(4); edits > 0; --edits) {
        const size_t at = below(text.size());
        const auto all = words(text);
        switch (below(5)) {
        case 0: text[at] = static_cast<char>(32 + below(95)); break;
        case 1: text.erase(at, below(40)); break;
        case 2: text.insert(at, text.substr(below(text.size()), below(60))); break;
        default: {
            const std::string_view from = all[below(all.size())];
            const std::string to(all[below(all.size())]);
            text.replace(static_cast<size_t>(from.data() - text.data()), from.size(), to);
        }
        }
    }
    return text;
}

TEST(Fuzz, DamagedPtxNeverCrashesOrHangs) {
    const auto texts = corpus();
    ASSERT_FALSE(texts.empty());
    std::mt19937 random(20240229);
    int ran = 0, findings = 0;
    for (int round = 0; round < 3000; ++round) {
        auto parsed = ptx::parse(damaged(texts[random() % texts.size()], random));
        if (!parsed) continue;
        auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*parsed)), "");
        if (!program) continue;
        sim::Memory memory;
        const uint64_t out = memory.allocate({.name = "out", .bytes = 64 * 256, .element = base::NumberType::f64});
        sim::Launch launch{.grid = {1, 1, 1},
                           .block = {48, 1, 1},
                           .dynamic_shared_bytes = 64,
                           .parameters = std::vector<std::byte>(512)};
        std::memcpy(launch.parameters.data(), &out, 8);
        sim::Options options;
        options.traced_block = base::Dim3{0, 0, 0};
        options.instruction_budget = 20000;
        options.trace_bytes = 1 << 20;
        auto outcome = sim::run(**program, launch, memory, options);
        ran += outcome.ok();
        if (outcome) findings += !outcome->findings.empty();
    }
    EXPECT_GT(ran, 1000) << "most damage should leave a kernel that runs";
    EXPECT_GT(findings, 500);
}

} // namespace
