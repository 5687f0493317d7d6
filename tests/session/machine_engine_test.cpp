// Machine code that is executed itself: what a GPU counted of whole runs (tests/data/counters), and the bits that the PTX gives.
// GEMMSCOPE_MACHINE_RUNS=FILE writes a line for each run; GEMMSCOPE_MACHINE_KERNEL=ID takes the runs of one kernel alone.
#include "analysis/counters.h"
#include "fixture.h"
#include "sass/reader.h"
#include "session/stages.h"
#include "sim/shared_arrays.h"

#include "../sass/recorded.h"

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
    std::shared_ptr<const trace::Listing> listing;
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
    Ran ran{run.value, prepared.value->listing, {}, false};
    for (const trace::Finding& f : run.value->findings) {
        ran.trouble += f.text.english();
        if (f.pc >= 0)
            ran.trouble += " (" + prepared.value->listing->instructions[static_cast<size_t>(f.pc)].text + ")";
        ran.trouble += "\n";
    }
    return ran;
}

std::map<std::string, uint64_t> counters(const analysis::Totals& totals) {
    std::map<std::string, uint64_t> all;
    for (const analysis::CounterRow& row : analysis::counter_rows())
        for (const analysis::CounterField& field : analysis::fields(row, totals))
            all[*field.name ? std::string(row.name) + "." + field.name : row.name] = field.value;
    return all;
}

// "96" or "96~97", and what is counted: whether it is none of them. Where two profiles differ, the lower one bounds.
bool is_other(const std::string& recorded, uint64_t counted) {
    return recorded.find('~') == std::string::npos ? counted != std::stoull(recorded) : counted > std::stoull(recorded);
}

// The columns of a run that are not what was recorded: "shared_load.instructions 96, not 97". Where two profiles differ, the lower one
// bounds. `polls`: the kernel waits at mbarriers, and how often it looks again the engine cannot tell as long as it keeps no time; the opcodes
// that say what else it executed are compared.
std::string differences(const std::vector<std::string>& names, const std::vector<std::string>& row,
                        const analysis::Totals& totals, bool polls) {
    const auto ours = counters(totals);
    std::string text;
    for (size_t c = 4; c < names.size(); ++c) {
        const uint64_t counted = ours.at(names[c]);
        if (!is_other(row[c], counted)) continue;
        if (polls && names[c] == "instructions_executed") continue;
        text += fmt::format(" {} {}, not {};", names[c], counted, row[c]);
    }
    return text;
}

struct Executed { // of an opcode
    uint64_t warps = 0, threads = 0;
};
using Opcodes = std::map<std::string, Executed>;

Opcodes opcodes(const Ran& ran) {
    Opcodes all;
    for (size_t pc = 0; pc < ran.run->counts.size(); ++pc) {
        const trace::InstructionCounts& c = ran.run->counts[pc];
        const std::string& name = ran.listing->instructions[pc].mnemonic;
        Executed& of = all[name.substr(0, name.find('.'))];
        of.warps += c.executed;
        of.threads += c.threads;
    }
    std::erase_if(all, [](const auto& entry) { return entry.second.warps == 0; });
    return all;
}

// Whether it waits at mbarriers.
bool polls(const Ran& ran) {
    for (size_t pc = 0; pc < ran.run->counts.size(); ++pc)
        if (ran.listing->instructions[pc].mnemonic.starts_with("SYNCS.PHASECHK") && ran.run->counts[pc].executed > 0)
            return true;
    return false;
}

