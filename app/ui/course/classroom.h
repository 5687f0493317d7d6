// The lesson that the window walks: which step is told, what the reader predicts, and what became of it.
#pragma once

#include "lesson/class_files.h"
#include "lesson/player.h"
#include "lesson/votes.h"
#include "ui/panel.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ui {

// What the reader answers to the step's question, before the engine does.
struct Prediction {
    enum class State { open, wrong, right, told }; // told: the reader gave up
    State state = State::open;
    std::string digits;        // of a number, as typed
    std::vector<size_t> items; // of a choice one, of an order those chosen so far
    std::vector<lesson::Answer::Point> curve;
    bool done() const { return state == State::right || state == State::told; }
};

// What the class answered to the step's question: nothing until the teacher asks for it, and the right answer not before that.
enum class ClassShown { nothing, answers, right_answer };

class Classroom {
public:
    // Lessons are read. `answers`: the reader's file; empty: nothing is kept.
    void open(lesson::Player::Options, std::filesystem::path answers);
    void start_file(const std::filesystem::path& lesson);   // that was dropped on the window: once it has been read
    bool update() { return player_ && player_->collect(); } // true if something has come
    bool busy() const { return player_ && player_->busy(); }
    size_t remembered_bytes() const { return player_ ? player_->remembered_bytes() : 0; } // of memory
    void wait() {
        if (player_) player_->wait();
    }

    // Nothing where no lessons were opened.
    const lesson::Lessons* lessons() const { return player_ ? &player_->lessons() : nullptr; }
    uint64_t reads() const { return player_ ? player_->reads() : 0; }
    // The lesson and step of the view; nullptr: none is walked.
    std::shared_ptr<const lesson::Lesson> lesson(const session::View&) const;
    const lesson::Step* step(const session::View&) const;
    // What the step tells of what is set now; nullptr: it is being computed.
    const std::shared_ptr<const lesson::Told>& told() const { return told_; }
    // The reader has set something that the step has not.
    bool away(const session::Session&) const;

    void start(Context&, const std::string& id); // its first step, on the stage
    void turn(Context&, int direction); // to the next step or the one before; behind the last the next lesson's first
    void come_back(Context&);           // to what the step sets
    // Once a frame, before anything is drawn: asks for what is told, and brings a new step to its moment.
    void follow(Context&);

    // The question is answered, and what is set is what it asked about.
    bool shows_what_was_asked() const { return shows_asked_; }

    Prediction& prediction() { return prediction_; }
    // The step asks, and nothing was answered yet: what would tell is hidden.
    bool asks(const session::View&) const;
    // Whether keys belong to the prediction. A digit, a letter of a choice, Enter, Backspace.
    bool takes(const Context&, const struct KeyPress&) const;
    void take(Context&, const struct KeyPress&);
    void choose(Context&, size_t item); // of a choice, or the next of an order
    void commit(Context&);              // asks the engine
    void give_up(Context&);             // the engine tells

    // The class, in place of the one before.
    void take_class(lesson::ClassFiles);
    size_t students() const { return class_.size(); }
    // Of the step; nullptr: there is no class, or the step asks nothing, or its answer is being computed.
    const lesson::Votes* votes() const { return votes_ ? &*votes_ : nullptr; }
    ClassShown class_shown() const { return class_shown_; }
    void show_class(Context&); // the answers, then which is right, then nothing again

private:
    void show(Context&, const lesson::Lesson&, size_t step);
    void count_class(const lesson::Lesson&, const lesson::Step&);
    void reveal(Context&, Prediction::State);
    std::optional<lesson::Answer> given(const Context&, const lesson::Question&) const;

    std::unique_ptr<lesson::Player> player_;
    std::filesystem::path answers_;
    std::shared_ptr<const lesson::Told> told_;
    session::Course shown_; // the step that prediction_ belongs to
    std::string to_start_;  // a lesson that is being read
    bool arrived_ = true;   // at the step's moment
    bool shows_asked_ = false;
    Prediction prediction_;
    std::vector<lesson::Answers> class_; // a file each
    std::optional<lesson::Votes> votes_;
    std::shared_ptr<const lesson::Told> counted_; // that votes_ belong to
    ClassShown class_shown_ = ClassShown::nothing;
};

// The lessons that come with the program, and those of further folders.
lesson::Player::Options lesson_places(const std::filesystem::path& assets,
                                      const std::vector<std::filesystem::path>& folders,
                                      std::function<void()> wake = {});

} // namespace ui
