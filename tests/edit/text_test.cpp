// The editor's text: what each key does, every step back, and random edits against a plain string.
#include "edit/text.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using edit::Move;
using edit::Range;
using edit::Text;

// The text with the cursor at the '|' in it, or with what lies between two of them selected.
Text with_cursor(std::string marked) {
    const size_t first = marked.find('|');
    marked.erase(first, 1);
    const size_t last = marked.find('|');
    if (last != std::string::npos) marked.erase(last, 1);
    Text text(marked);
    text.select({first, last == std::string::npos ? first : last});
    return text;
}

std::string shown(const Text& text) {
    std::string marked = text.text();
    const Range range = text.selection();
    if (!range.empty()) marked.insert(range.last, 1, '|');
    return marked.insert(range.first, 1, '|');
}

template <class Act>
std::string after(const std::string& marked, const Act& act) {
    Text text = with_cursor(marked);
    act(text);
    return shown(text);
}

TEST(Text, LinesAndPlaces) {
    const Text text("ab\ncd\r\n\ne");
    ASSERT_EQ(text.lines(), 4u);
    EXPECT_EQ(text.line(0), "ab");
    EXPECT_EQ(text.line(1), "cd");
    EXPECT_EQ(text.line(2), "");
    EXPECT_EQ(text.line(3), "e");
    EXPECT_EQ(text.place_of(4), (edit::Place{1, 1}));
    EXPECT_EQ(text.at({1, 1}), 4u);
    EXPECT_EQ(text.at({1, 9}), 5u) << "before \\r\\n";
    EXPECT_EQ(text.at({9, 9}), 9u);
    EXPECT_EQ(Text("").lines(), 1u);
    EXPECT_EQ(Text("a\n").lines(), 2u) << "a cursor can stand behind the last newline";
}

TEST(Text, TypesAtTheCursorAndOverTheSelection) {
    EXPECT_EQ(after("a|b", [](Text& t) { t.type("x"); }), "ax|b");
    EXPECT_EQ(after("a|bc|d", [](Text& t) { t.type("x"); }), "ax|d");
    EXPECT_EQ(after("a|b", [](Text& t) { t.paste("1\n2\x01"); }), "a1\n2|b") << "no control characters";
    EXPECT_EQ(after("a\r\n|b", [](Text& t) { t.paste("1\n2"); }), "a\r\n1\r\n2|b") << "the text's own ends of lines";
    EXPECT_EQ(after("a|b", [](Text& t) { t.type("\n"); }), "a\n|b");
}

TEST(Text, MovesByCharacters) {
    EXPECT_EQ(after("a|\xE4\xBD\xA0z", [](Text& t) { t.move(Move::right); }), "a\xE4\xBD\xA0|z");
    EXPECT_EQ(after("a\xE4\xBD\xA0|z", [](Text& t) { t.move(Move::left); }), "a|\xE4\xBD\xA0z");
    EXPECT_EQ(after("a\xFF|z", [](Text& t) { t.move(Move::left); }), "a|\xFFz") << "no UTF-8";
    EXPECT_EQ(after("a|\r\nz", [](Text& t) { t.move(Move::right); }), "a\r\n|z");
    EXPECT_EQ(after("a|bc|d", [](Text& t) { t.move(Move::left); }), "a|bcd");
    EXPECT_EQ(after("a|bc|d", [](Text& t) { t.move(Move::right); }), "abc|d");
    EXPECT_EQ(after("a|bc", [](Text& t) { t.move(Move::right, true); }), "a|b|c");
}

TEST(Text, MovesByWordsAndLines) {
    EXPECT_EQ(after("|foo_1(bar)", [](Text& t) { t.move(Move::word_right); }), "foo_1|(bar)");
    EXPECT_EQ(after("foo |bar", [](Text& t) { t.move(Move::word_left); }), "|foo bar");
    EXPECT_EQ(after("a|\n  b", [](Text& t) { t.move(Move::word_right); }), "a\n|  b");
    EXPECT_EQ(after("    a|b", [](Text& t) { t.move(Move::line_begin); }), "    |ab");
    EXPECT_EQ(after("    |ab", [](Text& t) { t.move(Move::line_begin); }), "|    ab");
    EXPECT_EQ(after("a|b\nc", [](Text& t) { t.move(Move::line_end); }), "ab|\nc");
    EXPECT_EQ(after("a\nb|", [](Text& t) { t.move(Move::begin); }), "|a\nb");
}

TEST(Text, UpAndDownKeepTheColumn) {
    Text text = with_cursor("abcdef|\nab\nabcdef");
    text.move(Move::down);
    EXPECT_EQ(shown(text), "abcdef\nab|\nabcdef");
    text.move(Move::down);
    EXPECT_EQ(shown(text), "abcdef\nab\nabcdef|");
    text.move(Move::down);
    EXPECT_EQ(shown(text), "abcdef\nab\nabcdef|") << "the last line";
    text.move(Move::up, false, 9);
    EXPECT_EQ(shown(text), "abcdef|\nab\nabcdef");
    EXPECT_EQ(after("\tx|y\n     z", [](Text& t) { t.move(Move::down); }), "\txy\n     |z") << "a tab is four columns";
}

