// gemmscope render.
#include "program.h"

namespace {

using program::expect_refused;
using program::run;

TEST(Render, DrawsAPictureAndRefusesNonsense) {
    const std::string png = (program::folder() / "w.png").string();
    auto result = run({"render", "banks", "shared_tile", "-m", "64", "-n", "64", "-k", "32", "-o", png, "--size",
                       "800x450", "--lane", "13"});
    EXPECT_EQ(result.code, 0) << result.err;
    auto bytes = base::read_file(png);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->substr(1, 3), "PNG");
    const auto size = [&](size_t at) {
        return static_cast<unsigned char>((*bytes)[at]) * 256 + static_cast<unsigned char>((*bytes)[at + 1]);
    };
    EXPECT_EQ(size(18), 800);
    EXPECT_EQ(size(22), 450);
    expect_refused({"render", "bank", "naive", "-o", png}, 2, "did you mean banks?");
    expect_refused({"render", "banks", "nave", "-o", png}, 2, "did you mean naive?");
    expect_refused({"render", "banks", "naive"}, 2, "-o");
    expect_refused({"render", "banks", "naive", "-o", png, "--size", "0x0"}, 2, "--size");
    expect_refused({"render", "banks", "naive", "-o", png, "--size", "big"}, 2, "--size");
    expect_refused({"render", "banks", "naive", "-o", png, "--lane", "32"}, 2, "--lane");
    expect_refused({"render", "banks", "naive", "-o", "w.jpg"}, 2, ".png, .svg or .html");
    expect_refused({"render", "banks", "naive", "-o", png, "--engine", "steam"}, 2, "no engine steam");
}

TEST(Render, ACaptionStandsBelowThePictureWhichCarriesItsView) {
    const auto bytes = [](const std::string& name, std::vector<std::string> options) {
        const std::string png = (program::folder() / name).string();
        std::vector<std::string> line{"render", "banks", "shared_tile", "-p",     "TILE=16",
                                      "-o",     png,     "--size",      "640x360"};
        line.insert(line.end(), options.begin(), options.end());
        EXPECT_EQ(run(line).code, 0);
        return *base::read_file(png);
    };
    const auto height = [](const std::string& png) {
        return static_cast<unsigned char>(png[22]) * 256 + static_cast<unsigned char>(png[23]);
    };
    const std::string plain = bytes("plain.png", {}), with = bytes("caption.png", {"--caption"});
    EXPECT_EQ(height(plain), 360);
    EXPECT_GT(height(with), 360);
    EXPECT_EQ(plain.find("iTXt"), plain.npos);
    EXPECT_NE(with.find("\"TILE\": 16"), with.npos);
}

