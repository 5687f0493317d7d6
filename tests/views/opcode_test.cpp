#include "views/opcode.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

views::Strings strings() {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(loaded) << loaded.error().sentence();
    return *loaded;
}

TEST(Opcode, BareOpcode) {
    EXPECT_EQ(views::bare_opcode("ld.shared.v4.f32 {%f1, %f2}, [%r7+16];"), "ld.shared.v4.f32");
    EXPECT_EQ(views::bare_opcode("  @!%p12 bra $L;"), "bra");
    EXPECT_EQ(views::bare_opcode("ret;"), "ret");
    EXPECT_EQ(views::bare_opcode("@%p1"), "");
    EXPECT_EQ(views::bare_opcode(""), "");
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

TEST(Opcode, TheLongestPrefixCounts) {
    views::Strings tr = strings();
    EXPECT_EQ(views::opcode_help(tr, "ld.shared.f32 %f1, [%r1];"), tr("opcode.ld_shared"));
    EXPECT_EQ(views::opcode_help(tr, "ld.f32 %f1, [%rd1];"), tr("opcode.ld"));
    EXPECT_EQ(views::opcode_help(tr, "cp.async.wait_group 0;"), tr("opcode.cp_async_wait"));
    EXPECT_EQ(views::opcode_help(tr, "ldmatrix.sync %r1;"), tr("opcode.ldmatrix")); // not "ld"
    EXPECT_EQ(views::opcode_help(tr, "frobnicate.f32 %f1;"), "");
}

TEST(Opcode, ModifiersAddTheirs) {
    views::Strings tr = strings();
    EXPECT_EQ(views::opcode_help(tr, "st.shared.v4.f32 [%r1], {};"),
              std::string(tr("opcode.st_shared")) + " " + tr("opcode.part_v4"));
}

} // namespace
