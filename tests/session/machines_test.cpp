// Remote GPUs: the list that is kept, what a machine answers, where runs are made.
#include "session/machines.h"

#include "base/file.h"
#include "fixture.h"
#include "session/gpu_runs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using session::Machine;
using session::MachineList;
using session::Machines;

std::string fake(const std::string& mode) { return "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' " + mode; }

TEST(Machines, TheListIsAFileOfLines) {
    fixture::Folder folder;
    const auto file = folder.path / "machines";
    const auto none = session::read_machines(file);
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->machines.empty());
    MachineList list;
    ASSERT_TRUE(list.add({"lab", "  ssh -p 22 lab 'gemmscope' worker "}));
    ASSERT_TRUE(list.add({"node-1.b", "srun -N1 gemmscope worker"}));
    list.chosen = "node-1.b";
    ASSERT_TRUE(session::write_machines(file, list));
    const auto read = session::read_machines(file);
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(*read, list);
    EXPECT_EQ(read->find("lab")->command, "ssh -p 22 lab 'gemmscope' worker");
    ASSERT_TRUE(list.add({"lab", "ssh other gemmscope worker"})) << "another command for it";
    EXPECT_EQ(list.machines.size(), 2u);
    EXPECT_TRUE(list.remove("node-1.b"));
    EXPECT_EQ(list.chosen, "");
    EXPECT_FALSE(list.remove("node-1.b"));
}

