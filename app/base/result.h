// Errors are values. A Result<T> holds a T or the sentence that says what went wrong, where, and what to do.
#pragma once

#include "base/sentence.h"

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace base {

// The numbers are the process's exit codes.
enum class Failure { check_failed = 1, usage = 2, missing = 3 };

struct Error {
    Failure failure = Failure::usage;
    Sentence what;     // one clause, no full stop: say("{} = {} is not a multiple of {} = {}", ...)
    std::string where; // "file:line", or empty
    Sentence todo;     // what the user can do: "choose TM among 4, 8, 16"; empty if nothing

    // "where: what; todo" with the parts that are there, on one line.
    Sentence said() const;
    std::string sentence() const; // in English
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    explicit operator bool() const { return std::holds_alternative<T>(state_); }
    bool ok() const { return std::holds_alternative<T>(state_); }

    T& operator*() & { return std::get<T>(state_); }
    const T& operator*() const& { return std::get<T>(state_); }
    T&& operator*() && { return std::get<T>(std::move(state_)); }
    T* operator->() { return &std::get<T>(state_); }
    const T* operator->() const { return &std::get<T>(state_); }

    const Error& error() const { return std::get<Error>(state_); }

private:
    std::variant<T, Error> state_;
};

// For calls that give nothing back but may fail.
struct Done {};
using Status = Result<Done>;

} // namespace base
