// Light or dark at a first start, as desktops say it: by a variable, by the portal, by their files.
#include "session/system_theme.h"

#include <gtest/gtest.h>

#include <fstream>

namespace session {
namespace {

namespace fs = std::filesystem;

class FreshHome : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::path(testing::TempDir()) /
                 (std::string("gemmscope_home_") + testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder);
        fs::create_directories(folder);
        desktop.config_folder = folder;
    }
    void TearDown() override { fs::remove_all(folder); }

    void file(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << text;
    }
    void portal_says(const std::string& answer) {
        file("gdbus", "#!/bin/sh\n" + answer + "\n");
        fs::permissions(folder / "gdbus", fs::perms::owner_all);
        desktop.gdbus = folder / "gdbus";
    }

    fs::path folder;
    Desktop desktop;
};

TEST_F(FreshHome, SaysNothing) {
    EXPECT_EQ(system_theme(desktop), std::nullopt);
    EXPECT_EQ(system_theme({}), std::nullopt);
}

TEST_F(FreshHome, OfGtk) {
    file("gtk-3.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita\ngtk-application-prefer-dark-theme = 0\n");
    EXPECT_EQ(system_theme(desktop), Theme::light);
    file("gtk-4.0/settings.ini", "[Other]\ngtk-theme-name=Adwaita\n[Settings]\ngtk-theme-name=Yaru-dark\n");
    EXPECT_EQ(system_theme(desktop), Theme::dark);
    file("gtk-4.0/settings.ini", "[Settings]\ngtk-application-prefer-dark-theme=true\n");
    EXPECT_EQ(system_theme(desktop), Theme::dark);
}

TEST_F(FreshHome, OfKdeByItsGround) {
    file("kdeglobals", "[General]\nColorScheme=Mine\n[Colors:Window]\nBackgroundNormal=239,240,241\n");
    EXPECT_EQ(system_theme(desktop), Theme::light);
    file("kdeglobals", "[Colors:Window]\nBackgroundNormal=35,38,41\n");
    EXPECT_EQ(system_theme(desktop), Theme::dark);
    for (const char* damaged : {"", "35", "35,38", "35,38,x", "-1,0,0", "9999999999,0,0", "1,,2"}) {
        file("kdeglobals", std::string("[Colors:Window]\nBackgroundNormal=") + damaged + "\n");
        EXPECT_EQ(system_theme(desktop), std::nullopt) << damaged;
    }
}

TEST_F(FreshHome, ThePortalComesBeforeFilesAndTheVariableBeforeIt) {
    file("gtk-3.0/settings.ini", "[Settings]\ngtk-application-prefer-dark-theme=1\n");
    portal_says("echo '(<<uint32 2>>,)'");
    EXPECT_EQ(system_theme(desktop), Theme::light);
    portal_says("echo '(<<uint32 1>>,)'");
    EXPECT_EQ(system_theme(desktop), Theme::dark);
    desktop.gtk_theme = "Adwaita";
    EXPECT_EQ(system_theme(desktop), Theme::light);
    desktop.gtk_theme = "Adwaita:dark";
    EXPECT_EQ(system_theme(desktop), Theme::dark);
}

TEST_F(FreshHome, APortalWithoutPreferenceMeansLightWhereNoFileIsDark) {
    portal_says("echo '(<<uint32 0>>,)'");
    EXPECT_EQ(system_theme(desktop), Theme::light);
    file("gtk-3.0/settings.ini", "[Settings]\ngtk-application-prefer-dark-theme=1\n");
    EXPECT_EQ(system_theme(desktop), Theme::dark);
}

TEST_F(FreshHome, APortalThatFailsFloodsOrHangsSaysNothing) {
    for (const char* bad : {"exit 1", "true", "echo nonsense", "echo uint32", "exec yes", "exec sleep 60"}) {
        portal_says(bad);
        EXPECT_EQ(system_theme(desktop), std::nullopt) << bad;
    }
    desktop.gdbus = folder / "missing";
    EXPECT_EQ(system_theme(desktop), std::nullopt);
}

TEST_F(FreshHome, TheLocaleChoosesTheLanguage) {
    EXPECT_EQ(system_language(desktop), Language::en);
    for (const char* chinese : {"zh_CN.UTF-8", "zh_TW", "zh"}) {
        desktop.locale = chinese;
        EXPECT_EQ(system_language(desktop), Language::zh) << chinese;
    }
    desktop.locale = "de_DE.UTF-8";
    EXPECT_EQ(system_language(desktop), Language::en);
}

TEST_F(FreshHome, FilesAreBounded) {
    file("gtk-3.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita\n" + std::string(1 << 20, '\n'));
    fs::create_directories(folder / "kdeglobals");
    EXPECT_EQ(system_theme(desktop), std::nullopt);
}

} // namespace
} // namespace session
