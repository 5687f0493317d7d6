// A CUDA file as the list of what it declares, without understanding the language: brackets, a few keywords, and names.
#pragma once

#include "compile/tokens.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace compile {

struct Declaration { // at namespace scope, or a member of a class
    enum class Kind : unsigned char { function, type, other } kind = Kind::other;
    size_t begin = 0, end = 0; // in the source
    // Of a function, with a constructor's initialisers; of a macro its arguments. Empty: it is only declared.
    size_t body_begin = 0, body_end = 0;
    // What it introduces; too many rather than too few. None: an operator, "using namespace", an assertion.
    std::set<std::string_view> names;
    std::set<std::string_view> words;     // all in it
    bool is_device = false;               // a mark such as __global__ before the body
    bool is_kernel = false;               // __global__
    std::string name;                     // a function's, with its namespaces
    std::string_view template_parameters; // "<int BM, class T>"
    std::vector<Declaration> members;     // of a class
};

// Words that make an entity the device's: CUDA's own; a caller adds the macros that stand for them.
const std::set<std::string_view>& device_marks();

struct Macro {
    std::string_view name;
    std::set<std::string_view> words; // of what it stands for
    // What it stands for is closed, "template <> __global__ void name(T*) { }" or "void name(T*);": a declaration by itself, also where
    // no semicolon follows.
    bool is_closed = false;
    // Which of its arguments names the function that it defines, from 1; 0: none, or with more glued to it.
    size_t named_by = 0;
};
std::vector<Macro> macros(std::string_view source);

// In order. The pieces refer to `source`. Any bytes are taken. Of the branches of #if each is read as if it were the only one.
std::vector<Declaration> declarations(std::string_view source, const std::set<std::string_view>& marks,
                                      const std::set<std::string_view>& kernel_marks, const std::vector<Macro>&);

} // namespace compile
