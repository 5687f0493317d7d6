#include "sass/line_table.h"

#include <algorithm>
#include <limits>

namespace sass {
namespace {

// Reads numbers one after the other; past the end it gives zeros and `ended()`.
class Reader {
public:
    Reader(Bytes bytes, uint64_t start) : bytes_(bytes), at_(start) {}

    uint64_t at() const { return at_; }
    bool ended() const { return failed_ || at_ >= bytes_.size(); }
    void seek(uint64_t at) { at_ = at; }

    uint64_t number(unsigned count) {
        const auto value = number_at(bytes_, at_, count);
        failed_ = failed_ || !value;
        at_ += count;
        return value.value_or(0);
    }
    uint64_t unsigned_leb() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const uint64_t byte = number(1);
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        failed_ = true;
        return 0;
    }
    int64_t signed_leb() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const uint64_t byte = number(1);
            value |= (byte & 0x7F) << shift;
            if (byte >= 0x80) continue;
            if (byte & 0x40 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
            return static_cast<int64_t>(value);
        }
        failed_ = true;
        return 0;
    }

private:
    Bytes bytes_;
    uint64_t at_;
    bool failed_ = false;
};

struct Header { // of one program; DWARF 4, section 6.2.4
    uint64_t end = 0, first_opcode = 0;
    uint64_t unit = 1; // bytes of address that an advance of 1 means
    int line_base = 0;
    uint64_t line_range = 1, opcode_base = 1;
    std::vector<uint64_t> operands; // of the standard opcodes
};

bool read_header(Reader& reader, uint64_t section_size, Header& h) {
    const uint64_t length = reader.number(4);
    if (length >= 0xFFFFFFF0) return false; // 64-bit DWARF, which ptxas does not write
    h.end = std::min(reader.at() + length, section_size);
    const uint64_t version = reader.number(2);
    const uint64_t header_length = reader.number(4);
    h.first_opcode = reader.at() + header_length;
    h.unit = reader.number(1);
    if (version >= 4) reader.number(1); // operations per instruction
    reader.number(1);                   // whether rows are statements by default
    h.line_base = static_cast<int8_t>(reader.number(1));
    h.line_range = reader.number(1);
    h.opcode_base = reader.number(1);
    for (uint64_t i = 1; i < h.opcode_base; ++i) h.operands.push_back(reader.number(1));
    return version >= 2 && version <= 4 && h.line_range > 0 && h.opcode_base > 0 && !reader.ended();
}

class Program {
public:
    Program(Reader& reader, const Header& header, const std::vector<Relocation>& relocations, size_t text,
            std::vector<Row>& rows)
        : reader_(reader), header_(header), relocations_(relocations), text_(text), rows_(rows) {}

    void run() {
        reader_.seek(header_.first_opcode);
        while (!reader_.ended() && reader_.at() < header_.end) step();
    }

private:
    enum : uint64_t {
        extended,
        copy,
        advance_pc,
        advance_line,
        set_file,
        set_column,
        negate,
        basic_block,
        const_add_pc,
        fixed_advance_pc
    };

    void step() {
        const uint64_t opcode = reader_.number(1);
        if (opcode >= header_.opcode_base) {
            const uint64_t adjusted = opcode - header_.opcode_base;
            address_ += adjusted / header_.line_range * header_.unit;
            line_ += header_.line_base + static_cast<int64_t>(adjusted % header_.line_range);
            return add_row();
        }
        switch (opcode) {
        case extended: return extended_step();
        case copy: return add_row();
        case advance_pc: address_ += reader_.unsigned_leb() * header_.unit; return;
        case advance_line: line_ += std::clamp<int64_t>(reader_.signed_leb(), -limit, limit); return;
        case const_add_pc: address_ += (255 - header_.opcode_base) / header_.line_range * header_.unit; return;
        case fixed_advance_pc: address_ += reader_.number(2); return;
        default: // one that changes neither address nor line
            for (uint64_t i = 0; i < header_.operands[opcode - 1]; ++i) reader_.unsigned_leb();
        }
    }

    void extended_step() {
        enum : uint64_t { end_sequence = 1, set_address = 2 };
        const uint64_t length = reader_.unsigned_leb(), start = reader_.at();
        const uint64_t opcode = length > 0 ? reader_.number(1) : 0;
        if (opcode == end_sequence) {
            address_ = 0, line_ = 1, ours_ = false;
        } else if (opcode == set_address) {
            const uint64_t operand = reader_.at();
            address_ = reader_.number(8);
            const auto named = std::find_if(relocations_.begin(), relocations_.end(),
                                            [&](const Relocation& r) { return r.offset == operand; });
            ours_ = named != relocations_.end() && named->target == text_;
        }
        reader_.seek(start + std::min(length, std::numeric_limits<uint64_t>::max() - start));
    }

    void add_row() {
        line_ = std::clamp<int64_t>(line_, -limit, limit);
        if (ours_) rows_.push_back({address_, static_cast<int>(std::max<int64_t>(line_, 0))});
    }

    static constexpr int64_t limit = 1 << 30;
    Reader& reader_;
    const Header& header_;
    const std::vector<Relocation>& relocations_;
    size_t text_;
    std::vector<Row>& rows_;
    uint64_t address_ = 0;
    int64_t line_ = 1;
    bool ours_ = false; // the sequence is about the section asked for
};

} // namespace

std::vector<Row> line_rows(const Elf& elf, std::string_view line_section, size_t text) {
    std::vector<Row> rows;
    const auto section = elf.find(line_section);
    if (!section) return rows;
    const Bytes contents = elf.sections()[*section].contents;
    const std::vector<Relocation> relocations = elf.relocations(line_section);
    for (Reader reader(contents, 0); !reader.ended();) {
        Header header;
        if (!read_header(reader, contents.size(), header)) break;
        Program(reader, header, relocations, text, rows).run();
        reader.seek(header.end);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.address < b.address; });
    std::vector<Row> last;
    for (const Row& row : rows) {
        if (!last.empty() && last.back().address == row.address) last.back() = row;
        else last.push_back(row);
    }
    return last;
}

} // namespace sass
