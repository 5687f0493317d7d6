// gemmscope compile.
#include "program.h"

#include "compile/compiler.h"

#include <algorithm>
#include <sys/stat.h>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::Names;
using program::run;

TEST(Compile, SaysWhatTheKernelNeeds) {
    auto result = run({"compile", "double_buffer", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    auto compiled = result.json();
    EXPECT_GT(compiled["registers"], 64);
    EXPECT_GT(compiled["static_shared_bytes"], 8000);
    EXPECT_EQ(compiled["spill_store_bytes"], 0);
    EXPECT_NE(compiled["ptx"].get<std::string>().find(".entry"), std::string::npos);
    const std::string cubin = (program::folder() / "k.cubin").string();
    auto written = run({"compile", "naive", "-o", cubin, "--arch", "sm_80"});
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_NE(written.out.find("registers"), std::string::npos);
    EXPECT_EQ(base::read_file(cubin)->substr(1, 3), "ELF");
    expect_refused({"compile", "naive", "-o", "x.exe"}, 2, "x.exe");
    expect_refused({"compile", "naive", "--arch", "sm_12345"}, 2, "sm_12345");
}

TEST(Compile, ShowsTheMainLoopWithItsSchedulingFields) {
    auto result = run({"compile", "double_buffer", "--loop", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto loop = result.json();
    const auto& body = loop["body"];
    EXPECT_EQ(body.size(), loop["instructions"].get<size_t>());
    const auto multiplies = [](const json& line) { return line["text"].get<std::string>().starts_with("FFMA"); };
    EXPECT_EQ(std::count_if(body.begin(), body.end(), multiplies), loop["products"].get<int>());
    EXPECT_EQ(loop["k_steps"].get<double>() * 64, loop["products"].get<double>()); // 8 x 8 a thread
    EXPECT_GE(loop["shared_loads"]["16"], 4);
    const auto text = run({"compile", "double_buffer", "--loop"});
    for (const char* part : {"k-steps a turn", "multiply-adds", "stall 1, waits for SB", ".reuse"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part;
    expect_refused({"compile", "add_one", "--loop"}, 1, "add_one has no loop with multiply-adds");
}

TEST(Compile, AnErrorNamesTheLine) {
    const std::string bad = program::file("bad.cu", "__global__ void k(float* x) {\n  x[0] = 1;\n  y = 2;\n}\n");
    expect_refused({"compile", bad}, 2, "bad.cu:3");
    expect_refused({"compile", "/no/such.cu"}, 2, "/no/such.cu");
}

// What hangs the compiler, or would make it read without end, is a sentence of the program. What crashes it: test_compile.
TEST(Compile, HostileFilesAreASentence) {
    const auto refused = [](const std::string& file, const std::string& says) {
        const auto result = run({"compile", file}, "GEMMSCOPE_COMPILE_SECONDS=2");
        EXPECT_EQ(result.code, 2) << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_TRUE(result.err.starts_with("gemmscope: ")) << result.err;
        EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    };
    std::string doubling = "#define M0 +1\n";
    for (int i = 1; i <= 40; ++i)
        doubling +=
            "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " M" + std::to_string(i - 1) + "\n";
    refused(program::file("bomb.cu", doubling + "__global__ void k(int* x) { x[0] = M40; }\n"),
            "did not come to an end within 2 s");
    refused(program::file("zero.cu", "#include \"/dev/zero\"\n__global__ void k(int* x) { x[0] = 1; }\n"),
            "zero.cu:1: /dev/zero is a device");
    refused(program::file("tty.cu", "#include \"/dev/tty\"\n__global__ void k(int* x) { x[0] = 1; }\n"),
            "tty.cu:1: /dev/tty is a device");
    ASSERT_EQ(::mkfifo((program::folder() / "pipe.h").c_str(), 0600), 0);
    refused(program::file("fifo.cu", "#include \"pipe.h\"\n__global__ void k(int* x) { x[0] = 1; }\n"),
            "fifo.cu:1: pipe.h is a device or a pipe");
}

// As `gemmscope setup` makes it. The compiler's process may open what lies in the toolkit and in the file's own folders.
TEST(Compile, AToolkitOfLinksIsRead) {
    const auto nvrtc = compile::availability();
    if (!nvrtc.found) GTEST_SKIP() << "no NVRTC";
    namespace fs = std::filesystem;
    const fs::path open = program::folder() / "open", toolkit = open / "toolkit";
    for (const char* header : {"cuda_fp16.h", "linked.h"})
        ASSERT_TRUE(base::write_file(toolkit / "wheels/a" / header, "#define LINKED 78\n").ok());
    fs::create_directories(toolkit / "include");
    fs::create_directories(toolkit / "lib");
    for (const char* header : {"cuda_fp16.h", "linked.h"})
        fs::create_symlink(toolkit / "wheels/a" / header, toolkit / "include" / header);
    const fs::path library = fs::canonical(nvrtc.path);
    fs::create_symlink(library, toolkit / "lib/libnvrtc.so.13");
    for (const auto& beside : fs::directory_iterator(library.parent_path()))
        if (const fs::path name = beside.path().filename(); name.string().starts_with("libnvrtc-builtins.so"))
            fs::create_symlink(beside.path(), toolkit / "lib" / name);
    fs::permissions(open, fs::perms::all); // so that the file's folders end there
    const std::string source = (open / "own/k.cu").string();
    ASSERT_TRUE(base::write_file(source, "#include <linked.h>\n__global__ void k(int* x) { x[0] = LINKED; }\n").ok());
    const auto compiled = run({"compile", source, "--json"},
                              "GEMMSCOPE_CACHE=" + program::quoted((open / "cache").string()) +
                                  " GEMMSCOPE_NVRTC=" + program::quoted((toolkit / "lib/libnvrtc.so.13").string()));
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    EXPECT_NE(compiled.json()["ptx"].get<std::string>().find(", 78;"), std::string::npos) << "a header was not read";
}

TEST(Compile, TheServiceIsForOtherProcessesOnly) {
    expect_refused({"compiler"}, 2, "compiler serves other processes of gemmscope only");
    EXPECT_EQ(run({"--help"}).out.find("compiler"), std::string::npos) << "nobody types it";
}

// The object of the contract, field by field.
TEST(Compile, WithoutPtxasThereIsNoMachineCodeButEverythingElse) {
    const std::string missing = "GEMMSCOPE_PTXAS=/no/such/ptxas GEMMSCOPE_CACHE=/dev/null/cache";
    const auto compiled = run({"compile", "naive"}, missing);
    EXPECT_EQ(compiled.code, 3);
    EXPECT_EQ(
        compiled.err,
        "gemmscope: ptxas, which generates machine code, is missing: there is no program /no/such/ptxas; install the CUDA Toolkit 12 or 13, or run "
        "gemmscope setup, which gets ptxas from PyPI\n");
    const Names trace = {"trace", "naive", "-m", "33", "-n", "17", "-k", "9"};
    const auto traced = run(trace, missing);
    EXPECT_EQ(traced.code, 0) << traced.err;
    EXPECT_NE(traced.out.find("verified"), std::string::npos) << traced.out;
    EXPECT_NE(traced.out.find("executed as PTX: ptxas, which generates machine code, is missing"), std::string::npos)
        << traced.out;
    Names as_json = trace;
    as_json.push_back("--json");
    EXPECT_EQ(run(as_json, missing).json()["registers"], json());
    as_json.insert(as_json.end(), {"--engine", "machine"});
    const json fallen_back = run(as_json, missing).json();
    EXPECT_EQ(fallen_back["engine"], "ptx");
    EXPECT_NE(fallen_back["engine_fallback"].get<std::string>().find("ptxas"), std::string::npos);
    const auto doctor = run({"doctor", "--json"}, missing).json();
    const auto row =
        std::find_if(doctor.begin(), doctor.end(), [](const json& check) { return check["part"] == "ptxas"; });
    ASSERT_NE(row, doctor.end());
    EXPECT_EQ((*row)["found"], false);
}

TEST(Compile, AnotherProgramInPlaceOfPtxasIsSaid) {
    const auto something = run({"compile", "naive"}, "GEMMSCOPE_PTXAS=/bin/true");
    EXPECT_EQ(something.code, 3);
    EXPECT_NE(something.err.find("this is not ptxas"), std::string::npos) << something.err;
    const std::string dying = program::file(
        "ptxas", "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'release 13.0, V13.0.1'; exit; }\nkill -9 $$\n");
    std::filesystem::permissions(dying, std::filesystem::perms::owner_all);
    const auto killed = run({"compile", "naive"}, "GEMMSCOPE_PTXAS=" + dying);
    EXPECT_EQ(killed.code, 2);
    EXPECT_NE(killed.err.find("ptxas: it was killed by signal 9"), std::string::npos) << killed.err;
}

} // namespace
