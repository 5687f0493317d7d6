#include "session/search.h"

#include "base/text.h"
#include "sass/reader.h"
#include "session/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

namespace session {
namespace {

using Where = Match::Where;

bool is_of_word(char c) {
    c = base::lower(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// The place of `wanted`, in lower case, widened to the word around it; in prose only where a word begins.
// Chinese has no spaces: there the word is what was searched for.
std::optional<std::string> word_with(std::string_view text, std::string_view wanted, bool prose) {
    const auto same = [](char there, char asked) { return base::lower(there) == asked; };
    const auto find = [&](auto from) { return std::search(from, text.end(), wanted.begin(), wanted.end(), same); };
    auto found = find(text.begin());
    while (prose && found != text.begin() && found != text.end() && is_of_word(*(found - 1))) found = find(found + 1);
    if (found == text.end()) return {};
    auto first = found, last = found + static_cast<ptrdiff_t>(wanted.size());
    while (first != text.begin() && is_of_word(*(first - 1))) --first;
    while (last != text.end() && is_of_word(*last)) ++last;
    while (last - found > static_cast<ptrdiff_t>(wanted.size()) && *(last - 1) == '.') --last; // the end of a sentence
    return std::string(first, last);
}

std::optional<Match> match_word(const catalog::Kernel& kernel, const Opcodes* opcodes, std::string_view wanted) {
    const auto in_text = [&](Where where, std::string_view text) -> std::optional<Match> {
        auto word = word_with(text, wanted, where == Where::idea || where == Where::story);
        return word ? std::optional(Match{where, std::move(*word)}) : std::nullopt;
    };
    const auto in_both = [&](Where where, const catalog::Text& text) {
        auto english = in_text(where, text.en);
        return english ? english : in_text(where, text.zh);
    };
    const auto in_list = [&](Where where, const std::vector<std::string>& list) -> std::optional<Match> {
        for (const std::string& opcode : list)
            if (auto found = in_text(where, opcode)) return found;
        return {};
    };
    if (auto found = in_text(Where::name, kernel.id)) return found;
    if (auto found = in_both(Where::title, kernel.title)) return found;
    if (auto found = in_both(Where::idea, kernel.idea)) return found;
    if (auto found = in_both(Where::story, kernel.story)) return found;
    if (!opcodes) return {};
    if (auto found = in_list(Where::ptx, opcodes->ptx)) return found;
    return in_list(Where::machine, opcodes->machine);
}

} // namespace

Opcodes opcodes_of(const catalog::Kernel& kernel, const std::string& arch, std::stop_token stop) {
    Subject subject;
    subject.kernel = kernel.id;
    subject.parameters = catalog::initial_values(kernel);
    subject.arch = kernel.arch.empty() ? arch : kernel.arch;
    subject.engine = Engine::ptx; // both listings are wanted, and neither is executed
    const auto job = resolve(kernel, subject);
    if (!job) return {};
    const auto prepared = prepare(*job, stop);
    if (!prepared.value) return {};
    std::set<std::string> ptx, machine;
    for (const trace::Instruction& instruction : prepared.value->ptx_listing->instructions)
        ptx.insert(instruction.mnemonic);
    if (const auto code = machine_code(*job, prepared.value->ptx.get(), stop); code.value)
        if (const auto listing = sass::read(code.value->cubin, code.value->entry))
            for (const trace::MachineInstruction& instruction : (*listing)->instructions)
                machine.insert(instruction.bytes > 4 ? fmt::format("{}.{}", instruction.opcode, 8 * instruction.bytes)
                                                     : std::string(instruction.opcode));
    machine.erase("");
    return {{ptx.begin(), ptx.end()}, {machine.begin(), machine.end()}};
}

std::vector<Match> match(const catalog::Kernel& kernel, const Opcodes* opcodes, std::string_view text) {
    std::istringstream words(base::lower(text));
    std::vector<Match> matches;
    for (std::string word; words >> word;) {
        auto found = match_word(kernel, opcodes, word);
        if (!found) return {};
        matches.push_back(std::move(*found));
    }
    return matches;
}

} // namespace session
