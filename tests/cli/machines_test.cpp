// Remote GPUs by name: remembered, tried, told by doctor, used where a worker is named.
#include "program.h"

namespace {

using program::expect_refused;
using program::run;

const std::string fake_command = "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' ";

TEST(MachinesCommand, AMachineIsRememberedTriedUsedAndForgotten) {
    const auto remembered = run({"machines", "lab", fake_command + "good"});
    EXPECT_EQ(remembered.code, 0) << remembered.err;
    EXPECT_NE(remembered.out.find("answers"), std::string::npos) << remembered.out;
    EXPECT_NE(remembered.out.find("Fake, driver 1.2, CUDA 13.0"), std::string::npos) << remembered.out;
    run({"machines", "away", "echo no route to it >&2; exit 255"});
    const auto all = run({"machines", "--json"}).json();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0]["found"]);
    EXPECT_FALSE(all[1]["found"]);
    EXPECT_NE(all[1]["detail"].get<std::string>().find("no route to it"), std::string::npos) << all[1];
    bool told = false;
    for (const auto& row : run({"doctor", "--json"}).json())
        told |= row["part"] == "machine lab" && row["found"] == true;
    EXPECT_TRUE(told);
    const auto device = run({"device", "--json", "--worker", "lab"});
    EXPECT_EQ(device.code, 0) << device.err;
    EXPECT_EQ(device.json()["device"]["name"], "Fake");
    EXPECT_EQ(run({"machines", "lab", "--remove"}).code, 0);
    expect_refused({"machines", "lab"}, 2, "there is no machine lab");
    expect_refused({"machines", "la/b", "x"}, 2, "no name of a machine");
}

TEST(MachinesCommand, AFileThatIsNotUnderstoodIsSaid) {
    program::file("machines", "* lab\n"); // the state folder is that of the test
    expect_refused({"machines"}, 2, "machines:1: the machine lab has no command of one line");
    bool told = false;
    for (const auto& row : run({"doctor", "--json"}).json()) told |= row["part"] == "machines" && row["found"] == false;
    EXPECT_TRUE(told);
}

} // namespace
