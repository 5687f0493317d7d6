#include "edit/text.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <utility>

namespace edit {
namespace {

constexpr size_t most_remembered = size_t{8} << 20; // bytes of all steps that can be undone
constexpr size_t most_steps = 10000;
constexpr size_t longest_character = 4; // bytes

size_t blanks(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

enum class Class { blank, word, sign };
Class class_of(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return Class::blank;
    const bool letter = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    return letter || c == '_' || byte >= 0x80 ? Class::word : Class::sign;
}

// Columns of a character: Chinese, Japanese and Korean ones are wide.
size_t width_of(std::string_view character) { return character.size() >= 3 ? 2 : 1; }

// Of a bracket that opens what stands on the lines below.
bool opens(char c) { return c == '{' || c == '(' || c == '['; }
bool closes(char c) { return c == '}' || c == ')' || c == ']'; }

// One level less.
std::string_view outdented(std::string_view line) {
    if (line.starts_with('\t')) return line.substr(1);
    return line.substr(std::min({blanks(line), tab_width, line.find('\t')}));
}

} // namespace

Text::Text(std::string text) : text_(std::move(text)) {
    if (text_.size() > most_bytes) text_.resize(most_bytes);
    find_lines();
}

void Text::find_lines() {
    starts_.assign(1, 0);
    for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
        starts_.push_back(at + 1);
}

size_t Text::line_end(size_t line) const {
    if (line + 1 == starts_.size()) return text_.size();
    const size_t end = starts_[line + 1] - 1;
    return end > starts_[line] && text_[end - 1] == '\r' ? end - 1 : end;
}

std::string_view Text::line(size_t number) const {
    return std::string_view(text_).substr(starts_[number], line_end(number) - starts_[number]);
}

Place Text::place_of(size_t at) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), at);
    const auto line = static_cast<size_t>(after - starts_.begin()) - 1;
    return {line, at - starts_[line]};
}

size_t Text::at(Place place) const {
    const size_t line = std::min(place.line, starts_.size() - 1);
    return whole(std::min(starts_[line] + std::min(place.column, text_.size()), line_end(line)));
}

