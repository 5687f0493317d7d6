#include "gpu/fields.h"

#include <fmt/format.h>

#include <cmath>

namespace gpu {

using nlohmann::json;

Fields::Fields(std::string_view text) {
    value_ = json::parse(text, nullptr, false);
    if (value_.is_discarded()) fail("not JSON");
    else if (!value_.is_object()) fail("not a JSON object");
}

Fields::Fields(json value, std::string path) : value_(std::move(value)), path_(std::move(path)) {}

void Fields::fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
}

void Fields::adopt(const Fields& inner) {
    if (!inner.ok()) fail(inner.error_);
}

void Fields::wrong(const char* name, const char* expected) { fail(fmt::format("{}{} is not {}", path_, name, expected)); }

const json* Fields::find(const char* name) {
    if (value_.is_object())
        if (auto at = value_.find(name); at != value_.end()) return &*at;
    fail(fmt::format("{}{} is missing", path_, name));
    return nullptr;
}

bool Fields::has(const char* name) const { return value_.is_object() && value_.contains(name); }
bool Fields::null(const char* name) const { return has(name) && value_[name].is_null(); }

std::string Fields::text(const char* name) {
    const json* value = find(name);
    if (!value) return {};
    if (value->is_string()) return value->get<std::string>();
    wrong(name, "text");
    return {};
}

int Fields::integer(const char* name, int64_t least, int64_t most) {
    const json* value = find(name);
    if (!value) return 0;
    bool fits = value->is_number_unsigned() ? value->get<uint64_t>() <= INT64_MAX : value->is_number_integer();
    if (fits)
        if (auto whole = value->get<int64_t>(); whole >= least && whole <= most) return static_cast<int>(whole);
    fail(fmt::format("{}{} is not a whole number in {}..{}", path_, name, least, most));
    return 0;
}

uint64_t Fields::natural(const char* name) {
    const json* value = find(name);
    if (!value) return 0;
    if (value->is_number_unsigned()) return value->get<uint64_t>();
    wrong(name, "a whole number of 0 or more");
    return 0;
}

double Fields::number(const char* name) {
    const json* value = find(name);
    if (!value) return 0;
    if (value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
    wrong(name, "a number");
    return 0;
}

double Fields::positive(const char* name) {
    double value = number(name);
    if (ok() && value <= 0) wrong(name, "above 0");
    return value;
}

double Fields::number_or_null(const char* name, double if_null) { return null(name) ? if_null : number(name); }

bool Fields::truth(const char* name) {
    const json* value = find(name);
    if (!value) return false;
    if (value->is_boolean()) return value->get<bool>();
    wrong(name, "true or false");
    return false;
}

std::map<std::string, int> Fields::integers(const char* name) {
    std::map<std::string, int> result;
    Fields inner = object(name);
    if (!ok()) return result;
    for (const auto& [key, value] : inner.value_.items()) result[key] = inner.integer(key.c_str());
    adopt(inner);
    return result;
}

std::vector<std::string> Fields::texts(const char* name) {
    std::vector<std::string> result;
    const json* value = find(name);
    if (value && !value->is_array()) wrong(name, "a list");
    if (!ok()) return result;
    for (const json& item : *value) {
        if (!item.is_string()) {
            wrong(name, "a list of texts");
            return {};
        }
        result.push_back(item.get<std::string>());
    }
    return result;
}

std::vector<uint64_t> Fields::naturals(const char* name) {
    std::vector<uint64_t> result;
    const json* value = find(name);
    if (value && !value->is_array()) wrong(name, "a list");
    if (!ok()) return result;
    for (const json& item : *value) {
        if (!item.is_number_unsigned()) {
            wrong(name, "a list of whole numbers of 0 or more");
            return {};
        }
        result.push_back(item.get<uint64_t>());
    }
    return result;
}

Fields Fields::object(const char* name) {
    const json* value = find(name);
    if (value && value->is_object()) return Fields(*value, fmt::format("{}{}.", path_, name));
    if (value) wrong(name, "an object");
    return Fields(json::object(), path_);
}

std::vector<Fields> Fields::objects(const char* name) {
    std::vector<Fields> result;
    const json* value = find(name);
    if (value && !value->is_array()) wrong(name, "a list");
    if (!ok()) return result;
    for (const json& item : *value) {
        if (!item.is_object()) {
            wrong(name, "a list of objects");
            return {};
        }
        result.push_back(Fields(item, fmt::format("{}{}[{}].", path_, name, result.size())));
    }
    return result;
}

} // namespace gpu
