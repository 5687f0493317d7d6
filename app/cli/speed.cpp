// speed: what was measured of a kernel's setting, or of every pair of values of two of its parameters.
#include "base/file.h"
#include "cli/json.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/words.h"
#include "session/series.h"
#include "session/speeds.h"
#include "views/speed_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct SpeedOptions {
    SourceOptions source;
    std::string size = "4096", map, device;
};

struct Asked {
    std::shared_ptr<const catalog::Kernel> kernel;
    catalog::Values values;
    catalog::Problem size;
};

base::Result<Asked> asked(const SpeedOptions& options, const catalog::Catalog& catalog) {
    auto subject = to_subject(options.source, options.source.source);
    if (!subject) return subject.error();
    if (auto known = session::resolve(catalog, *subject); !known) return known.error();
    auto size = parse_one_size(options.size, "--size");
    if (!size) return size.error();
    auto kernel = catalog.find(subject->kernel);
    auto values = catalog::with(*kernel, subject->parameters);
    if (!values) return values.error();
    return Asked{kernel, *values, *size};
}

base::Result<session::Speeds> speeds_of(const Asked& asked, const std::vector<session::KernelSweep>& sweeps,
                                        const std::vector<measure::Series>& series, const std::string& wanted) {
    std::vector<std::string> devices; // the user's own first
    for (const session::KernelSweep& sweep : sweeps)
        if (!sweep.stale) devices.push_back(sweep.record->device());
    for (const measure::Series& one : series)
        if (one.kernel == asked.kernel->id && one.origin != measure::Origin::published) devices.push_back(one.device);
    const auto is_it = [&](const std::string& device) { return wanted.empty() || device == wanted; };
    const auto found = std::find_if(devices.begin(), devices.end(), is_it);
    if (found == devices.end())
        return Error{Failure::check_failed,
                     base::say("nothing was measured of {}{}", asked.kernel->id, wanted.empty() ? "" : " on " + wanted),
                     {},
                     base::say("measure it on a GPU: gemmscope sweep {}", asked.kernel->id)};
    return session::Speeds(asked.kernel, sweeps, series, *found);
}

const char* source_of(const session::Speed& speed) {
    return speed.origin == measure::Origin::live ? "live" : "recorded";
}

Json speed_json(const Asked& asked, const catalog::Values& values, const session::Speed& speed) {
    const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
    Json json{{"kernel", asked.kernel->id},
              {"parameters", values_json(values)},
              {"m", asked.size.m},
              {"n", asked.size.n},
              {"k", asked.size.k},
              {"gflops", known(speed.gflops)},
              {"cublas_gflops", known(speed.cublas_gflops)},
              {"ratio", known(speed.ratio())},
              {"source", source_of(speed)},
              {"device", speed.device},
              {"date", speed.date}};
    if (!speed.failure.empty()) json["failure"] = speed.failure;
    return json;
}

base::Status nothing_measured(const Asked& asked, const std::string& device) {
    return Error{Failure::check_failed,
                 base::say("{} with these parameters was not measured at {} on {}", asked.kernel->id,
                           size_text(asked.size), device),
                 {},
                 base::say("measure it on a GPU: gemmscope sweep {} --sizes {}", asked.kernel->id, asked.size.m)};
}

base::Status one_speed(const SpeedOptions& options, const Asked& asked, const session::Speeds& speeds) {
    const auto speed = speeds.at(asked.values, asked.size);
    if (!speed) return nothing_measured(asked, speeds.device());
    const auto tr = english();
    if (!tr) return tr.error();
    if (options.source.json) {
        print(line(speed_json(asked, asked.values, *speed)));
    } else if (speed->gflops <= 0) {
        print(fmt::format("could not be measured: {}\n", speed->failure));
    } else {
        print(fmt::format("{:.1f} GFLOPS at {}", speed->gflops, size_text(asked.size)));
        if (speed->cublas_gflops > 0) print(", " + views::of_cublas(*tr, speed->ratio(), asked.kernel->operands));
        print(fmt::format("\n{}, {}\n", views::speed_origin(*tr, *speed), speed->date));
        if (const auto best = speeds.best(asked.size); best && best->values != asked.values) {
            print(fmt::format("the fastest setting reaches {:.1f} GFLOPS:", best->speed.gflops));
            for (const auto& [name, value] : best->values) print(fmt::format(" -p {}={}", name, value));
            print("\n");
        }
    }
    if (speed->gflops <= 0)
        return Error{Failure::check_failed,
                     base::say("this setting could not be measured"),
                     {},
                     base::say("choose other parameters")};
    return base::Done{};
}

