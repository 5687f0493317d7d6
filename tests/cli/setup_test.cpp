// setup, with an invented python3 in place of pip and PyPI.
#include "program.h"

namespace {
namespace fs = std::filesystem;

using program::Names;
using program::run;

// A folder of the user's own, and a PATH whose python3 is this text of sh.
class Setup : public testing::Test {
protected:
    void SetUp() override {
        fs::remove_all(data());
        fs::remove_all(path());
    }
    static fs::path data() { return program::folder() / "data"; }
    static fs::path path() { return program::folder() / "path"; }
    static fs::path cuda() { return data() / "cuda"; }

    static program::Result setup(const std::string& python, Names arguments = {}) {
        const std::string file = program::file("path/python3", "#!/bin/sh\n" + python);
        fs::permissions(file, fs::perms::owner_all);
        arguments.insert(arguments.begin(), "setup");
        return run(arguments, "PATH=" + program::quoted(path().string() + ":/usr/bin:/bin") +
                                  " GEMMSCOPE_DATA=" + program::quoted(data().string()));
    }
    // pip that unpacks two files and notes what it was asked for.
    static constexpr const char* works = R"(
case "$*" in
*"-c import venv"* | *--version*) exit 0 ;;
esac
echo "$*" >>"$(dirname "$0")/asked"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/nvidia/cu13/bin" "$2/nvidia/cu13/lib" && echo ptxas >"$2/nvidia/cu13/bin/ptxas" && echo nvrtc >"$2/nvidia/cu13/lib/libnvrtc.so.13"
)";
    static std::string asked() {
        auto text = base::read_file(path() / "asked");
        return text ? *text : std::string();
    }
};

TEST_F(Setup, LaysTheWheelsIntoTheUsersFolder) {
    const auto first = setup(works, {"--cuda", "13"});
    EXPECT_EQ(*base::read_file(cuda() / "bin/ptxas"), "ptxas\n") << first.err;
    EXPECT_EQ(*base::read_file(cuda() / "lib/libnvrtc.so.13"), "nvrtc\n");
    EXPECT_NE(asked().find("nvidia-cuda-nvrtc==13"), std::string::npos) << asked();
    EXPECT_EQ(asked().find("cublas"), std::string::npos) << asked();
    EXPECT_EQ(std::distance(fs::directory_iterator(data()), {}), 1) << "something was left beside it";

    const std::string before = asked();
    EXPECT_NE(setup(works, {"--cuda", "13"}).out.find("is there already"), std::string::npos);
    EXPECT_EQ(asked(), before) << "nothing is fetched twice";
    (void)setup(works, {"--cuda", "13", "--cublas"});
    EXPECT_NE(asked().find("nvidia-cublas==13"), std::string::npos) << asked();
    (void)setup(works, {"--cuda", "12"});
    EXPECT_NE(asked().find("nvidia-cuda-nvrtc-cu12==12"), std::string::npos) << asked();

    EXPECT_EQ(setup(works, {"--remove"}).code, 0);
    EXPECT_FALSE(fs::exists(cuda()));
}

// Python as `python` says, after which what was there is there still.
struct Wrong {
    const char *python, *says;
};
class SetupFails : public Setup, public testing::WithParamInterface<Wrong> {};
TEST_P(SetupFails, InOneSentenceAndLeavesWhatWasThere) {
    ASSERT_TRUE(base::write_file(cuda() / "bin/ptxas", "old").ok());
    const auto result = setup(GetParam().python);
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(GetParam().says), std::string::npos) << result.err;
    EXPECT_EQ(*base::read_file(cuda() / "bin/ptxas"), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(data()), {}), 1) << "something was left beside it";
}
constexpr Wrong no_python{"exit 127", "python3, whose pip fetches them, is missing; install python3 and python3-venv"};
constexpr Wrong no_pip{"[ \"$1\" = -c ]",
                       "python3 has no pip, and makes no environment that has one; install python3-venv"};
constexpr Wrong no_network{"case \"$*\" in *install*) echo 'WARNING: NewConnectionError(...)' >&2; exit 1 ;; esac",
                           "PyPI does not answer: NewConnectionError"};
constexpr Wrong no_room{
    "case \"$*\" in *install*) echo 'ERROR: [Errno 28] No space left on device' >&2; exit 1 ;; esac",
    "the disk is full"};
constexpr Wrong no_wheel{
    "case \"$*\" in *install*) echo 'ERROR: No matching distribution found for x' >&2; exit 1 ;; esac",
    "pip exited with status 1: No matching distribution found for x"};
constexpr Wrong nothing{"exit 0", "the wheels cannot be linked"};
INSTANTIATE_TEST_SUITE_P(Each, SetupFails, testing::Values(no_python, no_pip, no_network, no_room, no_wheel, nothing));

TEST_F(Setup, EndsWithCtrlCAndLeavesWhatWasThere) {
    ASSERT_TRUE(base::write_file(cuda() / "bin/ptxas", "old").ok());
    const auto result = setup("case \"$*\" in *install*) kill -INT $PPID; sleep 600 ;; esac");
    EXPECT_NE(result.code, 0);
    EXPECT_NE(result.err.find("interrupted; what was there before is unchanged"), std::string::npos) << result.err;
    EXPECT_EQ(*base::read_file(cuda() / "bin/ptxas"), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(data()), {}), 1) << "something was left beside it";
}

TEST_F(Setup, RefusesWhatItDoesNotKnow) { program::expect_refused({"setup", "--cuda", "11"}, 2, "--cuda"); }

} // namespace
