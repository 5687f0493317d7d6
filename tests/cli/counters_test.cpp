// Against what was recorded on a machine with an H200 (tests/data/counters, made by scripts/record_counters.sh): the decoder on whole
// programs against nvdisasm, and every counter of every run against Nsight Compute. GEMMSCOPE_COUNTER_TABLE=FILE writes the comparison,
// GEMMSCOPE_COUNTED_KERNEL=ID takes the runs of one kernel alone.
#include "analysis/counters.h"
#include "base/file.h"
#include "base/text.h"
#include "cases.h"
#include "sass/reader.h"

#include "../sass/recorded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace {

using cases::job_of;

// Names a text as scripts/counters/elf.py names code.
std::string digest(const std::string& text) {
    uint64_t state = 0xCBF29CE484222325;
    for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return fmt::format("{:016x}", state);
}

// Each ldmatrix in the PTX and in the machine code, by its line.
TEST(MachineCode, LdmatrixIsAsWideAsThePtxSays) {
    auto job = job_of("tests/data/counters/matrices.cu", "", false);
    ASSERT_TRUE(job) << job.error().sentence();
    const auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    const auto machine = session::machine_code(*job, prepared.value->ptx.get());
    ASSERT_TRUE(machine.value);
    const auto listing = sass::read(machine.value->cubin, machine.value->entry);
    ASSERT_TRUE(listing);
    std::map<int, uint32_t> rows; // bytes a lane -> how many
    for (const analysis::AccessWidth& row : analysis::access_widths(*prepared.value->listing, **listing)) {
        if (row.space != trace::Space::shared || row.kind != trace::Kind::load) continue;
        EXPECT_EQ(row.ptx, row.machine) << row.source_line;
        rows[row.bytes] += row.machine;
    }
    EXPECT_EQ(rows, (std::map<int, uint32_t>{{4, 2}, {8, 2}, {16, 2}}));
}

base::Result<std::shared_ptr<const trace::MachineListing>> machine_listing(const session::Job& job) {
    auto machine = session::machine_code(job);
    if (machine.failed) return machine.failed->error;
    return sass::read(machine.value->cubin, machine.value->entry);
}

// The line on which the first comment of a kernel ends; 0: it is none of the catalogue.
int end_of_comment(const std::string& kernel) {
    std::ifstream input(SOURCE_DIR "/kernels/" + kernel + ".cu");
    int number = 0;
    for (std::string line; std::getline(input, line);)
        if (++number; line.find("*/") != std::string::npos) return number;
    return 0;
}

// How far the code of each kernel has moved since it was recorded, because its first comment has become longer or shorter.
std::map<std::string, int> moved_since_recorded() {
    std::map<std::string, int> moved;
    for (const std::vector<std::string>& row : recorded::rows("machine_code.csv"))
        if (row[0] == "comment") moved[row[1]] = end_of_comment(row[1]) - std::stoi(row[2]);
    return moved;
}

// Of every instruction with its lines, those of the source as if the code had not `moved`.
std::string digest_of(const trace::MachineListing& listing, int moved) {
    std::string text;
    for (size_t i = 0; i < listing.instructions.size(); ++i) {
        const trace::MachineInstruction& one = listing.instructions[i];
        text += fmt::format("{:x} {} {} {}\n", 16 * i, recorded::what(one),
                            one.source_line > 0 ? one.source_line - moved : 0, one.ptx_line);
    }
    return digest(text);
}

// Compiles past the cache while it lives: nobody can make a folder there, not even root.
class NoCache {
public:
    NoCache() {
        if (const char* folder = std::getenv("GEMMSCOPE_CACHE")) before_ = folder;
        ::setenv("GEMMSCOPE_CACHE", "/dev/null/cache", 1);
    }
    ~NoCache() { before_ ? ::setenv("GEMMSCOPE_CACHE", before_->c_str(), 1) : ::unsetenv("GEMMSCOPE_CACHE"); }

private:
    std::optional<std::string> before_;
};

