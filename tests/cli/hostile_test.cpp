// Files and launches that would take the program down, through the real binary: each ends with a sentence.
#include "program.h"

#include "base/sanitizer.h"

namespace {

using program::run;

std::vector<std::string> command(const std::string& name, const std::string& file,
                                 const std::vector<std::string>& launch = {"--grid", "2", "--block", "33"}) {
    std::vector<std::string> all{name, file, "--arg", "out:u32[4096]"};
    all.insert(all.end(), launch.begin(), launch.end());
    return all;
}

TEST(Hostile, NoFileEndsTheProgramByASignal) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TEST_DATA) + "/hostile")) {
        ++files;
        const bool cluster = entry.path().stem() == "local_of_a_cluster";
        for (const char* name : {"trace", "check"}) {
            const auto done = run(command(name, entry.path().string(),
                                          cluster ? std::vector<std::string>{"--grid", "8", "--block", "32"}
                                                  : std::vector<std::string>{"--grid", "2", "--block", "33"}));
            EXPECT_LE(done.code, 2) << entry.path() << " " << name << ": " << done.err;
        }
    }
    EXPECT_GT(files, 5);
}

TEST(Hostile, ARefusalNamesTheLine) {
    const auto done = run(command("check", std::string(TEST_DATA) + "/hostile/parameter_before_the_first.ptx"));
    EXPECT_EQ(done.code, 1);
    EXPECT_NE(done.out.find("parameter_before_the_first.ptx:8: error: "), std::string::npos) << done.out;
    EXPECT_NE((done.out + done.err).find("lies outside the kernel's 8 bytes of parameters"), std::string::npos)
        << done.out << done.err;
}

constexpr const char* narrow = "ulimit -v 3000000;";

// In an address space of 3 GB: 512 KB a thread, 1024 threads, 8 blocks, 16 CPU threads.
TEST(Hostile, MemoryIsSummedBeforeItIsTaken) {
    if (base::reserves_terabytes) GTEST_SKIP() << "a sanitizer does not start in so few addresses";
    const auto done = run(command("trace", std::string(TEST_DATA) + "/hostile/local_of_a_cluster.ptx",
                                  {"--grid", "64", "--block", "1024", "--threads", "16"}),
                          narrow);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(
        done.err.find(
            "executing one cluster of 8 blocks takes 4 GiB of memory, mostly for 524288 bytes of local memory a thread, and this machine has "),
        std::string::npos)
        << done.err;
    EXPECT_NE(done.err.find("use less local memory, or fewer threads in a block"), std::string::npos) << done.err;
}

TEST(Hostile, InitialValuesAreSummedBeforeTheyAreKept) {
    if (base::reserves_terabytes) GTEST_SKIP() << "a sanitizer does not start in so few addresses";
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (int n = 0; n < 1000; ++n) text += ".global .b8 a" + std::to_string(n) + "[67108864] = {0};\n";
    const auto done =
        run(command("trace", program::file("initialised.ptx", text + ".visible .entry k(.param .u64 p) { ret; }\n")),
            narrow);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(
        done.err.find(
            "the file's variables take more than 1 GB, the most that the engine keeps: a15 in line 19 is one too many"),
        std::string::npos)
        << done.err;
}

TEST(Hostile, OutputThatFindsNoRoomIsAFailure) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
    const std::string command = "GEMMSCOPE_STATE=" + program::quoted(program::folder().string()) + " " +
                                program::quoted(GEMMSCOPE) + " list >/dev/full 2>" +
                                program::quoted((program::folder() / "full").string());
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 2);
    EXPECT_EQ(*base::read_file(program::folder() / "full"),
              "gemmscope: the output was cut short; write it to where there is room\n");
}

} // namespace
