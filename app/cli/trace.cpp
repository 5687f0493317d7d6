// trace and check: execute on the CPU, count, verify, and say what the kernel does wrong.
#include "analysis/access_widths.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/execution.h"
#include "cli/json.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/words.h"
#include "session/sample.h"
#include "session/stand_in.h"
#include "views/number_rows.h"
#include "views/run_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cli {
namespace {

using base::Error;
using base::Failure;

struct Traced {
    session::Job job;
    std::shared_ptr<const session::Prepared> prepared;
    std::shared_ptr<const session::FullRun> run;
    std::optional<compile::Resources> resources;   // unknown for a PTX file
    std::vector<analysis::AccessWidth> widths;     // likewise
    std::vector<uint64_t> addresses;               // of buffer arguments
    uint64_t compared = 0;                         // Execution::compared
    std::string whole;                             // Execution::whole
    std::optional<catalog::Problem> verified_on{}; // of a sample: what was verified in place of the whole product
};

// --dump N FILE, each.
using Dumps = std::vector<std::pair<std::string, std::string>>;

// The number of the buffer that argument N is: they lie in the memory in the order of the arguments.
base::Result<size_t> buffer_of(const session::Job& job, const std::string& number) {
    auto index = base::parse_integer(number, "--dump", 0, static_cast<int64_t>(job.arguments.size()) - 1);
    if (!index) return index.error();
    const auto is_buffer = [](const session::Argument& a) { return a.scalar.empty(); };
    const auto argument = job.arguments.begin() + *index;
    if (!is_buffer(*argument))
        return Error{Failure::usage,
                     base::say("argument {} is not a buffer", *index),
                     {},
                     base::say("give --dump the number of an argument that is one, counted from 0")};
    return static_cast<size_t>(std::count_if(job.arguments.begin(), argument, is_buffer));
}

// Whole grids up to a product of 2048 x 2048 x 2048 take seconds; of larger ones some blocks stand for all. What is written to a file is
// computed by all of them.
base::Result<Blocks> blocks_of(const SourceOptions& options, const session::Job& job, bool dumps) {
    if (options.blocks == "all" || (options.blocks == "auto" && dumps)) return Blocks::all;
    if (options.blocks == "kinds" && !dumps) return Blocks::kinds;
    if (options.blocks == "kinds")
        return Error{Failure::usage,
                     base::say("--dump writes what all blocks computed"),
                     {},
                     base::say("leave --blocks kinds away")};
    if (options.blocks != "auto")
        return Error{
            Failure::usage, base::say("--blocks is {}", options.blocks), {}, base::say("write all, kinds or auto")};
    constexpr double large = 2048.0 * 2048 * 2048;
    return job.gemm && static_cast<double>(job.gemm->problem.m) * job.gemm->problem.n * job.gemm->problem.k > large
               ? Blocks::kinds
               : Blocks::all;
}

// Of a sample C is not known: the same code is executed on fewer rows and columns of C, K as it is, and verified there.
base::Status verify_sample(Traced& traced, const SourceOptions& options, const Common& common, int threads) {
    auto folders = kernel_folders(common);
    if (!folders) return folders.error();
    const auto kernel = catalog::load(*folders).find(options.source);
    const auto problem =
        kernel ? session::stand_in_problem(*kernel, traced.job.parameters, traced.job.gemm->problem) : std::nullopt;
    constexpr double most_products = 1.2e9; // half a second
    if (!problem || static_cast<double>(problem->m) * problem->n * problem->k > most_products) return base::Done{};
    SourceOptions fewer = options;
    fewer.m = std::to_string(problem->m), fewer.n = std::to_string(problem->n), fewer.k = std::to_string(problem->k);
    auto job = to_job(fewer, common, true);
    if (!job) return job.error();
    job->checks = traced.job.checks;
    auto done = cli::execute(*job, threads);
    if (!done) return done.error();
    auto run = std::make_shared<session::FullRun>(*traced.run);
    if (session::has_error(done->run->findings)) run->findings = done->run->findings;
    if (!session::executes_more(traced.run->counts, done->run->counts))
        run->verification = done->run->verification, traced.verified_on = *problem;
    traced.run = std::move(run);
    return base::Done{};
}

base::Result<Traced> execute(const SourceOptions& options, const Common& common, bool with_machine_code,
                             const Dumps& dumps = {}) {
    auto job = to_job(options, common, true);
    if (!job) return job.error();
    for (const auto& [number, file] : dumps) // before anything that takes time
        if (auto buffer = buffer_of(*job, number); !buffer) return buffer.error();
    auto threads = thread_count(options);
    if (!threads) return threads.error();
    Traced traced;
    traced.job = std::move(*job);
    traced.job.checks = !options.no_checks;
    const auto blocks =
        with_machine_code ? blocks_of(options, traced.job, !dumps.empty()) : base::Result<Blocks>(Blocks::all);
    if (!blocks) return blocks.error();
    auto done = cli::execute(traced.job, *threads, *blocks);
    if (!done) return done.error();
    traced.compared = done->compared;
    traced.whole = done->whole;
    traced.prepared = std::move(done->prepared);
    traced.run = std::move(done->run);
    if (traced.run->sample && traced.job.gemm)
        if (auto verified = verify_sample(traced, options, common, *threads); !verified) return verified.error();
    if (with_machine_code && !traced.job.is_ptx) {
        auto machine = session::machine_code(traced.job, traced.prepared->ptx.get());
        if (machine.value) {
            traced.resources = machine.value->resources;
            if (const auto code = session::disassembly(*machine.value, traced.prepared.get()))
                traced.widths = analysis::access_widths(*traced.prepared->ptx_listing, *code);
        } else if (machine.failed->error.failure != Failure::missing) {
            return error_of(*machine.failed);
        }
    }
    return traced;
}

Json fallback_json(const session::Prepared& p) { return p.fallback.empty() ? Json() : Json(p.fallback.english()); }

// Of a part of the product, with that part's size.
Json verified_json(const Traced& t) {
    Json json = to_json(t.run->verification);
    if (json.is_null()) return json;
    if (t.verified_on) json["m"] = t.verified_on->m, json["n"] = t.verified_on->n, json["k"] = t.verified_on->k;
    return json;
}

std::string access_name(const analysis::AccessWidth& row) {
    if (row.kind == trace::Kind::async_copy) return "async copy";
    return fmt::format("{} {}", row.space == trace::Space::shared ? "shared" : "global",
                       row.kind == trace::Kind::load ? "load" : "store");
}

Json widths_json(const std::vector<analysis::AccessWidth>& widths) {
    Json all = Json::array();
    for (const analysis::AccessWidth& row : widths)
        all.push_back({{"access", access_name(row)},
                       {"bytes", row.bytes},
                       {"line", row.source_line},
                       {"ptx", row.ptx},
                       {"machine", row.machine}});
    return all;
}

Json traced_json(const Traced& t) {
    const session::Job& job = t.job;
    Json json{{"kernel", job.kernel},
              {"engine", trace::name(t.prepared->listing->engine)},
              {"engine_fallback", fallback_json(*t.prepared)},
              {"arch", job.source.arch},
              {"grid", to_json(job.shape.grid)},
              {"block", to_json(job.shape.block)},
              {"parameters", values_json(job.parameters)},
              {"breaks", job.breaks},
              {"operation", job.gemm ? Json(catalog::name_of(job.gemm->operation)) : Json()},
              {"operands", job.gemm ? Json(catalog::name_of(job.gemm->operands)) : Json()},
              {"row_alignment", job.gemm ? Json(job.gemm->row_alignment) : Json()},
              {"registers", t.resources ? Json(t.resources->registers) : Json()},
              {"static_shared_bytes", sim::static_shared_bytes(*t.prepared->program)},
              {"dynamic_shared_bytes", job.shape.dynamic_shared_bytes},
              {"counters", to_json(t.run->totals)},
              {"widths", widths_json(t.widths)},
              {"verified", verified_json(t)},
              {"schedule", trace::to_text(job.schedule)},
              {"checks", job.checks},
              {"findings", to_json(t.run->findings, *t.prepared->listing)},
              {"global_memory_watched", job.checks && !t.run->unwatched},
              {"unset_constants", t.prepared->unset_constants},
              {"blocks", t.job.shape.grid.count()},
              {"blocks_executed", t.run->sample ? t.run->sample->executed() : t.job.shape.grid.count()},
              {"blocks_compared", t.compared},
              {"wall_s", t.run->wall_s}};
    for (const analysis::CounterRow& row : analysis::counter_rows())
        if (row.told == analysis::Told::beside) json[row.name] = analysis::fields(row, t.run->totals)[0].value;
    return json;
}

// "naive.cu:12"
std::string place(const trace::Finding& f, const Traced& t) {
    const std::string file = included_file(f.pc, *t.prepared->listing).value_or(t.job.source.name);
    return f.source_line > 0 ? fmt::format("{}:{}", file, f.source_line) : file;
}

std::string finding_text(const trace::Finding& f, const Traced& t) {
    std::string text =
        fmt::format("{}: {}: {}: {}", place(f, t), f.severity == trace::Severity::error ? "error" : "warning",
                    trace::name(f.kind), f.text.english());
    if (f.times > 1) text += fmt::format(" ({} times)", thousands(f.times));
    return text + "\n";
}

std::string findings_text(const Traced& t, const views::Strings& tr) {
    std::string text;
    for (const trace::Finding& finding : t.run->findings) text += finding_text(finding, t);
    const std::string unwatched = views::unwatched_text(tr, *t.run);
    if (!unwatched.empty()) text += "note: " + unwatched + "\n";
    return text;
}

std::string notes_text(const Traced& t) {
    std::string text;
    for (const std::string& name : t.prepared->unset_constants)
        text += fmt::format("note: {} is __constant__ and zero here, because host code fills it; give it "
                            "values with --symbol, for example {}=in:f32[9]\n",
                            name, name);
    if (const base::Sentence& wrong = t.prepared->wrong_units; !wrong.empty())
        text += fmt::format("note: {}\n", wrong.english());
    return text;
}

// The counters as the window names them, those that count accesses with a row for each number.
void counter_rows(Table& table, const analysis::Totals& totals, const views::Strings& tr) {
    std::string first = "executed";
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        if (row.told == analysis::Told::if_any && analysis::is_zero(row, totals)) continue;
        const auto fields = analysis::fields(row, totals);
        if (fields.size() > 1) first = in_a_table(tr(views::counter_key(row)));
        for (const analysis::CounterField& field : fields)
            table.row({std::exchange(first, ""), thousands(field.value), in_a_table(tr(views::field_key(row, field)))});
    }
}

