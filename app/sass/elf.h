// The sections of a cubin, an ELF file of 64 bits. Everything is checked against the file's end, so that damaged bytes give an
// error or less, never a fault.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
    Bytes contents; // none for one without bytes in the file
};

// Where a section holds an address that the linker fills in: `offset` in it is to be an address in section `target`.
struct Relocation {
    uint64_t offset = 0;
    size_t target = 0; // index of a section
};

class Elf {
public:
    // `file` must outlive this.
    static base::Result<Elf> open(Bytes file);

    int sm() const { return sm_; } // 90 of "sm_90"; 0: not said
    const std::vector<Section>& sections() const { return sections_; }
    std::optional<size_t> find(std::string_view name) const; // index; the first of several
    // Of the section with this name, whether they have addends or not.
    std::vector<Relocation> relocations(std::string_view section) const;

private:
    std::vector<Section> sections_;
    int sm_ = 0;
};

} // namespace sass