TEST(Render, AViewOfShapesIsAnSvgFileAndAnImageIsNone) {
    const std::string svg = (program::folder() / "banks.svg").string();
    const auto result = run({"render", "banks", "shared_tile", "-o", svg, "--caption", "--lang", "zh"});
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string text = *base::read_file(svg);
    EXPECT_TRUE(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    EXPECT_LT(text.size(), size_t{1} << 20);
    if (run({"doctor"}).out.find("CJK") != std::string::npos) { // there are glyphs to recover the text from
        EXPECT_NE(text.find(">8 路存储体冲突：32 个 wavefront，理想 4</text>"), text.npos);
    }
    EXPECT_NE(text.find("gemmscope 0.1.0</text>"), text.npos);
    expect_refused({"render", "result", "naive", "-m", "64", "-n", "64", "-k", "16", "-o", svg}, 2, "ends in .png");
}

TEST(Render, StepsAreAnAnimation) {
    const std::string file = (program::folder() / "steps.apng").string();
    const auto frames = [&](const std::string& steps, int code = 0) {
        std::filesystem::remove(file);
        const auto result = run({"render", "banks", "shared_tile", "-m", "64", "-n", "64", "-k", "64", "--size",
                                 "640x360", "--steps", steps, "-o", file});
        EXPECT_EQ(result.code, code) << result.err;
        if (code != 0) return result.err;
        const std::string bytes = *base::read_file(file);
        EXPECT_EQ(bytes.substr(1, 3), "PNG");
        EXPECT_LT(bytes.size(), 5000000u);
        size_t count = 0;
        for (size_t at = bytes.find("fcTL"); at != bytes.npos; at = bytes.find("fcTL", at + 1)) ++count;
        return std::to_string(count);
    };
    EXPECT_EQ(frames("0..3"), "4");
    EXPECT_GT(std::stoi(frames("barrier")), 4);
    const std::string gif = (program::folder() / "steps.gif").string();
    EXPECT_EQ(run({"render", "banks", "shared_tile", "--steps", "0..3", "-o", gif, "--size", "640x360"}).code, 0);
    EXPECT_TRUE(base::read_file(gif)->starts_with("GIF89a"));
    EXPECT_NE(frames("0..100000", 2).find("an animation shows 1 to 240"), std::string::npos);
    EXPECT_NE(frames("9..3", 2).find("--steps FROM..TO; TO"), std::string::npos);
    EXPECT_NE(frames("some", 2).find("--steps"), std::string::npos);
    expect_refused({"render", "banks", "naive", "-o", "x.apng"}, 2, "--steps barrier");
    expect_refused({"render", "banks", "naive", "-o", "x.png", "--steps", "1..2"}, 2, ".apng");
    expect_refused({"render", "banks", "naive", "-o", "x.apng", "--steps", "1..2", "--pace", "1"}, 2, "--pace");
}

TEST(Render, WhatDoesNotExistIsNotDrawn) {
    const std::string png = (program::folder() / "none.png").string();
    const auto refuse = [&](const char* option, const char* value, const char* sentence) {
        expect_refused({"render", "map", "naive", "-m", "64", "-n", "64", "-k", "8", "-o", png, "--size", "320x200",
                        option, value},
                       2, sentence);
    };
    refuse("--at", "99,0,0", "there is no block 99,0,0 in a grid of 2 x 8 x 1");
    refuse("--warp", "9", "there is no warp 9 in a block of 8");
    refuse("--schedule", "warp:9", "there is no warp 9 in a block of 8");
    refuse("--schedule", "9", "there is no schedule 9");
    refuse("--step", "999999999", "there is no step 999999999");
    refuse("--parameter", "TM", "--parameter TM: naive has no such parameter");
    EXPECT_EQ(run({"render", "parameter", "naive", "--parameter", "BX", "-o", png, "--size", "640x360"}).code, 0);
}

TEST(Render, AKernelThatDoesNotCompileIsAPictureAndAnError) {
    program::file(
        "faulty/faulty.cu",
        "/* gemmscope\nfamily = \"ladder\"\nrung = 9\ntitle = { en = \"F\" }\nidea = { en = \"F\" }\nstory = { en = \"F\" }\n"
        "[launch]\nblock = [\"32\", \"1\"]\ngrid = [\"1\", \"1\"]\ndynamic_shared = \"0\"\n*/\n"
        "__global__ void faulty(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {\n"
        "    C[0] = no_such_name;\n}\n");
    const std::string png = (program::folder() / "faulty.png").string();
    expect_refused({"render", "source", "faulty", "-o", png, "--size", "640x360", "--kernels",
                    (program::folder() / "faulty").string()},
                   2, "faulty.cu:13");
    EXPECT_EQ(base::read_file(png)->substr(1, 3), "PNG");
}

TEST(Render, KnowsEveryViewThatIsPromised) {
    const std::string png = (program::folder() / "v.png").string();
    for (const char* view : {"window", "map", "banks", "sectors", "timeline", "shared", "registers", "source", "plot",
                             "parameter", "roofline", "compare"}) {
        auto result =
            run({"render", view, "naive", "-m", "64", "-n", "32", "-k", "16", "-o", png, "--size", "640x360"});
        EXPECT_EQ(result.code, 0) << view << result.err;
    }
}

TEST(Render, TellsAViewAsText) {
    const std::vector<std::string> banks{"render", "banks", "shared_tile", "-m", "64", "-n", "64", "-k", "32"};
    const auto told = [&](const char* how) {
        std::vector<std::string> arguments = banks;
        arguments.emplace_back(how);
        const auto result = run(arguments);
        EXPECT_EQ(result.code, 0) << result.err;
        return result;
    };
    const std::string text = told("--table").out, csv = told("--csv").out;
    EXPECT_TRUE(text.starts_with("Banks: Shared-memory tile, lanes down rows\n")) << text;
    EXPECT_NE(text.find("\n8-way bank conflict: 32 wavefronts, ideal 4\n"), std::string::npos) << text;
    EXPECT_TRUE(csv.starts_with("lane,offset,banks,phase,wavefront,element\r\n0,0x00000,0..3,1,1,A[0][0..3]\r\n"))
        << csv;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 33);
    const auto tables = told("--json").json();
    EXPECT_EQ(program::keys(tables), (program::Names{"tables", "view"}));
    const auto& table = tables["tables"][0];
    EXPECT_EQ(program::keys(table), (program::Names{"columns", "notes", "rows", "title"}));
    EXPECT_EQ(table["columns"][4]["head"].get<std::string>(), "wavefront");
    EXPECT_EQ(table["rows"].size(), 32u);
    expect_refused({"render", "banks", "naive", "--table", "--csv"}, 2, "exclude each other");
    expect_refused({"render", "window", "naive", "--csv"}, 2, "a CSV file holds one table");
    expect_refused({"render", "lessons", "--table"}, 2, "lessons has no table");
    expect_refused({"render", "map", "naive", "-m", "64", "-n", "64", "-k", "8", "--table", "--at", "99,0,0"}, 2,
                   "there is no block 99,0,0");
}