TEST(Text, ANewLineIsIndented) {
    const auto enter = [](Text& t) { t.new_line(); };
    EXPECT_EQ(after("    a|", enter), "    a\n    |");
    EXPECT_EQ(after("    a|  b", enter), "    a\n    |b");
    EXPECT_EQ(after("  for {|", enter), "  for {\n      |");
    EXPECT_EQ(after("  for {|}", enter), "  for {\n      |\n  }");
    EXPECT_EQ(after("  |  a", enter), "  \n  |  a") << "in the margin nothing moves";
    EXPECT_EQ(after("a {\r\n|", [](Text& t) { t.move(Move::up), t.move(Move::line_end), t.new_line(); }),
              "a {\r\n    |\r\n");
    EXPECT_EQ(after("{\n        |", [](Text& t) { t.type("}"); }), "{\n    }|");
    EXPECT_EQ(after("{\n    x|", [](Text& t) { t.type("}"); }), "{\n    x}|");
}

TEST(Text, IndentsTheSelection) {
    EXPECT_EQ(after("a|b", [](Text& t) { t.indent(); }), "a   |b") << "up to the next stop";
    EXPECT_EQ(after("|a\n\nb|\nc", [](Text& t) { t.indent(); }), "|    a\n\n    b|\nc");
    EXPECT_EQ(after("a|a\nb|\nc", [](Text& t) { t.indent(); }), "    a|a\n    b|\nc");
    EXPECT_EQ(after("|a\nb\n|c", [](Text& t) { t.indent(); }), "|    a\n    b\n|c")
        << "not the line that it only ends in";
    EXPECT_EQ(after("      a|\n", [](Text& t) { t.outdent(); }), "  a|\n");
    EXPECT_EQ(after("|\ta\n  b|", [](Text& t) { t.outdent(); }), "|a\nb|");
    EXPECT_EQ(after("        |a", [](Text& t) { t.erase(Move::left); }), "    |a");
    EXPECT_EQ(after("     |a", [](Text& t) { t.erase(Move::left); }), "    |a");
}

TEST(Text, Comments) {
    const auto toggle = [](Text& t) { t.toggle_comment(); };
    EXPECT_EQ(after("|  a\n\n    b|", toggle), "|  // a\n\n  //   b|");
    EXPECT_EQ(after("|  // a\n\n  //   b|", toggle), "|  a\n\n    b|");
    EXPECT_EQ(after("|//a\nb|", toggle), "|// //a\n// b|") << "not every line is one";
}

TEST(Text, SelectsWordsAndLines) {
    EXPECT_EQ(after("|ab cd_1;", [](Text& t) { t.select_word(4); }), "ab |cd_1|;");
    EXPECT_EQ(after("|ab", [](Text& t) { t.select_word(2); }), "|ab|");
    EXPECT_EQ(after("|a\nbc\nd", [](Text& t) { t.select_line(3); }), "a\n|bc\n|d");
}

TEST(Text, LettersAreUndoneTogether) {
    Text text("x");
    text.place_cursor(1);
    for (const char* letter : {"a", "b", " ", "c"}) text.type(letter);
    EXPECT_EQ(text.text(), "xab c");
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.text(), "xab ") << "a word at a time";
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(text.text(), "x");
    EXPECT_FALSE(text.undo());
    EXPECT_TRUE(text.redo());
    EXPECT_EQ(shown(text), "xab |");
    text.erase(Move::left), text.erase(Move::left);
    EXPECT_FALSE(text.redo()) << "what was undone is gone once something else was typed";
    text.undo();
    EXPECT_EQ(shown(text), "xab |");
    text.pause();
    text.type("d"), text.pause(), text.type("e");
    text.undo();
    EXPECT_EQ(text.text(), "xab d") << "after a pause a step of its own";
    text.place_cursor(0), text.type("f"), text.place_cursor(1), text.type("g");
    text.undo();
    EXPECT_EQ(text.text(), "fxab d") << "and after the cursor has moved";
}

TEST(Text, TheWholeTextIsReplacedInOneStep) {
    Text text = with_cursor("a\nb|c\nd");
    EXPECT_TRUE(text.replace("a\nBC and more\nd"));
    EXPECT_EQ(text.place_of(text.cursor()).line, 1u);
    EXPECT_TRUE(text.undo());
    EXPECT_EQ(shown(text), "a\nb|c\nd");
    EXPECT_TRUE(text.replace("a\nbc\nd"));
    EXPECT_FALSE(text.undo()) << "nothing was changed";
}

