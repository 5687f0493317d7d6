// What the tests of lessons share: executions of the program's own kernels.
#pragma once

#include "base/file.h"
#include "lesson/executions.h"
#include "lesson/lesson.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace fixture {

inline std::filesystem::path source_folder() { return SOURCE_DIR; }

inline const catalog::Catalog& catalog() {
    static const catalog::Catalog all = ::catalog::load({source_folder() / "kernels"});
    return all;
}

inline lesson::Executions executions() {
    static const auto recorded = std::make_shared<lesson::Recorded>(source_folder() / "assets", catalog());
    return {catalog(), recorded, 2};
}

// The views that `gemmscope render` knows and a step may name.
inline const std::vector<std::string>& views() {
    static const std::vector<std::string> all{"map",       "banks",   "sectors", "timeline",    "shared",
                                              "registers", "compare", "result",  "blocks",      "stream",
                                              "source",    "numbers", "plot",    "ladder_plot", "parameter",
                                              "roofline",  "errors",  "device",  "ladder",      "tiles"};
    return all;
}

// Ids of the lessons that come with the program.
inline const std::vector<std::string>& lessons() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> ids;
        for (const auto& one : lesson::load({source_folder() / "assets" / "lessons"}).lessons) ids.push_back(one->id);
        return ids;
    }();
    return all;
}

inline std::string sentences(const std::vector<base::Error>& errors) {
    std::string text;
    for (const base::Error& error : errors) text += error.sentence() + "\n";
    return text;
}

// A lesson of one step with this state and text.
inline std::string one_step(const std::string& state, const std::string& text = "Look.\n",
                            const std::string& behind = "") {
    return "+++\ntitle = \"T\"\n+++\n\n## See {#see}\n\n```toml step\n" + state + "```\n\n" + text + "\n" + behind +
           "\n## For teachers {#teachers}\n\nAim.\n";
}

} // namespace fixture
