// compile: PTX, machine code and what they need of the GPU.
#include "base/file.h"
#include "cli/json.h"
#include "cli/loop.h"
#include "cli/source.h"
#include "cli/table.h"

#include <fmt/format.h>

namespace cli {
namespace {

struct Compiled {
    std::shared_ptr<const compile::Ptx> ptx;
    std::shared_ptr<const compile::MachineCode> machine;
};

base::Result<Compiled> compile_both(const session::Job& job) {
    auto ptx = compile::to_ptx(job.source);
    if (ptx.failed) return ptx.failed->error;
    auto machine = session::machine_code(job, ptx.value.get());
    if (machine.failed) return error_of(*machine.failed);
    return Compiled{ptx.value, machine.value};
}

Json compiled_json(const session::Job& job, const Compiled& c) {
    Json warnings = Json::array();
    for (const auto& w : c.ptx->warnings) warnings.push_back({{"line", w.line}, {"text", w.text.english()}});
    const compile::Resources& r = c.machine->resources;
    return {{"kernel", job.kernel},
            {"entry", c.machine->entry},
            {"arch", c.machine->arch},
            {"parameters", values_json(job.parameters)},
            {"registers", r.registers},
            {"static_shared_bytes", r.static_shared_bytes},
            {"stack_bytes", r.stack_bytes},
            {"spill_store_bytes", r.spill_store_bytes},
            {"spill_load_bytes", r.spill_load_bytes},
            {"machine_code_bytes", c.machine->cubin.size()},
            {"warnings", warnings},
            {"ptx", c.ptx->text}};
}

std::string to_text(const session::Job& job, const Compiled& c) {
    const compile::Resources& r = c.machine->resources;
    using enum Table::Align;
    Table table({left, right, left});
    table.row({"registers", thousands(static_cast<uint64_t>(r.registers)), "per thread"});
    table.row({"shared memory", thousands(r.static_shared_bytes), "bytes per block, static"});
    table.row({"stack", thousands(r.stack_bytes), "bytes per thread"});
    table.row({"spill stores", thousands(r.spill_store_bytes), "bytes per thread"});
    table.row({"spill loads", thousands(r.spill_load_bytes), "bytes per thread"});
    table.row({"machine code", thousands(c.machine->cubin.size()), "bytes, whole ELF file"});
    std::string text = fmt::format("{} for {}: {}\n", job.kernel, c.machine->arch, c.machine->entry) + table.text();
    for (const auto& w : c.ptx->warnings)
        text += fmt::format("{}:{}: warning: {}\n", job.source.name, w.line, w.text.english());
    return text + "\n" + c.ptx->text;
}

base::Status write(const std::string& file, const Compiled& c) {
    if (file.ends_with(".ptx")) return base::write_file(file, c.ptx->text);
    if (file.ends_with(".cubin")) {
        return base::write_file(file,
                                {reinterpret_cast<const char*>(c.machine->cubin.data()), c.machine->cubin.size()});
    }
    return base::Error{base::Failure::usage,
                       base::say("-o {} is neither PTX nor machine code", file),
                       {},
                       base::say("give a file name that ends in .ptx or .cubin")};
}

base::Status print_loop(const session::Job& job, const compile::MachineCode& machine, bool json) {
    const auto inner = session::inner_loop(job, machine);
    if (!inner) return inner.error();
    Json all = {{"kernel", job.kernel}, {"arch", machine.arch}, {"parameters", values_json(job.parameters)}};
    all.update(cli::to_json(*inner));
    print(json ? line(all) : fmt::format("{} for {}: {}", job.kernel, machine.arch, cli::to_text(*inner)));
    return base::Done{};
}

struct Wanted {
    std::string output; // a file
    bool loop = false;  // the main loop alone
};

base::Status run(const SourceOptions& options, const Common& common, const Wanted& wanted) {
    auto job = to_job(options, common, false);
    if (!job) return job.error();
    if (job->is_ptx) {
        return base::Error{base::Failure::usage, base::say("this is PTX already"), options.source,
                           base::say("give the .cu file to compile it")};
    }
    auto compiled = compile_both(*job);
    if (!compiled) return compiled.error();
    if (!wanted.output.empty()) {
        if (auto written = write(wanted.output, *compiled); !written) return written;
    }
    if (wanted.loop) return print_loop(*job, *compiled->machine, options.json);
    print(options.json ? line(compiled_json(*job, *compiled)) : to_text(*job, *compiled));
    return base::Done{};
}

} // namespace

Action define_compile(Options& app, const Common& common) {
    auto options = std::make_shared<SourceOptions>();
    auto wanted = std::make_shared<Wanted>();
    add_source_options(app, *options);
    app.add_option("-o", wanted->output, "write PTX or machine code to FILE.ptx or FILE.cubin").type_name("FILE");
    app.add_flag("--loop", wanted->loop,
                 "print the machine code of the main loop, with its scheduling fields, and what a turn is made of");
    return [options, wanted, &common] { return run(*options, common, *wanted); };
}

} // namespace cli