TEST(Text, IsBounded) {
    Text text(std::string(edit::most_bytes - 1, 'a'));
    EXPECT_TRUE(text.type("b"));
    EXPECT_FALSE(text.type("b"));
    EXPECT_FALSE(text.paste("b"));
    EXPECT_FALSE(text.new_line());
    EXPECT_EQ(text.text().size(), edit::most_bytes);
    for (int i = 0; i < 40; ++i) { // each step keeps a mebibyte: the oldest are forgotten
        text.select({0, text.text().size()});
        text.erase(Move::left);
        text.paste(std::string(edit::most_bytes, 'c'));
    }
    int steps = 0;
    while (text.undo()) ++steps;
    EXPECT_GE(steps, 4);
    EXPECT_LE(steps, 9);
}

// A walk that looked for each character's begin from that of the line would not end.
TEST(Text, ALineOfAMegabyteIsWalkedAtOnce) {
    std::string line;
    while (line.size() < edit::most_bytes) line += "\xE4\xBD\xA0\xFF";
    Text text(line);
    text.move(Move::end);
    text.move(Move::word_left);
    EXPECT_EQ(text.cursor(), 0u);
    text.select_word(edit::most_bytes / 2);
    EXPECT_EQ(text.selected().size(), edit::most_bytes);
    text.place_cursor(5); // within the second one
    EXPECT_EQ(text.cursor(), 4u);
    text.place_cursor(3); // the byte that is no character
    EXPECT_EQ(text.cursor(), 3u);
    text.select({0, edit::most_bytes});
    EXPECT_FALSE(text.toggle_comment()) << "it would be longer than a text may be";
}

TEST(Find, WrapsInEitherDirectionAndCase) {
    const std::string text = "As Bs as\nAS";
    EXPECT_EQ(edit::find(text, "as", 0, true), (Range{0, 2}));
    EXPECT_EQ(edit::find(text, "as", 1, true), (Range{6, 8}));
    EXPECT_EQ(edit::find(text, "as", 10, true), (Range{0, 2})) << "from the start again";
    EXPECT_EQ(edit::find(text, "as", 6, false), (Range{0, 2}));
    EXPECT_EQ(edit::find(text, "as", 0, false), (Range{9, 11}));
    EXPECT_EQ(edit::find(text, "x", 0, true), std::nullopt);
    EXPECT_EQ(edit::find_all(text, "s").size(), 4u);
    EXPECT_TRUE(edit::find_all(text, "").empty());
    EXPECT_EQ(edit::find_all("aaaa", "aa").size(), 2u);
}

// Every edit is also done to a plain string, and every step is kept whole.
TEST(Text, RandomEditsAreThoseOfAPlainString) {
    std::mt19937 random(7);
    const auto below = [&](size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); };
    const std::vector<std::string> letters{"a", "b", " ", "{", "(", "\xE4\xBD\xA0", "\xC3\xA9", "\xFF", ";", "    "};
    for (int round = 0; round < 60; ++round) {
        Text text;
        std::string plain;
        std::vector<std::string> steps{""};
        size_t now = 0;
        for (int i = 0; i < 300; ++i) {
            const Range range = text.selection();
            const std::string before = plain;
            const uint64_t revision = text.revision();
            text.pause(); // each edit is a step
            switch (below(12)) {
            case 0:
            case 1:
            case 2: {
                const std::string letter = letters[below(letters.size())];
                text.type(letter);
                plain.replace(range.first, range.last - range.first, letter);
                break;
            }
            case 3: {
                text.paste("x\ny");
                plain.replace(range.first, range.last - range.first, "x\ny");
                break;
            }
            case 4: {
                text.erase(below(2) ? Move::left : Move::right);
                const std::string& after = text.text();
                if (!range.empty()) plain.erase(range.first, range.last - range.first);
                else plain.erase(text.cursor(), plain.size() - after.size());
                break;
            }
            case 5: text.move(static_cast<Move>(below(10)), below(2) == 0, 1 + below(3)); break;
            case 6: text.place_cursor(below(plain.size() + 1), below(2) == 0); break;
            case 7:
                if (now > 0) plain = steps[--now];
                text.undo();
                EXPECT_EQ(text.text(), plain);
                continue;
            case 8:
                if (now + 1 < steps.size()) plain = steps[++now];
                text.redo();
                EXPECT_EQ(text.text(), plain);
                continue;
            default: { // these have tests of their own: here what stands before and behind them stays, and undo takes them back
                const auto act = below(4);
                act == 0   ? (void)text.new_line()
                : act == 1 ? (void)text.indent()
                : act == 2 ? text.outdent()
                           : (void)text.toggle_comment();
                plain = text.text();
                break;
            }
            }
            ASSERT_EQ(text.text(), plain);
            ASSERT_EQ(text.at(text.place_of(text.cursor())), text.cursor()) << "between characters";
            if (text.revision() == revision) continue;
            steps.resize(now + 1);
            steps.push_back(plain);
            ++now;
        }
        while (text.undo()) ASSERT_EQ(text.text(), steps[--now]);
        EXPECT_EQ(text.text(), "");
        while (text.redo()) ASSERT_EQ(text.text(), steps[++now]);
        EXPECT_EQ(text.text(), steps.back());
    }
}

} // namespace
