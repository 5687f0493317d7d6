#include "session/history.h"

#include "session/view_fields.h"

#include <utility>

namespace session {
namespace {

constexpr size_t most_steps = 200;
constexpr double pause_s = 0.8; // a longer one ends a drag

std::string changed_parameters(const catalog::Values& before, const catalog::Values& after) {
    std::string names;
    for (const auto& [name, value] : after) {
        auto old = before.find(name);
        if (old == before.end() || old->second != value) names += name + " ";
    }
    return names;
}

// The words of what differs; nothing that counts: none.
class Words {
public:
    explicit Words(bool other_kernel) : other_kernel_(other_kernel) {}

    template <Structure T>
    void compare(const T& before, const T& after) {
        each_pair(before, after,
                  [this](const auto& old, const auto& now) { this->note(now.change, old.value, now.value); });
    }
    std::string take() { return text_.empty() ? std::move(follows_) : std::move(text_); }

private:
    template <Structure T>
    void note(Change, const T& before, const T& after) {
        compare(before, after);
    }
    void note(Change, const catalog::Values& before, const catalog::Values& after) {
        if (!other_kernel_) text_ += changed_parameters(before, after);
    }
    template <class T>
    void note(Change change, const T& before, const T& after) {
        if (before == after || !*change.word) return;
        const std::string word = std::string(change.word) + " ";
        std::string& into = change.only_alone ? follows_ : text_;
        if (!into.ends_with(word)) into += word;
    }

    bool other_kernel_; // whose parameters are others, too
    std::string text_, follows_;
};

std::string change(const View& before, const View& after) {
    Words words(before.subject.kernel != after.subject.kernel);
    words.compare(before, after);
    return words.take();
}

std::optional<View> travel(std::deque<View>& from, std::deque<View>& to, const View& now) {
    if (from.empty()) return {};
    View view = std::move(from.back());
    from.pop_back();
    to.push_back(now);
    view.hover = now.hover;
    view.playing = false;
    return view;
}

} // namespace

void History::record(const View& before, const View& after, double seconds) {
    std::string words = change(before, after);
    if (words.empty()) return;
    const bool same_drag = words == last_change_ && seconds - last_time_ < pause_s && !past_.empty();
    last_change_ = std::move(words);
    last_time_ = seconds;
    future_.clear();
    if (same_drag) return;
    past_.push_back(before);
    if (past_.size() > most_steps) past_.pop_front();
}

std::optional<View> History::undo(const View& now) {
    last_change_.clear();
    return travel(past_, future_, now);
}

std::optional<View> History::redo(const View& now) {
    last_change_.clear();
    return travel(future_, past_, now);
}

} // namespace session