std::string heading(const Traced& t, const views::Strings& tr) {
    const base::Dim3 grid = t.job.shape.grid, block = t.job.shape.block;
    std::string text = t.job.kernel;
    for (const auto& [name, value] : t.job.parameters) text += fmt::format(" {}={}", name, value);
    for (const std::string& name : t.job.breaks) {
        text += fmt::format(", broken by {}", name);
        if (const auto idle = t.job.idle_breaks.find(name); idle != t.job.idle_breaks.end())
            text += fmt::format(" (which does nothing here: only where {})", idle->second);
    }
    if (t.job.gemm) {
        const auto& p = t.job.gemm->problem;
        text += fmt::format(", M={} N={}", p.m, p.n);
        if (catalog::has_argument(t.job.gemm->operation, 'K')) text += fmt::format(" K={}", p.k);
        else text += fmt::format(", {}", catalog::formula_of(t.job.gemm->operation));
        if (t.job.gemm->operands != catalog::OperandType::f32)
            text += fmt::format(", {} {}", t.job.gemm->operands == catalog::OperandType::f64 ? "A, B and C" : "A and B",
                                catalog::name_of(t.job.gemm->operands));
    }
    text += fmt::format(", {}, engine {}, grid {} x {} x {}, block {} x {} x {}", t.job.source.arch,
                        trace::name(t.prepared->listing->engine), grid.x, grid.y, grid.z, block.x, block.y, block.z);
    if (t.job.schedule != trace::Schedule{}) text += ", " + views::schedule_text(tr, t.job.schedule);
    text += "\n";
    if (const base::Sentence& why = t.prepared->fallback; !why.empty())
        text += fmt::format("executed as PTX: {}\n", why.english());
    return text;
}

