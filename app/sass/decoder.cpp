#include "sass/decoder.h"

#include "sass/form.h"
#include "sass/fragments.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace sass {
namespace {

int64_t signed_bits(Word word, unsigned first, unsigned count) {
    const uint64_t value = bits(word, first, count), sign = uint64_t{1} << (count - 1);
    return static_cast<int64_t>((value ^ sign) - sign);
}

// What is in the place of the operand at bit 32, told by three bits of the opcode.
enum class Slot : uint8_t { registers, immediate, constant, uniform };

struct Layout {
    Slot slot;
    bool third; // it is operand C, and B is the register at bit 64
};

Layout layout_of(uint16_t code) {
    switch (code >> 9 & 7) {
    case 2: return {Slot::immediate, true};
    case 3: return {Slot::constant, true};
    case 4: return {Slot::immediate, false};
    case 5: return {Slot::constant, false};
    case 6: return {Slot::uniform, false};
    case 7: return {Slot::uniform, true};
    default: return {Slot::registers, false};
    }
}

// Where operands of the usual places have their flags.
struct Place {
    uint8_t position, negated, absolute, half; // bits; half: which of a register's is read
};
constexpr Place places[] = {{24, 72, 73, 0}, {32, 63, 62, 0}, {64, 75, 74, 0}};
constexpr Place places_of_pairs[] = {{24, 72, 73, 74}, {32, 63, 62, 60}, {64, 84, 83, 81}};

const Place* place_at(unsigned position, bool pairs) {
    for (const Place& place : pairs ? places_of_pairs : places)
        if (place.position == position) return &place;
    return nullptr;
}

std::string_view special_register(int sm, unsigned number) {
    static constexpr struct {
        unsigned number;
        int first_sm, last_sm;
        std::string_view name;
    } table[] = {
#define SPECIAL(number, first, last, name) {number, first, last, name},
#include "sass/special_register_table.inc"
#undef SPECIAL
    };
    for (const auto& row : table)
        if (row.number == number && sm >= row.first_sm && sm <= row.last_sm) return row.name;
    return {};
}

class Decoder {
public:
    Decoder(int sm, Word word, uint64_t address, const Form& form) : sm_(sm), word_(word), form_(form) {
        instruction_.address = address;
        instruction_.word = word;
        layout_ = layout_of(static_cast<uint16_t>(get(0, 12)));
    }

    Instruction run() {
        instruction_.opcode = form_.opcode;
        instruction_.kind = form_.kind;
        instruction_.space = form_.space;
        instruction_.traits = form_.traits;
        for (const ModifierForm& modifier : form_.modifiers) add(modifier);
        for (const OperandForm& operand : form_.operands) add(operand);
        if (instruction_.kind == trace::Kind::matrix) set_fragments(instruction_);
        if (instruction_.kind == trace::Kind::bulk_copy && instruction_.space == trace::Space::none)
            instruction_.space = goes_to_shared() ? trace::Space::shared : trace::Space::global;
        if (!known_) instruction_.opcode = {}, instruction_.modifiers.clear(), instruction_.operands.clear();
        return std::move(instruction_);
    }

private:
    // Of UBLKCP and UBLKRED: "S.G" is to shared memory, from global.
    bool goes_to_shared() const { return !instruction_.modifiers.empty() && instruction_.modifiers.front() == "S"; }

    uint64_t get(unsigned first, unsigned count) const { return bits(word_, first, count); }
    bool bit(unsigned at) const { return get(at, 1) != 0; }

    uint64_t get(const Bits& places_of) const {
        uint64_t value = 0;
        for (unsigned i = 0; i < places_of.count; ++i) value |= get(places_of.at[i], 1) << i;
        return value;
    }

    // Nothing where the table has no such value, and then the word is not known.
    std::string_view word_of(const Field& field, const Bits& at) {
        const uint64_t value = get(at);
        for (const Field::Words& words : field.by_architecture)
            if (sm_ >= words.first_sm && sm_ <= words.last_sm && value < words.words.size() &&
                words.words[value] != "?")
                return words.words[value];
        known_ = false;
        return {};
    }

