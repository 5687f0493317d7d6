// What ptxas makes of the kernels waits for all that it reads and overwrites, on every architecture that the decoder knows: else an operand,
// a control field or a latency of ours is wrong. And what is found where a control field is damaged.
// GEMMSCOPE_SCOREBOARDS=every checks all recorded settings on all architectures, which compiles for an hour.
#include "sass/scoreboards.h"
#include "session/hazards.h"
#include "session/stages.h"

#include "../sass/recorded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace {

const catalog::Catalog& kernels() {
    static const catalog::Catalog catalog = catalog::load({SOURCE_DIR "/kernels"});
    return catalog;
}

struct Setting {
    std::string kernel;
    catalog::Values parameters;
};

// Each kernel as it begins, and as tests/data/counters has it.
std::vector<Setting> settings() {
    std::vector<Setting> all;
    for (const auto& kernel : kernels().kernels) all.push_back({kernel->id, {}});
    for (const auto& row : recorded::rows("counters.csv")) {
        Setting one{row[0], {}};
        std::istringstream words(row[1]);
        for (std::string name, value; words >> name >> value;) {
            const size_t equals = value.find('=');
            if (name == "-p") one.parameters[value.substr(0, equals)] = std::stoi(value.substr(equals + 1));
        }
        const auto same = [&](const Setting& s) { return s.kernel == one.kernel && s.parameters == one.parameters; };
        if (kernels().find(one.kernel) && std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(one));
    }
    return all;
}

base::Result<session::Job> job_of(const Setting& setting, const std::string& arch) {
    session::Subject subject;
    subject.kernel = setting.kernel;
    subject.arch = arch;
    subject.parameters = setting.parameters;
    return session::resolve(kernels(), subject);
}

std::shared_ptr<const compile::MachineCode> machine_code(const Setting& setting, const std::string& arch) {
    const auto job = job_of(setting, arch);
    return job ? session::machine_code(*job).value : nullptr; // not every kernel is for every architecture
}

TEST(Scoreboards, NothingIsReadOrOverwrittenTooEarlyInWhatPtxasMakes) {
    const bool every = std::getenv("GEMMSCOPE_SCOREBOARDS") != nullptr;
    size_t programs = 0, instructions = 0;
    for (const Setting& setting : settings())
        for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"}) {
            // Else each kernel on the newest for which it is recorded, and a few on all.
            const bool on_all = std::set<std::string>{"naive", "double_buffer", "dgemm_tile"}.contains(setting.kernel);
            if (!every && arch != std::string("sm_90") && !(on_all && setting.parameters.empty())) continue;
            const auto code = machine_code(setting, arch);
            if (!code) continue;
            SCOPED_TRACE(setting.kernel + " for " + arch);
            const auto module = sass::read_module(code->cubin, code->entry);
            ASSERT_TRUE(module) << module.error().sentence();
            ++programs;
            instructions += module->instructions.size();
            for (const sass::Hazard& h : sass::find_hazards(module->sm, module->instructions, module->jump_tables))
                ADD_FAILURE() << h.text.english();
        }
    std::cout << programs << " programs, " << instructions << " instructions\n";
    EXPECT_GE(programs, 60u);
}

// One control field after the other is damaged: how often it is found. What is not found is no mistake of registers: a wait for another
// instruction's sake or for memory's, stalls that are longer than the latency, a scoreboard that nobody waits for.
TEST(Scoreboards, ADamagedControlFieldIsFound) {
    const auto code = machine_code({"double_buffer", {}}, "sm_90");
    ASSERT_TRUE(code);
    auto module = sass::read_module(code->cubin, code->entry);
    ASSERT_TRUE(module);
    std::map<std::string, std::pair<int, int>> found; // of all
    const auto damage = [&](const char* what, size_t pc, auto change) {
        trace::Control& control = module->instructions[pc].control;
        const trace::Control right = control;
        change(control);
        const auto hazards = sass::find_hazards(module->sm, module->instructions, module->jump_tables);
        found[what].first += !hazards.empty();
        ++found[what].second;
        control = right;
    };
    for (size_t pc = 0; pc < module->instructions.size(); ++pc) {
        const trace::Control right = module->instructions[pc].control;
        if (right.wait_mask) damage("wait", pc, [](trace::Control& c) { c.wait_mask = 0; });
        if (right.write_barrier < 4) { // what follows hardly waits for SB4
            damage("other barrier", pc, [](trace::Control& c) { c.write_barrier = 4; });
            damage("no barrier", pc, [](trace::Control& c) { c.write_barrier = trace::Control::none; });
        }
        if (right.stall > 3) damage("stall", pc, [](trace::Control& c) { c.stall = 1; });
    }
    for (const auto& [what, counted] : found)
        std::cout << what << ": " << counted.first << " of " << counted.second << " found\n";
    const auto share = [&](const char* what) { return 1.0 * found[what].first / found[what].second; };
    EXPECT_GE(share("wait"), 0.7);
    EXPECT_GE(share("no barrier"), 0.9);
    EXPECT_GE(share("other barrier"), 0.9);
    EXPECT_GE(share("stall"), 0.5);
}

std::vector<trace::Finding> findings_of(const compile::MachineCode& code, const trace::Listing& listing) {
    const auto module = sass::read_module(code.cubin, code.entry);
    EXPECT_TRUE(module);
    return session::findings_of(sass::find_hazards(module->sm, module->instructions, module->jump_tables), listing);
}

TEST(Scoreboards, AHazardIsAWarningAtItsInstruction) {
    auto code = machine_code({"shared_tile", {}}, "sm_90");
    ASSERT_TRUE(code);
    auto job = job_of({"shared_tile", {}}, "sm_90");
    ASSERT_TRUE(job);
    job->engine = session::Engine::machine;
    const auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    EXPECT_TRUE(findings_of(*code, *prepared.value->listing).empty());

    // The first product of two loaded values no longer waits: its wait mask lies in bits 116 to 121.
    compile::MachineCode damaged = *code;
    const auto module = sass::read_module(code->cubin, code->entry);
    const auto waits = std::find_if(module->instructions.begin(), module->instructions.end(),
                                    [](const auto& i) { return i.opcode == "FFMA" && i.control.wait_mask; });
    ASSERT_NE(waits, module->instructions.end());
    const auto word = std::as_bytes(std::span(&waits->word, 1));
    const auto place = std::search(damaged.cubin.begin(), damaged.cubin.end(), word.begin(), word.end());
    ASSERT_NE(place, damaged.cubin.end());
    place[14] &= std::byte{0x0F}, place[15] &= std::byte{0xFC};
    const auto findings = findings_of(damaged, *prepared.value->listing);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, trace::FindingKind::unwaited_register);
    EXPECT_EQ(findings[0].severity, trace::Severity::warning);
    EXPECT_EQ(findings[0].pc, waits - module->instructions.begin());
    EXPECT_GT(findings[0].source_line, 0);
    ASSERT_TRUE(findings[0].other);
    EXPECT_EQ(module->instructions[static_cast<size_t>(findings[0].other->pc)].opcode, "LDS");
    EXPECT_EQ(findings[0].text.english().substr(0, 5), "FFMA ");
}

} // namespace
