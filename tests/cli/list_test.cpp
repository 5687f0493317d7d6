// gemmscope list and show.
#include "program.h"

#include <algorithm>
#include <map>
#include <set>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::run;

TEST(List, HasTheLadderAndReferences) {
    auto result = run({"list", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    std::vector<std::string> ladder;
    bool reference = false;
    for (const auto& row : result.json()) {
        for (const char* field : {"id", "title", "family", "provenance", "parameters"})
            EXPECT_TRUE(row.contains(field)) << field;
        if (row["family"] == "ladder") ladder.push_back(row["id"].get<std::string>());
        reference |= row["family"] == "reference";
    }
    EXPECT_GE(ladder.size(), 6u);
    for (const char* id :
         {"naive_uncoalesced", "naive", "shared_tile", "register_tile", "conflict_free", "double_buffer"}) {
        EXPECT_NE(std::find(ladder.begin(), ladder.end(), id), ladder.end()) << id;
    }
    EXPECT_TRUE(reference);
    const auto rows = result.json();
    const auto openblas =
        std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row["id"] == "openblas_fp64"; });
    ASSERT_NE(openblas, rows.end()) << "measured or not";
    EXPECT_EQ((*openblas)["operands"], "f64");
    std::set<std::string> cutlass; // their titles
    for (const auto& row : rows)
        if (row["provenance"] == "measured on the GPU by bench, beside cuBLAS")
            cutlass.insert(row["title"].get<std::string>());
    EXPECT_EQ(cutlass, (std::set<std::string>{"CUTLASS 128x128", "CUTLASS 256x128"}));
    auto text = run({"list"});
    EXPECT_EQ(text.code, 0);
    EXPECT_NE(text.out.find("double_buffer"), std::string::npos);
    EXPECT_NE(run({"list", "--lang", "zh"}).out.find("双缓冲"), std::string::npos);
}

TEST(List, GroupsByFamily) {
    const std::string head = "/* gemmscope\nfamily = \"binary\"\n[launch]\nblock = [32]\ngrid = [1]\n*/\n";
    program::file("families/bits.cu", head + "__global__ void bits() {}\n");
    const std::string folder = (program::folder() / "families").string();
    std::vector<std::string> families;
    for (const auto& row : run({"list", "--json", "--kernels", folder}).json()) {
        const auto family = row["family"].get<std::string>();
        if (families.empty() || families.back() != family) families.push_back(family);
    }
    EXPECT_EQ(families.front(), "ladder");
    EXPECT_EQ(families.back(), "reference");
    EXPECT_EQ(std::count(families.begin(), families.end(), "binary"), 1);
    EXPECT_EQ(std::set<std::string>(families.begin(), families.end()).size(), families.size())
        << "each stands together";
    const std::string text = run({"list", "--lang", "zh", "--kernels", folder}).out;
    const size_t heading = text.find("\n二值矩阵 (binary)\n"), bits = text.find(" bits ");
    ASSERT_NE(heading, std::string::npos) << text;
    EXPECT_LT(text.find(" double_buffer "), heading);
    EXPECT_LT(heading, bits);
    EXPECT_LT(bits, text.find("(reference)"));
}

TEST(List, SearchSaysWhy) {
    const auto found = [](const char* text) {
        std::map<std::string, std::pair<std::string, std::string>> rows;
        for (const auto& row : run({"list", "--json", "--search", text}).json())
            rows[row["id"].get<std::string>()] = {row["found"][0]["in"].get<std::string>(),
                                                  row["found"][0]["word"].get<std::string>()};
        return rows;
    };
    const auto copies = found("LDGSTS");
    ASSERT_TRUE(copies.contains("async_copy"));
    EXPECT_EQ(copies.at("async_copy").first, "machine code");
    EXPECT_FALSE(copies.contains("naive"));
    EXPECT_EQ(found("double_buffer").at("double_buffer"), std::pair(std::string("name"), std::string("double_buffer")));
    EXPECT_TRUE(found("no such word").empty());
    const std::string text = run({"list", "--search", "双缓冲"}).out;
    EXPECT_NE(text.find("title: 双缓冲"), std::string::npos) << text;
    EXPECT_EQ(text.find("References"), std::string::npos) << "they are series, not kernels";
    EXPECT_NE(run({"list", "--search", "no such word"}).out.find("no kernel has no such word"), std::string::npos);
}

TEST(List, ABrokenKernelFileLeavesTheRest) {
    program::file("mine/broken.cu", "/* gemmscope\nfamily = \n*/\n__global__ void broken() {}\n");
    auto result = run({"list", "--kernels", (program::folder() / "mine").string()});
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("double_buffer"), std::string::npos);
    EXPECT_NE(result.err.find("broken.cu:2"), std::string::npos) << result.err;
}

TEST(Show, ParametersRulesLaunchStory) {
    auto result = run({"show", "double_buffer", "-p", "BM=64"});
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* part : {"BM", "64", "of 16 32 64 128 256", "Rules", "grid", "block", "2 x 4"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
    auto shown = run({"show", "double_buffer", "-p", "BM=64", "--json"}).json();
    EXPECT_EQ(shown["values"]["BM"], 64);
    EXPECT_EQ(shown["grid"], json({2, 4, 1}));
    EXPECT_FALSE(shown["rules"].empty());
    EXPECT_NE(run({"show", "naive", "--lang", "zh"}).out, run({"show", "naive"}).out);
    expect_refused({"show", "nave"}, 2, "did you mean naive?");
    expect_refused({"show", "naive", "-p", "BM"}, 2, "NAME=VALUE");
    expect_refused({"show", "double_buffer", "-p", "BM=sixty"}, 2, "not a whole number");
    expect_refused({"show", "double_buffer", "-p", "BM=65"}, 2, "BM");
    expect_refused({"show", "double_buffer", "-p", "QQ=1"}, 2, "QQ");
}

} // namespace
