#include "lesson/votes.h"

#include "lesson/tell.h"
#include "trace/trace.h"

#include <algorithm>
#include <map>

namespace lesson {
namespace {

using Kind = Question::Kind;

constexpr size_t most_bars = 8; // that a back row tells apart
constexpr size_t most_curves = 60;

// Answers to this question about this setting. Those to another, which the reader had set or an older lesson asked, are none.
bool is_to(const Given& given, const std::string& lesson, const Step& step) {
    const Question& question = *step.question;
    return given.lesson == lesson && given.step == step.id && given.kind == question.kind &&
           given.kernel == question.subject.kernel && given.parameters == question.subject.parameters;
}

std::string letters(const std::vector<size_t>& items) {
    std::string text;
    for (const size_t item : items)
        text += (text.empty() ? "" : ", ") + std::string(1, static_cast<char>('A' + std::min<size_t>(item, 25)));
    return text;
}

// A bar for each answer that is possible, where they are few and known.
std::vector<Votes::Bar> all_bars(const Question& question, const ToldQuestion& told) {
    std::vector<Votes::Bar> bars;
    if (question.kind == Kind::choice)
        for (size_t i = 0; i < told.items.size(); ++i)
            bars.push_back({letters({i}), 0, told.answer.items == std::vector{i}});
    if (question.kind == Kind::lane)
        for (int lane = 0; lane < trace::warp_size; ++lane)
            bars.push_back({std::to_string(lane), 0, (told.answer.lanes >> lane & 1) != 0});
    if (question.kind == Kind::curve) bars = {{"close", 0, true}, {"off", 0, false}};
    return bars;
}

void count(std::vector<Votes::Bar>& bars, const Question& question, const Answer& answer, bool right) {
    const auto add = [&](size_t bar) {
        if (bar < bars.size()) ++bars[bar].students;
    };
    if (question.kind == Kind::choice && answer.items.size() == 1) add(answer.items.front());
    if (question.kind == Kind::lane)
        for (size_t lane = 0; lane < bars.size(); ++lane)
            if (answer.lanes >> lane & 1) add(lane);
    if (question.kind == Kind::curve) add(right ? 0 : 1);
}

// The bars that most chose and the right one, and one for all others, which are as many as students thought of.
template <class Value>
std::vector<Votes::Bar> most_given(const std::map<Value, Votes::Bar>& given, bool by_value) {
    std::vector<std::pair<Value, Votes::Bar>> all(given.begin(), given.end());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.right, a.second.students) > std::pair(b.second.right, b.second.students);
    });
    Votes::Bar others;
    while (all.size() > most_bars) others.students += all.back().second.students, all.pop_back();
    std::stable_sort(all.begin(), all.end(), [by_value](const auto& a, const auto& b) {
        return by_value ? a.first < b.first : a.second.students > b.second.students;
    });
    std::vector<Votes::Bar> bars;
    for (auto& [value, bar] : all) bars.push_back(std::move(bar));
    if (others.students > 0) bars.push_back(others);
    return bars;
}

std::vector<Votes::Bar> counted(const std::vector<const Given*>& firsts, const Question& question,
                                const ToldQuestion& told) {
    const Answer& truth = told.answer;
    if (question.kind == Kind::number) {
        std::map<double, Votes::Bar> bars{{truth.number, {number_text(truth.number), 0, true}}};
        for (const Given* given : firsts) {
            Votes::Bar& bar = bars[given->answer.number];
            bar.answer = number_text(given->answer.number), ++bar.students;
            bar.right = is_right(question, truth, given->answer);
        }
        return most_given(bars, true);
    }
    if (question.kind == Kind::order) {
        std::map<std::vector<size_t>, Votes::Bar> bars{{truth.items, {letters(truth.items), 0, true}}};
        for (const Given* given : firsts) {
            Votes::Bar& bar = bars[given->answer.items];
            bar.answer = letters(given->answer.items), ++bar.students;
            bar.right = is_right(question, truth, given->answer);
        }
        return most_given(bars, false);
    }
    std::vector<Votes::Bar> bars = all_bars(question, told);
    for (const Given* given : firsts) count(bars, question, given->answer, is_right(question, truth, given->answer));
    return bars;
}

} // namespace

Votes votes(const std::vector<Answers>& students, const std::string& lesson, const Step& step,
            const ToldQuestion& told) {
    Votes all;
    all.students = students.size();
    std::vector<const Given*> firsts;
    for (const Answers& student : students) {
        const Given *first = nullptr, *last = nullptr;
        for (const Given& given : student.given) {
            if (!is_to(given, lesson, step)) continue;
            if (!first) first = &given;
            last = &given;
        }
        if (!first) continue;
        firsts.push_back(first);
        all.right += is_right(*step.question, told.answer, first->answer);
        all.right_at_last += is_right(*step.question, told.answer, last->answer);
        if (step.question->kind == Kind::curve && all.curves.size() < most_curves)
            all.curves.push_back(first->answer.curve);
    }
    all.answered = firsts.size();
    all.bars = counted(firsts, *step.question, told);
    return all;
}

} // namespace lesson
