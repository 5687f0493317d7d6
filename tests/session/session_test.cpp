#include "fixture.h"
#include "session/playback.h"
#include "session/recent_files.h"
#include "session/sample.h"
#include "session/session.h"

#include "analysis/occupancy.h"
#include "base/file.h"
#include "compile/compiler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <sys/stat.h>
#include <thread>

namespace {

using session::Commands;
using session::Session;
using session::View;

template <class T>
using Face = typename session::Slot<T>::Face;

// A subject whose whole grid takes long (20 s of a core and more), while it is being counted.
void count_for_long(Session& session) {
    View large;
    large.subject.kernel = "naive";
    large.subject.problem = {2048, 2048, 2048};
    session.apply(large, {});
    Commands count;
    count.run_grid = true;
    fixture::until(session, [&] { return session.products().grid_estimate_s.has_value(); });
    session.apply(session.view(), count);
    fixture::until(session, [&] { return session.products().grid.progress > 0; });
}

TEST(Session, ComputesEverythingAboutItsSubject) {
    std::atomic<int> woken = 0;
    auto options = fixture::options();
    options.wake = [&woken] { ++woken; };
    Session session(options);
    EXPECT_FALSE(session.busy()); // not before the first view
    session.apply(View{}, {});
    EXPECT_TRUE(session.busy());
    session.wait();
    const auto& products = session.products();
    EXPECT_EQ(products.prepared.face, Face<session::Prepared>::ready);
    EXPECT_EQ(products.block.face, Face<session::BlockRun>::ready);
    EXPECT_EQ(products.machine.face, Face<compile::MachineCode>::ready);
    EXPECT_EQ(products.state.face, Face<sim::BlockState>::empty);
    ASSERT_EQ(products.grid.face, Face<session::FullRun>::ready);
    EXPECT_TRUE(products.grid.value->verification->passed);
    EXPECT_GE(woken, 3);
    EXPECT_FALSE(session.view().subject.parameters.empty());
    EXPECT_EQ(session.kernel()->id, "double_buffer");
    EXPECT_TRUE(session.take_notices().empty());
    EXPECT_FALSE(session.series().empty());
    EXPECT_EQ(session.baseline(), nullptr);
    // The moment shown is the interesting instruction.
    const auto& block = *products.block.value;
    const auto& events = block.trace.events;
    EXPECT_EQ(events[session.view().selection.event].pc, events[block.interesting_event].pc);
    EXPECT_EQ(events[session.view().selection.event].warp, session.view().selection.warp);
}

TEST(Session, ItsArchitecturesHaveATableOfOccupancyAndACompiler) {
    Session session(fixture::options());
    EXPECT_EQ(session.architectures(), analysis::architectures());
    session.apply(fixture::small("naive"), {});
    session.wait();
    const auto compiled = compile::availability().architectures;
    ASSERT_FALSE(session.architectures().empty());
    for (const std::string& one : session.architectures()) {
        EXPECT_TRUE(analysis::multiprocessor(one)) << one;
        EXPECT_TRUE(std::find(compiled.begin(), compiled.end(), one) != compiled.end()) << one;
    }
}

TEST(Session, KeepsThePictureWhileTheNextIsComputed) {
    Session session(fixture::options());
    session.apply(fixture::small(), {});
    session.wait();
    auto old = session.products().block.value;
    ASSERT_TRUE(old);
    View next = session.view();
    next.subject.parameters["TILE"] = 8;
    session.apply(next, {});
    EXPECT_EQ(session.products().block.face, Face<session::BlockRun>::computing);
    EXPECT_EQ(session.products().block.value, old);
    session.wait();
    EXPECT_EQ(session.products().block.face, Face<session::BlockRun>::ready);
    EXPECT_NE(session.products().block.value, old);
    EXPECT_EQ(session.products().block.value->trace.block.count(), 64u);
}

TEST(Session, ANewerSubjectCancelsTheOlder) {
    Session session(fixture::options());
    count_for_long(session);
    const View large = session.view();
    session.apply(fixture::small("naive"), {});
    session.wait();
    ASSERT_TRUE(session.products().grid.value);
    EXPECT_EQ(session.products().grid.value->memory.buffers()[0].rows, 64u);
    EXPECT_EQ(session.products().block.value->trace.buffers[0].rows, 64u);
    session.apply(large, {});
    EXPECT_NE(session.products().grid.face, Face<session::FullRun>::ready)
        << "it was counted to its end, and remembered";
}

TEST(Session, AGridThatTakesLongIsCountedOnlyWhenAskedFor) {
    Session session(fixture::options());
    View large;
    large.subject.kernel = "naive";
    large.subject.problem = {2048, 2048, 2048};
    session.apply(large, {});
    session.wait(); // does not take minutes
    const auto& products = session.products();
    ASSERT_EQ(products.block.face, Face<session::BlockRun>::ready);
    EXPECT_EQ(products.machine.face, Face<compile::MachineCode>::ready);
    ASSERT_TRUE(products.grid_estimate_s);
    EXPECT_GT(*products.grid_estimate_s, 1);
    ASSERT_EQ(products.grid.face, Face<session::FullRun>::ready) << "its numbers are there";
    ASSERT_TRUE(products.grid.value->sample);
    EXPECT_EQ(products.grid.value->sample->executed(), 1u);
    EXPECT_EQ(products.grid.value->sample->blocks(), 16384u);
    EXPECT_EQ(products.grid.value->totals.ffma_thread_instructions, uint64_t{2048} * 2048 * 2048);
    EXPECT_FALSE(products.grid.value->verification);
    EXPECT_TRUE(products.widths);

    Commands count, cancel;
    count.run_grid = cancel.cancel = true;
    session.apply(session.view(), count);
    EXPECT_TRUE(session.busy());
    EXPECT_EQ(products.grid.face, Face<session::FullRun>::computing);
    session.apply(session.view(), cancel);
    EXPECT_EQ(products.grid.face, Face<session::FullRun>::empty); // and can be asked for again
    EXPECT_TRUE(products.grid_estimate_s);

    View small = session.view();
    small.subject.problem = {64, 64, 64};
    session.apply(small, {});
    session.wait();
    EXPECT_FALSE(products.grid_estimate_s);
    ASSERT_EQ(products.grid.face, Face<session::FullRun>::ready);
    EXPECT_TRUE(products.grid.value->verification->passed);
}

TEST(Session, ARunOnTheGpuDoesNotWaitForALongCount) {
    auto options = fixture::options();
    options.worker = "false"; // a worker that ends at once
    Session session(options);
    View large;
    large.subject.kernel = "naive";
    large.subject.problem = {2048, 2048, 2048};
    Commands run, cancel;
    run.run_on_gpu = cancel.cancel = true;
    session.apply(large, {});
    session.apply(session.view(), run); // before anything is known of how long it takes
    session.wait();
    const auto& products = session.products();
    ASSERT_EQ(products.grid.face, Face<session::FullRun>::ready);
    EXPECT_TRUE(products.grid.value->sample) << "some of its blocks";
    ASSERT_EQ(products.stand_in.face, Face<session::StandIn>::ready);
    EXPECT_EQ(products.stand_in.value->verdict, session::StandIn::Verdict::passed);

    large.subject.problem.k = 1024;
    session.apply(large, {});
    EXPECT_EQ(products.stand_in.face, Face<session::StandIn>::empty) << "it was about another size";
    session.wait();
    EXPECT_EQ(products.stand_in.face, Face<session::StandIn>::empty) << "only when a run was asked for";
    session.apply(session.view(), run);
    EXPECT_EQ(products.stand_in.face, Face<session::StandIn>::computing);
    session.apply(session.view(), cancel);
    EXPECT_EQ(products.stand_in.face, Face<session::StandIn>::empty);
    large.subject.problem.k = 2048;
    session.apply(large, {});
    EXPECT_EQ(products.stand_in.face, Face<session::StandIn>::ready) << "remembered";
}

TEST(Session, EndsWithoutFinishingItsWork) {
    auto session = std::make_unique<Session>(fixture::options());
    count_for_long(*session);
    const std::clock_t before = std::clock(); // of the process's processor time
    session.reset();
    EXPECT_LT((std::clock() - before) / CLOCKS_PER_SEC, 10) << "its grid takes longer";
}

TEST(Session, WhatIsKnownIsReadyAtOnce) {
    Session session(fixture::options());
    session.apply(fixture::small("naive"), {});
    session.wait();
    const View first = session.view();
    auto picture = session.products().block.value;
    session.apply(fixture::small("shared_tile"), {});
    session.wait();
    session.apply(first, {});
    EXPECT_EQ(session.products().block.face, Face<session::BlockRun>::ready);
    EXPECT_EQ(session.products().grid.face, Face<session::FullRun>::ready);
    EXPECT_EQ(session.products().block.value, picture);
    EXPECT_FALSE(session.busy());
}

TEST(Session, AnotherBlockIsAnotherTraceOfTheSameRun) {
    Session session(fixture::options());
    session.apply(fixture::small(), {});
    session.wait();
    auto grid = session.products().grid.value;
    View next = session.view();
    next.selection.block = {1, 1, 0};
    session.apply(next, {});
    EXPECT_EQ(session.products().grid.face, Face<session::FullRun>::ready);
    session.wait();
    EXPECT_EQ(session.products().block.value->trace.block_index, (base::Dim3{1, 1, 0}));
    EXPECT_EQ(session.products().grid.value, grid);
    next = session.view();
    next.selection.block = {500, 500, 500};
    session.apply(next, {});
    session.wait();
    const auto& trace = session.products().block.value->trace;
    EXPECT_EQ(trace.block_index, (base::Dim3{trace.grid.x - 1, trace.grid.y - 1, 0}));
    EXPECT_EQ(session.view().selection.block, trace.block_index);
}

TEST(Session, SelectionStaysWithinTheNewKernel) {
    Session session(fixture::options());
    View view = fixture::small("naive");
    session.apply(view, {});
    session.wait();
    view = session.view();
    view.selection.warp = 7, view.selection.lane = 31, view.selection.block = {1, 1, 0};
    session.apply(view, {});
    session.wait();
    view = session.view();
    view.subject = fixture::small("shared_tile").subject;
    view.subject.parameters = {{"TILE", 8}};
    session.apply(view, {});
    session.wait();
    const auto& selection = session.view().selection;
    const auto& block = *session.products().block.value;
    EXPECT_LT(selection.warp, 2); // 64 threads
    EXPECT_EQ(selection.lane, 31);
    ASSERT_LT(selection.event, block.trace.events.size());
    EXPECT_EQ(block.trace.events[selection.event].pc, block.trace.events[block.interesting_event].pc);
}

TEST(Session, ErrorsReachThePanelsAndGoAway) {
    Session session(fixture::options());
    View view = fixture::small("shared_tiel");
    session.apply(view, {});
    session.wait();
    ASSERT_EQ(session.products().prepared.face, Face<session::Prepared>::failed);
    EXPECT_NE(session.products().block.failed->error.sentence().find("did you mean shared_tile?"), std::string::npos);
    EXPECT_EQ(session.kernel(), nullptr);
    view.subject.kernel = "shared_tile";
    view.subject.parameters = {{"TILE", 5}};
    session.apply(view, {});
    session.wait();
    ASSERT_TRUE(session.products().grid.failed);
    EXPECT_NE(session.products().grid.failed->error.what.english().find("TILE"), std::string::npos);
    view.subject.parameters.clear();
    session.apply(view, {});
    session.wait();
    EXPECT_EQ(session.products().grid.face, Face<session::FullRun>::ready);
    EXPECT_FALSE(session.products().grid.failed);
}

TEST(Session, ACompileErrorKeepsItsLines) {
    fixture::Folder folder;
    auto text = base::read_file(SOURCE_DIR "/kernels/naive.cu");
    ASSERT_TRUE(text.ok());
    ASSERT_TRUE(base::write_file(folder.path / "naive.cu", *text + "\n__device__ int broken = nonsense;\n").ok());
    auto options = fixture::options();
    options.kernel_folders = {folder.path};
    Session session(options);
    session.apply(fixture::small("naive"), {});
    session.wait();
    ASSERT_TRUE(session.products().prepared.failed);
    ASSERT_FALSE(session.products().prepared.failed->diagnostics.empty());
    EXPECT_GT(session.products().prepared.failed->diagnostics[0].line, 1);
    EXPECT_EQ(session.products().grid.face, Face<session::FullRun>::failed);
    EXPECT_FALSE(session.busy());
}

TEST(Session, UndoAndRedo) {
    Session session(fixture::options());
    session.apply(fixture::small("naive"), {});
    session.wait();
    View next = session.view();
    next.subject = fixture::small("shared_tile").subject;
    session.apply(next, {});
    session.wait();
    Commands undo, redo;
    undo.undo = true, redo.redo = true;
    session.apply(session.view(), undo);
    EXPECT_EQ(session.kernel()->id, "naive");
    EXPECT_EQ(session.products().grid.face, Face<session::FullRun>::ready);
    session.apply(session.view(), redo);
    EXPECT_EQ(session.kernel()->id, "shared_tile");
    session.apply(session.view(), undo);
    session.apply(session.view(), undo); // nothing before the first
    EXPECT_EQ(session.kernel()->id, "naive");
    session.wait();
}

TEST(Session, BaselineHasItsOwnProducts) {
    Session session(fixture::options());
    View view = fixture::small("shared_tile");
    view.baseline = fixture::small("naive").subject;
    session.apply(view, {});
    session.wait();
    ASSERT_NE(session.baseline(), nullptr);
    ASSERT_TRUE(session.baseline()->grid.value && session.products().grid.value);
    EXPECT_EQ(session.baseline()->grid.value->totals.shared_load.instructions, 0u);
    EXPECT_GT(session.products().grid.value->totals.shared_load.instructions, 0u);
    view = session.view();
    view.baseline.reset();
    session.apply(view, {});
    EXPECT_EQ(session.baseline(), nullptr);
}

TEST(Session, ContentsAreComputedWhileTheirTabIsShown) {
    Session session(fixture::options());
    View view = fixture::small();
    view.middle_tab = session::MiddleTab::registers;
    session.apply(view, {});
    session.wait();
    ASSERT_EQ(session.products().state.face, Face<sim::BlockState>::ready);
    auto before = session.products().state.value;
    view = session.view();
    ++view.selection.event;
    session.apply(view, {});
    session.wait();
    EXPECT_NE(session.products().state.value, before);
    view = session.view();
    view.middle_tab = session::MiddleTab::banks;
    session.apply(view, {});
    EXPECT_EQ(session.products().state.face, Face<sim::BlockState>::empty);
}

TEST(Session, PlaysAtItsPaceToTheEnd) {
    Session session(fixture::options());
    View view = fixture::small();
    session.apply(view, {});
    session.wait();
    view = session.view();
    view.playing = true, view.events_per_second = 10;
    view.selection.event = 0;
    session.apply(view, {});
    EXPECT_FALSE(session.update(0.05)); // half an event
    EXPECT_TRUE(session.update(0.05));
    const auto& events = session.products().block.value->trace.events;
    const uint32_t moved = session.view().selection.event;
    EXPECT_GT(moved, 0u);
    EXPECT_EQ(events[moved].warp, session.view().selection.warp);
    for (int i = 0; i < 100000 && session.view().playing; ++i) session.update(1);
    EXPECT_FALSE(session.view().playing);
    for (size_t i = session.view().selection.event + 1; i < events.size(); ++i)
        EXPECT_NE(events[i].warp, session.view().selection.warp);
}

TEST(State, IsKeptAndRestored) {
    fixture::Folder folder;
    auto options = fixture::options();
    options.state_file = folder.path / "view.json";
    View view = fixture::small("naive");
    view.theme = session::Theme::light;
    {
        Session session(options);
        session.apply(view, {});
        session.wait();
        view = session.view();
    }
    session::Restored restored = session::restore(options.state_file);
    EXPECT_TRUE(restored.notice.empty());
    EXPECT_EQ(restored.view, view);
    // A restored step stays.
    restored.view.selection.event += 2;
    Session session(options);
    session.apply(restored.view, {});
    session.wait();
    EXPECT_EQ(session.view().selection.event / 64, restored.view.selection.event / 64);
}

TEST(State, IsOnDiskBeforeTheSessionEnds) {
    fixture::Folder folder;
    auto options = fixture::options();
    options.state_file = folder.path / "view.json";
    Session session(options);
    session.apply(fixture::small("naive"), {});
    fixture::until(session, [&] { return std::filesystem::exists(options.state_file); });
    EXPECT_EQ(session::restore(options.state_file).view.subject.kernel, "naive");
}

TEST(State, ADamagedFileIsKeptAside) {
    fixture::Folder folder;
    const auto file = folder.path / "view.json";
    ASSERT_TRUE(base::write_file(file, R"({"selection": {"lane": 99}})").ok());
    auto restored = session::restore(file);
    EXPECT_EQ(restored.view, View{});
    EXPECT_NE(restored.notice.english().find("selection.lane"), std::string::npos) << restored.notice.english();
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(std::filesystem::exists(folder.path / "view.json.damaged"));
    EXPECT_TRUE(session::restore(file).notice.empty()); // said once
}

// The next change would write the default view in its place.
TEST(State, AFileThatCannotBeReadIsKeptAside) {
    fixture::Folder folder;
    const auto file = folder.path / "view.json";
    ASSERT_TRUE(base::write_file(file, "").ok());
    std::filesystem::resize_file(file, uintmax_t{1} << 30); // more than any file that is read
    const auto restored = session::restore(file);
    EXPECT_EQ(restored.view, View{});
    EXPECT_NE(restored.notice.english().find("too large"), std::string::npos) << restored.notice.english();
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(std::filesystem::file_size(folder.path / "view.json.damaged"), uintmax_t{1} << 30);
}

// Nobody writes to them.
TEST(State, PipesAmongTheProgramsFilesAreNotWaitedFor) {
    fixture::Folder folder;
    for (const char* place : {"recorded/a.json", "recorded/devices/b.json", "recorded/profiles/c.json", "view.json",
                              "machines", "recent"}) {
        std::filesystem::create_directories((folder.path / place).parent_path());
        ASSERT_EQ(::mkfifo((folder.path / place).c_str(), 0600), 0);
    }
    auto options = fixture::options();
    options.assets = folder.path;
    options.machines = folder.path / "machines";
    Session session(options);
    std::string told;
    for (const auto& notice : session.take_notices()) told += notice.english() + "\n";
    for (const char* file : {"a.json", "b.json", "c.json", "machines"})
        EXPECT_NE(told.find(std::string(file) + ": this is a device or a pipe"), std::string::npos) << told;

    const auto restored = session::restore(folder.path / "view.json");
    EXPECT_NE(restored.notice.english().find("this is a device or a pipe"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_fifo(folder.path / "view.json.damaged"));
    EXPECT_TRUE(session::recent_files(folder.path / "recent").empty());
    EXPECT_FALSE(session::remember_file(folder.path / "recent", folder.path / "x.cu"));
}

TEST(State, AFolderThatCannotBeWrittenIsANotice) {
    auto options = fixture::options();
    options.state_file = "/proc/gemmscope/view.json";
    Session session(options);
    session.apply(fixture::small("naive"), {});
    std::vector<base::Sentence> told;
    fixture::until(session, [&] { return !(told = session.take_notices()).empty(); });
    EXPECT_NE(told[0].english().find("/proc/gemmscope"), std::string::npos) << told[0].english();
    EXPECT_TRUE(session.take_notices().empty()) << "it is said once";
}

// Another order of the warps is another traced block; the user stays at the same step of the same warp, and comes back by undo.
TEST(Session, WarpsRunInTheOrderOfTheSubject) {
    using Kind = trace::Schedule::Kind;
    Session session(fixture::options());
    View view = fixture::small();
    view.subject.parameters["TILE"] = 16; // eight warps
    view.selection.warp = 5;
    session.apply(view, {});
    session.wait();
    const auto in_order = session.products().block.value;
    const View before = session.view();
    const uint32_t step = session::step_of(*in_order, before.selection.event, 5);
    ASSERT_GT(step, 0u);

    std::shared_ptr<const session::BlockRun> shuffled;
    for (const trace::Schedule schedule : {trace::Schedule{Kind::warp_first, 5}, trace::Schedule{Kind::shuffled, 3}}) {
        View next = session.view();
        next.subject.schedule = schedule;
        next.middle_tab = session::MiddleTab::registers;
        session.apply(next, {});
        session.wait();
        shuffled = session.products().block.value;
        const session::Selection& now = session.view().selection;
        EXPECT_EQ(shuffled->trace.schedule, schedule);
        EXPECT_EQ(now.warp, 5);
        EXPECT_EQ(session::step_of(*shuffled, now.event, 5), step);
        EXPECT_EQ(shuffled->trace.events[now.event].pc, in_order->trace.events[before.selection.event].pc);
        EXPECT_TRUE(session.products().grid.value->findings.empty());
        EXPECT_TRUE(session.products().grid.value->verification->passed);
        ASSERT_TRUE(session.products().state.value);
        // The contents are those of that order: lower warps have not begun where this one goes first.
        const auto& registers = session.products().state.value->registers;
        const auto zero = [](const sim::Row& r) {
            return std::all_of(r.lanes.begin(), r.lanes.end(), [](uint64_t v) { return v == 0; });
        };
        EXPECT_FALSE(std::all_of(registers[5].begin(), registers[5].end(), zero));
    }
    EXPECT_EQ(shuffled->trace.events.size(), in_order->trace.events.size());

    Commands undo;
    undo.undo = true;
    session.apply(session.view(), undo);
    session.apply(session.view(), undo);
    EXPECT_EQ(session.view().subject, before.subject);
    EXPECT_EQ(session.view().selection, before.selection);
    EXPECT_EQ(session.products().block.value, in_order) << "kept, not computed again";
}

TEST(Session, TheWarpThatIsFirstIsOneOfTheBlocks) {
    Session session(fixture::options());
    View view = fixture::small();
    view.subject.parameters["TILE"] = 8; // two warps
    view.subject.schedule = {trace::Schedule::Kind::warp_first, 7};
    session.apply(view, {});
    session.wait();
    EXPECT_EQ(session.view().subject.schedule.number, 1u);
    ASSERT_EQ(session.products().block.face, Face<session::BlockRun>::ready);
    EXPECT_EQ(session.products().block.value->trace.events.front().warp, 1);
}

TEST(Session, TwoAtOnceShareCacheAndStateFile) {
    fixture::Folder folder;
    auto options = fixture::options();
    options.state_file = folder.path / "view.json";
    auto work = [&options](const char* kernel) {
        Session session(options);
        for (int m : {32, 64, 40}) {
            View view = fixture::small(kernel);
            view.subject.problem.m = m;
            session.apply(view, {});
            session.wait();
            EXPECT_TRUE(session.products().grid.value->verification->passed);
        }
    };
    std::thread other(work, "naive");
    work("naive");
    other.join();
    EXPECT_TRUE(session::restore(options.state_file).notice.empty());
}

TEST(Session, DraggingFastStillShowsPictures) {
    Session session(fixture::options());
    session.apply(fixture::small("shared_tile"), {});
    session.wait();
    auto last = session.products().block.value;
    int pictures = 0;
    for (int m = 1; pictures < 3; m = m % 500 + 1) { // never the same for longer than a frame
        View view = session.view();
        view.subject.problem.m = 64 + m;
        session.apply(view, {});
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
        session.update(0.004);
        if (session.products().block.value != last) ++pictures;
        last = session.products().block.value;
    }
    session.wait();
    EXPECT_EQ(session.products().block.value->trace.buffers[0].rows,
              static_cast<uint64_t>(session.view().subject.problem.m));
}

TEST(Session, NoGpuIsSaidNotFaked) {
    auto options = fixture::options();
    options.worker = "false"; // a worker that ends at once
    Session session(options);
    session.apply(fixture::small("naive"), {});
    session.wait();
    const size_t series = session.series().size();
    Commands commands;
    commands.run_on_gpu = true;
    session.apply(session.view(), commands);
    session.wait();
    EXPECT_EQ(session.gpu().face, session::GpuState::Face::absent);
    EXPECT_FALSE(session.gpu().reason.empty());
    EXPECT_EQ(session.series().size(), series);
}

} // namespace
