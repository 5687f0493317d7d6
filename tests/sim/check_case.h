// Whole kernels that do something wrong, or do not: tests/data/check/*.cu say in their first comment how they are launched and what is to be found
// on which line. Nothing else may be found.
//     // grid 2,1 block 64 shared 512 arch sm_80     shared: dynamic bytes; arch: sm_90 if not given
//     // argument u32[64] counting                   or zero; one line for each argument, in order
//     // argument i32 5                              or f32
//     // finds shared_race 12                        or: finds nothing
//     // machine code finds nothing: why             instead, where ptxas takes away the mistake, or makes another of it
//     // machine code of sm_90: why                  where that of its own architecture is not executed
#pragma once

#include "compile/compiler.h"
#include "ptx/parser.h"
#include "sim/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace check_suite {

using Found = std::multiset<std::pair<std::string, int>>; // "shared_race" or "shared_race warning", line

struct Case {
    compile::Source source;
    sim::Launch launch{.grid = {1, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 0, .parameters = {}};
    sim::Memory memory;
    Found expected;                          // where the PTX is executed
    std::optional<Found> of_machine_code;    // where that is another one
    std::string machine_arch;                // another one than the source's; empty: that
    bool says_what = false, says_why = true; // there was a line "finds", and those of machine code told their reasons

    const Found& expected_of(trace::Engine engine) const {
        return engine == trace::Engine::machine && of_machine_code ? *of_machine_code : expected;
    }
};

inline base::Dim3 dim3(const std::string& text) {
    base::Dim3 d{1, 1, 1};
    char comma;
    std::istringstream in(text);
    in >> d.x >> comma >> d.y >> comma >> d.z;
    return {std::max(d.x, 1u), std::max(d.y, 1u), std::max(d.z, 1u)};
}

template <class T>
void fill_counting(std::span<std::byte> bytes) {
    for (size_t n = 0; n < bytes.size() / sizeof(T); ++n) {
        const T value = static_cast<T>(n);
        std::memcpy(bytes.data() + n * sizeof(T), &value, sizeof(T));
    }
}

inline void put_parameter(std::vector<std::byte>& parameters, const void* value, size_t bytes) {
    parameters.resize((parameters.size() + bytes - 1) / bytes * bytes + bytes);
    std::memcpy(parameters.data() + parameters.size() - bytes, value, bytes);
}

// "u32[64] counting", "f32 0.5"
inline void add_argument(Case& c, const std::string& type, const std::string& what) {
    const size_t open = type.find('[');
    if (open == std::string::npos) {
        const int32_t integer = std::atoi(what.c_str());
        const float number = std::strtof(what.c_str(), nullptr);
        return put_parameter(c.launch.parameters, type == "f32" ? static_cast<const void*>(&number) : &integer, 4);
    }
    const auto element = type.starts_with("u8") ? base::NumberType::u8 : base::NumberType::f32;
    const uint64_t count = std::stoull(type.substr(open + 1));
    const uint64_t at = c.memory.allocate({.name = fmt::format("arg{}", c.memory.buffers().size()),
                                           .bytes = count * base::bytes_of(element),
                                           .element = element,
                                           .rows = 1,
                                           .columns = count});
    if (what == "counting")
        type.starts_with("f32") ? fill_counting<float>(c.memory.bytes(at))
                                : fill_counting<uint32_t>(c.memory.bytes(at));
    put_parameter(c.launch.parameters, &at, 8);
}

// "shared_race 12 warning", "nothing"; of machine code with ": why".
inline void add_finding(Case& c, std::istringstream& words, bool of_machine_code) {
    std::string kind, line, severity;
    std::getline(words >> std::ws, kind, of_machine_code ? ':' : '\n');
    if (of_machine_code) c.says_why &= !(words >> line).fail();
    std::istringstream what(kind);
    line.clear();
    what >> kind >> line >> severity;
    if (of_machine_code && !c.of_machine_code) c.of_machine_code.emplace();
    Found& found = of_machine_code ? *c.of_machine_code : c.expected;
    if (kind != "nothing") found.emplace(severity.empty() ? kind : kind + " " + severity, std::stoi(line));
}

inline Case read(const std::filesystem::path& path) {
    Case c;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    c.source = {.text = text.str(), .name = path.filename().string(), .entry = {}, .defines = {}, .arch = "sm_90"};
    std::istringstream lines(c.source.text);
    for (std::string line; std::getline(lines, line) && line.starts_with("// ");) {
        std::istringstream words(line.substr(3));
        std::string first, a, b;
        words >> first;
        if (first == "argument") {
            words >> a >> b;
            add_argument(c, a, b);
        } else if (first == "finds") {
            c.says_what = true;
            add_finding(c, words, false);
        } else if (line.starts_with("// machine code of ")) {
            words >> a >> b;
            c.says_why &= static_cast<bool>(std::getline(words >> std::ws, c.machine_arch, ':') >> a);
        } else if (line.starts_with("// machine code finds ")) {
            words >> a >> b;
            add_finding(c, words, true);
        } else if (first == "grid") {
            words.seekg(0);
            while (words >> a >> b) {
                if (a == "grid") c.launch.grid = dim3(b);
                if (a == "block") c.launch.block = dim3(b);
                if (a == "shared") c.launch.dynamic_shared_bytes = static_cast<uint32_t>(std::stoul(b));
                if (a == "arch") c.source.arch = b;
            }
        }
    }
    return c;
}

inline std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TEST_DATA "/check"))
        if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

using Ready = std::shared_ptr<const sim::Program>;

inline base::Result<Ready> prepare(const Case& c, trace::Engine engine) {
    compile::Source source = c.source;
    if (engine == trace::Engine::machine && !c.machine_arch.empty()) source.arch = c.machine_arch;
    const auto compiled = compile::to_ptx(source);
    if (!compiled.value) return compiled.failed->error;
    auto module = ptx::parse(compiled.value->text);
    if (!module) return module.error();
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), compiled.value->entry);
    if (!program || engine == trace::Engine::ptx) return program;
    const auto code = compile::to_machine_code(*compiled.value, source);
    if (!code.value) return code.failed->error;
    return sim::prepare_machine_code(code.value->cubin, code.value->entry, program->get());
}

} // namespace check_suite
