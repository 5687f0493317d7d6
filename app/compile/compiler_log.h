// What NVRTC and ptxas say, as records.
#pragma once

#include "compile/compiler.h"

#include <optional>
#include <string_view>

namespace compile {

// One line of a log. `file` is empty for what a tool says of no file, "__nv_name_map" for what is wrong with the name asked for.
struct Message {
    bool error = true;
    std::string file;
    int line = 0; // 0: unknown
    std::string text;
};
std::vector<Message> messages(std::string_view log);
std::optional<Message> first_error(std::string_view log);

// Whether NVRTC says that it does not know the kernel that --entry names.
bool is_about_entry(const Message&);

// What stands between quotation marks in a message: the names it is about.
std::vector<std::string> quoted_names(std::string_view text);

// Errors and warnings in order. Lines are those of the file `name`; a message about another file keeps that file and
// line in its text.
std::vector<Diagnostic> diagnostics(std::string_view log, std::string_view name);

// What ptxas -v reports for the kernel of that mangled name.
std::optional<Resources> resources(std::string_view log, std::string_view entry);

} // namespace compile
