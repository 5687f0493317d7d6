#include "compile/wire.h"

#include "base/number.h"
#include "base/sentence_json.h"
#include "compile/outcome.h"

#include <cstring>
#include <iterator>
#include <span>

namespace compile::wire {
namespace {

const char* const good = "good";
const char* const refused = "refused";

Fields rest(Fields& fields, size_t from) {
    return {std::make_move_iterator(fields.begin() + static_cast<std::ptrdiff_t>(from)),
            std::make_move_iterator(fields.end())};
}

std::optional<int> number_of(const std::string& text) {
    const auto value = base::parse_integer(text, "number", 0, INT32_MAX);
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

void append(Fields& fields, const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& d : diagnostics)
        fields.insert(fields.end(), {d.error ? "error" : "", std::to_string(d.line), base::json_text(d.text)});
}

std::optional<std::vector<Diagnostic>> diagnostics_of(const Fields& fields, size_t from) {
    std::vector<Diagnostic> found;
    if ((fields.size() - from) % 3 != 0) return {};
    for (size_t i = from; i < fields.size(); i += 3) {
        const auto line = number_of(fields[i + 1]);
        auto text = base::sentence_from_text(fields[i + 2]);
        if (!line || !text) return {};
        found.push_back({!fields[i].empty(), *line, std::move(*text)});
    }
    return found;
}

std::string bytes_of(uint64_t length) {
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes;
}

} // namespace

std::string packed(const Fields& fields) {
    std::string bytes;
    for (const std::string& field : fields) (bytes += bytes_of(field.size())) += field;
    return bytes;
}

std::optional<Fields> unpacked(std::string_view bytes) {
    Fields fields;
    while (!bytes.empty()) {
        if (bytes.size() < head_bytes) return {};
        const uint64_t length = length_of(bytes);
        bytes.remove_prefix(head_bytes);
        if (bytes.size() < length) return {};
        fields.emplace_back(bytes.substr(0, length));
        bytes.remove_prefix(length);
    }
    return fields;
}

std::string message(const Fields& fields) {
    const std::string bytes = packed(fields);
    return bytes_of(bytes.size()) + bytes;
}

uint64_t length_of(std::string_view head) {
    uint64_t length = 0;
    std::memcpy(&length, head.data(), sizeof length);
    return length;
}

Fields to_fields(const Ptx& ptx) {
    Fields fields = {ptx.text, ptx.entry};
    append(fields, ptx.warnings);
    return fields;
}

std::optional<Ptx> ptx_of(Fields fields) {
    constexpr size_t head = 2;
    if (fields.size() < head) return {};
    auto warnings = diagnostics_of(fields, head);
    if (!warnings) return {};
    return Ptx{std::move(fields[0]), std::move(fields[1]), std::move(*warnings)};
}

Fields to_fields(const MachineCode& code) {
    return {{reinterpret_cast<const char*>(code.cubin.data()), code.cubin.size()},
            code.entry,
            code.arch,
            {reinterpret_cast<const char*>(&code.resources), sizeof code.resources}};
}

std::optional<MachineCode> machine_code_of(const Fields& fields) {
    if (fields.size() != 4 || fields[3].size() != sizeof(Resources)) return {};
    const auto bytes = std::as_bytes(std::span(fields[0]));
    MachineCode code{{bytes.begin(), bytes.end()}, fields[1], fields[2], {}};
    std::memcpy(&code.resources, fields[3].data(), sizeof(Resources));
    return code;
}

Fields to_fields(const NvrtcFacts& facts) {
    Fields fields = {facts.path, facts.version, facts.build, std::to_string(facts.architectures.size())};
    for (int number : facts.architectures) fields.push_back(std::to_string(number));
    fields.insert(fields.end(), facts.include_folders.begin(), facts.include_folders.end());
    return fields;
}

std::optional<NvrtcFacts> facts_of(const Fields& fields) {
    constexpr size_t head = 4;
    if (fields.size() < head) return {};
    const auto count = number_of(fields[3]);
    if (!count || fields.size() - head < static_cast<size_t>(*count)) return {};
    NvrtcFacts facts{fields[0], fields[1], fields[2], {}, {}};
    const auto folders = fields.begin() + head + *count;
    for (auto field = fields.begin() + head; field != folders; ++field) {
        const auto number = number_of(*field);
        if (!number) return {};
        facts.architectures.push_back(*number);
    }
    facts.include_folders.assign(folders, fields.end());
    return facts;
}

Fields to_fields(const Source& source) {
    Fields fields = {source.text, source.name, source.entry, source.arch};
    fields.insert(fields.end(), source.defines.begin(), source.defines.end());
    return fields;
}

std::optional<Source> source_of(Fields fields) {
    constexpr size_t head = 4;
    if (fields.size() < head) return {};
    return Source{std::move(fields[0]), std::move(fields[1]), std::move(fields[2]), rest(fields, head),
                  std::move(fields[3])};
}

Fields answer(const Outcome<Fields>& outcome) {
    Fields fields = {good};
    if (outcome.value) {
        fields.insert(fields.end(), outcome.value->begin(), outcome.value->end());
        return fields;
    }
    const base::Error& error = outcome.failed->error;
    fields = {refused, std::to_string(static_cast<int>(error.failure)), base::json_text(error.what), error.where,
              base::json_text(error.todo)};
    append(fields, outcome.failed->diagnostics);
    return fields;
}

std::optional<Outcome<Fields>> outcome_of(Fields fields) {
    if (fields.empty()) return {};
    if (fields[0] == good) return success(rest(fields, 1));
    constexpr size_t head = 5;
    if (fields[0] != refused || fields.size() < head) return {};
    const auto failure_number = number_of(fields[1]);
    auto diagnostics = diagnostics_of(fields, head);
    auto what = base::sentence_from_text(fields[2]), todo = base::sentence_from_text(fields[4]);
    if (!failure_number || *failure_number < 1 || *failure_number > 3 || !diagnostics || !what || !todo) return {};
    CompileError error{
        {static_cast<base::Failure>(*failure_number), std::move(*what), std::move(fields[3]), std::move(*todo)},
        std::move(*diagnostics)};
    return failure<Fields>(std::move(error));
}

} // namespace compile::wire