size_t Text::next(size_t at) const {
    if (at >= text_.size()) return text_.size();
    if (text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n') return at + 2;
    return at + base::first_character(std::string_view(text_).substr(at, longest_character)).bytes;
}

size_t Text::whole(size_t at) const {
    at = std::min(at, text_.size());
    // Only the first byte of a character is no continuation of another: one that reaches beyond `at` begins shortly before.
    for (size_t before = at - std::min(at, longest_character - 1); before < at; ++before)
        if (next(before) > at) return before;
    return at;
}

size_t Text::previous(size_t at) const { return at == 0 ? 0 : whole(at - 1); }

size_t Text::word(size_t at, bool forward) const {
    const auto step = [&](size_t from) { return forward ? next(from) : previous(from); };
    const auto ahead = [&](size_t from) { return class_of(text_[forward ? from : previous(from)]); };
    const size_t end = forward ? text_.size() : 0;
    if (forward) { // to the end of the word, then to the begin of the next
        if (at == end) return at;
        const Class first = ahead(at);
        while (at != end && first != Class::blank && ahead(at) == first) at = step(at);
        while (at != end && ahead(at) == Class::blank && text_[at] != '\n') at = step(at);
        return at == end || first != Class::blank || text_[at] != '\n' ? at : step(at);
    }
    while (at != end && ahead(at) == Class::blank) at = step(at);
    if (at == end) return at;
    for (const Class first = ahead(at); at != end && ahead(at) == first;) at = step(at);
    return at;
}

size_t Text::column_of(size_t at) const {
    const Place place = place_of(at);
    size_t column = 0;
    for (size_t i = starts_[place.line]; i < at;) {
        const size_t after = next(i);
        column +=
            text_[i] == '\t' ? tab_width - column % tab_width : width_of(std::string_view(text_).substr(i, after - i));
        i = after;
    }
    return column;
}

size_t Text::at_column(size_t line, size_t column) const {
    size_t at = starts_[line];
    for (size_t seen = 0; at < line_end(line);) {
        const size_t after = next(at);
        seen +=
            text_[at] == '\t' ? tab_width - seen % tab_width : width_of(std::string_view(text_).substr(at, after - at));
        if (seen > column) break;
        at = after;
    }
    return at;
}

Range Text::selection() const { return {std::min(cursor_, anchor_), std::max(cursor_, anchor_)}; }

std::string_view Text::selected() const {
    const Range range = selection();
    return std::string_view(text_).substr(range.first, range.last - range.first);
}

void Text::place_cursor(size_t at, bool select) {
    cursor_ = whole(at);
    if (!select) anchor_ = cursor_;
    column_.reset();
    joins_ = false;
}

void Text::select(Range range) {
    place_cursor(range.first);
    place_cursor(range.last, true);
}

void Text::select_word(size_t at) {
    const Place place = place_of(whole(at));
    const size_t begin = starts_[place.line], end = line_end(place.line);
    size_t first = std::min(whole(at), end);
    if (first == end && first > begin) first = previous(first);
    if (first == end) return place_cursor(end);
    const Class wanted = class_of(text_[first]);
    size_t last = first;
    while (first > begin && class_of(text_[previous(first)]) == wanted) first = previous(first);
    while (last < end && class_of(text_[last]) == wanted) last = next(last);
    select({first, last});
}

void Text::select_line(size_t at) {
    const size_t line = place_of(whole(at)).line;
    select({starts_[line], line + 1 < starts_.size() ? starts_[line + 1] : text_.size()});
}

size_t Text::target(Move move, size_t rows) {
    const Place place = place_of(cursor_);
    const size_t line = place.line, last = starts_.size() - 1;
    const auto in_line = [&](size_t other) {
        if (!column_) column_ = column_of(cursor_);
        return at_column(other, *column_);
    };
    switch (move) {
    case Move::left: return previous(cursor_);
    case Move::right: return next(cursor_);
    case Move::word_left: return word(cursor_, false);
    case Move::word_right: return word(cursor_, true);
    case Move::up: return line == 0 ? 0 : in_line(line - std::min(rows, line));
    case Move::down: return line == last ? text_.size() : in_line(line + std::min(rows, last - line));
    case Move::line_begin: { // of its text, or from there of the line
        const size_t text = starts_[line] + blanks(this->line(line));
        return cursor_ == text ? starts_[line] : text;
    }
    case Move::line_end: return line_end(line);
    case Move::begin: return 0;
    case Move::end: break;
    }
    return text_.size();
}

void Text::move(Move move, bool select, size_t rows) {
    const Range range = selection();
    const bool vertical = move == Move::up || move == Move::down;
    if (!select && !range.empty() && (move == Move::left || move == Move::right))
        return place_cursor(move == Move::left ? range.first : range.last);
    const size_t to = target(move, rows);
    const auto column = column_;
    place_cursor(to, select);
    if (vertical) column_ = column;
}

void Text::apply(size_t at, size_t removed, std::string_view inserted) {
    text_.replace(at, removed, inserted);
    find_lines();
    ++revision_;
    column_.reset();
}

// Letters one after the other, or one before the other, are one step.
bool Text::join(const Change& next) {
    if (!joins_ || done_.empty() || done_.back().kind != next.kind || next.kind == Kind::other) return false;
    Change& last = done_.back();
    if (last.cursor_after != next.cursor_before || last.anchor_after != next.anchor_before) return false;
    if (next.kind == Kind::typing) {
        if (!next.removed.empty() || next.at != last.at + last.inserted.size()) return false;
        const bool new_word = class_of(next.inserted.front()) != Class::blank && !last.inserted.empty() &&
                              class_of(last.inserted.back()) == Class::blank;
        if (new_word) return false;
        last.inserted += next.inserted;
    } else if (next.kind == Kind::erasing_left) {
        if (next.at + next.removed.size() != last.at) return false;
        last.removed.insert(0, next.removed);
        last.at = next.at;
    } else {
        if (next.at != last.at) return false;
        last.removed += next.removed;
    }
    last.cursor_after = next.cursor_after, last.anchor_after = next.anchor_after;
    remembered_ += next.removed.size() + next.inserted.size();
    return true;
}

void Text::remember(Change&& change) {
    undone_.clear();
    if (!join(change)) {
        remembered_ += change.bytes();
        done_.push_back(std::move(change));
    }
    joins_ = true;
    while (done_.size() > 1 && (remembered_ > most_remembered || done_.size() > most_steps)) {
        remembered_ -= std::min(remembered_, done_.front().bytes());
        done_.pop_front();
    }
}

bool Text::change(Range range, std::string_view inserted, Kind kind, std::optional<Range> then_selected) {
    if (text_.size() - (range.last - range.first) + inserted.size() > most_bytes) return false;
    if (range.empty() && inserted.empty()) return true;
    Change one{
        range.first, text_.substr(range.first, range.last - range.first), std::string(inserted), cursor_, anchor_, 0, 0,
        kind};
    apply(range.first, range.last - range.first, inserted);
    const size_t end = range.first + inserted.size();
    // What was typed may complete a character or an end of line with what stands behind it.
    anchor_ = whole(then_selected ? then_selected->first : end);
    cursor_ = whole(then_selected ? then_selected->last : end);
    one.cursor_after = cursor_, one.anchor_after = anchor_;
    remember(std::move(one));
    return true;
}

std::string Text::with_line_ends(std::string_view letters) const {
    const bool dos = starts_.size() > 1 && starts_[1] > 1 && text_[starts_[1] - 2] == '\r';
    std::string kept;
    for (const char c : letters) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n' && dos) kept += '\r';
        if (c == '\n' || c == '\t' || (byte >= 0x20 && byte != 0x7F)) kept += c;
    }
    return kept;
}

