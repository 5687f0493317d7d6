#include "cli/source.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "catalog/front_matter.h"
#include "catalog/tuned.h"

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

namespace cli {
namespace {

using base::Error;
using base::Failure;
namespace fs = std::filesystem;

bool is_file_name(const std::string& source) {
    return source.ends_with(".cu") || source.ends_with(".cuh") || source.ends_with(".ptx") ||
           source.find('/') != std::string::npos;
}

base::Result<catalog::Values> parse_parameters(const std::vector<std::string>& given) {
    catalog::Values values;
    for (const std::string& text : given) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            return Error{Failure::usage,
                         base::say("-p {} is not NAME=VALUE", text),
                         {},
                         base::say("write for example -p BM=64")};
        }
        const std::string name = text.substr(0, equals);
        constexpr int most = std::numeric_limits<int>::max();
        auto value = base::parse_integer(text.substr(equals + 1), name, -most, most);
        if (!value) return value.error();
        values[name] = static_cast<int>(*value);
    }
    return values;
}

base::Result<int> parse_size(const std::string& text, const char* name) {
    auto size = base::parse_integer(text, name, 1, std::numeric_limits<int>::max());
    if (!size) return size.error();
    return static_cast<int>(*size);
}

base::Result<session::Job> kernel_job(const catalog::Kernel& kernel, const SourceOptions& options) {
    for (const auto& [given, name] :
         {std::pair{&options.entry, "--entry"}, {&options.grid, "--grid"}, {&options.block, "--block"}}) {
        if (given->empty()) continue;
        return Error{
            Failure::usage,
            base::say("{} is for files, and {} is a kernel that says itself how it is launched", name, kernel.id),
            {},
            base::say("leave {} away, or give the file", name)};
    }
    if (!options.arguments.empty() || !options.defines.empty() || !options.symbols.empty()) {
        return Error{Failure::usage,
                     base::say("--arg, --symbol and -D are for files, and {} is a kernel of the catalogue", kernel.id),
                     {},
                     base::say("use -p NAME=VALUE and -m, -n, -k")};
    }
    auto subject = to_subject(options, kernel.id);
    if (!subject) return subject.error();
    if (auto tuned = take_tuned(*subject, options, kernel, {}, subject->arch); !tuned) return tuned.error();
    return session::resolve(kernel, *subject);
}

base::Status take_launch(session::Job& job, const SourceOptions& options) {
    if (options.block.empty()) {
        return Error{Failure::usage, base::say("the file does not say how many threads a block has"), job.kernel,
                     base::say("give --grid x,y,z and --block x,y,z")};
    }
    auto block = parse_dim3(options.block, "--block");
    if (!block) return block.error();
    job.shape.block = *block;
    if (!options.grid.empty()) {
        auto grid = parse_dim3(options.grid, "--grid");
        if (!grid) return grid.error();
        job.shape.grid = *grid;
    }
    return base::Done{};
}

base::Status take_arguments(session::Job& job, const SourceOptions& options) {
    double bytes = 0;
    for (const std::string& text : options.arguments) {
        auto arguments = parse_argument(text, job.arguments.size());
        if (!arguments) return arguments.error();
        for (session::Argument& argument : *arguments) {
            bytes += static_cast<double>(argument.buffer.bytes);
            job.arguments.push_back(std::move(argument));
        }
    }
    return base::fits_memory(bytes, base::say("the arguments"));
}

base::Status take_symbols(session::Job& job, const SourceOptions& options) {
    for (const std::string& text : options.symbols) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{Failure::usage,
                         base::say("--symbol {} is not NAME=ARG", text),
                         {},
                         base::say("write for example --symbol weights=in:f32[9]")};
        auto values = parse_argument(text.substr(equals + 1), 0);
        if (!values) return values.error();
        if (values->size() != 1)
            return Error{Failure::usage,
                         base::say("--symbol {} has several values", text),
                         {},
                         base::say("give the struct's bytes, in:u8[N]=FILE")};
        job.symbols.push_back({text.substr(0, equals), std::move(values->front())});
    }
    return base::Done{};
}

base::Result<session::Engine> parse_engine(const std::string& engine) {
    if (const auto known = trace::engine_named(engine)) return *known;
    return Error{Failure::usage,
                 base::say("there is no engine {}", engine),
                 {},
                 base::say("use --engine ptx or --engine machine")};
}