    void add(const ModifierForm& modifier) {
        std::string_view word = modifier.word;
        if (word == "imad") word = imad();
        else if (modifier.field) word = word_of(*modifier.field, modifier.bits);
        else if (modifier.bits.count && bit(modifier.bits.at[0]) == modifier.when_clear) word = {};
        if (modifier.field) chosen_.emplace_back(modifier.field->name, word);
        if (modifier.field && modifier.field->name == "size") instruction_.bytes = bytes_of(word);
        if (modifier.field && modifier.field->name == "matrices")
            instruction_.bytes = static_cast<uint8_t>(4 * registers_of("matrices"));
        for (std::string_view rest = word; !rest.empty();
             rest.remove_prefix(std::min(rest.find('.') + 1, rest.size()))) {
            instruction_.modifiers.push_back(rest.substr(0, rest.find('.')));
            if (rest.find('.') == rest.npos) break;
        }
    }

    // How many registers a value takes: "F64.RN" 2, "128" 4.
    uint8_t registers_of(std::string_view field) const {
        if (field.starts_with('!')) return instruction_.has(field.substr(1)) ? 1 : 2;
        const auto found =
            std::find_if(chosen_.begin(), chosen_.end(), [&](const auto& choice) { return choice.first == field; });
        if (found == chosen_.end()) return instruction_.has(field) ? 2 : 1;
        const std::string_view type = found->second.substr(0, found->second.find('.'));
        for (const std::string_view four : {"128", "4", "F32x4", "F16x8", "BF16x8"})
            if (type == four) return 4;
        for (const std::string_view two : {"2", "F32x2", "F16x4", "BF16x4"})
            if (type == two) return 2;
        return type.ends_with("64") ? 2 : 1;
    }

    static uint8_t bytes_of(std::string_view size) {
        if (size == "U8" || size == "S8") return 1;
        if (size == "U16" || size == "S16") return 2;
        if (size == "64") return 8;
        return size.ends_with("128") ? 16 : 4;
    }

    uint16_t uniform_number(unsigned at) const {
        if (sm_ >= 100) return static_cast<uint16_t>(get(at, 8));
        const auto number = static_cast<uint16_t>(get(at, 6));
        return number == 63 ? zero_register : number;
    }

    static Operand of(OperandKind kind, uint64_t number, int64_t value = 0) {
        Operand o;
        o.kind = kind;
        o.number = static_cast<uint16_t>(number);
        o.value = value;
        return o;
    }

    void add(const OperandForm& form) {
        const auto has = [&](std::string_view modifier) { return instruction_.has(modifier); };
        if (!std::all_of(form.only_with.begin(), form.only_with.end(), has)) return;
        if (std::any_of(form.only_without.begin(), form.only_without.end(), has)) return;
        Operand o = operand(form);
        o.written = form.written;
        if (!form.width_of.empty()) o.registers = registers_of(form.width_of);
        else if (form.registers) o.registers = form.registers;
        const bool predicate = o.kind == OperandKind::predicate || o.kind == OperandKind::uniform_predicate;
        if (o.kind == OperandKind::register_ && o.number == zero_register) o.shown = !form.hidden_if_true;
        if (o.kind == OperandKind::uniform_register && o.number == zero_register) o.shown = !form.hidden_if_true;
        if (form.name == "lanes") o.shown = o.value != 0xF;
        if ((form.name == "imm" || form.name == "scoreboards") && form.hidden_if_true) o.shown = o.value != 0;
        if (o.kind == OperandKind::word && o.name.empty()) return; // nothing is there
        if (form_.number == Number::f16 && o.kind == OperandKind::constant) o.name = "pair";
        if (predicate && o.number == true_predicate)
            o.shown = !(form.hidden_if_true && !o.negated) && !(form.hidden_if_not_true && o.negated);
        instruction_.operands.push_back(o);
    }

