// Kernel files that change while the window is open, and files that are handed to it.
#include "../slow_disk.h"
#include "fixture.h"

#include "base/file.h"
#include "base/png.h"
#include "session/open_file.h"

#include <future>

namespace {
using session::Commands;
using session::Session;
using Face = session::Slot<session::FullRun>::Face;

// One thread for each element of C, times `factor`.
std::string kernel_text(const std::string& id, const std::string& factor, const std::string& parameter = "BX") {
    return "/* gemmscope\n[[parameter]]\nname = \"" + parameter + "\"\nvalues = [16, 32]\n[launch]\nblock = [\"" +
           parameter + "\"]\ngrid = [\"ceil_div(M * N, " + parameter + ")\"]\n*/\ntemplate <int " + parameter +
           ">\n__global__ void " + id +
           "(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {\n"
           "    const int i = blockIdx.x * " +
           parameter +
           " + threadIdx.x;\n    if (i >= M * N) return;\n    float sum = 0;\n"
           "    for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];\n"
           "    C[i] = " +
           factor + " * alpha * sum + (beta == 0 ? 0.0f : beta * C[i]);\n}\n";
}

class Open : public testing::Test {
protected:
    void write(const std::string& file, const std::string& text) {
        ASSERT_TRUE(base::write_file(folder.path / file, text).ok());
    }
    std::unique_ptr<Session> session(const std::string& kernel) {
        auto options = fixture::options();
        options.kernel_folders.push_back(folder.path / "mine");
        options.interactive = true;
        auto session = std::make_unique<Session>(options);
        session->apply(fixture::small(kernel), {});
        session->wait();
        return session;
    }
    // Until the catalogue has been read again and everything is computed.
    static void expect_read(Session& session) {
        const uint64_t reads = session.catalog_reads();
        fixture::until(session, [&] { return session.catalog_reads() > reads; });
        session.wait();
    }
    static bool passed(const Session& session) {
        const auto& grid = session.products().grid;
        return grid.face == Face::ready && grid.value->verification && grid.value->verification->passed;
    }
    static void open(Session& session, std::vector<std::filesystem::path> files) {
        Commands commands;
        commands.open = std::move(files);
        session.apply(session.view(), commands);
        session.wait();
    }
    // One sentence since it was last asked, with these words in it.
    static void expect_said(Session& session, const std::string& words) {
        const auto told = session.take_notices();
        ASSERT_EQ(told.size(), 1u) << words;
        EXPECT_NE(told[0].english().find(words), std::string::npos) << told[0].english();
    }
    // Whether `frame` ends while the disk has been asked for a file and does not answer; a minute is for a machine that does something
    // else.
    static void expect_drawn(const std::function<void()>& frame) {
        auto drawn = std::async(std::launch::async, [&] {
            while (!slow_disk.asked()) {
                frame();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            frame();
        });
        EXPECT_EQ(drawn.wait_for(std::chrono::minutes(1)), std::future_status::ready) << "the frame waits for the disk";
        slow_disk.hang(false);
    }
    fixture::Folder folder;
};

TEST_F(Open, FramesAreDrawnWhileKernelFilesAreRead) {
    write("mine/slow.cu", kernel_text("slow", "1"));
    auto session = this->session("slow");
    const auto before = session->kernel();
    const uint64_t reads = session->catalog_reads();
    slow_disk.hang(true);
    write("mine/slow.cu", kernel_text("slow", "2"));
    expect_drawn([&] {
        session->update(0);
        EXPECT_EQ(session->kernel(), before) << "what was read before is shown";
    });
    fixture::until(*session, [&] { return session->catalog_reads() > reads; });
    session->wait();
    EXPECT_NE(session->kernel(), before);
    EXPECT_FALSE(passed(*session)) << "twice the product is wrong";
}

TEST_F(Open, FramesAreDrawnWhileADroppedFileIsRead) {
    write("elsewhere/slow.cu", kernel_text("slow", "1"));
    auto session = this->session("naive");
    slow_disk.hang(true);
    Commands commands;
    commands.open = {folder.path / "elsewhere/slow.cu"};
    expect_drawn([&] {
        session->apply(session->view(), std::exchange(commands, {}));
        session->update(0);
        EXPECT_EQ(session->view().subject.kernel, "naive");
    });
    session->wait();
    EXPECT_EQ(session->view().subject.kernel, "slow");
}

TEST_F(Open, AnEditedKernelIsComputedAgain) {
    write("mine/row.cu", kernel_text("row", "1"));
    auto session = this->session("row");
    ASSERT_TRUE(passed(*session));
    write("mine/row.cu", kernel_text("row", "2"));
    expect_read(*session);
    EXPECT_EQ(session->products().grid.face, Face::ready);
    EXPECT_FALSE(passed(*session)) << "twice the product is wrong";
    write("mine/row.cu", kernel_text("row", "1"));
    expect_read(*session);
    EXPECT_TRUE(passed(*session));
}

TEST_F(Open, AMistakeIsToldAndTheKernelStaysAsItWas) {
    write("mine/row.cu", kernel_text("row", "1"));
    auto session = this->session("row");
    (void)session->take_notices();
    write("mine/row.cu", "/* gemmscope\nrung = one\n*/");
    expect_read(*session);
    expect_said(*session, "row.cu:2: ");
    EXPECT_TRUE(passed(*session));
}

TEST_F(Open, ANewFileAppearsAndOneTakenAwayLeaves) {
    write("mine/row.cu", kernel_text("row", "1"));
    auto session = this->session("naive");
    write("mine/other.cu", kernel_text("other", "1"));
    expect_read(*session);
    EXPECT_NE(session->catalog().find("other"), nullptr);
    std::filesystem::remove(folder.path / "mine/row.cu");
    expect_read(*session);
    EXPECT_EQ(session->catalog().find("row"), nullptr);
    EXPECT_TRUE(passed(*session)) << "what is shown has not changed";
}

TEST_F(Open, AParameterWithAnotherNameGetsItsInitialValue) {
    write("mine/row.cu", kernel_text("row", "1"));
    auto session = this->session("row");
    write("mine/row.cu", kernel_text("row", "1", "THREADS"));
    expect_read(*session);
    EXPECT_EQ(session->view().subject.parameters, (catalog::Values{{"THREADS", 16}}));
    EXPECT_TRUE(passed(*session));
}

TEST_F(Open, ADroppedKernelIsShown) {
    write("mine/row.cu", kernel_text("row", "1"));
    write("elsewhere/dropped.cu", kernel_text("dropped", "1"));
    write("elsewhere/beside.cu", "int x;"); // of no concern
    auto session = this->session("naive");
    (void)session->take_notices();
    open(*session, {folder.path / "elsewhere/dropped.cu"});
    EXPECT_EQ(session->view().subject.kernel, "dropped");
    EXPECT_TRUE(session->view().open_families.contains("own"));
    EXPECT_TRUE(passed(*session));
    open(*session, {folder.path / "mine/row.cu"});
    EXPECT_EQ(session->view().subject.kernel, "row") << "known already";
    EXPECT_EQ(fixture::said(*session), "");
    write("elsewhere/dropped.cu", kernel_text("dropped", "2"));
    expect_read(*session);
    open(*session, {folder.path / "elsewhere/dropped.cu"});
    EXPECT_FALSE(passed(*session)) << "it is watched like the others";
}

TEST_F(Open, ADroppedKernelTakesThePlaceOfOneWithItsName) {
    write("mine/row.cu", kernel_text("row", "1"));
    write("naive.cu", kernel_text("naive", "2"));
    auto session = this->session("naive");
    ASSERT_TRUE(passed(*session));
    open(*session, {folder.path / "naive.cu"});
    EXPECT_EQ(session->kernel()->path, (folder.path / "naive.cu").string());
    EXPECT_FALSE(passed(*session)) << "twice the product";
    const std::string told = fixture::said(*session);
    EXPECT_NE(told.find("naive.cu takes the place of this kernel naive"), std::string::npos) << told;
}

TEST_F(Open, AKeptViewIsRestored) {
    write("mine/row.cu", kernel_text("row", "1"));
    session::View kept = fixture::small("shared_tile");
    kept.theme = session::Theme::light;
    write("kept.json", session::to_json(kept));
    auto session = this->session("naive");
    open(*session, {folder.path / "kept.json"});
    EXPECT_EQ(session->view().subject.kernel, "shared_tile");
    EXPECT_EQ(session->view().theme, session::Theme::light);
}

// A PNG file of no pixels.
std::string picture(const std::string& view) {
    const std::string empty = std::string(base::png_signature) + base::png_chunk("IHDR", std::string(13, '\0'));
    return view.empty() ? empty : base::with_png_text(empty, session::picture_keyword, view);
}

TEST_F(Open, APictureShowsItsViewAgain) {
    session::View kept = fixture::small("shared_tile");
    kept.search = "存储体";
    write("kept.png", picture(session::to_json(kept)));
    auto session = this->session("naive");
    open(*session, {folder.path / "kept.png"});
    EXPECT_EQ(session->view().subject.kernel, "shared_tile");
    EXPECT_EQ(session->view().search, "存储体");
}

TEST_F(Open, APastedViewIsShownAndTheOneBeforeStaysInTheHistory) {
    auto session = this->session("naive");
    const auto paste = [&](std::string text) {
        Commands commands;
        commands.paste = std::move(text);
        session->apply(session->view(), commands);
        session->wait();
    };
    (void)session->take_notices(); // that there is no folder of one's own
    session::View kept = fixture::small("shared_tile");
    kept.selection.lane = 5;
    paste("\n " + session::to_json(kept) + "\n"); // as a chat or an editor gives it
    EXPECT_EQ(session->view().subject.kernel, "shared_tile");
    EXPECT_EQ(session->view().selection.lane, 5);
    expect_said(*session, "Ctrl+Z");
    Commands undo;
    undo.undo = true;
    session->apply(session->view(), undo);
    session->wait();
    EXPECT_EQ(session->view().subject.kernel, "naive");
    for (const auto& [text, says] : {std::pair<std::string, const char*>{"", "the clipboard holds no view"},
                                     {"some words", "the clipboard holds no view"},
                                     {"{\"theme\": 3}", "the clipboard holds a damaged view: theme"},
                                     {"{" + std::string(2 << 20, ' ') + "}", "the clipboard holds no view"},
                                     {"{" + std::string(100, '['), "the clipboard holds a damaged view"}}) {
        paste(text);
        expect_said(*session, says);
        EXPECT_EQ(session->view().subject.kernel, "naive");
    }
}

TEST_F(Open, WhatCannotBeOpenedIsSaidInOneSentence) {
    write("mine/row.cu", kernel_text("row", "1"));
    write("naive.cu", kernel_text("naive", "1"));
    write("plain.cu", "__global__ void plain() {}\n");
    write("wrong.json", "{\"theme\": 3}");
    write("a.ptx", ".version 8.0\n");
    write("a.cubin", "ELF");
    write("other.png", picture({}));
    write("wrong.png", picture("{\"theme\": 3}"));
    auto session = this->session("naive");
    const struct {
        std::vector<std::filesystem::path> files;
        const char* what;
    } wrongs[] = {{{"plain.cu"}, "plain.cu:1: the file does not describe itself"},
                  {{"wrong.json"}, "theme is not one of dark, light"},
                  {{"a.ptx"}, "gemmscope trace a.ptx"},
                  {{"a.cubin"}, "kernels (.cu), saved views"},
                  {{"absent.cu"}, "absent.cu"},
                  {{"other.png"}, "carries no view"},
                  {{"wrong.png"}, "theme is not one of dark, light"},
                  {{"mine"}, "kernels (.cu), saved views"},
                  {{"naive.cu", "plain.cu"}, "one at a time"}};
    for (const auto& wrong : wrongs) {
        std::vector<std::filesystem::path> files;
        for (const auto& file : wrong.files) files.push_back(folder.path / file);
        (void)session->take_notices();
        open(*session, files);
        expect_said(*session, wrong.what);
        EXPECT_EQ(session->view().subject.kernel, "naive");
    }
}

} // namespace
