// lesson as a teacher types it.
#include "program.h"

namespace {

using program::expect_refused;
using program::file;
using program::run;

const std::string step =
    "+++\ntitle = \"T\"\n+++\n## See {#see}\n\n```toml step\nkernel = \"shared_tile\"\nmoment = \"load of As\"\n```\n\n"
    "It takes {{access.wavefronts}} wavefronts.\n\n## For teachers {#teachers}\n\nAim.\n";

TEST(Lesson, ListsPrintsAndChecks) {
    const auto list = run({"lesson"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_NE(list.out.find("04_bank_conflicts"), std::string::npos);
    EXPECT_NE(run({"lesson", "--lang", "zh"}).out.find("存储体冲突"), std::string::npos);
    const auto text = run({"lesson", "04_bank_conflicts"});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("a 32-way bank conflict"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("> 32 -> 1 wavefront"), std::string::npos) << text.out;
    const auto checked = run({"lesson", "04_bank_conflicts", "--check"});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
    EXPECT_TRUE(checked.out.starts_with("1 lesson, ") && checked.out.ends_with(" questions: all hold\n"))
        << checked.out;
}

TEST(Lesson, OfOnesOwn) {
    const std::string own = file("lessons/own.md", step);
    EXPECT_EQ(run({"lesson", own, "--check"}).out, "1 lesson, 1 steps, 0 questions: all hold\n");
    EXPECT_NE(run({"lesson", own}).out.find("It takes 32 wavefronts."), std::string::npos);
    EXPECT_NE(run({"lesson", "--lessons", (program::folder() / "lessons").string()}).out.find("own"),
              std::string::npos);
    const auto picture = program::folder() / "own.png"; // the window's and render's folders are the same
    const auto drawn = run({"render", "lesson", "--lesson", "own:1", "--lessons",
                            (program::folder() / "lessons").string(), "-o", picture.string(), "--size", "1280x720"});
    EXPECT_TRUE(drawn.code == 0 || drawn.code == 3) << drawn.err; // 3: no OpenGL here
    for (const std::string& named : {std::string("own:see"), own + ":see", own + ":1"}) {
        const auto shown = run({"render", "lesson", "--lesson", named, "--lessons",
                                (program::folder() / "lessons").string(), "-o", picture.string(), "--size", "640x360"});
        EXPECT_TRUE(shown.code == 0 || shown.code == 3) << named << ": " << shown.err;
    }
    std::string page = step;
    page.insert(page.find("moment"), "views = [\"lesson\"]\n");
    EXPECT_NE(run({"lesson", file("lessons/page.md", page), "--check"}).out.find("there is no view \"lesson\""),
              std::string::npos);
    std::string wrong = step;
    wrong.replace(wrong.find("access.wavefronts"), 17, "access.wavefront");
    const auto faults = run({"lesson", file("lessons/wrong.md", wrong), "--check"});
    EXPECT_EQ(faults.code, 1);
    EXPECT_NE(faults.out.find("wrong.md:11: there is no figure \"access.wavefront\""), std::string::npos) << faults.out;
    EXPECT_EQ(faults.err, "gemmscope: 1 fault in lessons\n");
}

TEST(Lesson, CollectsAndExports) {
    const std::string answer =
        "{\"time\":\"2026-11-23T20:54:49Z\",\"lesson\":\"04_bank_conflicts\",\"step\":\"sixteen\",\"kernel\":\"shared_tile\","
        "\"parameters\":{\"TILE\":16},\"kind\":\"choice\",\"right\":true,\"items\":[2]}\n";
    const std::string one = file("ann.jsonl", answer), two = file("bob.jsonl", answer + "damaged\n");
    const auto text = run({"lesson", "--collect", one, two});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("2 students, 2 right at first"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("with TILE = 16?"), std::string::npos) << text.out;
    const std::string html = (program::folder() / "class.html").string(),
                      csv = (program::folder() / "class.csv").string();
    EXPECT_EQ(run({"lesson", "--collect", one, two, "--html", html, "--csv", csv}).code, 0);
    EXPECT_NE(base::read_file(html)->find("<h1>What the class answered</h1>"), std::string::npos);
    EXPECT_NE(base::read_file(csv)->find(",8,2,1\r\n"), std::string::npos);
    const std::string damaged = file("class/cy.jsonl", "damaged\n");
    file("class/ann.jsonl", answer);
    const auto of_folder = run({"lesson", "--collect", (program::folder() / "class").string()});
    EXPECT_NE(of_folder.out.find("1 student"), std::string::npos) << of_folder.out;
    EXPECT_NE(of_folder.err.find("left out: " + damaged), std::string::npos) << of_folder.err;
    const auto picture = program::folder() / "class.png";
    const auto drawn = run({"render", "lesson", "--lesson", "04_bank_conflicts:3", "--class",
                            (program::folder() / "class").string(), "-o", picture.string(), "--size", "1280x720"});
    EXPECT_TRUE(drawn.code == 0 || drawn.code == 3) << drawn.err; // 3: no OpenGL here
    const std::string xml = (program::folder() / "quiz.xml").string();
    EXPECT_EQ(run({"lesson", "04_bank_conflicts", "--moodle", xml, "--students", "2"}).code, 0);
    EXPECT_NE(base::read_file(xml)->find("<question type=\"multichoice\">"), std::string::npos);
}

TEST(Lesson, ItsHelpNamesTheFoldersOfOnesOwn) {
    for (const char* command : {"lesson", "render"}) {
        const auto help = run({command, "--help"});
        EXPECT_NE(help.out.find("--kernels DIR"), std::string::npos) << help.out;
        EXPECT_NE(help.out.find("--lessons DIR"), std::string::npos) << help.out;
    }
}

TEST(Lesson, RefusesWhatMeansNothing) {
    expect_refused({"lesson", "nothing"}, 2, "there is no lesson \"nothing\"");
    expect_refused({"lesson", "missing.md"}, 2, "missing.md");
    expect_refused({"lesson", "--lessons", "missing"}, 2, "--lessons missing is not a folder");
    expect_refused({"lesson", "--collect", "missing.jsonl"}, 2, "there is no such file");
    expect_refused({"render", "lesson", "--class", "missing", "-o", "x.png"}, 2, "there is no such file");
    expect_refused({"lesson", "--moodle", "x.xml"}, 2, "no lesson is named");
    for (const auto& [lesson, sentence] : {std::pair("own", "there is no lesson \"own\""),
                                           {"own", "add --lessons FOLDER"},
                                           {"04_bank_conflicts:17", "there is no step \"17\""},
                                           {"04_bank_conflicts:se", "or name one of see, broadcast"}})
        expect_refused({"render", "lesson", "--lesson", lesson, "-o", "x.png"}, 2, sentence);
    std::string unknown = step;
    unknown.replace(unknown.find("shared_tile"), 11, "turned_b");
    const auto picture = program::folder() / "unknown.png";
    expect_refused({"render", "lesson", "--lesson", file("unknown.md", unknown) + ":see", "-o", picture.string()}, 2,
                   "add --kernels FOLDER");
    EXPECT_FALSE(std::filesystem::exists(picture));
    expect_refused({"lesson", "04_bank_conflicts", "--moodle", "x.xml", "--students", "0"}, 2, "--students");
}

} // namespace
