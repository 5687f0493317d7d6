// A lesson as its files have it (docs/lessons.md says how one is written): steps that set the whole state, their texts and questions.
// Nothing here is computed; what is, stands in told.h.
#pragma once

#include "base/result.h"
#include "lesson/prose.h"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lesson {

// An expression over figures, as written.
struct Formula {
    std::string text;
    uint32_t line = 0; // of the file
    bool operator==(const Formula&) const = default;
};

// Of the file, of each key that a fenced block names.
using KeyLines = std::map<std::string, uint32_t>;
uint32_t line_of(const KeyLines&, const std::string& key, uint32_t otherwise);

// What a step shows.
struct Scene {
    session::Subject subject;
    base::Dim3 block{0, 0, 0};
    int warp = 0, lane = 0;
    std::string moment;             // in words: "third barrier", "load of As"; empty: the interesting one
    std::vector<std::string> views; // one or two, as `gemmscope render` names them; empty: banks
    std::string slider;             // the one parameter that the reader moves; empty: none
    std::string source; // lines of the kernel's source that have this text are shown; empty: that of the moment
    std::optional<Formula> number;                 // the one large number
    Title label;                                   // below it
    std::string before;                            // id of the step whose number stands before it; empty: none
    catalog::Problem speed_size{4096, 4096, 4096}; // at which speed is told
    KeyLines lines;
};

struct Question {
    enum class Kind { number, choice, lane, order, curve };
    static constexpr std::array<const char*, 5> kinds{"number", "choice", "lane", "order", "curve"}; // in files
    Kind kind = Kind::number;
    uint32_t line = 0;         // of the file
    uint32_t chinese_line = 0; // of the translation
    KeyLines lines;
    Text title; // the question itself, where `ask` is empty
    Text ask, explanation;
    std::vector<Text> items;    // of a choice, or to be put in order
    Formula answer;             // of a number, or of a choice whose items are numbers
    double within = 0;          // a number is right as far as this share of the answer
    std::vector<Formula> right; // of a choice: one condition for each item, of which one holds
    Formula lane;               // condition over `lane`, 0 to 31
    std::vector<Formula> by;    // of an order: what its items are sorted by, ascending
    std::string over;           // of a curve: the parameter; `answer` is what is drawn over its values
    session::Subject
        subject; // what it asks about: the step's, with what the question says itself; to be shown once it is answered
    bool follow = false;           // it asks about what the reader has set meanwhile
    std::vector<std::string> vary; // parameters that an exported question draws for each student
};

struct Step {
    std::string id;
    uint32_t line = 0;         // of the file, of its heading
    uint32_t chinese_line = 0; // of the translation
    Title title;
    Text text;
    Scene scene;
    std::optional<Question> question;
    std::vector<Formula> checks; // what `gemmscope lesson --check` holds
};

struct Lesson {
    std::string id; // the file's name without .md
    std::filesystem::path path;
    std::optional<std::filesystem::path> chinese; // its translation's
    Title title;
    int minutes = 0;
    std::vector<std::string> needs; // ids of lessons that come before it
    uint32_t needs_line = 0;        // of the file
    std::vector<Step> steps;
    Text teachers;           // the sheet
    bool in_chinese = false; // it has a translation
    // nullptr: there is none of that id.
    const Step* step(std::string_view id) const;
};

// Reads NAME.md and, where it is there, NAME.zh.md. Errors say file, line and the way out. Files, steps, texts and expressions are bounded.
base::Result<Lesson> read(const std::filesystem::path& file);
// The same of texts that need not be files. `chinese`: empty: none.
base::Result<Lesson> parse(const std::string& text, const std::filesystem::path& path, const std::string& chinese = {});

struct Lessons {
    std::vector<std::shared_ptr<const Lesson>> lessons; // by file name; of two of one id the later folder's
    std::vector<base::Error> problems;                  // files that could not be read; the rest is there
    std::shared_ptr<const Lesson> find(std::string_view id) const;
};
// Those of folders, and single files.
Lessons load(const std::vector<std::filesystem::path>& places);

// The view that shows the step: everything from the default view, but for what is the reader's own (language, theme, scale, projector,
// layout). Its event is 0; that of the moment is Told::event.
session::View scene(const Lesson&, size_t step, const session::View& readers);

} // namespace lesson
