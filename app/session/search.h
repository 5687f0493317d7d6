// Which kernels a search means, and why: by name, by idea and story in either language, or by an opcode of the compiled kernel.
#pragma once

#include "catalog/catalog.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace session {

struct Opcodes {                      // of one compiled kernel, each once, ascending
    std::vector<std::string> ptx;     // "ld.shared.v4.f32"
    std::vector<std::string> machine; // "LDS.128": more than 32 bits a lane are part of the name
};

// At its initial values, by way of the compiler's cache on disk. For `arch`, or for what the kernel needs. Empty where it does
// not compile: such a kernel is still found by its words.
Opcodes opcodes_of(const catalog::Kernel&, const std::string& arch, std::stop_token = {});

struct Match { // of one word that was searched for
    enum class Where { name, title, idea, story, ptx, machine } where = Where::name;
    std::string word; // as it stands there, whole: "cp.async.cg.shared.global" of a search for "cp.async"
};

// One for each word of `text`, the first place of it in the order of Match::Where; none unless every word is found. Upper and
// lower case are the same. `opcodes`: nullptr while they are not known.
std::vector<Match> match(const catalog::Kernel&, const Opcodes* opcodes, std::string_view text);

} // namespace session
