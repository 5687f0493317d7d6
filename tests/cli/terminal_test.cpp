// On a real terminal.
#include "program.h"

#include <array>
#include <pty.h>

namespace {
namespace fs = std::filesystem;

// What the program writes to a terminal, by standard output and standard error.
std::string on_a_terminal(const std::vector<std::string>& arguments) {
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (pid == 0) {
        std::vector<char*> command{const_cast<char*>(GEMMSCOPE)};
        for (const std::string& argument : arguments) command.push_back(const_cast<char*>(argument.c_str()));
        command.push_back(nullptr);
        ::execv(GEMMSCOPE, command.data());
        ::_exit(127);
    }
    std::string all;
    std::array<char, 4096> some{};
    for (ssize_t count; (count = ::read(terminal, some.data(), some.size())) > 0;) // an error: the program has ended
        all.append(some.data(), static_cast<size_t>(count));
    ::close(terminal);
    int status = -1;
    ::waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << all;
    return all;
}

// Names of files and titles of kernels come from whoever made them. A terminal takes some characters for commands: it would type
// for its user.
TEST(Terminal, IsNotCommandedByWhatOthersWrote) {
    const std::string escape = "\x1b]0;owned\x07", short_escape = "\xc2\x9b"
                                                                  "5n";
    program::file("strange/" + escape + short_escape + ".cu", "int no_kernel;\n");
    program::file("strange/good.cu", "/* gemmscope\nfamily = \"own\"\nrung = 1\nprovenance = \"test\"\n"
                                     "title = { en = \"\\u001b]0;owned\\u0007\" }\nidea = { en = \"One.\" }\n"
                                     "[launch]\nblock = [\"32\"]\ngrid = [\"1\"]\n*/\n"
                                     "__global__ void good(int M) {}\n");
    const std::string said = on_a_terminal({"list", "--kernels", (program::folder() / "strange").string()});
    EXPECT_NE(said.find("owned"), std::string::npos) << said;
    EXPECT_NE(said.find("left out"), std::string::npos) << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
    EXPECT_EQ(said.find('\x07'), std::string::npos) << said;
    EXPECT_EQ(said.find("\xc2\x9b"), std::string::npos) << said;
}

} // namespace
