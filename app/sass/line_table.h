// From which line of a text each instruction came: a line-number program of DWARF 2 to 4, as ptxas writes it for the source
// (.debug_line) and for the PTX (.nv_debug_line_sass).
#pragma once

#include "sass/elf.h"

#include <vector>

namespace sass {

struct Row { // instructions from `address` on, up to the next row's
    uint64_t address = 0;
    int line = 0;
};

// Rows of the instructions of section `text`, ascending by address; of several rows for one address only the last. Programs for
// other sections are passed over; a damaged program ends early.
std::vector<Row> line_rows(const Elf&, std::string_view line_section, size_t text);

} // namespace sass
