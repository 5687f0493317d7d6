// Folders of a test run, and sessions on the real kernels.
#pragma once

#include "session/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace fixture {

inline const catalog::Catalog& kernels() {
    static const catalog::Catalog catalog = catalog::load({SOURCE_DIR "/kernels", SOURCE_DIR "/kernels/races"});
    return catalog;
}

// Kernels of the tests' own.
inline const catalog::Catalog& test_kernels() {
    static const catalog::Catalog catalog = catalog::load({TEST_DATA "/kernels"});
    return catalog;
}

// A folder of its own for each test, gone afterwards.
class Folder {
public:
    Folder() : path(std::filesystem::temp_directory_path() / ("gemmscope_session_test." + std::to_string(::getpid()))) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    const std::filesystem::path path;
};

inline session::Options options() {
    session::Options options;
    options.kernel_folders = {SOURCE_DIR "/kernels"};
    options.assets = SOURCE_DIR "/assets";
    options.threads = 2;
    return options;
}

// A view whose pictures take little time.
inline session::View small(const std::string& kernel = "shared_tile") {
    session::View view;
    view.subject.kernel = kernel;
    view.subject.problem = {64, 48, 32};
    return view;
}

// Until `condition` holds; ctest ends a test in which it never does.
template <class Condition>
void until(session::Session& session, Condition condition) {
    while (!condition()) {
        session.update(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

// What the session has to say since it was last asked, a sentence a line.
inline std::string said(session::Session& session) {
    std::string sentences;
    for (const base::Sentence& sentence : session.take_notices()) sentences += sentence.english() + "\n";
    return sentences;
}

} // namespace fixture
