#include "base/fields.h"

#include "base/json.h"
#include "base/sentence_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace base {

using Json = nlohmann::json;

Fields::Fields(std::string_view text) {
    auto document = parse_json(text);
    if (!document) fail(document.error().what);
    else if (!document->is_object()) fail(say("not a JSON object"));
    else value_ = std::make_shared<const Json>(std::move(*document));
}

void Fields::fail(Sentence what) {
    if (error_.empty()) error_ = std::move(what);
}

void Fields::adopt(const Fields& inner) {
    if (!inner.ok()) fail(inner.error_);
}

void Fields::wrong(const char* name, Phrase expected) { fail(say("{}{} is not {}", path_, name, Sentence(expected))); }

const Json* Fields::find(const char* name) {
    if (value_)
        if (auto at = value_->find(name); at != value_->end()) return &*at;
    fail(say("{}{} is missing", path_, name));
    return nullptr;
}

// The array of that name; nothing where there is none or something is wrong already.
const Json* Fields::list(const char* name) {
    const Json* value = find(name);
    if (value && !value->is_array()) wrong(name, phrase("a list"));
    return ok() ? value : nullptr;
}

bool Fields::has(const char* name) const { return value_ && value_->contains(name); }
bool Fields::null(const char* name) const { return has(name) && value_->at(name).is_null(); }

std::string Fields::text(const char* name) {
    const Json* value = find(name);
    if (!value) return {};
    if (value->is_string()) return value->get<std::string>();
    wrong(name, phrase("text"));
    return {};
}

Sentence Fields::sentence(const char* name) {
    const Json* value = find(name);
    if (!value) return {};
    if (auto sentence = sentence_from(*value)) return std::move(*sentence);
    wrong(name, phrase("a sentence"));
    return {};
}

int Fields::integer(const char* name, int64_t least, int64_t most) {
    const Json* value = find(name);
    if (!value) return 0;
    bool fits = value->is_number_unsigned() ? value->get<uint64_t>() <= INT64_MAX : value->is_number_integer();
    if (fits)
        if (auto whole = value->get<int64_t>(); whole >= least && whole <= most) return static_cast<int>(whole);
    fail(say("{}{} is not a whole number in {}..{}", path_, name, least, most));
    return 0;
}

uint64_t Fields::natural(const char* name) {
    const Json* value = find(name);
    if (!value) return 0;
    if (value->is_number_unsigned()) return value->get<uint64_t>();
    wrong(name, phrase("a whole number of 0 or more"));
    return 0;
}

double Fields::number(const char* name) {
    const Json* value = find(name);
    if (!value) return 0;
    if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
    wrong(name, phrase("a number"));
    return 0;
}

double Fields::positive(const char* name) {
    double value = number(name);
    if (ok() && value <= 0) wrong(name, phrase("above 0"));
    return value;
}

double Fields::number_or_null(const char* name, double if_null) { return null(name) ? if_null : number(name); }

bool Fields::truth(const char* name) {
    const Json* value = find(name);
    if (!value) return false;
    if (value->is_boolean()) return value->get<bool>();
    wrong(name, phrase("true or false"));
    return false;
}

std::map<std::string, int> Fields::integers(const char* name) {
    std::map<std::string, int> result;
    Fields inner = object(name);
    if (!ok()) return result;
    for (const auto& [key, value] : inner.value_->items()) result[key] = inner.integer(key.c_str());
    adopt(inner);
    return result;
}

std::vector<std::string> Fields::texts(const char* name) {
    std::vector<std::string> result;
    const Json* value = list(name);
    if (!value) return result;
    for (const Json& item : *value) {
        if (!item.is_string()) {
            wrong(name, phrase("a list of texts"));
            return {};
        }
        result.push_back(item.get<std::string>());
    }
    return result;
}

std::vector<uint64_t> Fields::naturals(const char* name) {
    std::vector<uint64_t> result;
    const Json* value = list(name);
    if (!value) return result;
    for (const Json& item : *value) {
        if (!item.is_number_unsigned()) {
            wrong(name, phrase("a list of whole numbers of 0 or more"));
            return {};
        }
        result.push_back(item.get<uint64_t>());
    }
    return result;
}

Fields Fields::object(const char* name) {
    const Json* value = find(name);
    if (value && value->is_object()) return Fields(Value(value_, value), fmt::format("{}{}.", path_, name));
    if (value) wrong(name, phrase("an object"));
    return Fields(nullptr, path_);
}

std::vector<Fields> Fields::objects(const char* name) {
    std::vector<Fields> result;
    const Json* value = list(name);
    if (!value) return result;
    for (const Json& item : *value) {
        if (!item.is_object()) {
            wrong(name, phrase("a list of objects"));
            return {};
        }
        result.push_back(Fields(Value(value_, &item), fmt::format("{}{}[{}].", path_, name, result.size())));
    }
    return result;
}

namespace {

std::string written(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class List, class Write>
std::string listed(const List& list, Write write) {
    std::string text = "[";
    for (const auto& item : list) {
        if (text.size() > 1) text += ',';
        text += write(item);
    }
    return text += ']';
}

} // namespace

std::string& FieldsWriter::field(std::string_view name) {
    if (text_.size() > 1) text_ += ',';
    text_ += written(name);
    return text_ += ':';
}

FieldsWriter& FieldsWriter::text(const char* name, std::string_view value) {
    return field(name) += written(value), *this;
}
FieldsWriter& FieldsWriter::sentence(const char* name, const Sentence& value) {
    return field(name) += written(to_json(value)), *this;
}
FieldsWriter& FieldsWriter::integer(const char* name, int64_t value) { return field(name) += written(value), *this; }
FieldsWriter& FieldsWriter::natural(const char* name, uint64_t value) { return field(name) += written(value), *this; }
FieldsWriter& FieldsWriter::number(const char* name, double value) { return field(name) += written(value), *this; }
FieldsWriter& FieldsWriter::truth(const char* name, bool value) {
    return field(name) += value ? "true" : "false", *this;
}
FieldsWriter& FieldsWriter::null(const char* name) { return field(name) += "null", *this; }

FieldsWriter& FieldsWriter::integers(const char* name, const std::map<std::string, int>& values) {
    FieldsWriter inner;
    for (const auto& [key, value] : values) inner.integer(key.c_str(), value);
    return object(name, inner);
}

FieldsWriter& FieldsWriter::texts(const char* name, const std::vector<std::string>& values) {
    field(name) += listed(values, [](const std::string& value) { return written(value); });
    return *this;
}

FieldsWriter& FieldsWriter::naturals(const char* name, const std::vector<uint64_t>& values) {
    field(name) += listed(values, [](uint64_t value) { return std::to_string(value); });
    return *this;
}

FieldsWriter& FieldsWriter::object(const char* name, const FieldsWriter& value) {
    return field(name) += value.line(), *this;
}

FieldsWriter& FieldsWriter::objects(const char* name, const std::vector<FieldsWriter>& values) {
    field(name) += listed(values, [](const FieldsWriter& value) { return value.line(); });
    return *this;
}

} // namespace base
