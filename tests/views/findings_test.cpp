// What the checks find, in Chinese.
#include "../sim/check_case.h"
#include "views/strings.h"

#include <gtest/gtest.h>

#include <set>

namespace {

namespace fs = std::filesystem;

// Everything that is said, without the names and numbers that fill it.
base::Sentence without_names(const base::Sentence& sentence) {
    if (sentence.kind() == base::Sentence::Kind::verbatim) return base::verbatim("0");
    std::vector<base::Sentence> parts;
    for (const base::Sentence& part : sentence.parts()) parts.push_back(without_names(part));
    return {sentence.kind(), sentence.text(), std::move(parts)};
}

// The words in ASCII letters of a Chinese text.
std::set<std::string> latin_words(const std::string& text) {
    std::set<std::string> words;
    std::string word;
    for (const char c : text + " ") {
        if (std::isalpha(static_cast<unsigned char>(c))) word += c;
        else if (!word.empty()) words.insert(std::exchange(word, {}));
    }
    return words;
}

std::vector<trace::Finding> findings_of(const std::string& file, trace::Engine engine) {
    check_suite::Case c = check_suite::read(TEST_DATA "/check/" + file + ".cu");
    const auto program = check_suite::prepare(c, engine);
    EXPECT_TRUE(program.ok()) << program.error().sentence();
    if (!program) return {};
    auto outcome = sim::run(**program, c.launch, c.memory, {});
    EXPECT_TRUE(outcome.ok()) << outcome.error().sentence();
    return outcome ? std::move(outcome->findings) : std::vector<trace::Finding>();
}

// Field words stay as the table in CONTRIBUTING.md has them; what is left beside them would be English.
TEST(Findings, AreInChineseButForNames) {
    if (!compile::availability().found || !compile::assembler().found) GTEST_SKIP() << "no NVRTC or ptxas";
    auto loaded = views::Strings::load(fs::path(SOURCE_DIR) / "assets" / "i18n");
    ASSERT_TRUE(loaded) << loaded.error().sentence();
    views::Strings strings = *std::move(loaded);
    strings.use(session::Language::zh);
    const std::set<std::string> of_the_field = {"GPU",     "new",     "delete", "lane",  "warp",   "mbarrier",
                                                "barrier", "cluster", "wait",   "fence", "proxy",  "async",
                                                "trap",    "grid",    "sync",   "inval", "shared", "pc"};
    std::set<trace::FindingKind> kinds;
    for (const std::string& file : check_suite::files()) {
        if (file.starts_with("fine_")) continue;
        std::vector<trace::Finding> findings = findings_of(file, trace::Engine::ptx);
        for (trace::Finding& of_machine_code : findings_of(file, trace::Engine::machine))
            findings.push_back(std::move(of_machine_code));
        for (const trace::Finding& finding : findings) {
            kinds.insert(finding.kind);
            const std::string said = strings(without_names(finding.text));
            SCOPED_TRACE(file + ": " + strings(finding.text));
            EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](char c) { return static_cast<signed char>(c) < 0; }));
            for (const std::string& word : latin_words(said)) EXPECT_TRUE(of_the_field.contains(word)) << word;
            if (std::getenv("GEMMSCOPE_SHOW_FINDINGS"))
                std::fprintf(stderr, "%s\n%s\n", finding.text.english().c_str(), strings(finding.text).c_str());
        }
    }
    for (int kind = 0; kind <= static_cast<int>(trace::FindingKind::unfinished_read); ++kind)
        EXPECT_TRUE(kinds.contains(static_cast<trace::FindingKind>(kind)))
            << "the suite finds no " << trace::name(static_cast<trace::FindingKind>(kind));
}

} // namespace
