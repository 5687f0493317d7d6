#include "views/champion_log.h"

#include "../ui/sentences.h"
#include "catalog/catalog.h"
#include "session/stages.h"
#include "views/lines.h"
#include "views/log_words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace {

namespace fs = std::filesystem;
using views::LogFigure;

const std::string units = "[units]\nslots = { en = \"% of slots\", zh = \"% 的槽\" }\n";
const std::string chapter = R"([[chapter]]
id = "c"
kernel = "champion"
operands = "f32"
title = { en = "t", zh = "题" }
how = { en = "h", zh = "法" }
device = "GPU"
driver = "1"
compiler = "nvcc"
date = "2026-11-22"
)"; // ten lines

std::string step(const std::string& id, const std::string& measured = "{ tflops = 54.0, cublas = 50.0, before = 40 }",
                 const std::string& more = "cause = { en = \"why\", zh = \"因\" }") {
    return "[[chapter.step]]\nid = \"" + id + "\"\ntitle = { en = \"a\", zh = \"甲\" }\n" +
           "hypothesis = { en = \"b\", zh = \"乙\" }\nmeasured = [" + measured + "]\noutcome = \"kept\"\n" + more +
           "\nscene = { view = \"banks\", look = { en = \"c\", zh = \"丙\" } }\n";
}

base::Result<views::ChampionLog> parse(const std::string& text) { return views::parse_log(text, "log.toml"); }

TEST(ChampionLog, FiguresHaveTheirChaptersDeviceAndDate) {
    const auto log = parse(chapter + step("one") +
                           step("two", "{ ratio = 0.9, size = [1, 2, 3], device = \"other\", "
                                       "date = \"2026-11-26\" }"));
    ASSERT_TRUE(log) << log.error().sentence();
    const auto all = views::entries(*log);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1].number, 2u);
    const LogFigure &first = all[0].step->measured[0], &second = all[1].step->measured[0];
    EXPECT_EQ(first.device, "GPU");
    EXPECT_EQ(first.date, "2026-11-22");
    EXPECT_EQ(first.size, (catalog::Problem{4096, 4096, 4096}));
    EXPECT_DOUBLE_EQ(first.ratio(), 54.0 / 50);
    EXPECT_DOUBLE_EQ(first.ratio_before(), 40.0 / 50);
    EXPECT_EQ(second.device, "other");
    EXPECT_EQ(second.date, "2026-11-26");
    EXPECT_EQ(second.size, (catalog::Problem{1, 2, 3}));
    EXPECT_DOUBLE_EQ(second.ratio(), 0.9);
    EXPECT_EQ(all[0].step->scene.kernel, "champion") << "the chapter's";
    EXPECT_TRUE(views::find_step(*log, "two"));
    EXPECT_FALSE(views::find_step(*log, "three"));
    EXPECT_EQ(views::entries(*log, catalog::OperandType::f64).size(), 0u);
}

TEST(ChampionLog, WhereCublasIsNotKnownNoRatioIs) {
    const auto log = parse(units + chapter + step("one", "{ tflops = 54.0 }, { value = 66, unit = \"slots\" }"));
    ASSERT_TRUE(log) << log.error().sentence();
    for (const LogFigure& figure : views::entries(*log)[0].step->measured) EXPECT_EQ(figure.ratio(), 0);
}

TEST(ChampionLog, AMistakeIsNamedWithItsLine) {
    const auto fails = [](const std::string& text, int line, const std::string& what) {
        const auto log = parse(text);
        ASSERT_FALSE(log) << text;
        const std::string said = log.error().sentence();
        EXPECT_NE(said.find(fmt::format("log.toml:{}", line)), std::string::npos) << said;
        EXPECT_NE(said.find(what), std::string::npos) << said;
    };
    fails("[[chapter]]\nid = \"c\"\n", 1, "\"kernel\" is missing");
    fails(chapter + step("one", ""), 11, "has no measured figure");
    fails(chapter + step("one", "{ size = 4096 }"), 15, "one of tflops, ratio and value");
    fails(chapter + step("one", "{ tflops = 1, ratio = 1 }"), 15, "one of tflops, ratio and value");
    fails(chapter + step("one", "{ tflops = -1 }"), 15, "positive");
    fails(chapter + step("one", "{ tflops = nan }"), 15, "positive");
    fails(chapter + step("one", "{ value = 1, unit = \"slots\" }"), 15, "not among [units]");
    fails(chapter + step("one", "{ ratio = 1, cublas = 50 }"), 15, "cublas stands beside tflops");
    fails(chapter + step("one", "{ tflops = 1, size = [1, 2] }"), 15, "\"size\" should be a size");
    fails(chapter + step("one", "{ tflops = 1, size = 0 }"), 15, "\"size\" should be a size");
    fails(chapter + step("one") + step("one"), 19, "two steps \"one\"");
    fails(chapter + step("one", "{ tflops = 1 }", "why = 1"), 17, "unknown key \"why\"");
    fails(chapter + "[[chapter.step]]\noutcome = \"maybe\"\n", 11, "\"id\" is missing");
    fails(chapter + step("one", "{ tflops = 1 }", "setting = \"" + std::string(601, 'x') + "\""), 17,
          "more than 600 bytes");
    std::string maybe = chapter + step("one");
    maybe.replace(maybe.find("\"kept\""), 6, "\"maybe\"");
    fails(maybe, 16, "no outcome \"maybe\"");
}

