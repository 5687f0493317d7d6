// How results of a run are printed as JSON; the names are the contract of `--json`.
#pragma once

#include "session/stages.h"

#include <nlohmann/json.hpp>

namespace cli {

using Json = nlohmann::ordered_json;

Json to_json(base::Dim3);                        // [x, y, z]
Json lanes_json(uint32_t mask);                  // [lane, ...]
// [{"kind", ..., "other": {"line", "pc", "instruction", "block", "warp", "lanes"} or null}, ...]; pcs count in `listing`.
Json to_json(const std::vector<trace::Finding>&, const trace::Listing&);
Json to_json(const analysis::Totals&);           // "counters"
Json to_json(const std::optional<session::Verification>&);
Json values_json(const catalog::Values&);        // {"BM": 128}

// On one line, with its end; broken UTF-8 is replaced, fractions have six significant digits (base::significant).
std::string line(Json);

} // namespace cli
