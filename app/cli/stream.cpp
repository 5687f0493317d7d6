// stream: a product whose matrices lie in host memory, taken through the GPU tile after tile; or the plan of
// that.
#include "base/file.h"
#include "base/number.h"
#include "base/system_reason.h"
#include "cli/measuring.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/words.h"
#include "measure/stream_record.h"
#include "session/streams.h"
#include "views/stream_words.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

namespace cli {
namespace {

struct StreamOptions {
    std::string kernel, output, worker, device = "0", copy_gb_s, gflops;
    SourceOptions subject;
    bool plan = false, json = false;
};

std::string rows_table(const measure::StreamSummary& sum, const views::Strings& tr) {
    using enum Table::Align;
    Table table({left, right, right, right});
    for (const auto which : {measure::StreamRow::copy_in, measure::StreamRow::compute, measure::StreamRow::copy_out}) {
        const auto row = static_cast<size_t>(which);
        const double bytes = static_cast<double>(sum.bytes[row]), ms = sum.busy_ms[row];
        const bool computes = which == measure::StreamRow::compute;
        table.row({tr(views::stream_row_key(which)),
                   computes ? fmt::format("{:.3g} Tflop", sum.flop / 1e12) : fmt::format("{:.3g} GB", bytes / 1e9),
                   fmt::format("{:.4g} ms", ms),
                   computes ? fmt::format("{:.3g} TFLOPS", sum.flop / ms / 1e9)
                            : fmt::format("{:.3g} GB/s", bytes / ms / 1e6)});
    }
    return table.text();
}

std::string report(const session::Stream& stream, const views::Strings& tr) {
    const measure::StreamRecord& r = *stream.record;
    std::string text = fmt::format("{}, {}\n", r.kernel, size_text(r.problem));
    for (const std::string& words : {views::stream_origin(tr, r), views::stream_tiles(tr, stream)})
        text += words + "\n";
    text += rows_table(stream.sum, tr);
    for (const std::string& words : {views::stream_time(tr, stream), views::stream_waits(tr, stream)})
        text += words + "\n";
    if (r.measured) text += fmt::format("Largest relative error {:.2g}.\n", r.max_rel_error);
    return text;
}

base::Status append(const std::string& path, const std::string& line) {
    std::ofstream file(path, std::ios::app);
    file << line << std::flush;
    if (file) return base::Done{};
    return base::Error{base::Failure::usage, base::say("{}: {}", base::say("cannot write"), base::system_reason(errno)),
                       path, base::say("give --output a file that can be written")};
}

// The speed that a plan assumes, with what was given in place of what is known.
base::Result<session::AssumedSpeed> speed_of(const StreamOptions& options, const catalog::Kernel& kernel) {
    std::vector<std::shared_ptr<const measure::StreamRecord>> recorded;
    if (auto assets = base::resource_folder("assets")) recorded = session::read_streams(*assets).records;
    session::AssumedSpeed assumed = session::assumed_speed(kernel, recorded);
    for (auto [text, name, value] : {std::tuple{&options.copy_gb_s, "--copy-gb-s", &assumed.speed.copy_gb_s},
                                     {&options.gflops, "--gflops", &assumed.speed.gflops}}) {
        if (text->empty()) continue;
        auto number = base::parse_number(*text, name);
        if (!number) return number.error();
        if (!(*number > 0))
            return base::Error{
                base::Failure::usage, base::say("{} {} is no speed", name, *text), {}, base::say("give more than 0")};
        *value = *number;
        assumed.device.clear();
    }
    return assumed;
}

base::Result<measure::StreamRecord> planned(const StreamOptions& options, const session::Subject& subject,
                                            const catalog::Kernel& kernel) {
    auto values = catalog::with(kernel, subject.parameters);
    if (!values) return values.error();
    auto assumed = speed_of(options, kernel);
    if (!assumed) return assumed.error();
    return session::planned_stream(kernel, *values, subject.problem, subject.beta != 0, *assumed);
}

std::string command_line(const StreamOptions& options) {
    const SourceOptions& s = options.subject;
    std::string text = fmt::format("gemmscope stream {} -m {} -n {} -k {}", options.kernel, s.m, s.n, s.k);
    for (const std::string& parameter : s.parameters) text += " -p " + parameter;
    if (s.alpha != "1") text += " --alpha " + s.alpha;
    if (s.beta != "0") text += " --beta " + s.beta;
    return text;
}

base::Result<measure::StreamRecord> measured(const StreamOptions& options, const session::Subject& subject,
                                             const catalog::Kernel& kernel) {
    auto measuring = Measuring::start(options.worker, options.device);
    if (!measuring) return measuring.error();
    auto request = session::stream_request(kernel, subject, (*measuring)->device().arch);
    if (!request) return request.error();
    auto record = (*measuring)->stream(std::move(*request));
    if (record) record->command = command_line(options);
    return record;
}

base::Status stream(const StreamOptions& options, const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto subject = to_subject(options.subject, options.kernel);
    if (!subject) return subject.error();
    session::Subject small = *subject; // so that what is wrong with kernel or parameters is said without a GPU
    small.problem = {};
    if (auto job = session::resolve(*catalog, small); !job) return job.error();
    const auto kernel = catalog->find(options.kernel);
    auto record = options.plan ? planned(options, *subject, *kernel) : measured(options, *subject, *kernel);
    if (!record) return record.error();
    const std::string line = measure::to_json(*record) + "\n";
    if (!options.output.empty())
        if (auto written = append(options.output, line); !written) return written;
    if (options.json) {
        print(line);
        return base::Done{};
    }
    auto plan = record->plan();
    if (!plan) return plan.error();
    const measure::StreamSummary sum = measure::summary(*plan, record->times);
    const auto tr = english();
    if (!tr) return tr.error();
    print(report({std::make_shared<const measure::StreamRecord>(std::move(*record)), std::move(*plan), sum}, *tr));
    return base::Done{};
}

} // namespace

Action define_stream(Options& app, const Common& common) {
    auto options = std::make_shared<StreamOptions>();
    app.add_option("KERNEL", options->kernel, "a kernel of the catalogue that says how it is streamed: out_of_core")
        .required();
    add_subject_options(app, options->subject);
    app.add_flag("--plan", options->plan, "without a GPU: when each copy and each product would run");
    app.add_option("--copy-gb-s", options->copy_gb_s,
                   "for --plan, 1e9 bytes a second (as recorded, or the kernel's file says)")
        .type_name("GB/S")
        .needs("--plan");
    app.add_option("--gflops", options->gflops, "for --plan, of the kernel, 1e9 operations a second (likewise)")
        .type_name("GFLOPS")
        .needs("--plan");
    app.add_option("-o,--output", options->output,
                   "append the schedule to a file; in assets/recorded/streams it stands in where there is no GPU")
        .type_name("FILE.json");
    app.add_option("--device", options->device, "which GPU (0)").type_name("N");
    app.add_option("--worker", options->worker, worker_help).type_name("NAME|CMD");
    app.add_flag("--json", options->json, "print one JSON object, with the start and the end of each operation");
    return [options, &common] { return stream(*options, common); };
}

} // namespace cli