// Of all programs on sm_90, of some on other architectures. NVRTC 13.0 makes other PTX of async_copy in one compilation of twenty: the
// same machine code, but of other lines of PTX than were recorded. So what has other lines is compiled again.
TEST(MachineCode, IsReadAsNvdisasmReadsIt) {
    const auto programs = cases::all();
    const auto everywhere = [](const cases::Case& one) { // the last two: instructions of many forms, ldmatrix
        const std::set<std::string> sources = {"naive_uncoalesced", "shared_tile", "double_buffer",
                                               "tests/data/counters/forms.cu", "tests/data/counters/matrices.cu"};
        return one.options.empty() && sources.contains(one.source);
    };
    constexpr int most_tries = 5;
    int equal = 0, other_code = 0;
    std::map<std::string, int> moved = moved_since_recorded();
    for (const std::vector<std::string>& row : recorded::rows("machine_code.csv")) {
        if (row[0] != "program") continue;
        const cases::Case& program = programs.at(std::stoul(row[2]));
        if (row[1] != "90" && !everywhere(program)) continue;
        const auto& [source, options, runs] = program;
        SCOPED_TRACE(source + " " + options + " on sm_" + row[1]);
        auto job = job_of(source, options + " --arch sm_" + row[1], false);
        ASSERT_TRUE(job) << job.error().sentence();
        auto listing = machine_listing(*job);
        if (!listing && row[1] != "90") continue; // an architecture that this NVRTC does not know
        ASSERT_TRUE(listing) << listing.error().sentence();
        if ((*listing)->code_hash != std::stoull(row[3], nullptr, 16)) {
            ++other_code;
            continue;
        }
        for (int tries = 1; tries < most_tries && digest_of(**listing, moved[source]) != row[5]; ++tries) {
            const NoCache no_cache;
            listing = machine_listing(*job);
            ASSERT_TRUE(listing) << listing.error().sentence();
        }
        EXPECT_EQ((*listing)->instructions.size(), std::stoul(row[4]));
        EXPECT_EQ(digest_of(**listing, moved[source]), row[5]);
        ++equal;
    }
    std::cout << equal << " programs compared, " << other_code << " made otherwise by this NVRTC\n";
    if (equal == 0) GTEST_SKIP() << "this NVRTC makes other machine code than the one recorded with";
}

// What two profiles of the same launch said: the same, or "lower~higher". The latter happens to the sectors of a cp.async some of whose
// lanes have nothing to read: now and then a warp is counted with lanes that read nothing, so that the truth is at most the lower.
struct Recorded {
    uint64_t low = 0, high = 0;
    explicit Recorded(const std::string& cell) {
        const size_t tilde = cell.find('~');
        low = std::stoull(cell);
        high = tilde == std::string::npos ? low : std::stoull(cell.substr(tilde + 1));
    }
    bool is_steady() const { return low == high; }
    bool allows(uint64_t counted) const { return is_steady() ? counted == low : counted <= low; }
};

struct Ran {
    uint64_t code_hash = 0;
    std::shared_ptr<const session::FullRun> run;
    std::shared_ptr<const trace::Listing> listing;
};

base::Result<Ran> execute(const std::string& source, const std::string& options) {
    auto job = job_of(source, options);
    if (!job) return job.error();
    const auto prepared = session::prepare(*job);
    if (prepared.failed) return prepared.failed->error;
    if (!prepared.value->machine_code)
        return base::Error{base::Failure::check_failed, prepared.value->fallback, source, {}};
    const auto run = session::run_grid(*job, *prepared.value,
                                       static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)), {});
    if (run.failed) return run.failed->error;
    return Ran{prepared.value->machine_code->code_hash, run.value, prepared.value->listing};
}

// By the hardware's own counters, whose rule for phases that merge is another one than the source page's.
TEST(Counters, OfRowsOfMatricesEqualTheHardwaresInBothEngines) {
    const auto rows = recorded::rows("matrix_rows_wavefronts.csv");
    ASSERT_GT(rows.size(), 10u);
    for (size_t r = 1; r < rows.size(); ++r)
        for (const char* engine : {"machine", "ptx"}) {
            SCOPED_TRACE(rows[r][0] + " " + engine);
            auto job = job_of("tests/data/counters/matrix_rows.cu", rows[r][0] + " --engine " + engine);
            ASSERT_TRUE(job) << job.error().sentence();
            const auto prepared = session::prepare(*job);
            ASSERT_TRUE(prepared.value);
            const auto run = session::run_block(*job, *prepared.value, {0, 0, 0}, {});
            ASSERT_TRUE(run.value);
            uint64_t loads = 0, stores = 0;
            const trace::Trace& trace = run.value->trace;
            for (const trace::Event& event : trace.events) {
                const trace::Instruction& i = trace.listing->instructions[event.pc];
                if (i.space != trace::Space::shared || event.access == trace::no_access) continue;
                (i.kind == trace::Kind::load ? loads : stores) +=
                    static_cast<uint64_t>(analysis::count_wavefronts(analysis::bank_rule("sm_90"), i, event.active,
                                                                     trace.accesses[event.access])
                                              .wavefronts);
            }
            EXPECT_EQ(loads, std::stoull(rows[r][1]));
            EXPECT_EQ(stores, std::stoull(rows[r][2]));
        }
}

