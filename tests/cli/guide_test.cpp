// The guide in kernels/README.md, followed to the letter.
#include "program.h"

#include <sstream>

namespace {

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const size_t at = text.find(begin);
    EXPECT_NE(at, std::string::npos) << begin;
    if (at == std::string::npos) return {};
    const size_t from = at + begin.size();
    return text.substr(from, text.find(end, from) - from);
}

// The lines of the guide that begin with the program, without their remarks, as arguments.
std::vector<std::vector<std::string>> commands(const std::string& guide) {
    std::vector<std::vector<std::string>> all;
    std::istringstream lines(guide);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("build/gemmscope ")) continue;
        std::istringstream words(line.substr(0, line.find(" #")));
        std::string word;
        words >> word;
        all.emplace_back();
        while (words >> word) all.back().push_back(word);
    }
    return all;
}

TEST(Guide, ItsKernelIsListedRightAndClean) {
    const std::string guide = *base::read_file(SOURCE_DIR "/kernels/README.md");
    std::filesystem::remove_all(program::folder() / "mine"); // of other tests
    program::file("mine/one_row.cu", between(guide, "```cuda\n", "```"));
    const auto all = commands(guide);
    ASSERT_GE(all.size(), 4u);
    for (const auto& arguments : all) {
        const program::Result result = program::run(arguments);
        EXPECT_EQ(result.code, 0) << arguments[2] << ": " << result.out << result.err;
        EXPECT_EQ(result.err, "");
        EXPECT_FALSE(result.out.empty());
    }
    const auto trace =
        program::run({"--kernels", "mine", "trace", "one_row", "-m", "129", "-n", "130", "-k", "131", "--json"});
    EXPECT_EQ(trace.json()["verified"]["passed"], true);
}

TEST(Guide, EveryKeyItNamesIsKnownAndEveryKnownKeyIsNamed) {
    const std::string guide = *base::read_file(SOURCE_DIR "/kernels/README.md");
    program::file("wrong/wrong.cu", "/* gemmscope\nno_such_key = 1\n*/\n");
    const std::string known = between(program::run({"list", "--kernels", "wrong"}).err, "known here: ", "\n");
    std::istringstream keys(known);
    int count = 0;
    for (std::string key; std::getline(keys >> std::ws, key, ','); ++count)
        EXPECT_TRUE(
            guide.find("`" + key + "`") != std::string::npos || guide.find("`[[" + key + "]]`") != std::string::npos ||
            guide.find("`[" + key + "]`") != std::string::npos || guide.find("`" + key + " = ") != std::string::npos)
            << key;
    EXPECT_GT(count, 10);
}

TEST(Kernels, TwoOfOneNameAndAFolderTwice) {
    const std::string text = "/* gemmscope\n[launch]\nblock = [32]\ngrid = [1]\n*/\n__global__ void naive() {}\n";
    program::file("twice/naive.cu", text);
    const auto result = program::run({"list", "--kernels", "twice", "--kernels", "twice"});
    EXPECT_EQ(result.code, 0);
    const size_t first = result.err.find("naive.cu takes the place of this kernel naive");
    ASSERT_NE(first, std::string::npos) << result.err;
    EXPECT_NE(result.out.find("double_buffer"), std::string::npos);
}

TEST(Window, AFileThatItCannotOpenIsRefusedBeforeItOpens) {
    program::file("plain.cu", "__global__ void plain() {}\n");
    program::file("some.ptx", ".version 8.0\n");
    program::file("broken.json", "{");
    program::expect_refused({"plain.cu"}, 2, "plain.cu:1");
    program::expect_refused({"some.ptx"}, 2, "gemmscope trace some.ptx");
    program::expect_refused({"broken.json"}, 2, "broken.json");
    program::expect_refused({"absent.cu"}, 2, "absent.cu");
    program::expect_refused({"list", "plain.cu"}, 2, "no further argument plain.cu");
    program::expect_refused({"lst"}, 2, "did you mean list");
}

} // namespace
