// Any bytes that are taken for a cubin, and the first kernel of it.
#pragma once

#include "sass/elf.h"

#include <optional>
#include <span>
#include <string>
#include <utility>

inline std::optional<std::string> first_kernel(std::span<const std::byte> cubin) {
    constexpr std::string_view code = ".text.";
    const auto elf = sass::Elf::open(cubin);
    if (!elf) return {};
    for (const sass::Section& section : elf->sections())
        if (section.name.starts_with(code)) return std::string(section.name.substr(code.size()));
    return {};
}

struct Cubin {
    std::span<const std::byte> bytes;
    std::string entry;
};
// Nothing where there is no kernel, or where it would take a fuzzer long.
inline std::optional<Cubin> cubin_of(const uint8_t* data, size_t size) {
    constexpr size_t most_bytes = 256 << 10;
    if (size > most_bytes) return {};
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    auto entry = first_kernel(bytes);
    if (!entry) return {};
    return Cubin{bytes, std::move(*entry)};
}
