// How an Outcome is made.
#pragma once

#include "compile/compiler.h"

#include <utility>

namespace compile {

template <class T>
Outcome<T> failure(CompileError error) {
    return {nullptr, std::move(error)};
}
template <class T>
Outcome<T> failure(base::Error error) {
    Diagnostic diagnostic{true, 0, error.what};
    return {nullptr, CompileError{std::move(error), {std::move(diagnostic)}}};
}
template <class T>
Outcome<T> success(T value) {
    return {std::make_shared<const T>(std::move(value)), {}};
}

} // namespace compile
