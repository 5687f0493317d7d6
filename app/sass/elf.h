// The sections of a cubin, an ELF file of 64 bits. Everything is checked against the file's end, so that damaged bytes give an
// error or less, never a fault.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sass {

using Bytes = std::span<const std::byte>;

// A little-endian number at `offset`; nothing where it would pass the end.
std::optional<uint64_t> number_at(Bytes, uint64_t offset, unsigned bytes);

// Part of `bytes`, cut at its end.
Bytes part(Bytes, uint64_t offset, uint64_t count);

struct Section {
    std::string_view name;
    Bytes contents;    // none for one without bytes in the file
    uint64_t size = 0; // in memory
};

struct Symbol {
    std::string_view name;
    size_t section = 0; // index; past the last one for what another file defines
    uint64_t offset = 0, size = 0;
};

// Where a section holds an address that the linker fills in: `offset` in it is to be an address in section `target`.
struct Relocation {
    uint64_t offset = 0;
    size_t target = 0; // index of a section
    size_t symbol = 0; // index of a symbol in it, to whose address `addend` is added
    int64_t addend = 0;
};

class Elf {
public:
    // `file` must outlive this.
    static base::Result<Elf> open(Bytes file);

    int sm() const { return sm_; } // 90 of "sm_90"; 0: not said
    const std::vector<Section>& sections() const { return sections_; }
    std::optional<size_t> find(std::string_view name) const; // index; the first of several
    const std::vector<Symbol>& symbols() const { return symbols_; }
    // Of the section with this name, whether they have addends or not.
    std::vector<Relocation> relocations(std::string_view section) const;

private:
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
    int sm_ = 0;
};

// The section with the code of kernel `entry`. Errors: none has this name, or the architecture's code is laid out differently.
base::Result<size_t> find_kernel(const Elf&, const std::string& entry);

} // namespace sass
