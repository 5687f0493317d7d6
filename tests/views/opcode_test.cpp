#include "views/opcode.h"

#include "base/file.h"
#include "session/stages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

namespace {

views::Strings strings() {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(loaded) << loaded.error().sentence();
    return *loaded;
}

TEST(Opcode, NamesAreTheSources) {
    EXPECT_EQ(views::with_short_names("ld.param.u32 \t%r1, [_Z5naiveILi32EEviiifPKfS1_fPf_param_0+4];"),
              "ld.param.u32 \t%r1, [param_0+4];");
    EXPECT_EQ(views::with_short_names("mov.u32 %r7, _ZZ11shared_tileILi32EEviiifPKfS1_fPfE2As;"), "mov.u32 %r7, As;");
    EXPECT_EQ(views::with_short_names("@!%p1 bra $L__BB0_2;"), "@!%p1 bra $L__BB0_2;");
    EXPECT_EQ(views::with_short_names("fma.rn.f32 %f1, %f2, 0fBF800000, %f3;"),
              "fma.rn.f32 %f1, %f2, 0fBF800000, %f3;");
    EXPECT_EQ(views::with_short_names(""), "");
}

TEST(Opcode, EveryRowHasItsSentenceInBothLanguages) {
    views::Strings tr = strings();
    for (const auto language : {session::Language::en, session::Language::zh}) {
        tr.use(language);
        for (const views::OpcodeHelp& help : views::opcode_helps()) EXPECT_STRNE(tr(help.key), help.key);
    }
    EXPECT_TRUE(tr.missing().empty());
}

// What it does, and what to know of it; a semicolon joins no third.
size_t sentences(std::string_view text) {
    size_t count = 0;
    for (size_t i = 0; i < text.size(); ++i)
        count +=
            text.substr(i).starts_with("\u3002") || (text[i] == '.' && (i + 1 == text.size() || text[i + 1] == ' '));
    return count;
}

TEST(Opcode, EachHasTwoSentencesInBothLanguages) {
    views::Strings tr = strings();
    for (const auto language : {session::Language::en, session::Language::zh}) {
        tr.use(language);
        for (const auto& all : {views::opcode_helps(), views::machine_opcode_helps()})
            for (const views::OpcodeHelp& help : all)
                EXPECT_EQ(sentences(tr(help.key)), 2u) << help.key << ": " << tr(help.key);
    }
    EXPECT_TRUE(tr.missing().empty());
}

TEST(Opcode, EveryOneThatAKernelOfTheCatalogueExecutesIsExplained) {
    const views::Strings tr = strings();
    const catalog::Catalog catalog = catalog::load({SOURCE_DIR "/kernels"});
    std::set<std::string> lacking;
    for (const auto& kernel : catalog.kernels) {
        session::Subject subject;
        subject.kernel = kernel->id;
        const auto job = session::resolve(catalog, subject);
        ASSERT_TRUE(job) << job.error().sentence();
        const auto prepared = session::prepare(*job);
        ASSERT_TRUE(prepared.value) << kernel->id;
        for (const trace::Instruction& instruction : prepared.value->listing->instructions)
            if (views::opcode_help(tr, instruction.mnemonic).empty()) lacking.insert(instruction.mnemonic);
    }
    EXPECT_EQ(lacking, std::set<std::string>());
}

// Of all that nvdisasm printed of our kernels on seven architectures; these are what a main loop seldom has, and lack their sentences yet.
constexpr std::string_view not_explained[] = {"BMOV",  "BPT",  "BRX",  "BRXU",   "IADD",
                                              "IMNMX", "LDCU", "LEPC", "UFSETP", "UVIMNMX"};

TEST(Opcode, OfTheRecordedDisassemblyTheseLackTheirSentences) {
    const auto recorded = base::read_file(TEST_DATA "/counters/machine_code.csv");
    ASSERT_TRUE(recorded);
    std::set<std::string> known, lacking;
    for (const views::OpcodeHelp& help : views::machine_opcode_helps()) known.emplace(help.prefix);
    std::istringstream lines(*recorded);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("instruction;") || line == "instruction;arch;address;low word;high word;what") continue;
        std::string_view text = std::string_view(line).substr(line.rfind(';') + 1);
        if (text.starts_with('@')) text.remove_prefix(text.find(' ') + 1); // the guard
        const std::string name(text.substr(0, text.find_first_of(". ")));
        if (!known.contains(name)) lacking.insert(name);
    }
    EXPECT_EQ(lacking, std::set<std::string>(std::begin(not_explained), std::end(not_explained)));
}

TEST(Opcode, AreFoundByNameBeforeWords) {
    const views::Strings tr = strings();
    const auto found = views::find_opcodes(tr, "lds");
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().opcode, "LDS");
    EXPECT_EQ(found.front().language, "SASS");
    EXPECT_EQ(views::find_opcodes(tr, "").size(), views::opcode_helps().size() + views::machine_opcode_helps().size());
    EXPECT_TRUE(views::find_opcodes(tr, "no such word").empty());
}

TEST(Opcode, TheLongestPrefixCounts) {
    views::Strings tr = strings();
    EXPECT_EQ(views::opcode_help(tr, "ld.shared.f32"), tr("opcode.ld_shared"));
    EXPECT_EQ(views::opcode_help(tr, "ld.f32"), tr("opcode.ld"));
    EXPECT_EQ(views::opcode_help(tr, "cp.async.wait_group"), tr("opcode.cp_async_wait"));
    EXPECT_EQ(views::opcode_help(tr, "ldmatrix.sync"), tr("opcode.ldmatrix")); // not "ld"
    EXPECT_EQ(views::opcode_help(tr, "frobnicate.f32"), "");
}

TEST(Opcode, ModifiersAddTheirs) {
    views::Strings tr = strings();
    EXPECT_EQ(views::opcode_help(tr, "st.shared.v4.f32"),
              std::string(tr("opcode.st_shared")) + " " + tr("opcode.part_v4"));
}

} // namespace
