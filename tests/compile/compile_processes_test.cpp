// Sources that hang, fill or crash a compiler: each is a sentence, and the next compilation is as if they had not been.
#include "base/file.h"
#include "base/sanitizer.h"
#include "compile/compile_processes.h"
#include "compile/compiler.h"
#include "compile/local_includes.h"
#include "scratch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

compile::Source source(std::string text, std::string name = "test.cu") {
    return {std::move(text), std::move(name), {}, {}, "sm_90"};
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

// 2^40 tokens.
std::string macro_bomb() {
    std::string text = "#define M0 +1\n";
    for (int i = 1; i <= 40; ++i) {
        const std::string before = "M" + std::to_string(i - 1);
        text += "#define M" + std::to_string(i) + " " + before + " " + before + "\n";
    }
    return text + "__global__ void k(int* x) { x[0] = M40; }\n";
}

class CompileProcesses : public testing::Test {
protected:
    void TearDown() override {
        const auto next = compile::to_machine_code(source("__global__ void next(int* x) { x[0] = 1; }"));
        EXPECT_TRUE(next.value) << next.failed->error.sentence();
    }
    std::string write(const std::string& name, const std::string& text) {
        EXPECT_TRUE(base::write_file(folder.path() / name, text).ok());
        return (folder.path() / name).string();
    }
    static base::Error refused(const compile::Source& input, std::stop_token stop = {}) {
        const auto compiled = compile::to_ptx(input, stop);
        EXPECT_FALSE(compiled.value);
        return compiled.failed ? compiled.failed->error : base::Error{};
    }
    scratch::Folder folder;
};

// It runs out of the memory that its process may take, which a sanitizer's process has no limit of.
TEST_F(CompileProcesses, ACrashOfTheCompilerIsASentence) {
    if (base::reserves_terabytes) GTEST_SKIP() << "no limit of memory under a sanitizer";
    const auto error = refused(source("__global__ void k(int* x) { x[0] = " + repeated("-+", 1'000'000) + "1; }\n"));
    EXPECT_TRUE(error.sentence().starts_with("test.cu: NVRTC was killed by signal ")) << error.sentence();
    EXPECT_EQ(error.failure, base::Failure::usage);
}

TEST_F(CompileProcesses, DeepBracketsHurtNobody) {
    (void)compile::to_ptx(source("__global__ void k(int* x) { x[0] = " + repeated("(", 200'000) + "1" +
                                 repeated(")", 200'000) + "; }\n"));
}

TEST_F(CompileProcesses, WhatNeverEndsIsEndedAfterTheSecondsAllowed) {
    const Variable allowed("GEMMSCOPE_COMPILE_SECONDS", "1");
    const auto error = refused(source(macro_bomb()));
    EXPECT_EQ(
        error.sentence(),
        "test.cu: NVRTC did not come to an end within 1 s; make it simpler, or allow more by GEMMSCOPE_COMPILE_SECONDS");
}

TEST_F(CompileProcesses, AStopEndsWhatNeverEnds) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(refused(source(macro_bomb()), stop.get_token()).what.english(), "stopped");
}

TEST_F(CompileProcesses, ACompilationThatIsAlmostDoneIsNotLostByAStop) {
    std::stop_source stop;
    stop.request_stop();
    (void)compile::availability(); // there is a process
    compile::warm_up();
    // Half a second is enough for it on any machine that is not overloaded; else it was stopped.
    const auto compiled = compile::to_ptx(source("__global__ void k(int* x) { x[0] = 1; }"), stop.get_token());
    EXPECT_TRUE(compiled.value || compiled.failed->error.what.english() == "stopped");
}

TEST_F(CompileProcesses, PipesAndDevicesAreNotRead) {
    ASSERT_EQ(::mkfifo((folder.path() / "pipe.h").c_str(), 0600), 0);
    write("outer.h", "\n#include \"pipe.h\"\n");
    const std::string kernel = "__global__ void k(int* x) { x[0] = 1; }\n", name = (folder.path() / "k.cu").string();
    for (const char* line :
         {"#include \"/dev/zero\"\n", "#include \"/dev/tty\"\n", "#include </dev/zero>\n", "#include \"pipe.h\"\n"}) {
        const auto error = refused(source(line + kernel, name));
        EXPECT_NE(error.what.english().find("is a device or a pipe"), std::string::npos) << line << error.sentence();
        EXPECT_EQ(error.where, name + ":1");
    }
    const auto error = refused(source("#include \"outer.h\"\n" + kernel, name));
    EXPECT_EQ(error.where, (folder.path() / "outer.h").string() + ":2") << error.sentence();
}

// Nobody writes into the pipe, and this name stands in no #include line.
TEST_F(CompileProcesses, APipeByAMacrosNameIsGivenUp) {
    ASSERT_EQ(::mkfifo((folder.path() / "pipe.h").c_str(), 0600), 0);
    const Variable allowed("GEMMSCOPE_COMPILE_SECONDS", "1");
    const auto error =
        refused(source("#define NAME \"pipe.h\"\n#include NAME\n__global__ void k(int* x) { x[0] = 1; }\n",
                       (folder.path() / "k.cu").string()));
    EXPECT_NE(error.what.english().find("did not come to an end within 1 s"), std::string::npos) << error.sentence();
}

TEST_F(CompileProcesses, PtxasThatNeverEndsIsEndedToo) {
    const std::string script =
        write("ptxas", "#!/bin/sh\n[ \"$1\" = --version ] && echo ', V13.0.0' && exit\nwhile :; do :; done\n");
    fs::permissions(script, fs::perms::owner_all);
    const Variable assembler("GEMMSCOPE_PTXAS", script);
    compile::CompileProcesses own; // that find this ptxas
    const compile::Source input = source("");
    std::stop_source stop;
    stop.request_stop();
    {
        const Variable allowed("GEMMSCOPE_COMPILE_SECONDS", "1");
        const auto late = own.assemble({"", "k", {}}, input, {});
        ASSERT_TRUE(late.failed);
        EXPECT_NE(late.failed->error.what.english().find("ptxas"), std::string::npos) << late.failed->error.sentence();
    }
    const auto stopped = own.assemble({"", "k", {}}, input, stop.get_token());
    ASSERT_TRUE(stopped.failed);
    EXPECT_EQ(stopped.failed->error.what.english(), "stopped");
}

TEST_F(CompileProcesses, WithoutTheProgramNothingIsCompiledHere) {
    const Variable program("GEMMSCOPE_PROGRAM", "/no/such/gemmscope");
    compile::CompileProcesses own;
    const auto compiled = own.translate(source("__global__ void k(int* x) { x[0] = 1; }"), {});
    ASSERT_TRUE(compiled.failed);
    EXPECT_EQ(compiled.failed->error.sentence(), "cannot start the compiler's process: No such file or directory");
    EXPECT_EQ(compiled.failed->error.failure, base::Failure::missing);
}

TEST_F(CompileProcesses, AProgramThatIsNoCompilerIsASentence) {
    for (const char* program : {"/bin/true", "/bin/echo"}) {
        const Variable other("GEMMSCOPE_PROGRAM", program);
        compile::CompileProcesses own;
        EXPECT_TRUE(own.translate(source(""), {}).failed) << program;
    }
}

// 2^40 paths lead to these two files.
TEST(LocalIncludes, ThroughLinksAFileIsReadOnce) {
    scratch::Folder folder;
    fs::create_directory_symlink(".", folder.path() / "a");
    fs::create_directory_symlink(".", folder.path() / "b");
    const std::string both = "#if 0\n#include \"a/x.h\"\n#include \"b/x.h\"\n#endif\n";
    ASSERT_TRUE(base::write_file(folder.path() / "x.h", both).ok());
    const auto files = compile::local_includes(both, folder.path() / "k.cu");
    ASSERT_TRUE(files) << files.error().sentence();
    EXPECT_EQ(files->size(), 1u);
}

// Of a file from somewhere: it would show what else the user has, in messages.
TEST(LocalIncludes, OfOtherFoldersAreNotRead) {
    scratch::Folder folder;
    const fs::path project = folder.path() / "project", kernel = project / "src/k.cu",
                   secret = folder.path() / "secret.h";
    for (const fs::path& file : {kernel, project / "common/x.h", secret}) ASSERT_TRUE(base::write_file(file, "").ok());
    fs::create_symlink(secret, project / "src/link.h");
    fs::permissions(folder.path(), fs::perms::all); // as /tmp is: what others put there is not the project's
    const auto included = [&](const std::string& name) {
        return compile::local_includes("\n#include \"" + name + "\"\n", kernel);
    };
    EXPECT_EQ(included("../common/x.h")->size(), 1u);
    EXPECT_EQ(included("x.h")->size(), 1u);
    EXPECT_TRUE(included("secret.h")->empty());
    for (const std::string& name : {secret.string(), std::string("../../secret.h"), std::string("link.h")}) {
        const auto refused = included(name);
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(
            refused.error().sentence(),
            kernel.string() + ":2: " + name +
                " lies neither in the folders of this file nor in the CUDA Toolkit, and is not read; copy it beside "
                "the file, or let $GEMMSCOPE_INCLUDE name its folder");
    }
    const Variable named("GEMMSCOPE_INCLUDE", "/nowhere:" + folder.path().string());
    EXPECT_EQ(included("link.h")->size(), 1u);
    EXPECT_EQ(included("secret.h")->size(), 1u) << "found there";
}

// This name stands in no #include line, so that nobody but the system can say no.
TEST_F(CompileProcesses, AFileOfAnotherFolderByAMacrosNameIsNotRead) {
    if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
        GTEST_SKIP() << "this system has no Landlock";
    const fs::path secret = write("secret.h", "#define SECRET 78\n"), other = folder.path() / "other";
    fs::permissions(folder.path(), fs::perms::all);
    fs::create_directories(other);
    const auto compiled = [&](const std::string& file) {
        return compile::to_ptx(source("#define NAME \"" + secret.string() +
                                          "\"\n#include NAME\n#ifndef SECRET\n#define SECRET 79\n#endif\n"
                                          "__global__ void k(int* x) { x[0] = SECRET; }\n",
                                      file));
    };
    const auto beside = compiled((folder.path() / "k.cu").string()), elsewhere = compiled((other / "k.cu").string());
    ASSERT_TRUE(beside.value) << beside.failed->error.sentence();
    EXPECT_NE(beside.value->text.find(", 78;"), std::string::npos);
    ASSERT_TRUE(elsewhere.value) << elsewhere.failed->error.sentence();
    EXPECT_NE(elsewhere.value->text.find(", 79;"), std::string::npos) << "it was read";
}

TEST(LocalIncludes, AreBounded) {
    scratch::Folder folder;
    std::string many;
    for (int i = 0; i <= 1000; ++i) {
        const std::string name = std::to_string(i) + ".h";
        ASSERT_TRUE(base::write_file(folder.path() / name, "").ok());
        many += "#include \"" + name + "\"\n";
    }
    const fs::path kernel = folder.path() / "k.cu";
    const auto files = compile::local_includes(many, kernel);
    ASSERT_FALSE(files);
    EXPECT_EQ(files.error().sentence(), kernel.string() + ":1001: more than 1000 files are included; include fewer");
    EXPECT_FALSE(compile::local_includes(repeated("#include <none.h>\n", 100'000), kernel));
    ASSERT_TRUE(base::write_file(folder.path() / "large.h", "").ok());
    fs::resize_file(folder.path() / "large.h", uintmax_t{1} << 40); // sparse
    EXPECT_FALSE(compile::local_includes("#include \"large.h\"\n", kernel));
}

} // namespace
