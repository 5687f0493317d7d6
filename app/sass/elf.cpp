#include "sass/elf.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace sass {
namespace {

// Offsets of ELF's own structures, https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
constexpr uint64_t file_header = 64, section_header = 64, symbol_bytes = 24;
constexpr uint64_t no_bits = 8; // a section type: nothing of it lies in the file

base::Error damaged(base::Phrase what) {
    return {
        base::Failure::check_failed, base::say("the machine code's file is damaged: {}", base::Sentence(what)), {}, {}};
}

std::string_view text_at(Bytes strings, uint64_t offset) {
    if (offset >= strings.size()) return {};
    const auto* first = reinterpret_cast<const char*>(strings.data()) + offset;
    return {first, ::strnlen(first, strings.size() - offset)};
}

// ELF flags: older files hold the architecture in the low byte, newer ones, which say so in the ABI's version, in the second.
int architecture(uint64_t flags, uint64_t abi_version) {
    return static_cast<int>(abi_version >= 8 ? flags >> 8 & 0xFF : flags & 0xFF);
}

std::vector<Symbol> symbols_of(const Elf& elf) {
    std::vector<Symbol> symbols;
    const auto table = elf.find(".symtab"), names = elf.find(".strtab");
    if (!table || !names) return symbols;
    const Bytes contents = elf.sections()[*table].contents, strings = elf.sections()[*names].contents;
    for (uint64_t at = 0; at + symbol_bytes <= contents.size(); at += symbol_bytes) {
        const Bytes one = part(contents, at, symbol_bytes);
        symbols.push_back({text_at(strings, *number_at(one, 0, 4)), *number_at(one, 6, 2), *number_at(one, 8, 8),
                           *number_at(one, 16, 8)});
    }
    return symbols;
}

} // namespace

std::optional<uint64_t> number_at(Bytes bytes, uint64_t offset, unsigned count) {
    if (offset > bytes.size() || bytes.size() - offset < count) return {};
    uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value |= std::to_integer<uint64_t>(bytes[offset + i]) << (8 * i);
    return value;
}

Bytes part(Bytes bytes, uint64_t offset, uint64_t count) {
    if (offset >= bytes.size()) return {};
    return bytes.subspan(offset, std::min<uint64_t>(count, bytes.size() - offset));
}

base::Result<Elf> Elf::open(Bytes file) {
    static constexpr unsigned char magic[] = {0x7F, 'E', 'L', 'F', 2, 1};
    if (file.size() < file_header || std::memcmp(file.data(), magic, sizeof magic) != 0)
        return damaged(base::phrase("it is not a 64-bit ELF file"));
    const uint64_t table = *number_at(file, 0x28, 8), count = *number_at(file, 0x3C, 2),
                   names = *number_at(file, 0x3E, 2);
    if (*number_at(file, 0x3A, 2) != section_header)
        return damaged(base::phrase("its section headers have another size"));
    struct Header {
        uint64_t name, type, offset, size;
    };
    std::vector<Header> headers;
    for (uint64_t i = 0; i < count; ++i) {
        const Bytes header = part(file, table + i * section_header, section_header);
        if (table > file.size() || header.size() < section_header)
            return damaged(base::phrase("its section headers pass its end"));
        headers.push_back(
            {*number_at(header, 0, 4), *number_at(header, 4, 4), *number_at(header, 24, 8), *number_at(header, 32, 8)});
    }
    if (names >= headers.size()) return damaged(base::phrase("it has no names of sections"));

    Elf elf;
    elf.sm_ = architecture(*number_at(file, 0x30, 4), *number_at(file, 8, 1));
    const Bytes strings = part(file, headers[names].offset, headers[names].size);
    for (const Header& h : headers)
        elf.sections_.push_back(
            {text_at(strings, h.name), h.type == no_bits ? Bytes{} : part(file, h.offset, h.size), h.size});
    elf.symbols_ = symbols_of(elf);
    return elf;
}

std::optional<size_t> Elf::find(std::string_view name) const {
    const auto found =
        std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
    if (found == sections_.end()) return {};
    return static_cast<size_t>(found - sections_.begin());
}

std::vector<Relocation> Elf::relocations(std::string_view section) const {
    std::vector<Relocation> found;
    for (const bool addends : {false, true}) {
        const auto table = find((addends ? ".rela" : ".rel") + std::string(section));
        if (!table) continue;
        const Bytes contents = sections_[*table].contents;
        const uint64_t entry = addends ? 24 : 16;
        for (uint64_t at = 0; at + entry <= contents.size(); at += entry) {
            const uint64_t symbol = *number_at(contents, at + 8, 8) >> 32;
            const auto addend = static_cast<int64_t>(addends ? *number_at(contents, at + 16, 8) : 0);
            if (symbol < symbols_.size() && symbols_[symbol].section < sections_.size())
                found.push_back({*number_at(contents, at, 8), symbols_[symbol].section, symbol, addend});
        }
    }
    return found;
}

base::Result<size_t> find_kernel(const Elf& elf, const std::string& entry) {
    if (elf.sm() < 75)
        return base::Error{base::Failure::usage,
                           base::say("machine code of sm_{} is not decoded", elf.sm()),
                           {},
                           base::say("choose sm_75 or newer")};
    const auto text = elf.find(".text." + entry);
    if (!text)
        return base::Error{
            base::Failure::check_failed, base::say("the machine code's file has no kernel {}", entry), {}, {}};
    return *text;
}

} // namespace sass