// "FFMA 16384 524288,IMAD ...", as opcodes.csv has them: warp instructions, and threads whose guard was true. Those that are not what
// was counted: "FFMA 96 3072, not 97 3104;". A GPU executes those of the loops around waits at least as often as the engine.
std::string differences(const std::string& recorded, Opcodes ours, bool polls) {
    // The loop around USETMAXREG asks for registers until others have given theirs back.
    const std::set<std::string> of_waits = {"SYNCS", "BRA", "YIELD", "USETMAXREG", "WARPSYNC", "PLOP3"};
    std::string text;
    std::istringstream entries(recorded);
    for (std::string entry; std::getline(entries, entry, ',');) {
        std::istringstream fields(entry);
        std::string name, warps, threads;
        fields >> name >> warps >> threads;
        const Executed counted = ours[name];
        ours.erase(name);
        if (!is_other(warps, counted.warps) && !is_other(threads, counted.threads)) continue;
        if (polls && of_waits.contains(name) && counted.warps <= std::stoull(warps) &&
            counted.threads <= std::stoull(threads))
            continue;
        text += fmt::format(" {} {} {}, not {} {};", name, counted.warps, counted.threads, warps, threads);
    }
    for (const auto& [name, counted] : ours)
        text += fmt::format(" {} {} {}, not 0;", name, counted.warps, counted.threads);
    return text;
}

bool same_code(const session::Job& job, const std::string& recorded) {
    const auto machine = session::machine_code(job);
    if (machine.failed) return false;
    const auto listing = sass::read(machine.value->cubin, machine.value->entry);
    return listing && (*listing)->code_hash == std::stoull(recorded, nullptr, 16);
}

TEST(MachineEngine, CountsWhatAGpuCounts) {
    const auto rows = recorded::rows("counters.csv"), by_opcode = recorded::rows("opcodes.csv");
    ASSERT_EQ(rows.size(), by_opcode.size());
    ASSERT_GT(rows.size(), 50u);
    std::ofstream lines;
    if (const char* file = std::getenv("GEMMSCOPE_MACHINE_RUNS")) lines.open(file);
    const char* const one = std::getenv("GEMMSCOPE_MACHINE_KERNEL");
    size_t equal = 0, different = 0, unexecuted = 0, other_code = 0;
    std::set<std::string> unable; // programs
    for (size_t r = 1; r < rows.size(); ++r) {
        const std::vector<std::string>& row = rows[r];
        if (row[0].ends_with(".cu") || (one && row[0] != one)) continue; // files say otherwise how they are launched
        const std::string program = row[0] + " " + row[1], run = program + " " + row[2];
        SCOPED_TRACE(run);
        const auto job = job_of(row[0], row[1] + " " + row[2]);
        ASSERT_TRUE(job) << job.error().sentence();
        if (unable.contains(program)) {
            ++unexecuted;
            continue;
        }
        const Ran ran = execute(*job, session::Engine::machine);
        std::string told;
        if (ran.unexecuted) {
            ++unexecuted;
            unable.insert(program);
            told = "not executed: " + ran.trouble.substr(0, ran.trouble.find('\n'));
        } else if (!same_code(*job, row[3])) {
            ++other_code;
            told = "other code";
        } else {
            ASSERT_TRUE(ran.run) << ran.trouble;
            EXPECT_EQ(ran.trouble, "");
            ASSERT_EQ(std::vector(row.begin(), row.begin() + 4),
                      std::vector(by_opcode[r].begin(), by_opcode[r].begin() + 4));
            const bool waits = polls(ran);
            const std::string wrong =
                differences(rows[0], row, ran.run->totals, waits) + differences(by_opcode[r][4], opcodes(ran), waits);
            EXPECT_EQ(wrong, "");
            ++(!wrong.empty() || !ran.trouble.empty() ? different : equal);
            told = wrong.empty() ? "equal" : wrong;
            if (!ran.trouble.empty()) told += " found: " + ran.trouble.substr(0, ran.trouble.find('\n'));
        }
        lines << run << ": " << told << std::endl;
    }
    std::cout << equal << " runs equal, " << different << " different, " << unexecuted << " not executed yet, "
              << other_code << " of other machine code than was recorded\n";
    if (one || other_code > 0) return;
    EXPECT_GE(equal, 421u) << "fewer than when this was written";
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
        {"sm_75", {"async_copy"}}, {"sm_120", {"binary_tensor", "bulk_copy", "champion", "persistent", "split_k"}}};
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
        if (machine.empty()) continue;
        ++compared;
        ASSERT_EQ(machine.size(), ptx.size());
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