std::string sample_text(const Traced& t, const views::Strings& tr) {
    if (!t.whole.empty()) return fmt::format("counted from all blocks: {}\n", t.whole);
    std::string text = views::sample_text(tr, *t.run);
    if (text.empty()) return text;
    if (t.compared > 0) text += fmt::format(" {} others, drawn at random, count the same.", t.compared);
    return text + (t.job.gemm && !t.run->verification ? " C is not verified, --blocks all does that.\n" : "\n");
}

// A file may say that its kernel rounds more often than others; whether it has to is for the reader to judge.
std::string verified_text(const Traced& t) {
    const session::Verification& v = *t.run->verification;
    std::string text =
        fmt::format("{}: largest error {:.3g} (relative {:.3g}) of {} elements against {}, tolerance {:.3g}",
                    v.passed ? "verified" : "WRONG RESULT", v.max_abs_error, v.max_rel_error, thousands(v.elements),
                    v.reference, v.tolerance);
    if (v.rounding > 1) text += fmt::format(", which the kernel's file makes {} times as large", v.rounding);
    return text + "\n";
}

std::string to_text(const Traced& t, const views::Strings& tr) {
    using enum Table::Align;
    Table table({left, right, left});
    if (t.resources) table.row({"registers", thousands(static_cast<uint64_t>(t.resources->registers)), "per thread"});
    table.row({"shared memory",
               thousands(sim::static_shared_bytes(*t.prepared->program) + t.job.shape.dynamic_shared_bytes),
               "bytes per block"});
    counter_rows(table, t.run->totals, tr);
    std::string text = heading(t, tr) + table.text();
    if (t.run->verification) text += verified_text(t);
    if (t.verified_on)
        text += fmt::format("verified on {} x {} x {} of it, by the same code; --blocks all verifies all of C\n",
                            t.verified_on->m, t.verified_on->n, t.verified_on->k);
    text += sample_text(t, tr);
    text += findings_text(t, tr) + notes_text(t);
    if (!t.job.checks) text += "not checked: races, and reads of what nothing has written\n";
    if (t.run->sample) return text + fmt::format("executed in {:.3f} s\n", t.run->wall_s);
    const double rate = t.run->wall_s > 0 ? static_cast<double>(t.run->thread_instructions) / t.run->wall_s / 1e6 : 0;
    return text +
           fmt::format("executed in {:.3f} s, {:.0f} million thread instructions per second\n", t.run->wall_s, rate);
}

