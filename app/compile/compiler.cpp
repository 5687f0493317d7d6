#include "compile/compiler.h"

#include "base/file.h"
#include "base/hash.h"
#include "compile/cache.h"
#include "compile/compile_processes.h"
#include "compile/fetch.h"
#include "compile/host_headers.h"
#include "compile/include_folders.h"
#include "compile/kept_name.h"
#include "compile/local_includes.h"
#include "compile/outcome.h"
#include "compile/pack.h"
#include "compile/packed.h"
#include "compile/translation.h"
#include "compile/wire.h"

namespace compile {
namespace {

// What runs, or ran last, in the processes: one set for the program, as the compilers are one for the machine.
CompileProcesses& processes() {
    static CompileProcesses all;
    return all;
}

// What comes compiled with the program; an error: nothing does. Read when it is first needed.
const base::Result<Pack>& pack() {
    static const base::Result<Pack> one = [] {
        const auto folder = base::resource_folder("compiled");
        return folder ? Pack::open(*folder / "kernels.pack") : folder.error();
    }();
    return one;
}

std::optional<std::vector<std::string>> find(const std::string& key) {
    auto fields = cache::find(key);
    return fields || !pack() ? fields : pack()->find(key);
}

// The compiler's facts or, where there is none, those of the pack's; nullptr: neither.
template <class Facts>
const Facts* facts_of(const base::Result<Facts>& here, const Facts& (Pack::*packed)() const) {
    return here ? &*here : pack() ? &((*pack()).*packed)() : nullptr;
}

// The pack does not have it, and `tool` is not here, for `reason`.
base::Error missing(const char* tool, base::Error reason) {
    if (pack() && reason.failure == base::Failure::missing)
        reason.what =
            base::say("{} is missing, and this is none of the {} kernels that come compiled", tool, pack()->kernels());
    return reason;
}

// Everything that the result depends on, wherever the program and its kernels lie.
base::Result<std::string> cache_key(const NvrtcFacts& compiler, const Source& source) {
    const auto list = options(compiler, source);
    if (!list) return list.error();
    const auto included = local_includes(source.text, source.name);
    if (!included) return included.error();
    base::Hasher hasher;
    hasher.add("compiled 5").add(compiler.version).add(compiler.build);
    hasher.add(source.text).add(kept_name(source.name)).add(source.entry);
    for (const HostHeader& header : host_headers()) hasher.add(header.name).add(header.text);
    for (const std::string& option : *list) hasher.add(option);
    for (const IncludedFile& file : *included) hasher.add(kept_name(file.path)).add(file.text);
    return hasher.digest();
}

Ptx renamed(Ptx ptx, const std::string& from, const std::string& to) {
    ptx.text = with_file(std::move(ptx.text), from, to);
    return ptx;
}

} // namespace

Outcome<Ptx> to_ptx(const Source& source, std::stop_token stop) {
    const auto here = processes().nvrtc(stop);
    const NvrtcFacts* compiler = facts_of(here, &Pack::nvrtc);
    if (!compiler) return failure<Ptx>(here.error());
    const auto key = cache_key(*compiler, source);
    if (!key) return failure<Ptx>(key.error());
    const std::string name = kept_name(source.name);
    if (auto fields = find(*key))
        if (auto stored = wire::ptx_of(std::move(*fields)))
            return success(renamed(std::move(*stored), name, source.name));
    if (!here) return failure<Ptx>(missing("NVRTC", here.error()));
    auto ptx = processes().translate(source, stop);
    if (ptx.value) cache::store(*key, wire::to_fields(renamed(*ptx.value, source.name, name)));
    return ptx;
}

Outcome<MachineCode> to_machine_code(const Ptx& ptx, const Source& source, std::stop_token stop) {
    const auto here = processes().ptxas(stop);
    const PtxasFacts* assembler = facts_of(here, &Pack::ptxas);
    if (!assembler) return failure<MachineCode>(here.error());
    const std::string key = base::Hasher()
                                .add("assembled 3")
                                .add(assembler->version)
                                .add(source.arch)
                                .add(ptx.entry)
                                .add(with_file(ptx.text, source.name, kept_name(source.name)))
                                .digest();
    if (auto fields = find(key))
        if (auto stored = wire::machine_code_of(std::move(*fields))) return success(std::move(*stored));
    if (!here) return failure<MachineCode>(missing("ptxas", here.error()));
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

void look_for_compilers_again() { processes().look_again(); }

Packed packed() {
    if (pack())
        return {pack()->kernels(), pack()->nvrtc().version, pack()->ptxas().version, pack()->path().string(), {}};
    const bool none = !base::resource_folder("compiled");
    return {0, {}, {}, {}, none ? std::string() : pack().error().sentence()};
}

base::Result<size_t> write_pack(const std::filesystem::path& path) {
    const auto nvrtc = processes().nvrtc({});
    if (!nvrtc) return nvrtc.error();
    const auto ptxas = processes().ptxas({});
    return ptxas ? write_pack(path, *nvrtc, *ptxas) : ptxas.error();
}

void warm_up(std::stop_token stop) {
    processes().warm_up(stop);
    cache::trim();
}

} // namespace compile