TEST(Machines, WhatIsNoMachineIsNamedByItsLine) {
    const auto failure = [](const std::string& text) {
        const auto list = session::machines_from(text, "file");
        return list ? std::string() : list.error().sentence();
    };
    EXPECT_EQ(failure("# a remark\n\n* lab ssh lab gemmscope worker\n"), "");
    EXPECT_NE(failure("lab a\nla/b b\n").find("file:2: \"la/b\" is no name of a machine"), std::string::npos);
    EXPECT_NE(failure("lab\n").find("file:1: the machine lab has no command of one line"), std::string::npos);
    EXPECT_NE(failure("--worker x\n").find("no name"), std::string::npos) << "that is an option";
    EXPECT_NE(failure(std::string(40, 'a') + " x\n").find("no name"), std::string::npos);
    EXPECT_NE(failure("lab " + std::string(2000, 'x')).find("no command"), std::string::npos);
    std::string many;
    for (size_t i = 0; i <= session::most_machines; ++i) many += "m" + std::to_string(i) + " x\n";
    EXPECT_NE(failure(many).find("32 machines are remembered already"), std::string::npos);
    EXPECT_NE(failure(std::string(100'000, '#')).find("longer than"), std::string::npos);
}

// Another window has added one meanwhile; a file that is not understood is not written over.
TEST(Machines, TheFileIsReadAgainBeforeItIsWritten) {
    fixture::Folder folder;
    const auto file = folder.path / "machines";
    Machines first(file, "", {}), second(file, "", {});
    ASSERT_TRUE(first.add({"a", "one"}));
    ASSERT_TRUE(second.add({"b", "two"}));
    EXPECT_EQ(second.all().size(), 2u);
    ASSERT_TRUE(second.choose({"a", "one"}));
    EXPECT_EQ(Machines(file, "", {}).command(), "one");
    EXPECT_EQ(Machines(file, "b", {}).command(), "two") << "--worker by its name";
    EXPECT_EQ(Machines(file, "ssh c worker", {}).command(), "ssh c worker");
    ASSERT_TRUE(second.remove("a"));
    EXPECT_EQ(second.command(), "") << "this machine";
    ASSERT_TRUE(base::write_file(file, "la/b x\n"));
    EXPECT_FALSE(second.add({"c", "three"}));
    EXPECT_EQ(*base::read_file(file), "la/b x\n");
    EXPECT_NE(Machines(file, "", {}).notice().english().find("la/b"), std::string::npos);
}

TEST(Machines, TwoWindowsThatRememberAtOnceLoseNothing) {
    fixture::Folder folder;
    const auto file = folder.path / "machines";
    constexpr int each = session::most_machines / 2;
    const auto remember = [&](const std::string& window) {
        Machines machines(file, "", {});
        bool all = true;
        for (int i = 0; i < each; ++i) all &= machines.add({window + std::to_string(i), "ssh lab"}).ok();
        return all;
    };
    const pid_t child = ::fork();
    if (child == 0) ::_exit(remember("a") ? 0 : 1);
    EXPECT_TRUE(remember("b"));
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(session::read_machines(file)->machines.size(), size_t{2 * each});
}

TEST(Machines, ATrialSaysWhatIsThereAndHowFar) {
    session::MachineTrial there(fake("good"), {}, 60);
    while (!there.outcome()) there.wait(60);
    ASSERT_TRUE(*there.outcome()) << there.outcome()->error().sentence();
    const session::MachineAnswer& answer = **there.outcome();
    EXPECT_EQ(answer.devices.at(0).name, "Fake");
    EXPECT_EQ(answer.host, "fakehost");
    EXPECT_EQ(answer.driver, "1.2");
    EXPECT_GT(answer.round_trip_ms, 0);
    session::MachineTrial slow(fake("slow_ping"), {}, 60);
    while (!slow.outcome()) slow.wait(60);
    ASSERT_TRUE(*slow.outcome());
    EXPECT_GE((*slow.outcome())->round_trip_ms, 50);
    session::MachineTrial not_there("echo 'ssh: Could not resolve hostname lab' >&2; exit 255", {}, 60);
    while (!not_there.outcome()) not_there.wait(60);
    ASSERT_FALSE(*not_there.outcome());
    EXPECT_NE(not_there.outcome()->error().sentence().find("Could not resolve hostname lab"), std::string::npos);
}

// What became of a run, in a session where a machine was chosen.
class Elsewhere : public testing::Test {
protected:
    void run(const std::string& mode) {
        auto options = fixture::options();
        options.machines = folder_.path / "machines";
        ASSERT_TRUE(session::write_machines(options.machines, {{{"lab", fake(mode)}}, "lab"}));
        session_ = std::make_unique<session::Session>(options);
        again();
    }
    void again() {
        auto view = fixture::small("naive");
        view.middle_tab = session::MiddleTab::result;
        view.speed_problem = view.subject.problem;
        session::Commands commands;
        commands.run_on_gpu = true;
        session_->apply(view, commands);
        session_->wait();
    }
    void choose(const std::string& mode) {
        session::Commands commands;
        for (const auto kind : {session::MachineWish::Kind::add, session::MachineWish::Kind::choose})
            commands.machines.push_back({kind, {"other", fake(mode)}});
        session_->apply(session_->view(), commands);
    }
    fixture::Folder folder_;
    std::unique_ptr<session::Session> session_;
};

using Face = session::GpuState::Face;

TEST_F(Elsewhere, ALostConnectionKeepsWhatWasMeasuredAndTheNextRunStartsAnew) {
    run("lost_at_second");
    EXPECT_EQ(session_->gpu().face, Face::failed);
    EXPECT_NE(session_->gpu().reason.english().find("Connection to lab closed by remote host"), std::string::npos)
        << session_->gpu().reason.english();
    ASSERT_TRUE(session_->gpu_result()) << "C came before";
    choose("good");
    EXPECT_EQ(session_->gpu().face, Face::unknown) << "of another machine nothing is known";
    EXPECT_FALSE(session_->gpu_result());
    again();
    EXPECT_EQ(session_->gpu().face, Face::idle) << session_->gpu().reason.english();
    EXPECT_TRUE(session_->timeline());
}

// A queue gives another GPU than before: what was compiled is for the other.
TEST_F(Elsewhere, AnotherGpuIsCompiledForAnew) {
    ::setenv("FAKE_STARTS", (folder_.path / "starts").c_str(), 1);
    run("another_each_time");
    ASSERT_EQ(session_->gpu().face, Face::idle) << session_->gpu().reason.english();
    EXPECT_EQ(session_->gpu().here->device.arch, "sm_90");
    for (int i = 0; i < 3 && session_->gpu().here->device.arch == "sm_90"; ++i)
        again(); // the first one may just be ending
    ::unsetenv("FAKE_STARTS");
    EXPECT_EQ(session_->gpu().face, Face::idle) << session_->gpu().reason.english();
    ASSERT_TRUE(session_->gpu().here);
    EXPECT_EQ(session_->gpu().here->device.arch, "sm_80");
}

} // namespace
