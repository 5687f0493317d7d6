#include "lesson/lesson.h"

#include "base/file.h"
#include "base/text.h"
#include "lesson/markdown.h"
#include "lesson/step_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lesson {
namespace {

constexpr size_t largest_file = 128 << 10; // bytes
constexpr size_t most_steps = 64;
constexpr size_t most_items = 12;
constexpr const char* sheet_id = "teachers";
constexpr std::string_view fence = "+++";

struct Section { // from one heading of the second level to the next
    std::string id;
    uint32_t line = 0;
    std::string title;
    std::vector<Block> blocks;
};

struct Document {
    FrontMatter front;
    std::vector<Section> sections;
};

bool is_id(std::string_view id) {
    return !id.empty() && id.size() <= 40 && id[0] >= 'a' && id[0] <= 'z' &&
           std::all_of(id.begin(), id.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string heading_text(const Block& block) { return std::string(base::trimmed(plain_text({block.text}))); }

// One file: front matter and sections, or the first fault of it.
class DocumentReader {
public:
    DocumentReader(const std::string& text, std::string path, bool translation)
        : text_(text), path_(std::move(path)), translation_(translation) {}

    base::Result<Document> read() {
        if (text_.size() > largest_file)
            return at(1, base::say("the lesson has {}", base::bytes_text(text_.size())),
                      base::say("split it; a lesson may have {}", base::bytes_text(largest_file)));
        const size_t start = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;
        const size_t end = text_.find("\n+++", start);
        if (text_.compare(start, fence.size(), fence) != 0 || end == text_.npos)
            return at(1, base::say("the front matter is missing"),
                      base::say("begin the file with +++, a line title = \"...\" and +++"));
        const size_t open = text_.find('\n', start) + 1;
        auto front = read_front_matter(open <= end ? text_.substr(open, end - open) : "", path_, 2, translation_);
        if (!front) return front.error();
        const size_t body = std::min(text_.find('\n', end + 1), text_.size());
        const auto lines = 1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(body), '\n');
        auto blocks = read_markdown(text_.substr(body), path_, static_cast<uint32_t>(lines));
        if (!blocks) return blocks.error();
        return divide(std::move(*front), std::move(*blocks));
    }

private:
    base::Error at(uint32_t line, base::Sentence what, base::Sentence todo) const {
        return {base::Failure::usage, std::move(what), fmt::format("{}:{}", path_, line), std::move(todo)};
    }

    base::Result<Document> divide(FrontMatter front, std::vector<Block> blocks) const {
        Document document{std::move(front), {}};
        for (Block& block : blocks) {
            if (block.kind != Block::Kind::heading || block.level != 2) {
                if (document.sections.empty())
                    return at(block.line, base::say("this comes before the first step"),
                              base::say("begin it with ## Title {{#id}}"));
                document.sections.back().blocks.push_back(std::move(block));
                continue;
            }
            auto section = heading(block);
            if (!section) return section.error();
            for (const Section& other : document.sections)
                if (other.id == section->id)
                    return at(block.line, base::say("the id \"{}\" is already used at line {}", other.id, other.line),
                              base::say("choose another"));
            document.sections.push_back(std::move(*section));
            if (document.sections.size() > most_steps + 1)
                return at(block.line, base::say("more than {} steps", most_steps), base::say("split the lesson"));
        }
        return document;
    }

    // "Title {#id}"
    base::Result<Section> heading(const Block& block) const {
        for (const Run& run : block.text.runs)
            if (run.style == Run::Style::figure)
                return at(block.line, base::say("a figure in the title of a step"), base::say("say it in the text"));
        const std::string text = heading_text(block);
        const size_t open = text.rfind("{#");
        if (open == text.npos || !text.ends_with('}'))
            return at(block.line, base::say("the step \"{}\" has no id", text),
                      base::say("end the heading with {{#some_id}}"));
        Section section{text.substr(open + 2, text.size() - open - 3),
                        block.line,
                        std::string(base::trimmed(std::string_view(text).substr(0, open))),
                        {}};
        if (!is_id(section.id))
            return at(block.line, base::say("the id \"{}\"", section.id),
                      base::say("use lower case, digits and underscores, at most 40, a letter first"));
        return section;
    }

    const std::string& text_;
    std::string path_;
    bool translation_;
};

// The texts of a section in one language.
struct Texts {
    Prose text;
    Prose question;
    uint32_t question_line = 0; // 0: there is none
    Prose ask_and_explanation;
    size_t ask = 0; // of them, the paragraphs before the fenced block
    std::vector<Prose> items;
    const Block* state = nullptr;    // fenced: "toml step"
    const Block* computed = nullptr; // "toml question"
};

class LessonReader {
public:
    LessonReader(const std::string& path, const std::string& chinese) : path_(path), chinese_(chinese) {}

    base::Result<Lesson> read(const Document& english, const Document* chinese);

private:
    base::Error at(const std::string& path, uint32_t line, base::Sentence what, base::Sentence todo) const {
        return {base::Failure::usage, std::move(what), fmt::format("{}:{}", path, line), std::move(todo)};
    }
    base::Result<Texts> texts(const Section&, bool translation) const;
    base::Result<Step> step(const Section& english, const Section* chinese) const;
    base::Status add_question(Step&, const Texts& english, const Texts* chinese) const;
    base::Status same_steps(const Document& english, const Document& chinese) const;
    Prose sheet(const Section&) const;

    const std::string &path_, &chinese_;
};

base::Result<Texts> LessonReader::texts(const Section& section, bool translation) const {
    const std::string& path = translation ? chinese_ : path_;
    Texts texts;
    for (const Block& block : section.blocks) {
        const bool asked = texts.question_line > 0;
        if (block.kind == Block::Kind::heading) {
            if (block.level != 3)
                return at(path, block.line, base::say("a heading that is neither ## nor ###"),
                          base::say("begin it with ### for a question"));
            if (asked)
                return at(path, block.line, base::say("a second question in one step"),
                          base::say("make it a step of its own"));
            texts.question = {block.text};
            texts.question_line = block.line;
        } else if (block.kind == Block::Kind::code) {
            if (translation)
                return at(path, block.line, base::say("a fenced block in a translation"),
                          base::say("leave it out: state is written once"));
            const char* wanted = asked ? "toml question" : "toml step";
            const Block*& into = asked ? texts.computed : texts.state;
            if (block.info != wanted || into)
                return at(path, block.line,
                          base::say("a fenced block \"{}\" where one \"{}\" belongs", block.info, wanted),
                          base::say("see docs/lessons.md"));
            into = &block;
            texts.ask = texts.ask_and_explanation.size();
        } else if (block.kind == Block::Kind::item) {
            if (!asked)
                return at(path, block.line, base::say("a list outside a question"),
                          base::say("write a sentence, or begin a question with ###"));
            if (texts.items.size() == most_items)
                return at(path, block.line, base::say("more than {} items", most_items), base::say("leave some out"));
            texts.items.push_back({block.text});
        } else {
            (asked ? texts.ask_and_explanation : texts.text).push_back(block.text);
        }
    }
    if (!translation && !texts.state)
        return at(path, section.line, base::say("the step \"{}\" has no state", section.id),
                  base::say("add ```toml step after its heading"));
    if (!translation && texts.question_line && !texts.computed)
        return at(path, texts.question_line, base::say("the question does not say how it is answered"),
                  base::say("add ```toml question"));
    return texts;
}

base::Status LessonReader::add_question(Step& step, const Texts& english, const Texts* chinese) const {
    auto question = read_question(english.computed->code, path_, english.computed->line, step.scene);
    if (!question) return question.error();
    question->line = english.question_line;
    question->chinese_line = chinese ? chinese->question_line : 0;
    const auto fill = [&](const Texts& texts, session::Language language) {
        const auto split = texts.ask_and_explanation.begin() + static_cast<ptrdiff_t>(english.ask);
        question->title.in(language) = texts.question;
        question->ask.in(language) = {texts.ask_and_explanation.begin(), split};
        question->explanation.in(language) = {split, texts.ask_and_explanation.end()};
        question->items.resize(english.items.size());
        for (size_t i = 0; i < texts.items.size(); ++i) question->items[i].in(language) = texts.items[i];
    };
    if (chinese && (chinese->items.size() != english.items.size() || chinese->ask_and_explanation.size() < english.ask))
        return at(chinese_, chinese->question_line,
                  base::say("the question of \"{}\" has {} items and {} paragraphs here, and {} and {} in the original",
                            step.id, chinese->items.size(), chinese->ask_and_explanation.size(), english.items.size(),
                            english.ask_and_explanation.size()),
                  base::say("translate each"));
    fill(english, session::Language::en);
    fill(chinese ? *chinese : english, session::Language::zh);
    using Kind = Question::Kind;
    const bool listed = question->kind == Kind::choice || question->kind == Kind::order;
    if (listed != (question->items.size() >= 2))
        return at(path_, step.line,
                  listed ? base::say("a choice or an order of fewer than two items")
                         : base::say("a list in a question that has none"),
                  listed ? base::say("add a list") : base::say("leave it out"));
    const auto one_each = [&](const std::vector<Formula>& formulas) {
        return formulas.empty() || formulas.size() == question->items.size();
    };
    if (!one_each(question->right) || !one_each(question->by))
        return at(path_, step.line,
                  base::say("{} items and {} expressions", question->items.size(),
                            std::max(question->right.size(), question->by.size())),
                  base::say("write one for each item"));
    step.question = std::move(*question);
    return base::Done{};
}

base::Result<Step> LessonReader::step(const Section& english, const Section* chinese) const {
    auto here = texts(english, false);
    if (!here) return here.error();
    base::Result<Texts> there = Texts{};
    if (chinese) there = texts(*chinese, true);
    if (!there) return there.error();
    auto table = read_step(here->state->code, path_, here->state->line);
    if (!table) return table.error();
    Step step;
    step.id = english.id;
    step.line = english.line;
    step.chinese_line = chinese ? chinese->line : 0;
    step.title = {english.title, chinese ? chinese->title : english.title};
    step.text = {here->text, chinese ? there->text : here->text};
    step.scene = std::move(table->scene);
    step.checks = std::move(table->checks);
    if (chinese && (there->question_line > 0) != (here->question_line > 0))
        return at(chinese_, chinese->line, base::say("the question of \"{}\" is in one language only", step.id),
                  base::say("translate it with the step"));
    if (here->question_line > 0)
        if (auto added = add_question(step, *here, chinese ? &*there : nullptr); !added) return added.error();
    return step;
}

// Headings as paragraphs that stand out, items behind a dot.
Prose LessonReader::sheet(const Section& section) const {
    Prose prose;
    for (const Block& block : section.blocks) {
        Paragraph paragraph = block.text;
        if (block.kind == Block::Kind::heading)
            for (Run& run : paragraph.runs) run.style = Run::Style::strong;
        if (block.kind == Block::Kind::item)
            paragraph.runs.insert(paragraph.runs.begin(), {Run::Style::plain, "• ", block.line});
        if (block.kind == Block::Kind::code) paragraph.runs = {{Run::Style::code, block.code, block.line}};
        prose.push_back(std::move(paragraph));
    }
    return prose;
}

base::Status LessonReader::same_steps(const Document& english, const Document& chinese) const {
    const auto& theirs = chinese.sections;
    const auto has_sheet = [](const Document& one) {
        return std::any_of(one.sections.begin(), one.sections.end(), [](const Section& s) { return s.id == sheet_id; });
    };
    if (has_sheet(chinese) && !has_sheet(english))
        return at(path_, 1, base::say("the sheet for teachers is missing"),
                  base::say("end the file with ## For teachers {{#teachers}}"));
    for (size_t i = 0; i < english.sections.size(); ++i) {
        const std::string& id = english.sections[i].id;
        if (i < theirs.size() && theirs[i].id == id) continue;
        const uint32_t line = theirs.empty() ? 1 : theirs[std::min(i, theirs.size() - 1)].line;
        return at(chinese_, line, base::say("the step \"{}\" is missing here", id),
                  base::say("translate it; steps keep ids and order"));
    }
    if (theirs.size() == english.sections.size()) return base::Done{};
    const Section& more = theirs[english.sections.size()];
    return at(chinese_, more.line, base::say("the original has no step \"{}\"", more.id), base::say("leave it out"));
}

base::Result<Lesson> LessonReader::read(const Document& english, const Document* chinese) {
    Lesson lesson;
    lesson.title = {english.front.title, chinese ? chinese->front.title : english.front.title};
    lesson.minutes = english.front.minutes;
    lesson.needs = english.front.needs;
    lesson.needs_line = english.front.needs_line;
    lesson.in_chinese = chinese != nullptr;
    if (chinese)
        if (auto same = same_steps(english, *chinese); !same) return same.error();
    for (size_t i = 0; i < english.sections.size(); ++i) {
        const Section& section = english.sections[i];
        const Section* translation = chinese ? &chinese->sections[i] : nullptr;
        if (section.id == sheet_id) {
            lesson.teachers = {sheet(section), sheet(translation ? *translation : section)};
            continue;
        }
        auto read = step(section, translation);
        if (!read) return read.error();
        lesson.steps.push_back(std::move(*read));
    }
    if (lesson.steps.empty())
        return at(path_, 1, base::say("the lesson has no step"), base::say("add ## Title {{#id}}"));
    return lesson;
}

std::filesystem::path translation_of(std::filesystem::path path) { return path.replace_extension(".zh.md"); }

} // namespace

uint32_t line_of(const KeyLines& lines, const std::string& key, uint32_t otherwise) {
    const auto found = lines.find(key);
    return found == lines.end() ? otherwise : found->second;
}

base::Result<Lesson> parse(const std::string& text, const std::filesystem::path& path, const std::string& chinese) {
    const std::string name = path.string(), chinese_name = translation_of(path).string();
    auto document = DocumentReader(text, name, false).read();
    if (!document) return document.error();
    base::Result<Document> translation = Document{};
    if (!chinese.empty()) translation = DocumentReader(chinese, chinese_name, true).read();
    if (!translation) return translation.error();
    auto lesson = LessonReader(name, chinese_name).read(*document, chinese.empty() ? nullptr : &*translation);
    if (!lesson) return lesson;
    lesson->id = path.stem().string();
    lesson->path = path;
    if (!chinese.empty()) lesson->chinese = translation_of(path);
    return lesson;
}

base::Result<Lesson> read(const std::filesystem::path& file) {
    auto text = base::read_file(file);
    if (!text) return text.error();
    std::error_code ignored;
    if (!std::filesystem::exists(translation_of(file), ignored)) return parse(*text, file);
    auto chinese = base::read_file(translation_of(file));
    if (!chinese) return chinese.error();
    return parse(*text, file, *chinese);
}

Lessons load(const std::vector<std::filesystem::path>& places) {
    Lessons found;
    const auto add = [&](const std::filesystem::path& file) {
        auto lesson = read(file);
        if (!lesson) {
            found.problems.push_back(lesson.error());
            return;
        }
        std::erase_if(found.lessons, [&](const auto& other) { return other->id == lesson->id; });
        found.lessons.push_back(std::make_shared<const Lesson>(std::move(*lesson)));
    };
    for (const std::filesystem::path& place : places) {
        std::error_code error;
        if (!std::filesystem::is_directory(place, error)) {
            add(place);
            continue;
        }
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(place, error))
            if (entry.path().extension() == ".md" && entry.path().stem().extension() != ".zh" &&
                entry.path().stem() != "README")
                files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        for (const auto& file : files) add(file);
    }
    std::stable_sort(found.lessons.begin(), found.lessons.end(),
                     [](const auto& a, const auto& b) { return a->id < b->id; });
    return found;
}

} // namespace lesson
