// The first kernel of any bytes that are taken for a cubin.
#pragma once

#include "sass/elf.h"

#include <optional>
#include <span>
#include <string>

inline std::optional<std::string> first_kernel(std::span<const std::byte> cubin) {
    constexpr std::string_view code = ".text.";
    const auto elf = sass::Elf::open(cubin);
    if (!elf) return {};
    for (const sass::Section& section : elf->sections())
        if (section.name.starts_with(code)) return std::string(section.name.substr(code.size()));
    return {};
}
