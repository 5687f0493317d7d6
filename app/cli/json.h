// How results of a run are printed as JSON; the names are the contract of `--json`.
#pragma once

#include "session/stages.h"
#include "views/table.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace cli {

using Json = nlohmann::ordered_json;

Json to_json(base::Dim3);       // [x, y, z]
Json lanes_json(uint32_t mask); // [lane, ...]
// The file that instruction `pc` was written in, as the working folder has it, where it is one that the
// kernel's own includes.
std::optional<std::string> included_file(int64_t pc, const trace::Listing&);
// [{"kind", ..., "other": {"file", "line", "pc", "instruction", "block", "warp", "lanes"} or null}, ...]; pcs
// count in `listing`.
Json to_json(const std::vector<trace::Finding>&, const trace::Listing&);
Json to_json(const analysis::Totals&); // "counters"
Json to_json(const std::optional<session::Verification>&);
Json to_json(const views::Table&);        // {"title", "notes", "columns": [{"head", "unit"}], "rows": [[...]]}
Json values_json(const catalog::Values&); // {"BM": 128}
Json number_json(double);                 // without a fraction where it has none

// On one line, with its end; broken UTF-8 is replaced, fractions have six significant digits (base::significant).
std::string line(Json);

} // namespace cli
