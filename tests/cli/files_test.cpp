// Files as people have them: each of tests/data/files/*.cu says how it is traced and what must come out.
#include "program.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace {

using Words = std::vector<std::string>;

struct Case {
    std::string file;
    Words trace; // arguments after the file
    std::string expect;
};

std::string after(const std::string& text, const std::string& key) {
    const size_t at = text.find(key);
    if (at == std::string::npos) return {};
    return text.substr(at + key.size(), text.find('\n', at) - at - key.size());
}

Words split(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<Case> file_cases() {
    std::vector<Case> all;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TEST_DATA) + "/files")) {
        if (entry.path().extension() != ".cu") continue;
        const std::string text = *base::read_file(entry.path());
        all.push_back({entry.path().string(), split(after(text, " trace: ")), after(text, " expect: ")});
    }
    std::sort(all.begin(), all.end(), [](const Case& a, const Case& b) { return a.file < b.file; });
    return all;
}

std::string buffer_file(size_t number) { return (program::folder() / ("buffer" + std::to_string(number))).string(); }

double half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

// The buffer argument's values after the run, by the type that --arg gave it: "in:f32[64]".
std::vector<double> values(const Words& arguments, size_t number) {
    const std::string bytes = *base::read_file(buffer_file(number));
    const std::string type = arguments[number].substr(arguments[number].find(':') + 1,
                                                      arguments[number].find('[') - arguments[number].find(':') - 1);
    std::vector<double> result;
    const auto read = [&](auto sample, auto convert) {
        for (size_t at = 0; at + sizeof sample <= bytes.size(); at += sizeof sample) {
            std::memcpy(&sample, bytes.data() + at, sizeof sample);
            result.push_back(convert(sample));
        }
    };
    const auto same = [](auto value) { return static_cast<double>(value); };
    if (type == "f32") read(float{}, same);
    if (type == "i8") read(int8_t{}, same);
    if (type == "u8") read(uint8_t{}, same);
    if (type == "i16") read(int16_t{}, same);
    if (type == "u16") read(uint16_t{}, same);
    if (type == "i32") read(int32_t{}, same);
    if (type == "u32") read(uint32_t{}, same);
    if (type == "i64") read(int64_t{}, same);
    if (type == "u64") read(uint64_t{}, same);
    if (type == "f16") read(uint16_t{}, half);
    if (type == "bf16")
        read(uint16_t{}, [](uint16_t bits) { return static_cast<double>(std::bit_cast<float>(uint32_t{bits} << 16)); });
    EXPECT_FALSE(result.empty()) << type;
    return result;
}

using Values = std::vector<double>;
using Buffers = std::function<Values(int)>;

size_t number(const Words& words, size_t at) { return static_cast<size_t>(std::stoi(words.at(at))); }

// What the kernel must have computed, and the buffer that holds it.
struct Expected {
    Values values;
    size_t buffer;
};

Expected expected(const Words& e, const Words& arguments) {
    const auto buffer = [&](size_t word) { return values(arguments, number(e, word)); };
    const std::string& what = e.at(0);
    if (what == "copy") return {buffer(1), number(e, 2)};
    if (what == "gemm") {
        const size_t m = number(e, 1), n = number(e, 2), k = number(e, 3);
        const Values a = buffer(4), b = buffer(5);
        Values c(m * n);
        for (size_t i = 0; i < m; ++i)
            for (size_t l = 0; l < k; ++l)
                for (size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
        return {c, number(e, 6)};
    }
    Values a = buffer(1);
    if (what == "add" || what == "half_sum") {
        const Values b = buffer(2);
        for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        return {a, number(e, 3)};
    }
    if (what == "scale") { // by "=2" or by a scalar argument
        const std::string& factor = e.at(3).starts_with("=") ? e.at(3) : arguments.at(number(e, 3));
        for (double& v : a) v *= std::stod(factor.substr(factor.find('=') + 1));
        return {a, number(e, 2)};
    }
    if (what == "block_sum") {
        Values sums(a.size() / number(e, 3));
        for (size_t i = 0; i < a.size(); ++i) sums[i / number(e, 3)] += a[i];
        return {sums, number(e, 2)};
    }
    EXPECT_EQ(what, "histogram");
    Values bins(16);
    for (double v : a) ++bins[static_cast<size_t>(v) / 16];
    return {bins, number(e, 2)};
}

Words arguments_of(const Case& c) {
    Words found;
    for (size_t i = 0; i + 1 < c.trace.size(); ++i) {
        if (c.trace[i] == "--arg") found.push_back(c.trace[i + 1]);
    }
    return found;
}

void expect_refusal(const Case& c, const program::Result& result) {
    const std::string where = c.expect.substr(std::strlen("refused "), c.expect.find(": \"") - std::strlen("refused "));
    const size_t open = c.expect.find('"'), close = c.expect.rfind('"');
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(where), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(c.expect.substr(open + 1, close - open - 1)), std::string::npos) << result.err;
}

void expect_finding(const Case& c, const program::Result& result) {
    const Words e = split(c.expect);
    EXPECT_EQ(result.code, 1) << result.err;
    const auto findings = result.json()["findings"];
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0]["kind"], e.at(1));
    EXPECT_EQ(findings[0]["line"], std::stoi(e.at(2)));
    const std::filesystem::path source = c.file, file = e.size() > 3 ? source.parent_path() / e[3] : source;
    if (e.size() > 3)
        EXPECT_EQ(std::filesystem::weakly_canonical(program::folder() / findings[0]["file"].get<std::string>()), file);
    else EXPECT_TRUE(findings[0]["file"].is_null());
    EXPECT_NE(result.err.find(file.filename().string() + ":" + e.at(2) + ": "), std::string::npos) << result.err;
}

void expect_values(const Case& c, const program::Result& result) {
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.json()["findings"], nlohmann::json::array());
    const Words arguments = arguments_of(c);
    const Expected wanted = expected(split(c.expect), arguments);
    const Values got = values(arguments, wanted.buffer);
    ASSERT_EQ(got.size(), wanted.values.size());
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted.values[i], 1e-5 * std::max(1.0, std::sqrt(static_cast<double>(got.size())))) << i;
}

class Files : public testing::TestWithParam<std::tuple<Case, std::string>> {}; // executed as which code

TEST_P(Files, AreTracedAsTheyLie) {
    const auto& [c, engine] = GetParam();
    ASSERT_FALSE(c.trace.empty()) << "no // trace: line";
    Words words{"trace", c.file, "--json", "--engine", engine};
    words.insert(words.end(), c.trace.begin(), c.trace.end());
    const Words arguments = arguments_of(c);
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].find(':') != std::string::npos)
            words.insert(words.end(), {"--dump", std::to_string(i), buffer_file(i)});
    }
    const program::Result result = program::run(words);
    if (c.expect.starts_with("refused ")) expect_refusal(c, result);
    else if (c.expect.starts_with("finding ")) expect_finding(c, result);
    else expect_values(c, result);
    if (!c.expect.starts_with("refused ")) {
        EXPECT_EQ(result.json()["engine_fallback"], nullptr);
    }
}

INSTANTIATE_TEST_SUITE_P(Cli, Files,
                         testing::Combine(testing::ValuesIn(file_cases()), testing::Values("ptx", "machine")),
                         [](const testing::TestParamInfo<Files::ParamType>& file) {
                             return std::filesystem::path(std::get<0>(file.param).file).stem().string() + "_" +
                                    std::get<1>(file.param);
                         });

} // namespace