    // A suffix that is always there needs no bits.
    static bool has_place(const OperandForm& form) {
        return form.suffix_bits.count > 0 || form.suffix->by_architecture[0].words.size() == 1;
    }
    static Bits two_bits(uint8_t first) { return {2, {first, static_cast<uint8_t>(first + 1)}}; }

    // The flags of an operand that lies at `position`.
    void flag(Operand& o, const OperandForm& form, unsigned position, unsigned role) {
        const Place* place = place_at(position, form_.number == Number::f16);
        const auto set = [&](uint8_t wanted, uint8_t usual) {
            if (wanted == OperandForm::none) return false;
            if (wanted != OperandForm::usual) return bit(wanted);
            return place && bit(usual);
        };
        o.negated = set(form.negated, place ? place->negated : 0);
        o.absolute = set(form.absolute, place ? place->absolute : 0);
        const bool inverted = set(form.inverted, place ? place->negated : 0);
        (instruction_.has("X") || form.inverted != OperandForm::usual ? o.inverted : o.negated) |= inverted;
        if (place && form.suffix)
            o.suffix = word_of(*form.suffix, has_place(form) ? form.suffix_bits : two_bits(place->half));
        o.reuse = o.kind == OperandKind::register_ && role < 3 && bit(122 + role);
    }

    // `role`: operand A, B or C, by which it is kept in the reuse cache; 3: never.
    Operand register_at(unsigned position, const OperandForm& form, unsigned role = 3) {
        if (form_.traits & uniform) return uniform_at(position, form);
        Operand o = of(OperandKind::register_, get(position, 8));
        o.registers = form_.number == Number::f64 || instruction_.has("64") ? 2 : 1;
        flag(o, form, position, role);
        return o;
    }

    Operand uniform_at(unsigned position, const OperandForm& form) {
        Operand o = of(OperandKind::uniform_register, uniform_number(position));
        o.registers = form_.number == Number::f64 || instruction_.has("64") ? 2 : 1;
        flag(o, form, position, 3);
        return o;
    }

    Operand predicate_at(OperandKind kind, unsigned position, bool source) const {
        Operand o = of(kind, get(position, 3));
        o.negated = source && bit(position + 3);
        return o;
    }

    Operand immediate() const {
        const auto value = static_cast<int64_t>(get(32, 32));
        switch (form_.number) {
        case Number::u32: return of(OperandKind::integer, 0, value);
        case Number::s32: return of(OperandKind::integer, 0, signed_bits(word_, 32, 32));
        case Number::f32: return of(OperandKind::float32, 0, value);
        case Number::f64: return of(OperandKind::float64, 0, value);
        case Number::f16: break;
        }
        Operand o = of(OperandKind::float16_pair, 0, value);
        if (instruction_.has("BF16_V2")) o.name = "BF16";
        return o;
    }

    Operand constant(const OperandForm& form) {
        Operand o = of(OperandKind::constant, get(54, 5), static_cast<int64_t>(get(38, 16)));
        if (bit(91)) {
            o.descriptor = uniform_number(32);
            o.value = static_cast<int64_t>(get(40, 14) * 4);
        }
        flag(o, form, 32, 3);
        return o;
    }

    // The operand at bit 32, whatever it is.
    Operand slot(const OperandForm& form, unsigned role) {
        switch (layout_.slot) {
        case Slot::immediate: return immediate();
        case Slot::constant: return constant(form);
        case Slot::uniform: return uniform_at(32, form);
        case Slot::registers: break;
        }
        return register_at(32, form, role);
    }

    // c[0x3][R4+0x10]; ULDC has a uniform register, and another opcode for it.
    Operand bank() const {
        const bool finer = form_.code == 0x7AC; // LDCU
        Operand o =
            of(OperandKind::constant, get(54, 5), finer ? signed_bits(word_, 37, 17) : signed_bits(word_, 38, 16));
        const auto base = static_cast<uint16_t>(get(24, 8));
        if (form_.traits & uniform) {
            const uint16_t register_ = uniform_number(24);
            if (form_.code == 0xABB || (finer && (register_ != zero_register || o.value == 0))) o.uniform = register_;
        } else if (base != zero_register || o.value == 0) o.base = base;
        return o;
    }