// The first thing that is wrong, as the reason for exit code 1.
base::Status judge(const Traced& t) {
    for (const trace::Finding& f : t.run->findings) {
        if (f.severity != trace::Severity::error) continue;
        return Error{Failure::check_failed, base::say("{}: {}", trace::name(f.kind), f.text), place(f, t), {}};
    }
    return base::Done{};
}

base::Status dump(const Traced& t, const Dumps& dumps) {
    for (const auto& [number, file] : dumps) {
        const size_t buffer = *buffer_of(t.job, number);
        auto bytes = t.run->memory.bytes(t.run->memory.buffers()[buffer].address);
        if (auto done = base::write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !done)
            return done;
    }
    return base::Done{};
}

base::Status trace_source(const SourceOptions& options, const Common& common, const Dumps& dumps) {
    const auto tr = english();
    if (!tr) return tr.error();
    auto traced = execute(options, common, true, dumps);
    if (!traced) return traced.error();
    if (auto dumped = dump(*traced, dumps); !dumped) return dumped;
    print(options.json ? line(traced_json(*traced)) : to_text(*traced, *tr));
    return judge(*traced);
}

base::Status check_source(const SourceOptions& options, const Common& common) {
    const auto tr = english();
    if (!tr) return tr.error();
    auto traced = execute(options, common, false);
    if (!traced) return traced.error();
    const auto& findings = traced->run->findings;
    if (options.json) {
        print(line({{"kernel", traced->job.kernel},
                    {"engine", trace::name(traced->prepared->listing->engine)},
                    {"engine_fallback", fallback_json(*traced->prepared)},
                    {"breaks", traced->job.breaks},
                    {"idle_breaks", traced->job.idle_breaks},
                    {"schedule", trace::to_text(traced->job.schedule)},
                    {"findings", to_json(findings, *traced->prepared->listing)},
                    {"global_memory_watched", !traced->run->unwatched}}));
    } else {
        print(heading(*traced, *tr) + findings_text(*traced, *tr) + notes_text(*traced));
        if (findings.empty())
            print(fmt::format("no findings in {} warp instructions, each executed once; warps: {}\n",
                              thousands(traced->run->totals.instructions_executed),
                              views::schedule_text(*tr, traced->job.schedule)));
    }
    if (findings.empty()) return base::Done{};
    return Error{Failure::check_failed,
                 base::say("{} finding{}", findings.size(), findings.size() == 1 ? "" : "s"),
                 traced->job.source.name,
                 {}};
}

} // namespace

Action define_trace(Options& app, const Common& common) {
    auto options = std::make_shared<SourceOptions>();
    auto dumps = std::make_shared<Dumps>();
    add_source_options(app, *options);
    app.add_flag("--no-checks", options->no_checks,
                 "count and verify only, which is faster: look for no races and no reads of what nothing has written");
    app.add_option(
           "--blocks", options->blocks,
           "all executes every block; kinds one of each kind, multiplied; auto is kinds for products beyond 2048 x 2048 x 2048")
        .type_name("all|kinds|auto");
    app.add_option("--dump", *dumps,
                   "write buffer argument N (from 0; a struct's members count each) afterwards as raw little-endian")
        .type_name("N FILE")
        .one_value();
    return [options, dumps, &common] { return trace_source(*options, common, *dumps); };
}

Action define_check(Options& app, const Common& common) {
    auto options = std::make_shared<SourceOptions>();
    add_source_options(app, *options);
    return [options, &common] { return check_source(*options, common); };
}

} // namespace cli