TEST(ChampionLog, IsBounded) {
    const auto says = [](const std::string& text, const std::string& what) {
        const auto log = parse(text);
        ASSERT_FALSE(log);
        EXPECT_NE(log.error().sentence().find(what), std::string::npos) << log.error().sentence();
    };
    says("# " + std::string(512 << 10, 'x') + "\n", "bytes");
    std::string many = chapter, figures;
    for (int i = 0; i < 65; ++i) many += step("s" + std::to_string(i));
    says(many, "65 of \"step\"");
    for (int i = 0; i < 9; ++i) figures += "{ tflops = 1 },";
    says(chapter + step("one", figures), "9 of \"measured\"");
    EXPECT_FALSE(views::read_log("/nonexistent/champion_log.toml"));
}

class ShippedLog : public testing::Test {
protected:
    void SetUp() override {
        auto strings = views::Strings::load(fs::path(SOURCE_DIR) / "assets" / "i18n");
        ASSERT_TRUE(strings) << strings.error().sentence();
        strings_ = *std::move(strings);
    }
    views::Strings strings_;
};

// What the first comment of the file promises of every step.
TEST_F(ShippedLog, SaysEverythingInBothLanguagesAndShortSentences) {
    std::string sentence;
    for (const views::LogEntry& entry : views::entries(strings_.log())) {
        const auto& [of, step, number] = entry;
        for (const catalog::Text* text : {&of->title, &of->how, &step->title, &step->setting, &step->hypothesis,
                                          &step->predicted, &step->cause, &step->scene.look}) {
            EXPECT_EQ(text->en.empty(), text->zh.empty()) << step->id;
            EXPECT_TRUE(text->en.empty() || text->en != text->zh) << step->id << ": " << text->en;
            EXPECT_LE(ui::longest_sentence(text->en, &sentence), ui::most_words) << step->id << ": " << sentence;
        }
        EXPECT_TRUE(step->scene.look.en.ends_with('.') && step->scene.look.zh.ends_with("。")) << step->id;
    }
}

TEST_F(ShippedLog, HasOneChineseWordForOneThing) {
    for (const views::LogEntry& entry : views::entries(strings_.log()))
        for (const char* other : {"核函数", "线程束", "波前", "多处理器", "异步复制", "基准", "尺寸", "局部内存"})
            EXPECT_EQ(views::text_of(entry).zh.find(other), std::string::npos) << entry.step->id << ": " << other;
}

TEST_F(ShippedLog, ShowsKernelsAndSettingsThatThereAre) {
    const catalog::Catalog catalog = catalog::load({fs::path(SOURCE_DIR) / "kernels"});
    for (const views::LogEntry& entry : views::entries(strings_.log())) {
        const views::LogScene& scene = entry.step->scene;
        ASSERT_TRUE(catalog.find(entry.chapter->kernel)) << entry.step->id;
        EXPECT_EQ(catalog.find(entry.chapter->kernel)->operands, entry.chapter->operands) << entry.step->id;
        EXPECT_TRUE(scene.baseline.empty() || catalog.find(scene.baseline)) << entry.step->id;
        session::Subject subject;
        subject.kernel = scene.kernel;
        subject.parameters = scene.parameters;
        subject.problem = scene.size;
        const auto known = session::resolve(catalog, subject);
        if (!scene.source.empty()) {
            const auto lines = views::split_lines(catalog.find(scene.kernel)->source);
            EXPECT_GT(views::line_with(lines, scene.source), 0) << entry.step->id << ": " << scene.source;
        }
        EXPECT_TRUE(known) << entry.step->id << ": " << (known ? "" : known.error().sentence());
    }
}

TEST_F(ShippedLog, KeepsItsDeadEndsAndEveryArithmetic) {
    const auto all = views::entries(strings_.log());
    const auto dead = std::count_if(all.begin(), all.end(), [](const auto& entry) { return !entry.step->kept; });
    EXPECT_GE(all.size(), 30u);
    EXPECT_GE(dead, 8);
    for (const auto operands : {catalog::OperandType::f32, catalog::OperandType::tf32, catalog::OperandType::bf16})
        EXPECT_FALSE(views::entries(strings_.log(), operands).empty());
}

TEST_F(ShippedLog, AFigureIsSaidWithItsSizeAndWhatWasBefore) {
    const auto fences = views::find_step(strings_.log(), "fences");
    ASSERT_TRUE(fences);
    EXPECT_EQ(views::figure_text(strings_, fences->step->measured[0]),
              "49.7 TFLOPS, 0.971 × cuBLAS, 8192³; before 45.7");
    strings_.use(session::Language::zh);
    EXPECT_EQ(views::figure_text(strings_, fences->step->measured[0]), "49.7 TFLOPS，0.971 × cuBLAS，8192³；此前 45.7");
}

} // namespace