    // P2, or UP2 where bit 67 is set.
    Operand third_predicate(unsigned position) const {
        return predicate_at(bit(67) ? OperandKind::uniform_predicate : OperandKind::predicate, position, true);
    }

    Operand special(unsigned position) {
        Operand o = of(OperandKind::special_register, get(position, 8));
        o.registers = instruction_.opcode == "CS2R" && !instruction_.has("32") ? 2 : 1;
        o.name = special_register(sm_, o.number);
        known_ = known_ && !o.name.empty();
        return o;
    }

    // IMAD is printed as what it comes to.
    std::string_view imad() const {
        const auto is_zero = [&](unsigned at) { return get(at, 8) == zero_register; };
        const bool a = is_zero(24), b = layout_.third ? is_zero(64) : layout_.slot == Slot::registers && is_zero(32);
        const bool uniform = layout_.slot == Slot::uniform;
        if (bit(74)) return {}; // with .X
        if ((a || b) && !uniform) return "MOV";
        if (layout_.slot != Slot::immediate || layout_.third) return {};
        const uint64_t factor = get(32, 32);
        if (factor == 1) return "IADD";
        return is_zero(64) && factor > 1 && factor != 0x10000 && (factor & (factor - 1)) == 0 ? "SHL" : "";
    }

    // [R4.64+UR6+0x10]; the uniform register, of 64 bits or a descriptor's, stands at bit `uniform`.
    Operand memory(unsigned uniform, bool wide) const {
        Operand o = of(OperandKind::memory, 0, signed_bits(word_, 40, 24));
        const auto base = static_cast<uint16_t>(get(24, 8));
        if (!bit(91)) {
            if (form_.code == 0x980 || form_.code == 0x385 || form_.code == 0x98F) o.value = signed_bits(word_, 32, 32);
        } else if (!wide || sm_ < 80 || !bit(76)) {
            o.uniform = uniform_number(uniform);
        } else if (sm_ >= 90 || bit(101)) {
            o.descriptor = uniform_number(uniform);
        }
        const bool described = wide && bit(91) && o.uniform == Operand::none;
        if (base != zero_register || described || (o.value == 0 && o.uniform == Operand::none)) o.base = base;
        if (wide) o.registers = !bit(91) || bit(90) ? 2 : 1;
        if (wide && bit(91) && o.base != Operand::none) o.suffix = bit(90) ? "64" : "U32";
        return o;
    }

    // As memory(), but other bits say whether the address has 64 bits and whether the uniform register holds a descriptor.
    Operand atomic(unsigned at, unsigned wide) const {
        const bool newer = sm_ >= 100, reduces = wide == 90, is_float = form_.code == 0x9A2 || form_.code == 0x9A3;
        const bool narrow = newer && !reduces; // bit 63 is not the displacement's but says that the address has 64 bits
        const unsigned described = !newer ? 71 : reduces ? 81 : is_float ? 90 : 76;
        if (narrow) wide = 63;
        Operand o = of(OperandKind::memory, 0, signed_bits(word_, 40, narrow && bit(91) ? 23 : 24));
        o.base = static_cast<uint16_t>(get(24, 8));
        o.registers = !bit(91) || bit(wide) ? 2 : 1;
        if (!bit(91)) return o;
        o.suffix = bit(wide) ? "64" : "U32";
        if (sm_ < 80 || !bit(described)) {
            o.uniform = uniform_number(at);
            if (o.base == zero_register) o.base = Operand::none;
        } else if (sm_ >= 90 || bit(101)) {
            o.descriptor = uniform_number(at);
        }
        return o;
    }

