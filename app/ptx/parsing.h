// What the parts of the parser share: the tokens, the module so far, and the names in scope. Internal to app/ptx.
#pragma once

#include "ptx/lexer.h"
#include "ptx/module.h"

#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ptx {

struct Parsing {
    explicit Parsing(std::string_view text) : lexer(text) {}

    Lexer lexer;
    Module module;

    // A name's meaning within a pair of braces.
    struct Name {
        enum { reg, range, variable, label } kind = reg;
        int32_t index = -1;
    };
    using Scope = std::unordered_map<std::string_view, Name>;
    std::vector<Scope> scopes{1}; // [0]: of the file
    int32_t function = -1;        // being parsed: index into Module::functions

    bool takes_parts = false; // the operand being read may be a part of a register

    // Where the next instruction comes from.
    int main_file = 0, source_line = 0, own_line = 0, kernel_line = 0;
    // (file, line, column) of an inlined .loc -> line in main_file, of its call and of the outermost one.
    std::unordered_map<uint64_t, std::pair<int, int>> call_lines;

    // Calls may stand before their functions; their names are looked up at the end.
    std::unordered_map<std::string_view, int32_t> function_index;
    struct Call {
        int32_t function = -1;
        size_t instruction = 0, operand = 0;
        std::string_view name;
    };
    std::vector<Call> calls;

    const Token& now() const { return lexer.now(); }
    Token take() { return lexer.take(); }
    bool accept(char c) {
        if (!now().is(c)) return false;
        take();
        return true;
    }
    bool accept(std::string_view word) {
        if (!now().is(word)) return false;
        take();
        return true;
    }
    Function& current() { return module.functions[static_cast<size_t>(function)]; }

    // Records the statement that began at `start` as unknown and skips the rest of it. Returns its number.
    int32_t give_up(const Token& start, base::Sentence why);
    void skip_section();
    bool integer(int64_t& out); // [-] number, decimal, hexadecimal, octal or binary

    const Name* find(std::string_view name) const;
    bool find_register(std::string_view name, int32_t& out) const; // single or of a range
    // Labels belong to the block that defines them. A name that a block uses and does not define is one of the block around it.
    int32_t label(std::string_view name); // used: its number; declared where new
    int32_t define_label(std::string_view name);
    void close_scope();
    void resolve_labels();                                // of the function that ends
    std::vector<std::pair<int32_t, int32_t>> same_labels; // the first is the second, found in a block further out
    void resolve_functions();
};

// The value of a number's text; false where it is none.
bool literal(std::string_view text, Operand& out);

} // namespace ptx