base::Result<session::Job> file_job(const SourceOptions& options, std::string text, bool needs_launch) {
    session::Job job;
    auto engine = parse_engine(options.engine);
    if (!engine) return engine.error();
    job.engine = *engine;
    job.kernel = options.source;
    job.is_ptx = options.source.ends_with(".ptx");
    job.source = {std::move(text), options.source, options.entry, options.defines, options.arch};
    if (!options.parameters.empty()) {
        return Error{
            Failure::usage,
            base::say("-p is for kernels that declare parameters, and this file has no gemmscope front matter"),
            options.source, base::say("use -D NAME=VALUE, or instantiate a template with --entry")};
    }
    if (!options.breaks.empty()) {
        return Error{
            Failure::usage,
            base::say("--break is for kernels that declare mistakes, and this file has no gemmscope front matter"),
            options.source, base::say("leave --break away, or edit the file")};
    }
    if (job.is_ptx && !options.defines.empty()) {
        return Error{Failure::usage, base::say("-D is for CUDA source, and this is PTX"), options.source,
                     base::say("leave -D away")};
    }
    auto shared =
        base::parse_integer(options.dynamic_shared, "--dynamic-shared", 0, std::numeric_limits<uint32_t>::max());
    if (!shared) return shared.error();
    job.shape.dynamic_shared_bytes = static_cast<uint32_t>(*shared);
    auto seed = base::parse_integer(options.seed, "--seed", 0);
    if (!seed) return seed.error();
    job.seed = static_cast<uint64_t>(*seed);
    auto schedule = trace::schedule_from_text(options.schedule);
    if (!schedule) return schedule.error();
    job.schedule = *schedule;
    if (!needs_launch) return job;
    if (auto launch = take_launch(job, options); !launch) return launch.error();
    if (auto arguments = take_arguments(job, options); !arguments) return arguments.error();
    if (auto symbols = take_symbols(job, options); !symbols) return symbols.error();
    return job;
}

} // namespace

void add_subject_options(Options& app, SourceOptions& o) {
    app.add_option("-p", o.parameters, "a tile parameter").type_name("NAME=VALUE").one_value();
    app.add_option("-m", o.m, "rows of A and C (256)").type_name("M");
    app.add_option("-n", o.n, "columns of B and C (256)").type_name("N");
    app.add_option("-k", o.k, "columns of A, rows of B (256)").type_name("K");
    app.add_option("--alpha", o.alpha, "factor of the product (1)").type_name("X");
    app.add_option("--beta", o.beta, "factor of C before the run (0)").type_name("X");
    app.add_option("--arch", o.arch, "architecture to compile for (sm_90)").type_name("ARCH");
    app.add_option("--seed", o.seed, "of the random inputs (1)").type_name("N");
}

void add_tuned_option(Options& app, SourceOptions& o) {
    app.add_flag("--tuned", o.tuned, "the parameters that gemmscope tune found for the nearest size");
}

base::Status take_tuned(session::Subject& subject, const SourceOptions& options, const catalog::Kernel& kernel,
                        const std::string& device, const std::string& arch) {
    if (!options.tuned) return base::Done{};
    if (!options.parameters.empty())
        return Error{Failure::usage,
                     base::say("-p and --tuned both choose parameters"),
                     {},
                     base::say("leave one of them away")};
    const catalog::Tuned* best = catalog::nearest_tuned(kernel, device, arch, subject.problem);
    if (!best)
        return Error{Failure::usage,
                     base::say("{} was not tuned on {}", kernel.id, device.empty() ? arch : device),
                     {},
                     base::say("run gemmscope tune {}", kernel.id)};
    subject.parameters = best->values;
    return base::Done{};
}

void add_break_option(Options& app, SourceOptions& o) {
    app.add_option("--break", o.breaks, "switch a planted mistake on; gemmscope show KERNEL lists those of a kernel")
        .type_name("NAME")
        .one_value();
}

void add_schedule_option(Options& app, SourceOptions& o) {
    app.add_option(
           "--schedule", o.schedule,
           "which warp of a block runs when: in-order (each to its next barrier), warp:3 (that one first) or seed:7 (one instruction at a time, shuffled)")
        .type_name("ORDER");
}

void add_engine_option(Options& app, SourceOptions& o) {
    app.add_option("--engine", o.engine,
                   "what is executed: ptx, or machine (code); where that cannot be, the PTX, and a line says why")
        .type_name("ENGINE");
}

