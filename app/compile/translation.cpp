#include "compile/translation.h"

#include "base/number.h"
#include "compile/attempt.h"
#include "compile/compiler_log.h"
#include "compile/host_code.h"
#include "compile/host_headers.h"
#include "compile/outcome.h"
#include "compile/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <set>
#include <span>

namespace compile {
namespace {

// "90" or "90a" of "sm_90" or "sm_90a".
base::Result<std::string> architecture(const NvrtcFacts& compiler, const std::string& name) {
    std::string number = name.starts_with("sm_") ? name.substr(3) : "";
    std::string digits = number.substr(0, number.find_first_not_of("0123456789"));
    std::string suffix = number.substr(digits.size());
    auto value = base::parse_integer(digits, "architecture", 0, 999);
    const auto& known = compiler.architectures;
    bool is_known = value && std::find(known.begin(), known.end(), *value) != known.end();
    if (is_known && (suffix.empty() || suffix == "a" || suffix == "f")) return number;
    return base::Error{base::Failure::usage,
                       base::say("NVRTC {} does not compile for \"{}\"", compiler.version, name),
                       {},
                       base::say("choose among {}", base::names(architecture_names(compiler)))};
}

// The names of the kernels in PTX.
std::vector<std::string> kernels_of(std::string_view ptx) {
    constexpr std::string_view before = ".entry ";
    std::vector<std::string> names;
    for (size_t at = ptx.find(before); at != ptx.npos; at = ptx.find(before, at)) {
        at += before.size();
        names.emplace_back(ptx.substr(at, ptx.find_first_of("( \n", at) - at));
    }
    return names;
}

// Of the demangled "void ns::name<float, 4>(float*)": "ns::name<float, 4>" and "(float*)".
struct Signature {
    std::string name, parameters;
};
Signature signature_of(const std::string& mangled) {
    if (!mangled.starts_with("_Z")) return {mangled, {}}; // extern "C"
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                     std::free);
    if (!text) return {mangled, {}};
    std::string name = text.get();
    size_t start = 0, end = name.size();
    int depth = 0; // of brackets, from the right
    while (end > 0 && !(name[end - 1] == '(' && depth == 1)) {
        char c = name[--end];
        depth += (c == ')') - (c == '(');
    }
    if (end == 0) return {name, {}};
    const std::string parameters = name.substr(end - 1);
    name.resize(end - 1);
    for (size_t i = 0, angle = 0; i < name.size(); ++i) { // past the type returned
        if (name[i] == '<') ++angle;
        if (name[i] == '>' && angle > 0) --angle;
        if (name[i] == ' ' && angle == 0) start = i + 1;
    }
    return {name.substr(start), parameters};
}

// What --entry takes for the kernels of mangled names: "ns::name<float, 4>", of one that is overloaded a
// cast.
std::vector<std::string> name_expressions(const std::vector<std::string>& mangled) {
    std::vector<Signature> all;
    for (const std::string& kernel : mangled) all.push_back(signature_of(kernel));
    std::vector<std::string> expressions;
    for (const Signature& one : all) {
        const auto overloads =
            std::count_if(all.begin(), all.end(), [&](const Signature& other) { return other.name == one.name; });
        expressions.push_back(overloads == 1 ? one.name
                                             : fmt::format("static_cast<void (*){}>({})", one.parameters, one.name));
    }
    return expressions;
}

std::vector<Kernel> declared_kernels(const Source& source) { return HostCode(source.text, source.name, {}).kernels(); }

std::vector<Kernel> defined_kernels(const Source& source) {
    std::vector<Kernel> kernels = declared_kernels(source);
    std::erase_if(kernels, [](const Kernel& k) { return !k.is_defined; });
    return kernels;
}

// Why a file without a kernel in its PTX has none.
base::Error no_kernel(const Source& source) {
    const auto declared = declared_kernels(source), defined = defined_kernels(source);
    if (defined.empty() && !declared.empty())
        return {base::Failure::usage, base::say("{} is only declared", declared.front().name),
                fmt::format("{}:{}", declared.front().file, declared.front().line),
                base::say("give the file that defines it")};
    if (declared.empty()) {
        const bool inside = source.text.find("__global__") != source.text.npos;
        return {base::Failure::usage, base::say("there is no kernel"), source.name,
                inside ? base::say("look for a brace before __global__ that is not closed, or a macro that hides it")
                       : base::say("give a file with a __global__ function")};
    }
    std::vector<std::string> names;
    for (const Kernel& kernel : defined) names.push_back(kernel.name + kernel.template_parameters);
    return {base::Failure::usage,
            defined.size() == 1 ? base::say("the only kernel is a template")
                                : base::say("there is no kernel that is not a template"),
            fmt::format("{}:{}", defined.front().file, defined.front().line),
            base::say("name one with its arguments, --entry '{}<...>': {}", defined.front().name, base::names(names))};
}

base::Result<std::string> choose_entry(const Source& source, const NvrtcOutput& output) {
    std::vector<std::string> kernels = kernels_of(output.ptx);
    if (!source.entry.empty()) {
        if (std::find(kernels.begin(), kernels.end(), output.entry) != kernels.end()) return output.entry;
        return base::Error{base::Failure::usage, base::say("{} is not a kernel", source.entry), source.name,
                           base::say("name a __global__ function")};
    }
    if (kernels.size() == 1) return kernels.front();
    if (kernels.empty()) return no_kernel(source);
    kernels = name_expressions(kernels);
    for (const Kernel& declared : defined_kernels(source)) { // templates that nobody instantiated
        const auto is_it = [&](const std::string& kernel) { return kernel.starts_with(declared.name + "<"); };
        if (!declared.template_parameters.empty() && std::none_of(kernels.begin(), kernels.end(), is_it))
            kernels.push_back(declared.name + declared.template_parameters);
    }
    return base::Error{base::Failure::usage, base::say("there are {} kernels", kernels.size()), source.name,
                       base::say("choose one with --entry: {}", base::names(kernels))};
}

// The file's kernel, where it has exactly one and that is no template but was not compiled: one of an unnamed namespace.
std::optional<std::string> only_kernel(const Source& source) {
    const auto defined = defined_kernels(source);
    if (defined.size() != 1 || !defined.front().template_parameters.empty()) return {};
    return defined.front().name;
}

// The compiler does not know the kernel that --entry names.
base::Error unknown_entry(const Source& source, const Message& message) {
    std::vector<std::string> names;
    for (const Kernel& kernel : defined_kernels(source)) names.push_back(kernel.name + kernel.template_parameters);
    if (message.text.find("overloaded function") != message.text.npos)
        names = {fmt::format("several of that name; say which by its parameters, --entry "
                             "'static_cast<void (*)(float*)>({})'",
                             source.entry)};
    return {base::Failure::usage, base::say("--entry '{}': {}", source.entry, message.text), source.name,
            names.empty() ? base::say("name a __global__ function") : base::say("the file has {}", base::names(names))};
}

// What to do about `identifier "WARPSIZE" is undefined` and the like; empty: nothing is known.
base::Sentence todo_about(const std::string& text) {
    if (text.starts_with("device-side kernel launch"))
        return base::say("kernels that launch kernels are not executed; choose another one with --entry");
    const auto names = quoted_names(text);
    if (names.size() != 1 || !text.starts_with("identifier") || !text.ends_with("is undefined")) return {};
    static const std::set<std::string_view> of_old_warps = {"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor",
                                                            "__any",  "__all",     "__ballot"};
    if (of_old_warps.contains(names.front()))
        return base::say("GPUs from sm_70 on have {0}_sync only, whose first argument is a mask: give -D "
                         "'{0}(...)={0}_sync(0xffffffff,__VA_ARGS__)'",
                         names.front());
    const bool is_macro =
        std::all_of(names.front().begin(), names.front().end(), [](unsigned char c) { return !std::islower(c); });
    return is_macro ? base::say("give its value, -D {}=VALUE, or give the file that includes this one", names.front())
                    : base::say("include what declares it, or give the file that includes this one");
}

// Device code uses what was taken out as the host's.
base::Error of_the_host(const Source& source, const Attempt& attempt) {
    const Reason& reason = *attempt.reason;
    return {base::Failure::usage, reason.text,
            !reason.file.empty() && reason.line > 0 ? fmt::format("{}:{}", reason.file, reason.line) : source.name,
            base::list({base::say("take out what only the host has, or do not use it in device code"),
                        attempt.notes.empty() ? base::Sentence() : attempt.notes.front().text})};
}

// What the first error is about, and what its reader can do.
base::Error explained(const Source& source, const Attempt& attempt, const Message& message) {
    base::Error error{base::Failure::usage, base::verbatim(message.text), source.name, {}};
    const bool has_place = !message.file.empty();
    if (is_about_entry(message)) return unknown_entry(source, message);
    if (has_place && message.line > 0) error.where = fmt::format("{}:{}", message.file, message.line);
    const auto all = messages(attempt.output.log);
    const auto more = std::count_if(all.begin(), all.end(), [](const Message& m) { return m.error; }) - 1;
    if (!attempt.notes.empty())
        error.todo = base::say("{}: put it beside the file if that is why", attempt.notes.front().text);
    else if (message.text.find("namespace \"std\"") != message.text.npos)
        error.todo = base::say("device code has only the part of the standard library that CUDA brings");
    else {
        error.todo = todo_about(message.text);
        if (more > 0)
            error.todo = base::list(
                {error.todo, more == 1 ? base::say("1 more error follows") : base::say("{} more errors follow", more)});
    }
    return error;
}

CompileError compile_error(const Source& source, const Attempt& attempt) {
    CompileError failed;
    failed.diagnostics = diagnostics(attempt.output.log, source.name);
    const auto first = first_error(attempt.output.log);
    if (!first) {
        failed.error = {base::Failure::usage,
                        base::say("NVRTC failed: {}", attempt.output.log.substr(0, attempt.output.log.find('\n'))),
                        source.name,
                        {}};
        failed.diagnostics.push_back({true, 0, failed.error.what});
        return failed;
    }
    failed.error = attempt.reason ? of_the_host(source, attempt) : explained(source, attempt, *first);
    if (attempt.reason)
        failed.diagnostics.insert(
            failed.diagnostics.begin(),
            {true, attempt.reason->file == source.name ? attempt.reason->line : 0, attempt.reason->text});
    failed.diagnostics.insert(failed.diagnostics.end(), attempt.notes.begin(), attempt.notes.end());
    return failed;
}

} // namespace