TEST(Render, TellsTheTimelineInPredictedCyclesOrInOrder) {
    const auto told = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"render", "timeline", "shared_tile", "-m", "64",
                                           "-n",     "64",       "-k",          "32", "--table"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = run(arguments);
        EXPECT_EQ(result.code, 0) << result.err;
        return result.out;
    };
    const auto says = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
    EXPECT_TRUE(says(told({}), "predicted, not validated: Block: "));
    const std::string asked = told({"--what-if", "no_bank_conflicts", "--what-if", "double_memory_latency"});
    EXPECT_TRUE(says(asked, "What if: no bank conflicts, memory twice as far. No GPU has this switch.")) << asked;
    EXPECT_TRUE(says(told({"--axis", "order"}), "Execution order, not time"));
    EXPECT_TRUE(says(told({"--arch", "sm_80"}), "No cycles: no times are known of sm_80"));
    expect_refused({"render", "timeline", "naive", "--table", "--what-if", "faster"}, 2,
                   "--what-if faster is no switch");
}

TEST(Render, AKernelStandsBesideAnother) {
    const std::vector<std::string> compare{"render", "compare", "naive", "-m", "64", "-n", "64", "-k", "32", "--table"};
    auto arguments = compare;
    arguments.insert(arguments.end(), {"--baseline", "naive_uncoalesced"});
    const auto result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("uncoalesced"), std::string::npos) << result.out;
    arguments.back() = "no_such_kernel";
    expect_refused(arguments, 2, "no_such_kernel");
}

TEST(Render, AFilesOwnKernelTakesThePlaceOfOneWithItsName) {
    auto text = base::read_file(SOURCE_DIR "/kernels/shared_tile.cu");
    ASSERT_TRUE(text.ok());
    const auto source = program::file("shared_tile.cu", *text);
    const auto refused = program::file("other_tile.cu", *text); // its function is not named like the file
    const std::string png = (program::folder() / "own.png").string();
    EXPECT_EQ(run({"render", "map", source, "-p", "TILE=8", "-m", "64", "-n", "64", "-k", "16", "-o", png, "--size",
                   "640x360"})
                  .code,
              0);
    expect_refused({"render", "map", refused, "-o", png}, 2, "no function other_tile");
}

TEST(Render, ALargeProductDoesNotRunItsWholeGrid) {
    const std::string png = (program::folder() / "large.png").string();
    const double start = program::cpu_s();
    auto result =
        run({"render", "numbers", "naive", "-m", "4096", "-n", "4096", "-k", "4096", "-o", png, "--size", "640x360"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_LT(program::cpu_s() - start, 60) << "its grid takes many minutes";
}

} // namespace
