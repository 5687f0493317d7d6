// Reads a JSON object field by field and remembers the first thing that is wrong, so that a reader is a plain list of
// assignments with one check at the end; and writes one.
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// Objects inside one share its document.
class Fields {
public:
    explicit Fields(std::string_view text); // one JSON object, within the bounds of base/json.h

    bool ok() const { return error_.empty(); }
    Error error() const { return {Failure::usage, error_, {}, {}}; }

    // A missing field or one of another type gives an empty value and is the error.
    std::string text(const char* name);
    Sentence sentence(const char* name);
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

    void adopt(const Fields& inner); // its error becomes this one's
    void fail(Sentence what);

private:
    using Value = std::shared_ptr<const nlohmann::json>; // keeps the document
    Fields(Value value, std::string path) : value_(std::move(value)), path_(std::move(path)) {}
    const nlohmann::json* find(const char* name);
    const nlohmann::json* list(const char* name);
    void wrong(const char* name, Phrase expected);

    Value value_;      // an object, or none
    std::string path_; // "cublas.", for messages
    Sentence error_;
};

// The fields of one JSON object, in the order in which they are given. Broken UTF-8 is replaced.
class FieldsWriter {
public:
    FieldsWriter& text(const char* name, std::string_view);
    FieldsWriter& sentence(const char* name, const Sentence&);
    FieldsWriter& integer(const char* name, int64_t);
    FieldsWriter& natural(const char* name, uint64_t);
    FieldsWriter& number(const char* name, double);
    FieldsWriter& truth(const char* name, bool);
    FieldsWriter& null(const char* name);
    FieldsWriter& integers(const char* name, const std::map<std::string, int>&);
    FieldsWriter& texts(const char* name, const std::vector<std::string>&);
    FieldsWriter& naturals(const char* name, const std::vector<uint64_t>&);
    FieldsWriter& object(const char* name, const FieldsWriter&);
    FieldsWriter& objects(const char* name, const std::vector<FieldsWriter>&);

    std::string line() const { return text_ + "}"; } // without its end

private:
    std::string& field(std::string_view name);

    std::string text_ = "{";
};

} // namespace base
