#include "compile/compiler.h"

#include "base/hash.h"
#include "compile/cache.h"
#include "compile/compile_processes.h"
#include "compile/host_headers.h"
#include "compile/include_folders.h"
#include "compile/local_includes.h"
#include "compile/outcome.h"
#include "compile/translation.h"
#include "compile/wire.h"

namespace compile {
namespace {

// What runs, or ran last, in the processes: one set for the program, as the compilers are one for the machine.
CompileProcesses& processes() {
    static CompileProcesses all;
    return all;
}

// Everything that the result depends on.
base::Result<std::string> cache_key(const NvrtcFacts& compiler, const Source& source) {
    const auto list = options(compiler, source);
    if (!list) return list.error();
    const auto included = local_includes(source.text, source.name);
    if (!included) return included.error();
    base::Hasher hasher;
    hasher.add("compiled 4").add(compiler.version).add(compiler.build);
    hasher.add(source.text).add(source.name).add(source.entry);
    for (const HostHeader& header : host_headers()) hasher.add(header.name).add(header.text);
    for (const std::string& option : *list) hasher.add(option);
    for (const IncludedFile& file : *included) hasher.add(file.path).add(file.text);
    return hasher.digest();
}

} // namespace

Outcome<Ptx> to_ptx(const Source& source, std::stop_token stop) {
    const auto compiler = processes().nvrtc(stop);
    if (!compiler) return failure<Ptx>(compiler.error());
    const auto key = cache_key(*compiler, source);
    if (!key) return failure<Ptx>(key.error());
    if (auto fields = cache::find(*key))
        if (auto stored = wire::ptx_of(std::move(*fields))) return success(std::move(*stored));
    auto ptx = processes().translate(source, stop);
    if (ptx.value) cache::store(*key, wire::to_fields(*ptx.value));
    return ptx;
}

Outcome<MachineCode> to_machine_code(const Ptx& ptx, const Source& source, std::stop_token stop) {
    const auto assembler = processes().ptxas(stop);
    if (!assembler) return failure<MachineCode>(assembler.error());
    const std::string key = base::Hasher()
                                .add("assembled 2")
                                .add(assembler->version)
                                .add(source.arch)
                                .add(ptx.entry)
                                .add(ptx.text)
                                .digest();
    if (auto fields = cache::find(key))
        if (auto stored = wire::machine_code_of(std::move(*fields))) return success(std::move(*stored));
    auto code = processes().assemble(ptx, source, stop);
    if (code.value) cache::store(key, wire::to_fields(*code.value));
    return code;
}

Outcome<MachineCode> to_machine_code(const Source& source, std::stop_token stop) {
    auto ptx = to_ptx(source, stop);
    return ptx.value ? to_machine_code(*ptx.value, source, stop) : failure<MachineCode>(std::move(*ptx.failed));
}

Availability availability() {
    const auto compiler = processes().nvrtc({});
    if (!compiler) return {false, {}, {}, compiler.error().sentence(), {}};
    return {true, compiler->version, compiler->path, {}, architecture_names(*compiler)};
}

std::vector<std::string> include_folders() {
    const auto compiler = processes().nvrtc({});
    return compiler ? compiler->include_folders : std::vector<std::string>{};
}

Availability assembler() {
    const auto found = processes().ptxas({});
    if (!found) return {false, {}, {}, found.error().sentence(), {}};
    return {true, found->version, found->path, {}, {}};
}

void warm_up(std::stop_token stop) {
    processes().warm_up(stop);
    cache::trim();
}

} // namespace compile
