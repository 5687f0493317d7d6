// What goes between the program and its compile processes, and what lies in the cache: strings, as bytes.
#pragma once

#include "compile/compiler.h"
#include "compile/nvrtc_library.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compile::wire {

using Fields = std::vector<std::string>;

// Of a request and of an answer. PTX, machine code and logs that are larger are of no use to anyone.
inline constexpr size_t most_bytes = size_t{64} << 20;

// What a request begins with, before the seconds that it may take and its own fields.
inline constexpr const char *translate = "translate", *assemble = "assemble", *find_ptxas = "find ptxas",
                            *warm_up = "warm up";

// Each field is its length, 8 bytes, and its bytes.
std::string packed(const Fields&);
std::optional<Fields> unpacked(std::string_view); // nothing: these bytes are no fields

// A message is the length of the packed fields, 8 bytes, and these.
inline constexpr size_t head_bytes = 8;
std::string message(const Fields&);
uint64_t length_of(std::string_view head);

// Values as fields, and back; nothing: these fields are no such value.
Fields to_fields(const Ptx&);
Fields to_fields(const MachineCode&);
Fields to_fields(const NvrtcFacts&);
Fields to_fields(const Source&);
std::optional<Ptx> ptx_of(Fields);
std::optional<MachineCode> machine_code_of(const Fields&);
std::optional<NvrtcFacts> facts_of(const Fields&);
std::optional<Source> source_of(Fields);

// An answer: the fields of what was asked for, or why there is none.
Fields answer(const Outcome<Fields>&);
std::optional<Outcome<Fields>> outcome_of(Fields answer);

} // namespace compile::wire
