#include "cli/json.h"

#include "base/number.h"

#include <filesystem>

#include <cmath>

namespace cli {
namespace {

// Every number that was measured or computed, wherever it stands.
void round(Json& json) {
    if (json.is_number_float()) json = base::significant(json.get<double>());
    if (json.is_structured()) {
        for (Json& inner : json) round(inner);
    }
}

} // namespace

Json to_json(base::Dim3 size) { return Json::array({size.x, size.y, size.z}); }

Json lanes_json(uint32_t mask) {
    Json lanes = Json::array();
    for (int lane = 0; lane < trace::warp_size; ++lane) {
        if (mask >> lane & 1) lanes.push_back(lane);
    }
    return lanes;
}

std::optional<std::string> included_file(int64_t pc, const trace::Listing& listing) {
    namespace fs = std::filesystem;
    if (pc < 0 || pc >= std::ssize(listing.instructions)) return {};
    const auto file = listing.source_files.find(listing.instructions[static_cast<size_t>(pc)].source_file);
    if (file == listing.source_files.end()) return {};
    std::error_code ignored;
    const std::string from_here = fs::relative(file->second, ignored).string();
    return from_here.empty() || from_here.starts_with("../..") ? file->second : from_here;
}

Json to_json(const std::vector<trace::Finding>& findings, const trace::Listing& listing) {
    const auto instruction = [&](int64_t pc) -> Json {
        if (pc < 0 || pc >= std::ssize(listing.instructions)) return nullptr;
        return listing.instructions[static_cast<size_t>(pc)].text;
    };
    const auto access = [&](const auto& a) { // the members that a finding and the other access of one have in common
        const auto file = included_file(a.pc, listing);
        return Json{{"file", file ? Json(*file) : Json()}, {"line", a.source_line},     {"pc", a.pc},
                    {"instruction", instruction(a.pc)},    {"block", to_json(a.block)}, {"warp", a.warp},
                    {"lanes", lanes_json(a.lanes)}};
    };
    Json all = Json::array();
    for (const trace::Finding& f : findings) {
        Json json{{"kind", trace::name(f.kind)},
                  {"severity", f.severity == trace::Severity::error ? "error" : "warning"}};
        json.update(access(f));
        json["other"] = f.other ? access(*f.other) : Json();
        json["times"] = f.times;
        json["text"] = f.text.english();
        all.push_back(std::move(json));
    }
    return all;
}

Json to_json(const analysis::Totals& totals) {
    Json json = Json::object();
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        if (row.told == analysis::Told::beside) continue;
        for (const analysis::CounterField& field : analysis::fields(row, totals)) {
            if (!*field.name) json[row.name] = field.value;
            else if (!field.derived) json[row.name][field.name] = field.value;
        }
    }
    return json;
}

Json to_json(const std::optional<session::Verification>& v) {
    if (!v) return nullptr;
    return {{"reference", v->reference}, // NaN, which JSON lacks, is printed as null
            {"max_abs_error", v->max_abs_error}, {"max_rel_error", v->max_rel_error}, {"tolerance", v->tolerance},
            {"rounding", v->rounding},           {"elements_checked", v->elements},   {"passed", v->passed}};
}

Json number_json(double value) { return value == std::floor(value) ? Json(static_cast<int64_t>(value)) : Json(value); }

Json to_json(const views::Table& table) {
    Json columns = Json::array();
    for (const views::TableColumn& column : table.columns)
        columns.push_back({{"head", column.head}, {"unit", column.unit}});
    return {{"title", table.title}, {"notes", table.notes}, {"columns", columns}, {"rows", table.rows}};
}

Json values_json(const catalog::Values& values) {
    Json json = Json::object();
    for (const auto& [name, value] : values) json[name] = value;
    return json;
}

std::string line(Json json) {
    round(json);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace cli