base::Result<std::pair<std::string, std::string>> axes_of(const std::string& text, const catalog::Kernel& kernel) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string rows = text.substr(0, comma), columns = text.substr(std::min(comma + 1, text.size()));
    const auto has = [&](const std::string& name) { return catalog::find_parameter(kernel, name) != nullptr; };
    if (rows != columns && has(rows) && has(columns)) return std::pair(rows, columns);
    return Error{Failure::usage,
                 base::say("--map {} is not two parameters of {}", text, kernel.id),
                 {},
                 base::say("give rows and columns, as BM,BN; see gemmscope show {}", kernel.id)};
}

base::Status map(const SpeedOptions& options, const Asked& asked, const session::Speeds& speeds) {
    auto axes = axes_of(options.map, *asked.kernel);
    if (!axes) return axes.error();
    const auto& [rows, columns] = *axes;
    const session::SpeedMap map = session::speed_map(speeds, asked.values, asked.size, columns, rows);
    Json cells = Json::array();
    std::vector<Table::Align> aligned(map.columns.size() + 1, Table::Align::right);
    Table table(aligned);
    std::vector<std::string> head{rows + " \\ " + columns};
    for (const int column : map.columns) head.push_back(std::to_string(column));
    table.row(head);
    for (size_t r = 0; r < map.rows.size(); ++r) {
        std::vector<std::string> line{std::to_string(map.rows[r])};
        for (size_t c = 0; c < map.columns.size(); ++c) {
            const session::SpeedMap::Cell& cell = map.cells[r * map.columns.size() + c];
            if (cell.speed) cells.push_back(speed_json(asked, cell.values, *cell.speed));
            line.push_back(cell.broken         ? "/"
                           : !cell.speed       ? "-"
                           : cell.gflops() > 0 ? fmt::format("{:.1f}", cell.gflops())
                                               : "failed");
        }
        table.row(line);
    }
    if (options.source.json) print(line(cells));
    else
        print(fmt::format("GFLOPS at {} on {}; /: not legal, -: not measured\n{}", size_text(asked.size),
                          speeds.device(), table.text()));
    return map.most > 0 ? base::Status(base::Done{}) : nothing_measured(asked, speeds.device());
}

base::Status speed(const SpeedOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto question = asked(options, *catalog);
    if (!question) return question.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    session::Sweeps all(*assets / "recorded" / "sweeps", session::own_sweeps());
    const auto sweeps = all.of(*question->kernel);
    for (const Error& problem : all.problems())
        print_aside(fmt::format("gemmscope: left out: {}\n", problem.sentence()));
    const auto series = session::read_series(*assets, *catalog).series;
    auto speeds = speeds_of(*question, sweeps, series, options.device);
    if (!speeds) return speeds.error();
    return options.map.empty() ? one_speed(options, *question, *speeds) : map(options, *question, *speeds);
}

} // namespace

Action define_speed(Options& app, const Common& common) {
    auto options = std::make_shared<SpeedOptions>();
    app.add_option("KERNEL", options->source.source, "a kernel of the catalogue").required();
    app.add_option("-p", options->source.parameters, "a tile parameter").type_name("NAME=VALUE").one_value();
    app.add_option("--size", options->size, "M = N = K, or MxNxK (4096)").type_name("N|MxNxK");
    app.add_option("--map", options->map,
                   "every pair of values of two parameters, the first ones down, the second ones across")
        .type_name("BM,BN");
    app.add_option("--device", options->device,
                   "as it was measured on this GPU, 'NVIDIA H200' (the first that was measured)")
        .type_name("NAME");
    app.add_flag("--json", options->source.json, "print one JSON object, or a list of them");
    return [options, &common] { return speed(*options, common); };
}

} // namespace cli