    // Of LDGSTS: where the copy goes, and where it comes from.
    Operand copied_to() const {
        Operand o = of(OperandKind::memory, 0, signed_bits(word_, 44, 20));
        o.base = static_cast<uint16_t>(get(16, 8));
        return o;
    }
    Operand copied_from() const {
        Operand o = of(OperandKind::memory, 0, signed_bits(word_, 32, 12));
        o.base = static_cast<uint16_t>(get(24, 8));
        o.suffix = "64";
        o.registers = 2;
        if (sm_ >= 90 || bit(101)) o.descriptor = uniform_number(64);
        return o;
    }

    // [R4.64+0x10], in the shared memory of a block of the cluster
    Operand remote() const {
        Operand o = of(OperandKind::memory, 0, signed_bits(word_, 40, 24));
        o.base = static_cast<uint16_t>(get(24, 8));
        o.suffix = "64";
        o.registers = 2;
        return o;
    }

    // [UR4+0x10]
    Operand at(unsigned position, int64_t displacement) const {
        Operand o = of(OperandKind::memory, 0, displacement);
        o.uniform = uniform_number(position);
        return o;
    }

    // desc[UR4], where bit 76 says that there is one
    Operand descriptor(unsigned position) const {
        return bit(76) ? of(OperandKind::descriptor, uniform_number(position)) : of(OperandKind::word, 0);
    }

    // gdesc[UR4].tnspA.tnspB
    Operand matrix(unsigned position) const {
        Operand o = of(OperandKind::matrix, uniform_number(position));
        static constexpr std::string_view transposed[] = {"", "tnspA", "tnspB", "tnspA.tnspB"};
        o.suffix = transposed[get(61, 2)];
        o.registers = position == 24 ? 4 : 2;
        return o;
    }

    // The scoreboard that a product of a warp group counts in; none: no operand.
    Operand group_scoreboard(unsigned position) const {
        Operand o = of(get(position, 3) == 7 ? OperandKind::word : OperandKind::scoreboard, get(position, 3));
        if (o.kind == OperandKind::scoreboard) o.name = "gsb";
        return o;
    }

    Operand label(int64_t target, bool indirect_target) const {
        Operand o = of(OperandKind::label, 0, target);
        if (indirect_target) o.base = static_cast<uint16_t>(get(24, 8));
        return o;
    }

    Operand shared(unsigned uniform, bool scaled) const {
        Operand o = memory(uniform, false);
        if (scaled && get(78, 2)) {
            o.scale = static_cast<uint8_t>(2u << get(78, 2));
            o.base = static_cast<uint16_t>(get(24, 8));
        }
        return o;
    }

    int64_t after() const { return static_cast<int64_t>(instruction_.address) + instruction_bytes; }

    // Bytes from the next instruction to the target, in units of 4: 48 bits; from sm_90 on 8 more below them.
    int64_t distance() const {
        const int64_t far = signed_bits(word_, 34, 48);
        return 4 * (sm_ >= 90 ? far * 256 + static_cast<int64_t>(get(16, 8)) : far);
    }

    Operand operand(const OperandForm& form);

