#include "sass/form.h"

#include <algorithm>
#include <charconv>

namespace sass {
namespace {

using trace::Kind;
using trace::Space;

struct Row {
    uint16_t code;
    int first_sm, last_sm;
    Kind kind;
    Space space;
    uint8_t traits;
    Number number;
    std::string_view pattern;
};

constexpr uint8_t plain = 0;
constexpr int newest = 999;
constexpr Row rows[] = {
#define OPCODE(code, first, last, kind, space, traits, number, pattern)                                                \
    {code, first, last, Kind::kind, Space::space, traits, Number::number, pattern},
#include "sass/opcode_table.inc"
#undef OPCODE
};

// Cuts what stands before the first of `marks` off `text`, and the mark.
std::string_view cut(std::string_view& text, std::string_view marks) {
    const size_t end = std::min(text.find_first_of(marks), text.size());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return head;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    while (!text.empty())
        if (auto part = cut(text, {&mark, 1}); !part.empty()) parts.push_back(part);
    return parts;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

uint8_t number(std::string_view text) {
    uint8_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Takes a number off the front of `text`.
uint8_t take_number(std::string_view& text, uint8_t otherwise) {
    if (text.empty() || !is_digit(text[0])) return otherwise;
    uint8_t value = 0;
    const auto* end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
}

std::vector<Field> read_fields() {
    static constexpr struct {
        std::string_view name;
        int first_sm, last_sm;
        std::string_view words;
    } table[] = {
#define FIELD(name, first, last, words) {#name, first, last, words},
#include "sass/field_table.inc"
#undef FIELD
    };
    std::vector<Field> fields;
    for (const auto& row : table) {
        if (fields.empty() || fields.back().name != row.name) fields.push_back({row.name, {}});
        auto& words =
            fields.back().by_architecture.emplace_back(Field::Words{row.first_sm, row.last_sm, split(row.words, ' ')});
        for (std::string_view& word : words.words)
            if (word == "-") word = {};
    }
    return fields;
}

const Field* find_field(std::string_view name) {
    static const std::vector<Field> fields = read_fields();
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
    return found == fields.end() ? nullptr : &*found;
}

// "78" with the field's width, or single bits: "80,76" from the lowest on.
Bits bits_of(std::string_view text, size_t values) {
    Bits bits;
    const std::vector<std::string_view> places = split(text, ',');
    if (places.size() > 1) {
        for (const std::string_view place : places) bits.at[bits.count++] = number(place);
        return bits;
    }
    for (size_t reach = 1; reach < values; reach *= 2, ++bits.count)
        bits.at[bits.count] = static_cast<uint8_t>(number(text) + bits.count);
    return bits;
}

ModifierForm modifier_of(std::string_view text) {
    ModifierForm form;
    form.when_clear = text[0] == '!';
    if (form.when_clear) text.remove_prefix(1);
    form.word = cut(text, "@");
    form.field = find_field(form.word);
    if (!text.empty()) form.bits = bits_of(text, form.field ? form.field->by_architecture[0].words.size() : 2);
    return form;
}

OperandForm operand_of(std::string_view text) {
    OperandForm form;
    while (text[0] == '(') { // (MODIFIER) or (!MODIFIER)
        text.remove_prefix(1);
        std::string_view condition = cut(text, ")");
        (condition[0] == '!' ? form.only_without : form.only_with).push_back(condition.substr(condition[0] == '!'));
    }
    for (bool flag = true; flag;) {
        const char mark = text[0];
        flag = mark == '=' || mark == '-' || mark == '|' || mark == '~' || mark == '?' || mark == '!';
        if (!flag) break;
        text.remove_prefix(1);
        if (mark == '=') form.written = true;
        if (mark == '?') form.hidden_if_true = true;
        if (mark == '!') form.hidden_if_not_true = true;
        if (mark == '-') form.negated = take_number(text, OperandForm::usual);
        if (mark == '|') form.absolute = take_number(text, OperandForm::usual);
        if (mark == '~') form.inverted = take_number(text, OperandForm::usual);
    }
    if (const size_t star = text.find('*'); star != text.npos) {
        std::string_view suffix = text.substr(star + 1);
        form.suffix = find_field(cut(suffix, "@"));
        if (form.suffix && !suffix.empty())
            form.suffix_bits = bits_of(suffix, form.suffix->by_architecture[0].words.size());
        text = text.substr(0, star);
    }
    if (const size_t colon = text.find(':'); colon != text.npos) {
        const std::string_view registers = text.substr(colon + 1);
        if (is_digit(registers[0])) form.registers = number(registers);
        else form.width_of = registers;
        text = text.substr(0, colon);
    }
    form.name = cut(text, "@");
    if (!text.empty()) {
        form.position = number(cut(text, "/"));
        form.width = number(text);
    }
    return form;
}

std::vector<Form> read_forms() {
    std::vector<Form> all;
    for (const Row& row : rows) {
        Form& form = all.emplace_back(Form{
            row.code, 0, 0, 0, row.first_sm, row.last_sm, row.kind, row.space, row.traits, row.number, {}, {}, {}});
        std::string_view operands = row.pattern;
        if (operands[0] == '[') { // [73/1=0]
            std::string_view mark = cut(operands, "]").substr(1);
            form.marked = number(cut(mark, "/"));
            form.mark_width = number(cut(mark, "="));
            form.mark = number(mark);
        }
        std::string_view modifiers = cut(operands, " ");
        form.opcode = cut(modifiers, ".");
        for (const std::string_view text : split(modifiers, '.')) form.modifiers.push_back(modifier_of(text));
        for (const std::string_view text : split(operands, ' ')) form.operands.push_back(operand_of(text));
    }
    return all;
}

// Those whose code is this one or names its opcode, in the order of the table: rows with twelve bits before those with nine.
const std::vector<const Form*>& rows_of(uint16_t code) {
    static const auto by_code = [] {
        constexpr uint16_t codes = 1 << 12, names = 0x1FF;
        std::vector<std::vector<const Form*>> rows_by_code(codes);
        for (uint16_t one = 0; one < codes; ++one) {
            for (const Form& form : forms())
                if (form.code == one) rows_by_code[one].push_back(&form);
            for (const Form& form : forms())
                if (one > names && form.code == (one & names)) rows_by_code[one].push_back(&form);
        }
        return rows_by_code;
    }();
    return by_code[code];
}

} // namespace

const std::vector<Form>& forms() {
    static const std::vector<Form> all = read_forms();
    return all;
}

const Form* find_form(int sm, Word word) {
    const auto code = static_cast<uint16_t>(bits(word, 0, 12));
    for (const Form* form : rows_of(code)) {
        if (sm < form->first_sm || sm > form->last_sm) continue;
        if (form->mark_width == 0 || bits(word, form->marked, form->mark_width) == form->mark) return form;
    }
    return nullptr;
}

} // namespace sass