std::vector<std::string> architecture_names(const NvrtcFacts& compiler) {
    std::vector<std::string> names;
    for (int number : compiler.architectures) names.push_back(fmt::format("sm_{}", number));
    return names;
}

base::Result<std::vector<std::string>> options(const NvrtcFacts& compiler, const Source& source) {
    const auto number = architecture(compiler, source.arch);
    if (!number) return number.error();
    std::vector<std::string> list = {
        "-arch=compute_" + *number, "--std=c++20", "-lineinfo", fmt::format("--pre-include={}", host_prelude()),
        "-default-device", // so that constexpr helpers need no __device__, as with nvcc
    };
    for (const std::string& folder : compiler.include_folders) list.push_back("-I" + folder);
    for (const std::string& define : source.defines) list.push_back("-D" + define);
    return list;
}

Outcome<Ptx> translate(const Nvrtc& compiler, const Source& source) {
    auto list = options(compiler.facts(), source);
    if (!list) return failure<Ptx>(list.error());
    Attempt tried = attempt(compiler, source, *list);
    const NvrtcOutput& output = tried.output;
    if (!output.succeeded) return failure<Ptx>(compile_error(source, tried));
    if (source.entry.empty() && kernels_of(output.ptx).empty()) {
        if (auto name = only_kernel(source)) {
            Source named = source;
            named.entry = *name;
            return translate(compiler, named);
        }
    }
    auto entry = choose_entry(source, output);
    if (!entry) return failure<Ptx>(entry.error());
    Ptx ptx{std::move(tried.output.ptx), *entry, diagnostics(output.log, source.name)};
    ptx.warnings.insert(ptx.warnings.end(), tried.notes.begin(), tried.notes.end());
    return success(std::move(ptx));
}

Outcome<MachineCode> assemble(const Ptxas& ptxas, const Ptx& ptx, const Source& source) {
    auto output = ptxas.assemble(ptx.text, source.arch);
    if (!output) return failure<MachineCode>(output.error());
    if (output->cubin.empty()) return failure<MachineCode>(refusal(output->log, ptx, source));
    const auto reported = resources(output->log, ptx.entry);
    if (!reported)
        return failure<MachineCode>(base::Error{base::Failure::missing,
                                                base::say("ptxas did not report the resources of {}", ptx.entry),
                                                source.name, base::say("use ptxas 12 or 13")});
    const auto bytes = std::as_bytes(std::span(output->cubin));
    return success(MachineCode{{bytes.begin(), bytes.end()}, ptx.entry, source.arch, *reported});
}

} // namespace compile
