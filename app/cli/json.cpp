#include "cli/json.h"

#include "base/number.h"

#include <filesystem>

namespace cli {
namespace {

Json shared_json(const analysis::SharedTotals& t) {
    return {{"instructions", t.instructions},
            {"wavefronts", t.wavefronts},
            {"wavefronts_ideal", t.wavefronts_ideal},
            {"wavefronts_excessive", t.wavefronts - t.wavefronts_ideal}};
}

Json global_json(const analysis::GlobalTotals& t) {
    return {{"instructions", t.instructions}, {"sectors", t.sectors}, {"sectors_ideal", t.sectors_ideal}};
}

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
        json["text"] = f.text;
        all.push_back(std::move(json));
    }
    return all;
}

Json to_json(const analysis::Totals& t) {
    return {{"instructions_executed", t.instructions_executed},
            {"ffma_thread_instructions", t.ffma_thread_instructions},
            {"dfma_thread_instructions", t.dfma_thread_instructions},
            {"tensor_core_flop", t.tensor_core_flop},
            {"shared_load", shared_json(t.shared_load)},
            {"shared_store", shared_json(t.shared_store)},
            {"global_load", global_json(t.global_load)},
            {"global_store", global_json(t.global_store)},
            {"async_copy", global_json(t.async_copy)},
            {"bulk_copy", global_json(t.bulk_copy)}};
}

Json to_json(const std::optional<session::Verification>& v) {
    if (!v) return nullptr;
    return {{"reference", v->reference}, // NaN, which JSON lacks, is printed as null
            {"max_abs_error", v->max_abs_error},
            {"max_rel_error", v->max_rel_error},
            {"passed", v->passed}};
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