bool Text::type(std::string_view letters) {
    Range range = selection();
    const Place place = place_of(range.first);
    const std::string_view before = line(place.line).substr(0, place.column);
    const bool alone = range.empty() && !before.empty() && blanks(before) == before.size();
    if (alone && letters.size() == 1 && closes(letters.front()))
        range.first -= before.size() - outdented(before).size();
    const std::string kept = with_line_ends(letters);
    if (kept.empty()) return true;
    return change(range, kept, Kind::typing);
}

bool Text::paste(std::string_view letters) {
    joins_ = false;
    const bool pasted = change(selection(), with_line_ends(letters), Kind::other);
    joins_ = false;
    return pasted;
}

bool Text::new_line() {
    Range range = selection();
    const Place place = place_of(range.first);
    const std::string_view whole_line = line(place.line), before = whole_line.substr(0, place.column);
    const std::string margin(before.substr(0, blanks(before)));
    const size_t last = before.find_last_not_of(" \t");
    const bool deeper = last != std::string_view::npos && opens(before[last]);
    const std::string_view after = std::string_view(text_).substr(range.last);
    const size_t skipped = std::min(after.find_first_not_of(" \t"), after.size());
    const bool closing = skipped < after.size() && closes(after[skipped]);
    if (last != std::string_view::npos) range.last += skipped; // the indentation takes the place of the blanks
    std::string inserted = "\n" + margin + (deeper ? std::string(tab_width, ' ') : "");
    inserted = with_line_ends(inserted);
    const size_t cursor = range.first + inserted.size();
    if (deeper && closing) inserted += with_line_ends("\n" + margin); // a bracket that closes stands alone
    joins_ = false;
    return change(range, inserted, Kind::other, Range{cursor, cursor});
}

Range Text::selected_lines() const {
    const Range range = selection();
    const size_t first = place_of(range.first).line;
    Place last = place_of(range.last);
    if (last.line > first && last.column == 0) --last.line;
    return {starts_[first], line_end(last.line)};
}

template <class Edit>
bool Text::edit_lines(const Edit& edit) {
    const Range range = selected_lines();
    const Place first = place_of(range.first), last = place_of(range.last);
    const Place cursor = place_of(cursor_), anchor = place_of(anchor_);
    std::string edited;
    std::vector<std::ptrdiff_t> grown;
    for (size_t number = first.line; number <= last.line; ++number) {
        const std::string_view old = line(number);
        const std::string now = edit(old);
        grown.push_back(static_cast<std::ptrdiff_t>(now.size()) - static_cast<std::ptrdiff_t>(old.size()));
        edited += now;
        if (number < last.line) edited.append(text_, line_end(number), starts_[number + 1] - line_end(number));
    }
    // A cursor within the text of a line stays with it; one at its begin stays there.
    const auto moved = [&](Place place) {
        if (place.line < first.line || place.line > last.line || place.column == 0) return place;
        const auto column = static_cast<std::ptrdiff_t>(place.column) + grown[place.line - first.line];
        return Place{place.line, static_cast<size_t>(std::max<std::ptrdiff_t>(column, 0))};
    };
    joins_ = false;
    if (edited == std::string_view(text_).substr(range.first, range.last - range.first)) return true;
    if (!change(range, edited, Kind::other)) return false;
    anchor_ = at(moved(anchor)), cursor_ = at(moved(cursor));
    done_.back().cursor_after = cursor_, done_.back().anchor_after = anchor_;
    joins_ = false;
    return true;
}

