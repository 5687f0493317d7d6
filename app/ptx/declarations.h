// Declarations: variables, registers, functions, line information. Internal to app/ptx.
#pragma once

#include "ptx/parsing.h"

namespace ptx {

// { linking } ( variable | function ); false where the text is neither.
bool parse_definition(Parsing&);
// ".param" ".align" n ".b8" name "[" n "]" ...: a variable of the scope, or registers; false where it is neither.
bool parse_variable(Parsing&, bool external);
void parse_file(Parsing&); // ".file" n string [ "," n "," n ]
void parse_location(
    Parsing&); // ".loc" file line column [ "," "function_name" label "," "inlined_at" file line column ]

} // namespace ptx