    int sm_;
    Word word_;
    const Form& form_;
    Layout layout_{};
    Instruction instruction_;
    std::vector<std::pair<std::string_view, std::string_view>> chosen_; // fields and their words
    bool known_ = true;
};

Operand Decoder::operand(const OperandForm& form) {
    const std::string_view name = form.name;
    const auto is = [&](std::string_view other) { return name == other; };
    if (is("d")) return register_at(16, form);
    if (is("a")) return register_at(24, form, 0);
    if (is("b")) return layout_.third ? register_at(64, form, 1) : slot(form, 1);
    if (is("c")) return layout_.third ? slot(form, 2) : register_at(64, form, 2);
    if (is("s")) return slot(form, form_.number == Number::u32 || form_.number == Number::s32 ? 1 : 2);
    if (is("r")) return register_at(form.position, form, form.position == 32 ? 1 : form.position == 64 ? 2 : 3);
    if (is("u")) return uniform_at(form.position, form);
    if (is("p")) return predicate_at(OperandKind::predicate, form.position, !form.written);
    if (is("up")) return predicate_at(OperandKind::uniform_predicate, form.position, !form.written);
    if (is("imm")) {
        Operand o = of(OperandKind::integer, 0, static_cast<int64_t>(get(form.position, form.width)));
        o.name = "unsigned";
        return o;
    }
    if (is("simm")) return of(OperandKind::integer, 0, signed_bits(word_, form.position, form.width));
    if (is("global")) return memory(form.position, true);
    if (is("shared")) return shared(form.position, true);
    if (is("local")) return shared(form.position, false);
    if (is("lanes")) return of(OperandKind::integer, 0, static_cast<int64_t>(get(form.position, form.width)));
    if (is("bank")) return bank();
    if (is("special")) return special(form.position);
    if (is("third")) return third_predicate(form.position);
    if (is("table")) return of(OperandKind::integer, 0, static_cast<int64_t>(get(64, 3) | get(72, 5) << 3));
    if (is("barrier")) return of(OperandKind::barrier, get(form.position, 4));
    if (is("scoreboard")) return of(OperandKind::scoreboard, get(form.position, 3));
    if (is("scoreboards")) return of(OperandKind::scoreboards, 0, static_cast<int64_t>(get(form.position, 6)));
    if (is("gsb")) return group_scoreboard(form.position);
    if (is("gdesc")) return matrix(form.position);
    if (is("gup")) { // stored inverted
        Operand o = predicate_at(OperandKind::uniform_predicate, form.position, true);
        o.number = static_cast<uint16_t>(true_predicate - o.number);
        return o;
    }
    if (is("atomic")) return atomic(form.position, 70);
    if (is("reduced")) return atomic(form.position, 90);
    if (is("remote")) return remote();
    if (is("copied_to")) return copied_to();
    if (is("copied_from")) return copied_from();
    if (is("at")) return at(form.position, 0);
    if (is("uniform")) return at(form.position, signed_bits(word_, 40, 24));
    if (is("descriptor")) return descriptor(form.position);
    if (is("metadata")) return register_at(form.position, form);
    if (is("label")) return label(after() + distance(), false);
    if (is("near")) return label(after() + signed_bits(word_, 32, 32), false);
    if (is("indirect")) return label(after() + distance(), true);
    if (is("relative")) return label(distance(), true);
    if (is("uniform_relative")) {
        Operand o = label(distance(), false);
        o.uniform = uniform_number(24);
        return o;
    }
    if (is("ahead")) return label(after() + signed_bits(word_, 24, 48), false);
    Operand o = of(OperandKind::word, 0);
    o.name = name;
    if (form.suffix) o.suffix = word_of(*form.suffix, form.suffix_bits);
    return o;
}

trace::Control control_of(Word word) {
    trace::Control c;
    c.stall = static_cast<uint8_t>(bits(word, 105, 4));
    c.yield = bits(word, 109, 1) == 0;
    c.write_barrier = static_cast<uint8_t>(bits(word, 110, 3));
    c.read_barrier = static_cast<uint8_t>(bits(word, 113, 3));
    c.wait_mask = static_cast<uint8_t>(bits(word, 116, 6));
    c.reuse = static_cast<uint8_t>(bits(word, 122, 4));
    return c;
}

} // namespace

bool Instruction::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Instruction decode(int sm, Word word, uint64_t address) {
    Instruction unknown;
    unknown.address = address;
    unknown.word = word;
    const Form* form = find_form(sm, word);
    Instruction i = form ? Decoder(sm, word, address, *form).run() : unknown;
    i.guard = static_cast<uint8_t>(bits(word, 12, 3));
    i.guard_negated = bits(word, 15, 1) != 0;
    i.guard_uniform = (i.traits & uniform) != 0;
    i.control = control_of(word);
    return i;
}

} // namespace sass