void add_source_options(Options& app, SourceOptions& o) {
    app.add_option("SRC", o.source, "a kernel of the catalogue, FILE.cu or FILE.ptx").required();
    add_subject_options(app, o);
    add_break_option(app, o);
    add_schedule_option(app, o);
    add_tuned_option(app, o);
    add_engine_option(app, o);
    app.add_option("--threads", o.threads, "CPU threads (all cores)").type_name("N");
    app.add_flag("--json", o.json, "print one JSON object");
    app.add_option("--entry", o.entry, "for a file: the kernel's C++ name, 'ns::name<float,4>'").type_name("NAME");
    app.add_option("--grid", o.grid, "for a file: blocks (1,1,1)").type_name("x,y,z");
    app.add_option("--block", o.block, "for a file: threads of a block").type_name("x,y,z");
    app.add_option("--dynamic-shared", o.dynamic_shared, "for a file: bytes of a block (0)").type_name("BYTES");
    app.add_option("-D", o.defines, "for a file: a macro").type_name("NAME=VALUE").one_value();
    app.add_option("--arg", o.arguments,
                   "for a file, one per parameter: i32=256, f32=1.5, in:f32[65536], in:i32[65536]%256, "
                   "in:f32[65536]=FILE (raw little-endian), out:f32[65536]; a struct: {i32=8,in:f32[64]}; types: " +
                       argument_types())
        .type_name("ARG")
        .one_value();
    app.add_option("--symbol", o.symbols,
                   "for a file, a __constant__ or __device__ variable that its host code fills; the value as "
                   "in --arg: weights=in:f32[9]")
        .type_name("NAME=ARG")
        .one_value();
}

base::Result<session::Subject> to_subject(const SourceOptions& options, const std::string& kernel) {
    session::Subject subject;
    subject.kernel = kernel;
    subject.arch = options.arch;
    auto parameters = parse_parameters(options.parameters);
    if (!parameters) return parameters.error();
    subject.parameters = std::move(*parameters);
    for (auto [text, name, size] : {std::tuple{&options.m, "M", &subject.problem.m},
                                    {&options.n, "N", &subject.problem.n},
                                    {&options.k, "K", &subject.problem.k}}) {
        auto value = parse_size(*text, name);
        if (!value) return value.error();
        *size = *value;
    }
    for (auto [text, name, factor] :
         {std::tuple{&options.alpha, "alpha", &subject.alpha}, {&options.beta, "beta", &subject.beta}}) {
        auto value = base::parse_number(*text, name);
        if (!value) return value.error();
        *factor = *value;
    }
    auto seed = base::parse_integer(options.seed, "--seed", 0);
    if (!seed) return seed.error();
    subject.seed = static_cast<uint64_t>(*seed);
    auto schedule = trace::schedule_from_text(options.schedule);
    if (!schedule) return schedule.error();
    subject.schedule = *schedule;
    auto engine = parse_engine(options.engine);
    if (!engine) return engine.error();
    subject.engine = *engine;
    subject.breaks = {options.breaks.begin(), options.breaks.end()};
    return subject;
}

base::Result<session::Job> to_job(const SourceOptions& options, const Common& common, bool needs_launch) {
    if (!is_file_name(options.source)) {
        auto catalog = load_catalog(common);
        if (!catalog) return catalog.error();
        auto kernel = catalog->find(options.source);
        if (kernel) return kernel_job(*kernel, options);
        session::Subject unknown;
        unknown.kernel = options.source;
        return session::resolve(*catalog, unknown); // the error that names the nearest one
    }
    auto text = base::read_named(options.source);
    if (!text) return text.error();
    if (catalog::describes_itself(*text) && options.entry.empty()) {
        auto kernel = catalog::parse(*text, options.source);
        if (!kernel) return kernel.error();
        return kernel_job(*kernel, options);
    }
    return file_job(options, std::move(*text), needs_launch);
}

base::Result<int> thread_count(const SourceOptions& options) {
    auto threads = base::parse_integer(options.threads, "--threads", 0, 1024);
    if (!threads) return threads.error();
    if (*threads > 0) return static_cast<int>(*threads);
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

base::Result<base::Dim3> parse_dim3(const std::string& text, const std::string& name, uint32_t least) {
    std::array<uint32_t, 3> sizes{least, least, least};
    size_t from = 0;
    for (size_t i = 0; i < 3 && from <= text.size(); ++i) {
        const size_t comma = std::min(text.find(',', from), text.size());
        auto size = base::parse_integer(text.substr(from, comma - from), name, least, std::numeric_limits<int>::max());
        if (!size) return size.error();
        sizes[i] = static_cast<uint32_t>(*size);
        from = comma + 1;
    }
    if (from <= text.size())
        return Error{
            Failure::usage, base::say("{} {} has more than three sizes", name, text), {}, base::say("write x,y,z")};
    return base::Dim3{sizes[0], sizes[1], sizes[2]};
}

} // namespace cli
