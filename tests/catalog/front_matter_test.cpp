#include "catalog/catalog.h"
#include "catalog/code_hash.h"
#include "catalog/front_matter.h"
#include "sample.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <random>

namespace {

// The sample with the first `from` replaced.
std::string changed(const std::string& from, const std::string& to) {
    std::string text = sample;
    size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(FrontMatter, EveryFieldArrives) {
    auto kernel = catalog::parse(sample, "folder/sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    EXPECT_EQ(kernel->id, "sample");
    EXPECT_EQ(kernel->function, "sample");
    EXPECT_EQ(kernel->family, "ladder");
    EXPECT_EQ(kernel->rung, 3);
    EXPECT_EQ(kernel->provenance, "test");
    EXPECT_EQ(kernel->title.zh, "样例");
    EXPECT_EQ(kernel->idea.zh, "One idea.") << "zh falls back to en";
    EXPECT_EQ(kernel->path, "folder/sample.cu");
    EXPECT_EQ(kernel->source, sample);
    ASSERT_EQ(kernel->parameters.size(), 3u);
    EXPECT_EQ(kernel->parameters[0].name, "BM");
    EXPECT_EQ(kernel->parameters[0].values, (std::vector{16, 32, 64, 128}));
    EXPECT_EQ(kernel->parameters[0].initial, 64);
    EXPECT_EQ(kernel->parameters[0].meaning.zh, "每块的行数");
    EXPECT_EQ(kernel->parameters[2].initial, 0) << "the first value, where none is said";
    ASSERT_EQ(kernel->rules.size(), 2u);
    EXPECT_EQ(kernel->rules[0].expression, "BM % TM == 0");
    EXPECT_EQ(kernel->grid_y, "ceil_div(M, BM)");
    EXPECT_EQ(kernel->dynamic_shared, "4 * (BM + PAD) * TM");
}

TEST(FrontMatter, SaysHowMuchIsRounded) {
    const auto with = [](const std::string& line) {
        std::string text = sample;
        const std::string at = "rung = 3\n";
        return catalog::parse(text.insert(text.find(at) + at.size(), line + "\n"), "sample.cu");
    };
    const auto kernel = with("rounding = \"1 + TM / 4\"");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    catalog::Values values = catalog::initial_values(*kernel);
    values["TM"] = 8;
    EXPECT_EQ(*catalog::rounding(*kernel, values), 3u);
    EXPECT_EQ(*catalog::rounding(*catalog::parse(sample, "sample.cu"), values), 1u) << "where nothing is said";
    for (const auto& [line, said] :
         {std::pair{"rounding = 0", "sample would have 0 times the rounding errors of a plain sum (0)"},
          {"rounding = \"M\"", "known names: BM, TM, PAD"},
          {"rounding = true", "\"rounding\""}}) {
        const auto wrong = with(line);
        ASSERT_FALSE(wrong) << line;
        EXPECT_TRUE(wrong.error().sentence().starts_with("sample.cu:4: ")) << wrong.error().sentence();
        EXPECT_NE(wrong.error().sentence().find(said), std::string::npos) << wrong.error().sentence();
    }
}

const std::string streamed = R"toml(
[[parameter]]
name = "TILE"
values = [64, 128]
host = true

[[rule]]
expression = "TILE % BM == 0"
reason = "Whole blocks."

[stream]
tile = ["TILE", "2 * TILE"]
depth = "min(K, 32)"
buffers = 2
cap_mb = "BM"
copy_gb_s = 55
gflops = 45000

[launch])toml";

TEST(FrontMatter, AStreamAndItsParametersAreTheHosts) {
    auto kernel = catalog::parse(changed("\n[launch]", streamed), "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    const catalog::Values values = catalog::initial_values(*kernel);
    EXPECT_EQ(catalog::instantiation(*kernel, values), "sample<64, 4, 0>") << "TILE is no argument of the template";
    auto shape = catalog::stream_shape(*kernel, values, {1000, 1000, 20});
    ASSERT_TRUE(shape) << shape.error().sentence();
    EXPECT_EQ(*shape, (catalog::StreamShape{64, 128, 20, 2, 64'000'000}));
    auto settings = catalog::legal_settings(*kernel, 1000);
    ASSERT_TRUE(settings);
    EXPECT_GT(settings->size(), 1u);
    for (const catalog::Values& setting : *settings)
        EXPECT_EQ(setting.at("TILE"), 64) << "the kernel's own speed does not depend on it";
    catalog::Values larger = values; // a block than a tile
    larger["BM"] = 128;
    const auto broken = catalog::broken_rules(*kernel, larger);
    EXPECT_TRUE(std::any_of(broken.begin(), broken.end(), [](const catalog::Rule* rule) {
        return rule->reason.en.find("Whole blocks") != std::string::npos;
    })) << "rules bind both";
}

TEST(FrontMatter, AVariantIsNeitherTunedNorTakenForTheKernel) {
    const auto kernel = catalog::parse(changed("name = \"TM\"", "name = \"TM\"\nvariant = true"), "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    catalog::Values values = catalog::initial_values(*kernel);
    const auto settings = catalog::legal_settings(*kernel, 1000);
    ASSERT_TRUE(settings);
    EXPECT_GT(settings->size(), 1u);
    for (const catalog::Values& setting : *settings) EXPECT_EQ(setting.at("TM"), values.at("TM"));
    EXPECT_NE(catalog::instantiation(*kernel, values).find(std::to_string(values.at("TM"))), std::string::npos)
        << "it is an argument of the template, as others are";
    EXPECT_TRUE(catalog::is_plain(*kernel, values));
    values["BM"] = 1;
    EXPECT_TRUE(catalog::is_plain(*kernel, values));
    values["TM"] += 1;
    EXPECT_FALSE(catalog::is_plain(*kernel, values));
}

TEST(FrontMatter, AStreamThatCannotBeIsAnErrorWithItsLine) {
    const auto wrong = [](const std::string& from, const std::string& to) {
        std::string table = streamed;
        table.replace(table.find(from), from.size(), to);
        auto kernel = catalog::parse(changed("\n[launch]", table), "sample.cu");
        return kernel ? "no error" : kernel.error().sentence();
    };
    EXPECT_NE(wrong("buffers = 2", "buffers = 0").find("sample would have 0 buffers (0)"), std::string::npos);
    EXPECT_NE(wrong("depth = \"min(K, 32)\"\n", "").find("depth"), std::string::npos);
    EXPECT_NE(wrong("gflops = 45000", "gflops = 0").find("\"gflops\" should be at least 1"), std::string::npos);
    EXPECT_NE(wrong("host = true", "host = 1").find("\"host\" should be true or false"), std::string::npos);
    EXPECT_NE(wrong("host = true", "variant = 1").find("\"variant\" should be true or false"), std::string::npos);
    EXPECT_NE(
        wrong("[launch]", "[[tensor_map]]\nof = \"A\"\nbox = [\"TM\", \"BM\"]\n[launch]").find("cannot be streamed"),
        std::string::npos);
    std::string aligned = changed("\n[launch]", streamed);
    aligned.insert(aligned.find("rung"), "row_alignment = 128\n");
    const auto both = catalog::parse(aligned, "sample.cu");
    ASSERT_FALSE(both);
    EXPECT_NE(both.error().sentence().find("a kernel of aligned rows cannot be streamed"), std::string::npos)
        << both.error().sentence();
    const auto none = catalog::parse(sample, "sample.cu");
    ASSERT_TRUE(none);
    EXPECT_NE(
        catalog::stream_shape(*none, catalog::initial_values(*none), {}).error().sentence().find("does not say how"),
        std::string::npos);
}

const std::string mapped = "\n[[tensor_map]]\nof = \"B\"\nbox = [\"TM\", \"BM\"]\nswizzle = \"0\"\n\n[launch]";

TEST(FrontMatter, TensorMapsAndArchitectures) {
    std::string text = changed("\n[launch]", mapped);
    text.insert(text.find("rung"), "arch = \"sm_90a\"\n");
    auto kernel = catalog::parse(text, "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    EXPECT_EQ(kernel->arch, "sm_90a");
    ASSERT_EQ(kernel->tensor_maps.size(), 1u);
    auto shape = catalog::launch_shape(*kernel, {{"BM", 128}, {"TM", 8}, {"PAD", 0}}, {});
    ASSERT_TRUE(shape) << shape.error().sentence();
    EXPECT_EQ(shape->tensor_maps, (std::vector<catalog::TensorBox>{{'B', 8, 128, 0}}));
    EXPECT_EQ(*catalog::target(*kernel, "sm_90"), "sm_90a");
    EXPECT_EQ(*catalog::target(*kernel, "sm_90a"), "sm_90a");
    EXPECT_NE(catalog::target(*kernel, "sm_100")
                  .error()
                  .sentence()
                  .find("sample uses instructions of sm_90 alone and cannot run on sm_100"),
              std::string::npos);
    kernel->arch = "sm_90";
    EXPECT_EQ(*catalog::target(*kernel, "sm_100"), "sm_100");
    EXPECT_NE(catalog::target(*kernel, "sm_86")
                  .error()
                  .sentence()
                  .find("sample uses instructions of sm_90 and later and cannot run on sm_86"),
              std::string::npos);
}

TEST(FrontMatter, AnOperationOnElementsHasNoTensorMaps) {
    const auto kernel = catalog::parse(changed("rung = 3", "operation = \"pack_rows\""), "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    EXPECT_EQ(kernel->operation, catalog::Operation::pack_rows);
    std::string text = changed("\n[launch]", mapped);
    const auto with_map = catalog::parse(text.insert(text.find("rung"), "operation = \"add_one\"\n"), "sample.cu");
    ASSERT_FALSE(with_map);
    EXPECT_NE(with_map.error().sentence().find("only a product has tensor maps"), std::string::npos)
        << with_map.error().sentence();
}

TEST(FrontMatter, ManagedPagesComeAsTheParametersSay) {
    const auto kernel = catalog::parse(changed("rung = 3", "managed = \"PAD\""), "sample.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    catalog::Values values = catalog::initial_values(*kernel);
    using enum catalog::Placement;
    for (const auto& [value, expected] : {std::pair{0, first_touch}, {1, prefetch}, {2, resident}}) {
        values["PAD"] = value;
        EXPECT_EQ(*catalog::placement(*kernel, values), expected);
        EXPECT_EQ(catalog::placement_named(catalog::name_of(expected)), expected);
    }
    values["PAD"] = 3;
    EXPECT_NE(catalog::placement(*kernel, values).error().sentence().find("choose values that give 0 to 2"),
              std::string::npos);
    EXPECT_EQ(*catalog::placement(*catalog::parse(sample, "sample.cu"), values), device) << "where nothing is said";
    EXPECT_FALSE(catalog::placement_named("paged"));
}

TEST(FrontMatter, RowsAreAlignedWhereItIsSaid) {
    for (auto [line, bytes] : {std::pair{"rung = 3", 0u},
                               {"row_alignment = 0", 0u},
                               {"row_alignment = 4", 4u},
                               {"row_alignment = 256", 256u}}) {
        const auto kernel = catalog::parse(changed("rung = 3", line), "sample.cu");
        ASSERT_TRUE(kernel) << kernel.error().sentence();
        EXPECT_EQ(kernel->row_alignment, bytes) << line;
    }
}

TEST(FrontMatter, TensorCoresMultiplyWhereItIsSaid) {
    for (auto [line, said] : {std::pair{"operands = \"f64\"", false},
                              {"operands = \"f64\"\ntensor_cores = true", true},
                              {"tensor_cores = true\noperands = \"b1\"", true},
                              {"operands = \"b1\"\ntensor_cores = false", false}}) {
        const auto kernel = catalog::parse(changed("rung = 3", line), "sample.cu");
        ASSERT_TRUE(kernel) << kernel.error().sentence();
        EXPECT_EQ(kernel->tensor_cores, said) << line;
    }
}

TEST(FrontMatter, OperandsSayWhatABoxHolds) {
    const std::string text = changed("\n[launch]", mapped);
    auto floats = catalog::parse(text, "sample.cu");
    ASSERT_TRUE(floats) << floats.error().sentence();
    EXPECT_EQ(floats->operands, catalog::OperandType::f32);
    auto with_operands = [&](const std::string& line) {
        std::string other = text;
        return catalog::parse(other.insert(other.find("rung"), line + "\n"), "sample.cu");
    };
    auto halves = with_operands("operands = \"bf16\"");
    ASSERT_TRUE(halves) << halves.error().sentence();
    EXPECT_EQ(halves->operands, catalog::OperandType::bf16);
    EXPECT_EQ(with_operands("operands = \"tf32\"")->operands, catalog::OperandType::tf32);
    EXPECT_EQ(with_operands("operands = \"f64\"")->operands, catalog::OperandType::f64);
    const auto bits = with_operands("operands = \"b1\"");
    ASSERT_FALSE(bits.ok());
    EXPECT_NE(bits.error().sentence().find("a kernel of bits has no tensor maps"), std::string::npos)
        << bits.error().sentence();
    floats->tensor_maps[0].columns = halves->tensor_maps[0].columns = "12";
    EXPECT_TRUE(catalog::launch_shape(*floats, catalog::initial_values(*floats), {})) << "48 bytes";
    auto shape = catalog::launch_shape(*halves, catalog::initial_values(*halves), {});
    ASSERT_FALSE(shape);
    EXPECT_NE(shape.error().sentence().find("have rows of 24 bytes"), std::string::npos) << shape.error().sentence();
    halves->tensor_maps[0].of = 'C';
    EXPECT_TRUE(catalog::launch_shape(*halves, catalog::initial_values(*halves), {})) << "C is FP32";
}

TEST(FrontMatter, BoxesOfTf32MayBeRounded) {
    const auto with = [](const std::string& element, const std::string& operands = "tf32", char of = 'B') {
        std::string text = changed("\n[launch]", mapped);
        text.insert(text.find("swizzle = \"0\""), element);
        text[text.find("of = \"B\"") + 6] = of;
        return catalog::parse(text.insert(text.find("rung"), "operands = \"" + operands + "\"\n"), "sample.cu");
    };
    const auto cut = with(""), rounded = with("element = \"tf32\"\n");
    ASSERT_TRUE(cut && rounded) << (cut ? rounded : cut).error().sentence();
    const auto box_of = [](const catalog::Kernel& kernel) {
        return catalog::launch_shape(kernel, catalog::initial_values(kernel), {})->tensor_maps.at(0);
    };
    EXPECT_FALSE(box_of(*cut).to_tf32);
    EXPECT_TRUE(box_of(*rounded).to_tf32);
    EXPECT_NE(catalog::code_hash(*cut), catalog::code_hash(*rounded)) << "what one measured is not the other's";
    for (const auto& wrong : {with("element = \"bf16\"\n"), with("element = \"tf32\"\n", "f32"),
                              with("element = \"tf32\"\n", "tf32", 'C')}) {
        ASSERT_FALSE(wrong);
        EXPECT_EQ(wrong.error().where, "sample.cu:35");
        EXPECT_NE(wrong.error().sentence().find("only boxes of A and B of a kernel of TF32 can be rounded"),
                  std::string::npos)
            << wrong.error().sentence();
    }
}

struct WrongMap {
    const char *from, *to;
    int line; // where the error points
    const char* what;
};

class WrongTensorMap : public testing::TestWithParam<WrongMap> {};

TEST_P(WrongTensorMap, IsAnErrorWithItsLine) {
    const WrongMap& wrong = GetParam();
    std::string text = changed("\n[launch]", mapped);
    const size_t at = text.find(wrong.from);
    ASSERT_NE(at, text.npos);
    auto kernel = catalog::parse(text.replace(at, std::string(wrong.from).size(), wrong.to), "sample.cu");
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().where, "sample.cu:" + std::to_string(wrong.line)) << kernel.error().sentence();
    EXPECT_NE(kernel.error().sentence().find(wrong.what), std::string::npos) << kernel.error().sentence();
}

INSTANTIATE_TEST_SUITE_P(
    FrontMatter, WrongTensorMap,
    testing::Values(WrongMap{"of = \"B\"", "of = \"D\"", 32, "no matrix \"D\""},
                    WrongMap{"of = \"B\"\n", "", 31, "\"of\" is missing"},
                    WrongMap{"\"TM\", \"BM\"", "\"TM\"", 33, "two expressions"},
                    WrongMap{"\"TM\", \"BM\"", "\"TM\", \"BQ\"", 33, "unknown name BQ"},
                    WrongMap{"\"TM\", \"BM\"", "\"TM\", \"BM + 1\"", 31, "rows of 260 bytes"},
                    WrongMap{"\"TM\", \"BM\"", "\"BM * 8\", 8", 31, "512 rows in a box"},
                    WrongMap{"\"TM\", \"BM\"", "\"TM\", 0", 31, "0 columns in a box"},
                    WrongMap{"swizzle = \"0\"", "swizzle = 48", 31, "swizzled over 48 bytes"},
                    WrongMap{"swizzle = \"0\"", "swizzle = 128", 31, "rows of 256 bytes and are swizzled over 128"},
                    WrongMap{"swizzle = \"0\"", "colour = 1", 34, "unknown key \"colour\""},
                    WrongMap{"rung = 3", "arch = \"hopper\"", 3, "\"hopper\" is not an architecture"}));

TEST(FrontMatter, NeedsLittle) {
    const std::string text =
        "\xef\xbb\xbf\r\n/*gemmscope\r\n[launch]\r\nblock = [32]\r\ngrid = [\"N\", 1]\r\n*/__global__ void tiny() {}";
    auto kernel = catalog::parse(text, "tiny.cu");
    ASSERT_TRUE(kernel) << kernel.error().sentence();
    EXPECT_EQ(kernel->family, "own");
    EXPECT_EQ(kernel->title.en, "tiny");
    EXPECT_EQ(kernel->dynamic_shared, "0");
    EXPECT_EQ(catalog::instantiation(*kernel, {}), "tiny");
}

struct Wrong {
    const char *from, *to; // what is changed in the sample
    int line;              // where the error points
    const char* what;      // part of its sentence
};

class WrongFrontMatter : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFrontMatter, IsAnErrorWithItsLine) {
    const Wrong& wrong = GetParam();
    auto kernel = catalog::parse(changed(wrong.from, wrong.to), "sample.cu");
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().where, "sample.cu:" + std::to_string(wrong.line)) << kernel.error().sentence();
    EXPECT_NE(kernel.error().sentence().find(wrong.what), std::string::npos) << kernel.error().sentence();
    EXPECT_FALSE(kernel.error().todo.empty()) << "what to write instead: " << kernel.error().sentence();
}

INSTANTIATE_TEST_SUITE_P(
    FrontMatter, WrongFrontMatter,
    testing::Values(
        Wrong{"/* gemmscope", "// gemmscope", 1, "does not describe itself"},
        Wrong{"gemmscope", "gemmscopes", 1, "does not describe itself"},
        Wrong{"*/", "", 1, "has no end; close it with */"}, Wrong{"rung = 3", "rung = ", 3, ""},
        Wrong{"rung = 3", "rung = 3.5", 3, "whole number"}, Wrong{"rung = 3", "rung = 99999999999", 3, "whole number"},
        Wrong{"rung = 3", "family = \"x\"", 3, "family"},
        Wrong{"rung = 3", "operands = \"fp8\"", 3, "choose f32, tf32, bf16, f64 or b1"},
        Wrong{"rung = 3", "operands = 16", 3, "text in quotation marks"},
        Wrong{"rung = 3", "operation = \"divide\"", 3, "choose product, add_one, pack_rows or pack_columns"},
        Wrong{"rung = 3", "operation = \"add_one\"\noperands = \"f64\"", 4, "only a product has operands"},
        Wrong{"rung = 3", "operands = \"tf32\"\ntensor_cores = true", 4, "by tensor cores alone"},
        Wrong{"rung = 3", "operands = \"bf16\"\ntensor_cores = false", 4, "leave the line out"},
        Wrong{"rung = 3", "operands = \"f64\"\ntensor_cores = 1", 4, "true or false"},
        Wrong{"rung = 3", "row_alignment = 100", 3, "choose a power of two, 4 to 256"},
        Wrong{"rung = 3", "row_alignment = 2", 3, "rows cannot be aligned to 2 bytes"},
        Wrong{"rung = 3", "row_alignment = 512", 3, "choose a power of two, 4 to 256"},
        Wrong{"rung = 3", "row_alignment = -128", 3, "choose a power of two, 4 to 256"},
        Wrong{"rung = 3", "row_alignment = \"128\"", 3, "whole number"},
        Wrong{"rung = 3", "operands = \"f64\"\nrow_alignment = 4", 4, "choose a power of two, 8 to 256"},
        Wrong{"rung = 3", "operands = \"b1\"\nrow_alignment = 128", 4, "matrices of bits have no aligned rows"},
        Wrong{"rung = 3", "operation = \"add_one\"\nrow_alignment = 128", 4, "only a product has aligned rows"},
        Wrong{"rung = 3", "managed = true", 3, "text in quotation marks"},
        Wrong{"rung = 3", "managed = \"M\"", 3, "known names: BM"},
        Wrong{"rung = 3", "managed = 3", 3, "choose values that give 0 to 2"},
        Wrong{"rung = 3", "operation = \"add_one\"\nmanaged = 1", 4, "only a product"},
        Wrong{"rung = 3", "colour = 3", 3, "unknown key \"colour\""},
        Wrong{"\"ladder\"", "7", 2, "text in quotation marks"},
        Wrong{"{ en = \"Sample\", zh", "{ zh", 5, "\"en\" is missing"},
        Wrong{"zh = \"样例\"", "fr = \"x\"", 5, "unknown key \"fr\""},
        Wrong{"{ en = \"Sample\", zh = \"样例\" }", "3", 5, "\"title\" should be"},
        Wrong{"name = \"BM\"\n", "", 8, "\"name\" is missing"}, Wrong{"\"BM\"", "\"B M\"", 9, "is not a name"},
        Wrong{"\"BM\"", "\"M\"", 9, "already taken"}, Wrong{"\"TM\"", "\"BM\"", 15, "already taken"},
        Wrong{"[16, 32, 64, 128]", "[]", 10, "list of whole numbers"},
        Wrong{"[16, 32, 64, 128]", "64", 10, "list of whole numbers"},
        Wrong{"[16, 32, 64, 128]", "[16, \"32\"]", 10, "whole number"},
        Wrong{"[16, 32, 64, 128]", "[16, 64, 64]", 10, "ascend"},
        Wrong{"initial = 64", "initial = 48", 11, "not among its values; choose one of 16, 32, 64, 128"},
        Wrong{"initial = 64", "initial = \"64\"", 11, "without quotation marks"},
        Wrong{"rung = 3", "tuned = \"true\"", 3, "true or false"}, Wrong{"rung = 3", "rung = three", 3, ""},
        Wrong{"rung = 3", "rung : 3", 3, ""}, Wrong{"rung = 3", "rung = 3\nrung = 4", 4, "rung"},
        Wrong{"\"ladder\"", "\"ladder", 2, ""}, Wrong{"\"test\"", "test", 4, ""},
        Wrong{"\n*/", "\n__shared__ float tile; /* rows */", 35,
              "write key = value"}, // the first line of code is read as TOML
        Wrong{"reason = { en = \"At most 16 threads.\" }\n", "", 27, "\"reason\" is missing; add reason ="},
        Wrong{"expression = \"BM / TM <= 16\"\n", "", 27, "\"expression\" is missing"},
        Wrong{"BM / TM <= 16", "BM / TM <= 8", 28, "initial values break the rule"},
        Wrong{"values = [0, 1]\n", "", 19, "\"values\" is missing; add values ="},
        Wrong{"[launch]\n", "", 31, "unknown key \"block\""}, Wrong{"[[parameter]]", "[parameter]", 14, "parameter"},
        Wrong{"BM % TM == 0", "BM % TN == 0", 24, "unknown name TN"},
        Wrong{"BM % TM == 0", "BM % == 0", 24, "BM % == 0"}, Wrong{"BM % TM == 0", "M % TM == 0", 24, "unknown name M"},
        Wrong{"BM % TM == 0", "BM % TM == 1", 24, "initial values break the rule"},
        Wrong{"[launch]", "[start]", 31, "unknown key \"start\""},
        Wrong{"\"ceil_div(N, 16)\"", "\"ceil_div(N\"", 33, "ceil_div(N"},
        Wrong{"[\"BM / TM\", \"2\"]", "[]", 32, "one or two expressions"},
        Wrong{"[\"BM / TM\", \"2\"]", "\"BM\"", 32, "one or two expressions"},
        Wrong{"[\"BM / TM\", \"2\"]", "[1, 1, 1]", 32, "one or two expressions"},
        Wrong{"\"BM / TM\"", "\"BM / 0\"", 31, "has no value"}, Wrong{"\"BM / TM\"", "\"BM * BM\"", 31, "threads in x"},
        Wrong{"[\"BM / TM\", \"2\"]", "[64, 64]", 31, "threads in a block"},
        Wrong{"grid = [\"ceil_div(N, 16)\", \"ceil_div(M, BM)\"]\n", "", 31, "\"grid\" is missing"},
        Wrong{"void sample(", "void example(", 35, "no function sample; rename the file"},
        Wrong{"rung = 3", "function = \"other\"", 3, "no function other"},
        Wrong{"rung = 3", "function = \"a b\"", 3, "not a function's name"},
        Wrong{"rung = 3", "title = \"\xff\"", 3, ""}));

// Any bytes give a kernel or an error. Three thousand copies of the sample, each damaged in a few places.
// A file means the same to the window and to the command line.
TEST(FrontMatter, IsFoundBehindAMarkAndBlanksOfOtherSystems) {
    for (const std::string before : {"", "\xef\xbb\xbf", "\n\n", "\xef\xbb\xbf \r\n"}) {
        EXPECT_TRUE(catalog::describes_itself(before + sample));
        EXPECT_TRUE(catalog::parse(before + sample, "sample.cu"));
    }
    EXPECT_FALSE(catalog::describes_itself("// " + sample));
}

TEST(FrontMatter, ParametersAreBounded) {
    std::string text = sample;
    std::string more;
    for (int i = 0; i < 100'000; ++i) more += "[[parameter]]\nname = \"P" + std::to_string(i) + "\"\nvalues = [0, 1]\n";
    const auto kernel = catalog::parse(text.insert(text.find("[[rule]]"), more), "many.cu");
    ASSERT_FALSE(kernel);
    EXPECT_NE(kernel.error().sentence().find("more than 64 parameters"), std::string::npos)
        << kernel.error().sentence();
}

TEST(FrontMatter, GarbageIsNeverFatal) {
    std::mt19937 random(1);
    const std::string pieces[] = {
        "[",  "]",  "\"", "\"\"\"", "=",   "{",  "}",   "\n", "[[", ",", "9999999999999999999",
        "-1", "*/", "BM", "(",      "/ 0", "\0", "\xc3"};
    int read = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string text = sample;
        for (int damage = 0; damage < 1 + i % 4; ++damage) {
            size_t at = random() % text.size();
            if (random() % 2) text.erase(at, 1 + random() % 20);
            else text.insert(at, pieces[random() % std::size(pieces)]);
        }
        auto kernel = catalog::parse(text, "sample.cu");
        read += kernel.ok();
        if (!kernel) {
            EXPECT_TRUE(kernel.error().where.starts_with("sample.cu"));
            EXPECT_FALSE(kernel.error().what.empty());
        }
    }
    EXPECT_GT(read, 0) << "damage in the source below does not matter";
    EXPECT_LT(read, 2000);
    EXPECT_FALSE(catalog::parse("", "empty.cu"));
    EXPECT_FALSE(catalog::parse("/* gemmscope", "cut.cu"));
    EXPECT_FALSE(catalog::parse("/* gemmscope\nx = " + std::string(100000, '[') + "\n*/", "deep.cu"));
}

} // namespace
