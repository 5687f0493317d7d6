// Listings written by hand, a line of PTX an instruction: the facts that the program's own listings have from the parser.
#pragma once

#include "base/text.h"
#include "trace/listing.h"

#include <algorithm>
#include <cstdlib>

namespace test {

class Lister {
public:
    explicit Lister(trace::Listing& listing) : listing_(listing) {}

    // Adds the line; whoever calls says what else it is.
    trace::Instruction& add(const std::string& text, trace::Kind kind) {
        trace::Instruction& i = listing_.instructions.emplace_back();
        i.text = text, i.kind = kind;
        std::string_view rest = base::trimmed(text);
        if (rest.starts_with('@')) {
            const std::string_view guard = take(rest, ' ');
            i.guard = number(guard.substr(guard.find('%')));
        }
        if (rest.ends_with(';')) rest.remove_suffix(1);
        i.mnemonic = take(rest, ' ');
        i.role = i.mnemonic.starts_with("mov.")   ? trace::Role::move
                 : i.mnemonic.starts_with("fma.") ? trace::Role::fma
                 : i.mnemonic.starts_with("brx.") ? trace::Role::indirect_branch
                 : i.mnemonic.starts_with("call") ? trace::Role::call
                                                  : trace::Role::other;
        const bool writes = kind == trace::Kind::arithmetic || kind == trace::Kind::fma || kind == trace::Kind::load;
        for (bool first = true; !rest.empty(); first = false) operand(take(rest, ','), i, first && writes);
        return i;
    }

private:
    trace::Listing& listing_;

    int32_t number(std::string_view name) {
        if (!name.starts_with('%')) return trace::Instruction::no_register;
        const auto at = std::find(listing_.names.begin(), listing_.names.end(), name);
        if (at == listing_.names.end()) return listing_.names.emplace_back(name), number(name);
        return static_cast<int32_t>(at - listing_.names.begin());
    }
    // What stands before the separator, outside of brackets.
    static std::string_view take(std::string_view& rest, char separator) {
        size_t end = 0;
        for (int depth = 0; end < rest.size() && (rest[end] != separator || depth > 0); ++end)
            depth += rest[end] == '{' || rest[end] == '[' ? 1 : rest[end] == '}' || rest[end] == ']' ? -1 : 0;
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        return base::trimmed(part);
    }
    void operand(std::string_view o, trace::Instruction& i, bool written) {
        if (o.starts_with('[')) {
            const size_t end = o.find_first_of("+-]", 1);
            if (i.address.empty()) i.displacement = std::atoll(std::string(o.substr(end)).c_str());
            i.address.push_back(number(o.substr(1, end - 1)));
        } else if (o.starts_with('{')) {
            for (o = o.substr(1, o.size() - 2); !o.empty();) operand(take(o, ','), i, written);
        } else {
            while (!o.empty()) (written ? i.written : i.read).push_back(number(take(o, '|')));
        }
    }
};

} // namespace test