bool Text::indent() {
    const Range range = selection();
    if (place_of(range.first).line == place_of(range.last).line) {
        const size_t column = column_of(range.first);
        return change(range, std::string(tab_width - column % tab_width, ' '), Kind::typing);
    }
    return edit_lines([](std::string_view line) {
        return line.empty() ? std::string() : std::string(tab_width, ' ') + std::string(line);
    });
}

void Text::outdent() {
    edit_lines([](std::string_view line) { return std::string(outdented(line)); });
}

bool Text::toggle_comment() {
    const Range range = selected_lines();
    const size_t first = place_of(range.first).line, last = place_of(range.last).line;
    size_t margin = std::string::npos;
    bool all = true;
    for (size_t number = first; number <= last; ++number) {
        const std::string_view text = line(number);
        if (blanks(text) == text.size()) continue;
        margin = std::min(margin, blanks(text));
        all = all && text.substr(blanks(text)).starts_with("//");
    }
    if (margin == std::string::npos) return true;
    return edit_lines([&](std::string_view line) {
        std::string text(line);
        if (blanks(line) == line.size()) return text;
        if (!all) return text.insert(margin, "// ");
        const size_t mark = blanks(line);
        return text.erase(mark, line.substr(mark).starts_with("// ") ? 3 : 2);
    });
}

void Text::erase(Move move) {
    if (const Range range = selection(); !range.empty()) {
        joins_ = false;
        change(range, "", Kind::other);
        return;
    }
    size_t to = target(move, 1);
    const Place place = place_of(cursor_);
    const std::string_view before = line(place.line).substr(0, place.column);
    // In the margin, a level at a time.
    if (move == Move::left && !before.empty() && before.find_first_not_of(' ') == std::string_view::npos)
        to = starts_[place.line] + (place.column - 1) / tab_width * tab_width;
    const Kind kind = move == Move::left ? Kind::erasing_left : move == Move::right ? Kind::erasing_right : Kind::other;
    change({std::min(to, cursor_), std::max(to, cursor_)}, "", kind);
}

bool Text::undo() {
    if (done_.empty()) return false;
    Change one = std::move(done_.back());
    done_.pop_back();
    remembered_ -= std::min(remembered_, one.bytes());
    apply(one.at, one.inserted.size(), one.removed);
    cursor_ = one.cursor_before, anchor_ = one.anchor_before;
    undone_.push_back(std::move(one));
    joins_ = false;
    return true;
}

bool Text::redo() {
    if (undone_.empty()) return false;
    Change one = std::move(undone_.back());
    undone_.pop_back();
    apply(one.at, one.removed.size(), one.inserted);
    cursor_ = one.cursor_after, anchor_ = one.anchor_after;
    remembered_ += one.bytes();
    done_.push_back(std::move(one));
    joins_ = false;
    return true;
}

bool Text::replace(std::string_view text) {
    if (text.size() > most_bytes) return false;
    if (text == text_) return true;
    const Place place = place_of(cursor_);
    joins_ = false;
    // Only what differs: a step of undo is then small, and tells where it was.
    size_t same = 0;
    while (same < std::min(text.size(), text_.size()) && text[same] == text_[same]) ++same;
    size_t tail = 0;
    while (tail < std::min(text.size(), text_.size()) - same &&
           text[text.size() - 1 - tail] == text_[text_.size() - 1 - tail])
        ++tail;
    change({same, text_.size() - tail}, text.substr(same, text.size() - tail - same), Kind::other);
    cursor_ = anchor_ = at(place);
    done_.back().cursor_after = done_.back().anchor_after = cursor_;
    joins_ = false;
    return true;
}

std::optional<Range> find(std::string_view text, std::string_view wanted, size_t from, bool forward) {
    const std::vector<Range> all = find_all(text, wanted);
    if (all.empty()) return {};
    if (forward) {
        const auto next = std::find_if(all.begin(), all.end(), [&](const Range& one) { return one.first >= from; });
        return next == all.end() ? all.front() : *next;
    }
    const auto before = std::find_if(all.rbegin(), all.rend(), [&](const Range& one) { return one.last <= from; });
    return before == all.rend() ? all.back() : *before;
}

std::vector<Range> find_all(std::string_view text, std::string_view wanted) {
    std::vector<Range> found;
    if (wanted.empty()) return found;
    const std::string in = base::lower(text), what = base::lower(wanted);
    for (size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + what.size()))
        found.push_back({at, at + what.size()});
    return found;
}

} // namespace edit
