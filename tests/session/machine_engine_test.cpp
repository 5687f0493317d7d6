// Machine code that is executed itself: the bits that the PTX gives, and its names. tests/cli/counters_test.cpp holds its counters.
#include "fixture.h"
#include "session/stages.h"
#include "sim/program/program.h"
#include "sim/shared_arrays.h"

#include <cstdlib>
#include <iostream>

namespace {

const catalog::Catalog& kernels() {
    static const catalog::Catalog catalog = catalog::load({SOURCE_DIR "/kernels"});
    return catalog;
}

// Of "-p BM=64 -m 256 --alpha 1.1", as the recordings have them.
base::Result<session::Job> job_of(const std::string& kernel, const std::string& options,
                                  const std::string& arch = "sm_90") {
    session::Subject subject;
    subject.kernel = kernel;
    subject.arch = arch;
    std::istringstream words(options);
    for (std::string name, value; words >> name >> value;) {
        const size_t equals = value.find('=');
        if (name == "-p") subject.parameters[value.substr(0, equals)] = std::stoi(value.substr(equals + 1));
        if (name == "-m") subject.problem.m = std::stoi(value);
        if (name == "-n") subject.problem.n = std::stoi(value);
        if (name == "-k") subject.problem.k = std::stoi(value);
        if (name == "--alpha") subject.alpha = std::stod(value);
        if (name == "--beta") subject.beta = std::stod(value);
    }
    return session::resolve(kernels(), subject);
}

struct Ran {
    std::shared_ptr<const session::FullRun> run;
    std::shared_ptr<const sim::Program> program;
    std::string trouble;     // what was found, one a line
    bool unexecuted = false; // some instruction is not executed yet, and `trouble` says which
};

Ran execute(session::Job job, session::Engine engine) {
    job.engine = engine;
    const auto prepared = session::prepare(job);
    if (prepared.failed) return {nullptr, nullptr, prepared.failed->error.sentence(), false};
    if (!prepared.value->fallback.empty()) return {nullptr, nullptr, prepared.value->fallback.english(), true};
    const auto run = session::run_grid(job, *prepared.value, 2, {});
    if (run.failed) return {nullptr, nullptr, run.failed->error.sentence(), false};
    Ran ran{run.value, prepared.value->program, {}, false};
    for (const trace::Finding& f : run.value->findings) {
        ran.trouble += f.text.english();
        if (f.pc >= 0)
            ran.trouble += " (" + prepared.value->listing->instructions[static_cast<size_t>(f.pc)].text + ")";
        ran.trouble += "\n";
    }
    return ran;
}

std::string bytes_of(const session::FullRun& run, const trace::Buffer& buffer) {
    const auto bytes = run.memory.bytes(buffer.address);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class MachineCode : public testing::TestWithParam<const char*> {};

// The catalogue's kernels that run there, at sizes that no tile divides: ptxas keeps the order of their operations.
TEST_P(MachineCode, GivesTheBitsOfThePtx) {
    size_t same = 0;
    std::map<std::string, std::string> unexecuted; // and why
    std::set<std::string> other_bits;
    for (const auto& kernel : kernels().kernels) {
        SCOPED_TRACE(kernel->id);
        if (!catalog::target(*kernel, GetParam())) continue; // needs a later one
        const auto job = job_of(kernel->id, "-m 129 -n 130 -k 131 --alpha 1.1 --beta -0.3", GetParam());
        ASSERT_TRUE(job) << job.error().sentence();
        const Ran machine = execute(*job, session::Engine::machine);
        if (machine.unexecuted) {
            unexecuted[kernel->id] = machine.trouble;
            continue;
        }
        const Ran ptx = execute(*job, session::Engine::ptx);
        ASSERT_TRUE(ptx.run && machine.run) << ptx.trouble << machine.trouble;
        EXPECT_EQ(machine.trouble, ptx.trouble);
        // What the kernel only reads is not watched for races between blocks: that takes longer than all else.
        EXPECT_EQ(machine.program->stored_parameters, ptx.program->stored_parameters);
        EXPECT_EQ(machine.program->stores_anywhere, ptx.program->stores_anywhere);
        EXPECT_EQ(machine.program->stores_variables, ptx.program->stores_variables);
        ASSERT_TRUE(machine.run->verification);
        EXPECT_TRUE(machine.run->verification->passed);
        const auto is_other = [&](const trace::Buffer& b) {
            return bytes_of(*ptx.run, b) != bytes_of(*machine.run, b);
        };
        const auto& buffers = ptx.run->memory.buffers();
        if (std::any_of(buffers.begin(), buffers.end(), is_other)) other_bits.insert(kernel->id);
        else ++same;
    }
    std::cout << GetParam() << ": " << same << " kernels of the PTX's bits, " << other_bits.size() << " of others, "
              << unexecuted.size() << " not executed\n";
    for (const auto& [id, why] : unexecuted) std::cout << "  " << id << ": " << why << "\n";
    EXPECT_EQ(other_bits, std::set<std::string>{});
    // Calls of functions of the driver, and matrices of four bits; sm_75 has no asynchronous copies.
    static const std::map<std::string, std::set<std::string>> expected = {
        {"sm_75", {"async_copy"}},
        {"sm_120", {"binary_tensor", "bulk_copy", "champion", "persistent", "split_k", "stream_k"}}};
    std::set<std::string> names;
    for (const auto& [id, why] : unexecuted) names.insert(id);
    const auto known = expected.find(GetParam());
    EXPECT_EQ(names, known == expected.end() ? std::set<std::string>{} : known->second);
    EXPECT_GE(same, 34u) << "fewer than when this was written";
}
INSTANTIATE_TEST_SUITE_P(Architectures, MachineCode,
                         testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"),
                         [](const auto& arch) { return std::string(arch.param); });

// By an array's name the bytes from its start on where a block's accesses begin.
using AccessedNames = std::map<std::string, std::set<uint64_t>>;

AccessedNames accessed_names(session::Job job, session::Engine engine) {
    job.engine = engine;
    const auto prepared = session::prepare(job);
    if (prepared.failed || prepared.value->listing->engine != engine) return {};
    const auto block = session::run_block(job, *prepared.value, {0, 0, 0}, {});
    if (block.failed) return {};
    const std::vector<sim::SharedArray> arrays = sim::shared_arrays(*prepared.value->program);
    const trace::Trace& trace = block.value->trace;
    AccessedNames all;
    for (const trace::Event& event : trace.events) {
        if (trace.listing->instructions[event.pc].space != trace::Space::shared || event.active == 0 ||
            event.access >= trace.accesses.size())
            continue;
        for (size_t lane = 0; lane < trace::warp_size; ++lane) {
            if (!(event.active >> lane & 1)) continue;
            const uint64_t at = trace.accesses[event.access][lane];
            if (at >= trace.shared_bytes) continue; // of another block of the cluster
            for (const sim::SharedArray& a : arrays)
                if (at >= a.offset && (a.bytes == 0 || at < a.offset + a.bytes)) all[a.name].insert(at - a.offset);
        }
    }
    return all;
}

// ptxas joins accesses side by side: what the machine code's begin at, the PTX's do, too.
TEST(MachineEngine, SharedArraysHaveThePlacesAndNamesOfThePtx) {
    size_t compared = 0;
    for (const auto& kernel : kernels().kernels) {
        SCOPED_TRACE(kernel->id);
        const auto job = job_of(kernel->id, "-m 256 -n 256 -k 128");
        if (!job) continue; // not launched on its own
        const AccessedNames machine = accessed_names(*job, session::Engine::machine);
        const AccessedNames ptx = accessed_names(*job, session::Engine::ptx);
        ASSERT_EQ(machine.size(), ptx.size());
        if (machine.empty()) continue;
        ++compared;
        for (const auto& [name, places] : machine) {
            ASSERT_TRUE(ptx.contains(name)) << name;
            const std::set<uint64_t>& of_ptx = ptx.at(name);
            EXPECT_TRUE(std::includes(of_ptx.begin(), of_ptx.end(), places.begin(), places.end())) << name;
            EXPECT_EQ(*places.begin(), *of_ptx.begin()) << name;
        }
    }
    EXPECT_GE(compared, 20u);
}

} // namespace
