#include "base/sentence_json.h"

#include "base/json.h"

#include <nlohmann/json.hpp>

namespace base {
namespace {

using Json = nlohmann::json;

// What is left of the bounds while a sentence is gone through.
struct Room {
    int parts = most_parts;
    size_t bytes = longest_sentence;

    bool take(size_t text) {
        if (parts-- <= 0 || text > bytes) return false;
        bytes -= text;
        return true;
    }
};

bool fits(const Sentence& sentence, int depth, Room& room) {
    if (depth > deepest_sentence || !room.take(sentence.text().size())) return false;
    for (const Sentence& part : sentence.parts())
        if (!fits(part, depth + 1, room)) return false;
    return true;
}

Json json_of(const Sentence& sentence) {
    if (sentence.kind() == Sentence::Kind::verbatim) return sentence.text();
    Json parts = Json::array();
    for (const Sentence& part : sentence.parts()) parts.push_back(json_of(part));
    if (sentence.kind() == Sentence::Kind::list) return {{"list", std::move(parts)}, {"between", sentence.text()}};
    return {{"say", sentence.text()}, {"with", std::move(parts)}};
}

const std::string* text_in(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at == object.end() ? nullptr : at->get_ptr<const std::string*>();
}

std::optional<Sentence> read(const Json& json, int depth, Room& room) {
    if (depth > deepest_sentence) return {};
    if (const auto* text = json.get_ptr<const std::string*>())
        return room.take(text->size()) ? std::optional(verbatim(*text)) : std::nullopt;
    if (!json.is_object()) return {};
    const bool is_list = json.contains("list");
    const std::string* text = text_in(json, is_list ? "between" : "say");
    const auto items = json.find(is_list ? "list" : "with");
    if (!text || items == json.end() || !items->is_array() || !room.take(text->size())) return {};
    std::vector<Sentence> parts;
    for (const Json& item : *items) {
        auto part = read(item, depth + 1, room);
        if (!part) return {};
        parts.push_back(std::move(*part));
    }
    return Sentence(is_list ? Sentence::Kind::list : Sentence::Kind::pattern, *text, std::move(parts));
}

} // namespace

Json to_json(const Sentence& sentence) {
    constexpr size_t most = longest_sentence / 3; // each byte of broken UTF-8 becomes three
    Room room{most_parts, most};
    if (fits(sentence, 1, room)) return json_of(sentence);
    return sentence.english().substr(0, most);
}

std::optional<Sentence> sentence_from(const Json& json) {
    Room room;
    return read(json, 1, room);
}

std::string json_text(const Sentence& sentence) {
    return to_json(sentence).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Sentence> sentence_from_text(std::string_view json) {
    const auto parsed = parse_json(json);
    return parsed ? sentence_from(*parsed) : std::nullopt;
}

} // namespace base
