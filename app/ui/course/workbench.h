// The exercise that is solved in the window: its text, its rules, and the verdict on the kernel as it was last compiled.
#pragma once

#include "exercise/grading.h"
#include "ui/panel.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ui {

class Workbench {
public:
    struct Places {
        std::vector<std::filesystem::path> exercises; // folders of them
        std::filesystem::path answers;                // the reader's predictions: lesson::own_answers()
        std::filesystem::path hand_ins;               // folder that they are written to
        std::string student;                          // whose they are
    };
    void open(Places, std::function<void()> wake = {});
    const exercise::Exercises* exercises() const {
        return grading_ ? &exercises_ : nullptr;
    } // nullptr: none were opened

    // The exercise of the view; nullptr: none is solved.
    std::shared_ptr<const exercise::Exercise> exercise(const session::View&) const;
    // The kernel that solves it: the one shown, if its function is the starter's, else that of the exercise's name; nullptr: neither is there.
    std::shared_ptr<const catalog::Kernel> work(const session::Session&) const;
    // The verdict on it; nullptr: it is being computed, or there is no work.
    const std::shared_ptr<const exercise::Verdict>& verdict() const { return verdict_; }
    // While it is computed the one before; nullptr: there is none.
    std::shared_ptr<const exercise::Verdict> last(const session::View&) const;
    // Once for each verdict but an exercise's first: what it names first is to be seen.
    bool take_news() { return std::exchange(news_, false); }

    void start(Context&, const std::string& id); // its starter becomes a kernel of the user's own, or work goes on
    void come_back(Context&);                    // to the kernel, where another is shown
    void leave(Context&);
    void show(Context&, const exercise::Look&); // sets what the look names: size, order of warps, view, place
    void hand_in(Context&);                     // writes the file, and says where
    void open_hand_in(Context&, const std::filesystem::path& file); // a student's, with the view as it was
    const std::string& student() const { return places_.student; }

    // Once a frame, before anything is drawn: asks for the verdict.
    void follow(Context&);
    bool update() { return grading_ && grading_->collect(); } // true if a verdict has come
    bool busy() const { return grading_ && grading_->busy(); }
    void wait() {
        if (grading_) grading_->wait();
    }

private:
    void enter(Context&, const std::string& id);

    Places places_;
    exercise::Exercises exercises_;
    std::unique_ptr<exercise::Grading> grading_;
    std::shared_ptr<const exercise::Verdict> verdict_, seen_; // of this frame; the latest
    std::string seen_of_;                                     // exercise
    bool news_ = false;
    std::optional<session::Layout> layout_before_; // the exercise began
};

} // namespace ui
