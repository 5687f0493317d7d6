// Invented libraries for programs that tests start.
#pragma once

#include <string>

// For a shell, in front of a command: `folders` before what LD_LIBRARY_PATH names already, which may be where
// the program's own libraries lie.
inline std::string before_other_libraries(const std::string& folders) {
    return "LD_LIBRARY_PATH='" + folders + "'\"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"";
}