std::map<std::string, uint64_t> counters(const analysis::Totals& totals) {
    std::map<std::string, uint64_t> all;
    for (const analysis::CounterRow& row : analysis::counter_rows())
        for (const analysis::CounterField& field : analysis::fields(row, totals))
            all[*field.name ? std::string(row.name) + "." + field.name : row.name] = field.value;
    return all;
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
    std::set<std::string> of_waits = {"SYNCS", "BRA", "YIELD", "WARPSYNC", "PLOP3"};
    // The loop around it asks for registers until others have given theirs back. It begins with a NOP.
    if (ours.contains("USETMAXREG")) of_waits.insert({"USETMAXREG", "NOP"});
    std::string text;
    std::istringstream entries(recorded);
    for (std::string entry; std::getline(entries, entry, ',');) {
        std::istringstream fields(entry);
        std::string name, warps, threads;
        fields >> name >> warps >> threads;
        const Executed counted = ours[name];
        ours.erase(name);
        if (Recorded(warps).allows(counted.warps) && Recorded(threads).allows(counted.threads)) continue;
        if (polls && of_waits.contains(name) && counted.warps <= std::stoull(warps) &&
            counted.threads <= std::stoull(threads))
            continue;
        text += fmt::format(" {} {} {}, not {} {};", name, counted.warps, counted.threads, warps, threads);
    }
    for (const auto& [name, counted] : ours)
        text += fmt::format(" {} {} {}, not 0;", name, counted.warps, counted.threads);
    return text;
}

// One line for each run: "5120 =", "5120 != 4096", "5120 ~ 5130 to 5140" where two profiles differ, or "5120 < 5240" where the kernel waits at
// mbarriers: how often a GPU looks again depends on time.
class Comparison {
public:
    explicit Comparison(const std::vector<std::string>& names) {
        table_ << "| kernel | setting | run |";
        for (size_t c = first; c < names.size(); ++c) table_ << ' ' << names[c] << " |";
        table_ << "\n|---|---|---|";
        for (size_t c = first; c < names.size(); ++c) table_ << "---:|";
        table_ << '\n';
    }
    void line(const std::vector<std::string>& row) {
        table_ << "| " << row[0] << " | " << row[1] << " | " << row[2] << " |";
    }
    void cell(uint64_t ours, const Recorded& theirs, bool waits) {
        const std::string words =
            theirs.is_steady() ? std::to_string(theirs.low) : fmt::format("{} to {}", theirs.low, theirs.high);
        const bool same = theirs.is_steady() && ours == theirs.low, less = waits && ours <= theirs.low;
        table_ << ' ' << ours
               << (same                  ? " ="
                   : less                ? " < " + words
                   : !theirs.is_steady() ? " ~ " + words
                                         : " != " + words)
               << " |";
        ++(same ? equal : less ? waiting : !theirs.is_steady() ? unsteady : different);
    }
    void end_line() { table_ << '\n'; }
    std::string table() const { return table_.str(); }

    static constexpr size_t first = 4; // of the columns; before it what was run
    size_t equal = 0, different = 0, waiting = 0, unsteady = 0;

private:
    std::ostringstream table_;
};

// The columns of the recording are the numbers that a GPU counts, too.
TEST(Counters, AreRecordedWhereAGpuCountsThem) {
    const std::set<std::string> elsewhere = {"thread_instructions", "dfma_thread_instructions", // opcodes.csv has them
                                             "tensor_core_flop", "bulk_copy"}; // no column of Nsight Compute
    std::vector<std::string> expected{"source", "options", "run", "code"};
    for (const analysis::CounterRow& row : analysis::counter_rows())
        for (const analysis::CounterField& field : analysis::fields(row, {}))
            if (!elsewhere.contains(row.name) && !field.derived)
                expected.push_back(*field.name ? fmt::format("{}.{}", row.name, field.name) : row.name);
    EXPECT_EQ(recorded::rows("counters.csv")[0], expected);
}

