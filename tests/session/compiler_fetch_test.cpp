// NVRTC that comes while the session is open: offered where it is missing, fetched by an invented python3, and then used.
#include "session/session.h"

#include "base/file.h"
#include "compile/compiler.h"
#include "compile/fetch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

class CompilerFetch : public testing::Test {
protected:
    void SetUp() override {
        const compile::Availability nvrtc = compile::availability(), ptxas = compile::assembler();
        if (!nvrtc.found || !ptxas.found) GTEST_SKIP() << "no NVRTC or ptxas";
        libraries = fs::path(nvrtc.path).parent_path();
        const fs::path cuda = folder / "data/cuda";
        hide("GEMMSCOPE_NVRTC", cuda / "lib" / fs::path(nvrtc.path).filename());
        hide("GEMMSCOPE_PTXAS", ptxas.path);
        hide("GEMMSCOPE_DATA", folder / "data");
        hide("GEMMSCOPE_CACHE", folder / "cache");
        hide("PATH", (folder / "path").string() + ":/usr/bin:/bin");
        compile::look_for_compilers_again();
    }
    void TearDown() override {
        for (const auto& [name, value] : before) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
        compile::look_for_compilers_again();
        fs::remove_all(folder);
    }
    void hide(const char* name, const fs::path& value) {
        const char* now = std::getenv(name);
        before.emplace_back(name, now ? std::optional<std::string>(now) : std::nullopt);
        ::setenv(name, value.c_str(), 1);
    }
    // pip, whose wheel has links to the libraries that are here, or that does `otherwise`.
    void invent_pip(const std::string& otherwise = {}) const {
        const std::string works =
            "mkdir -p \"$2/nvidia/cu13/lib\" && ln -s '" + libraries.string() + "'/libnvrtc* \"$2/nvidia/cu13/lib\"\n";
        ASSERT_TRUE(base::write_file(folder / "path/python3",
                                     "#!/bin/sh\ncase \"$*\" in *'-c import venv'* | *--version*) exit 0 ;; esac\n"
                                     "while [ \"$1\" != --target ]; do shift; done\n" +
                                         (otherwise.empty() ? works : otherwise + "\n"))
                        .ok());
        fs::permissions(folder / "path/python3", fs::perms::owner_all);
    }
    session::Options options() const {
        session::Options all;
        all.kernel_folders = {fs::path(SOURCE_DIR) / "kernels"};
        all.assets = fs::path(SOURCE_DIR) / "assets";
        all.threads = 1;
        return all;
    }
    static void until_at_rest(session::Session& session) {
        do {
            session.wait();
            std::this_thread::yield();
            session.update(0);
        } while (session.fetch().running);
        session.wait();
    }

    const fs::path folder = fs::temp_directory_path() / ("gemmscope_fetch_session." + std::to_string(::getpid()));
    fs::path libraries;
    std::vector<std::pair<const char*, std::optional<std::string>>> before;
};

session::View naive() {
    session::View view;
    view.subject.kernel = "naive";
    view.subject.problem = {32, 32, 32};
    return view;
}

TEST_F(CompilerFetch, IsOfferedAndWhatFailedIsThenCompiled) {
    invent_pip();
    session::Session session(options());
    session.apply(naive(), {});
    until_at_rest(session);
    ASSERT_TRUE(session.products().prepared.failed);
    ASSERT_TRUE(session.fetch().offered);
    EXPECT_GT(session.fetch().of, 100'000'000u);
    session::Commands commands;
    commands.fetch_compiler = true;
    session.apply(session.view(), commands);
    until_at_rest(session);
    EXPECT_FALSE(session.fetch().failed) << session.fetch().failed->sentence();
    EXPECT_FALSE(session.fetch().offered);
    ASSERT_TRUE(session.products().block.value);
    EXPECT_FALSE(session.products().prepared.failed);
    EXPECT_NE(fixture::said(session).find("have come"), std::string::npos);
}

TEST_F(CompilerFetch, SaysWhyItFailedAndIsOfferedAgain) {
    invent_pip("echo 'WARNING: NewConnectionError(...)' >&2; exit 1");
    session::Session session(options());
    session.apply(naive(), {});
    until_at_rest(session);
    session::Commands commands;
    commands.fetch_compiler = true;
    session.apply(session.view(), commands);
    until_at_rest(session);
    ASSERT_TRUE(session.fetch().failed);
    EXPECT_NE(session.fetch().failed->sentence().find("PyPI does not answer"), std::string::npos);
    EXPECT_TRUE(session.fetch().offered);
}

TEST_F(CompilerFetch, CanBeGivenUp) {
    invent_pip("sleep 600");
    session::Session session(options());
    session.apply(naive(), {});
    until_at_rest(session);
    session::Commands commands;
    commands.fetch_compiler = true;
    session.apply(session.view(), commands);
    commands = {};
    commands.stop_fetching = true;
    session.apply(session.view(), commands);
    until_at_rest(session);
    EXPECT_FALSE(session.fetch().failed);
    EXPECT_TRUE(session.fetch().offered);
    EXPECT_FALSE(fs::exists(folder / "data/cuda.new"));
}

} // namespace
