// Reads a JSON object field by field and remembers the first thing that is wrong, so that a reader is a plain list of
// assignments with one check at the end. Include it in .cpp files only.
#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gpu {

class Fields {
public:
    explicit Fields(std::string_view text); // one JSON object

    bool ok() const { return error_.empty(); }
    base::Error error() const { return {base::Failure::usage, error_, {}, {}}; }

    // A missing field or one of another type gives an empty value and is the error.
    std::string text(const char* name);
    int integer(const char* name, int64_t least = INT32_MIN, int64_t most = INT32_MAX);
    uint64_t natural(const char* name);
    double number(const char* name);
    double positive(const char* name);
    double number_or_null(const char* name, double if_null);
    bool truth(const char* name);
    std::map<std::string, int> integers(const char* name);
    std::vector<std::string> texts(const char* name);
    std::vector<uint64_t> naturals(const char* name);
    Fields object(const char* name);
    std::vector<Fields> objects(const char* name);

    bool has(const char* name) const;
    bool null(const char* name) const; // there, and null
    std::string dump() const { return value_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); } // the object again

    void adopt(const Fields& inner); // its error becomes this one's
    void fail(std::string what);

private:
    Fields(nlohmann::json value, std::string path);
    const nlohmann::json* find(const char* name);
    void wrong(const char* name, const char* expected);

    nlohmann::json value_;
    std::string path_; // "cublas.", for messages
    std::string error_;
};

} // namespace gpu