TEST(Counters, EqualNsightComputesOnEveryRecordedRun) {
    const auto rows = recorded::rows("counters.csv"), by_opcode = recorded::rows("opcodes.csv");
    ASSERT_GT(rows.size(), 50u);
    ASSERT_EQ(rows.size(), by_opcode.size());
    const char* const one = std::getenv("GEMMSCOPE_COUNTED_KERNEL");
    const std::vector<std::string>& names = rows[0];
    Comparison comparison(names);
    constexpr size_t few = 8; // more than NVRTC makes otherwise by chance: it is another one
    size_t compared = 0;
    std::vector<std::string> other_code;
    for (size_t r = 1; r < rows.size(); ++r) {
        const std::vector<std::string>& row = rows[r];
        if (one && row[0] != one) continue;
        const std::string name = row[0] + " " + row[1] + " " + row[2];
        SCOPED_TRACE(name);
        const uint64_t recorded_code = std::stoull(row[3], nullptr, 16);
        auto ran = execute(row[0], row[1] + " " + row[2]);
        // NVRTC does not always make the same of a source, see above.
        if (ran && ran->code_hash != recorded_code && other_code.size() < few) {
            const NoCache no_cache;
            ran = execute(row[0], row[1] + " " + row[2]);
        }
        ASSERT_TRUE(ran) << ran.error().sentence();
        if (ran->code_hash != recorded_code) { // another NVRTC: nothing to compare with
            other_code.push_back(name);
            continue;
        }
        ++compared;
        for (const trace::Finding& f : ran->run->findings)
            EXPECT_NE(f.severity, trace::Severity::error) << f.text.english();
        const bool waits = polls(*ran);
        const auto counted = counters(ran->run->totals);
        comparison.line(row);
        for (size_t c = Comparison::first; c < names.size(); ++c) {
            const uint64_t ours = counted.at(names[c]);
            const Recorded theirs(row[c]);
            const bool bounds = waits && names[c] == "instructions_executed";
            comparison.cell(ours, theirs, bounds);
            EXPECT_TRUE(theirs.allows(ours) || (bounds && ours <= theirs.low))
                << names[c] << " " << ours << ", not " << row[c];
        }
        comparison.end_line();
        ASSERT_EQ(std::vector(row.begin(), row.begin() + 4),
                  std::vector(by_opcode[r].begin(), by_opcode[r].begin() + 4));
        EXPECT_EQ(differences(by_opcode[r][4], opcodes(*ran), waits), "");
    }
    std::cout << comparison.equal << " counters equal, " << comparison.different << " different, " << comparison.waiting
              << " bounded because the kernel waits, " << comparison.unsteady
              << " whose counts on the H200 vary from run to run; " << other_code.size() << " of " << rows.size() - 1
              << " runs have other machine code than was recorded\n";
    if (one) return;
    if (compared == 0) GTEST_SKIP() << "this NVRTC makes other machine code than the one recorded with";
    if (const char* file = std::getenv("GEMMSCOPE_COUNTER_TABLE")) std::ofstream(file) << comparison.table();
    EXPECT_TRUE(other_code.empty()) << fmt::format("{}", fmt::join(other_code, ", "))
                                    << " have changed: run scripts/record_counters.sh again";
    if (!other_code.empty()) return;
    const std::string page = std::string(*base::read_file(SOURCE_DIR "/docs/counters_h200.md"));
    EXPECT_TRUE(page.ends_with("\n\n" + comparison.table()))
        << "the page has another table: GEMMSCOPE_COUNTER_TABLE writes it";
    const size_t numbers = comparison.equal + comparison.different + comparison.waiting + comparison.unsteady;
    EXPECT_NE(page.find(fmt::format("Of {} numbers of {} runs, {} are equal and none differs.",
                                    base::thousands(numbers), rows.size() - 1, base::thousands(comparison.equal))),
              page.npos);
}

} // namespace
