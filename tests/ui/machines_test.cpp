// The page of Remote GPUs: a machine is typed in, tried, chosen and removed.
#include "stage.h"

#include "ui/window/frame.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <thread>

namespace {

class MachinesPage : public Stage {
public:
    explicit MachinesPage(session::Language language = session::Language::en, ImVec2 size = {1280, 720})
        : Stage(in(language)) {
        show_as_it_is(ui::draw_window);
        resize(size.x, size.y);
        settle();
        type({{GLFW_KEY_F3}});
        frames(3);
    }
    void write(const std::string& field, const std::string& text) {
        click_mark(field);
        for (const char c : text) {
            ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
            frame();
        }
        frame();
    }
    void add(const std::string& name, const std::string& mode) {
        write("machines.name", name);
        write("machines.command", "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' " + mode);
        click_mark("machines.add");
        frames(2);
    }
    const session::Machine& machine(const std::string& name) {
        const auto& all = session().machines().all();
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
        static const session::Machine none;
        EXPECT_NE(found, all.end()) << name;
        return found == all.end() ? none : *found;
    }
    const base::Result<session::MachineAnswer>& answer(const std::string& name) {
        const session::MachineTrial* const trial = session().machines().trial(machine(name).command);
        while (!trial->outcome()) {
            session().update(0);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        frames(2);
        return *trial->outcome();
    }

private:
    static session::View in(session::Language language) {
        session::View view = view_of("naive", {32, 32, 8});
        view.language = language;
        return view;
    }
};

TEST(MachinesPage, AMachineIsTypedInTriedChosenAndRemoved) {
    MachinesPage page;
    EXPECT_TRUE(page.has_mark("machine.here"));
    page.add("lab/1", "good");
    EXPECT_TRUE(page.session().machines().all().empty());
    ASSERT_FALSE(page.gui().chrome().notices.empty());
    EXPECT_NE(page.gui().chrome().notices.back().text.find("no name of a machine"), std::string::npos);
    for (int i = 0; i < 2; ++i) page.write("machines.name", ""); // what was refused is still there
    page.gui().chrome().machine_name = {};
    page.gui().chrome().machine_command = {};
    page.frames(2);
    page.add("lab", "good");
    const auto& there = page.answer("lab");
    ASSERT_TRUE(there) << there.error().sentence();
    EXPECT_EQ(there->devices.front().name, "Fake");
    page.click_mark("machine.lab.use");
    page.frames(2);
    EXPECT_TRUE(page.session().machines().chosen(page.machine("lab")));
    page.add("away", "exits");
    EXPECT_FALSE(page.answer("away"));
    page.add("silent", "silent");
    page.click_mark("machine.silent.try"); // stops it
    page.frames(2);
    EXPECT_EQ(page.session().machines().trial(page.machine("silent").command), nullptr);
    page.click_mark("machine.lab.remove");
    page.frames(2);
    EXPECT_EQ(page.session().machines().all().size(), 2u);
    EXPECT_EQ(page.session().machines().command(), "") << "this machine again";
    page.expect_no_missing_text();
}

TEST(MachinesPage, HasRoomInBothLanguagesAndAtEverySize) {
    for (const auto language : {session::Language::en, session::Language::zh})
        for (const ImVec2 size : {ImVec2{1600, 900}, ImVec2{1280, 720}, ImVec2{320, 200}}) {
            MachinesPage page(language, size);
            page.expect_no_missing_text();
            EXPECT_TRUE(size.x < 1000 || page.has_mark("machine.here.try"));
        }
}

} // namespace
