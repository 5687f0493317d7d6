#include "lesson/figures.h"

#include "analysis/banks.h"
#include "analysis/intensity.h"
#include "analysis/occupancy.h"
#include "analysis/sectors.h"
#include "catalog/rules.h"
#include "lesson/moment_words.h"
#include "session/nearest.h"
#include "trace/trace.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>

namespace lesson {
namespace {

using trace::Kind;
using trace::Space;
using Value = base::Result<double>;

double real(uint64_t value) { return static_cast<double>(value); }

base::Error none(base::Sentence what, base::Sentence todo = {}) {
    return {base::Failure::check_failed, std::move(what), {}, std::move(todo)};
}

// What the scene's warp does at its moment, if that is an access.
struct Access {
    const trace::Instruction& instruction;
    uint32_t active = 0;
    const trace::Addresses* shared = nullptr; // of either, the addresses; nullptr: it has none there
    const trace::Addresses* global = nullptr;
    std::string_view arch;

    analysis::Wavefronts wavefronts() const {
        return analysis::wavefronts(analysis::bank_rule(arch), instruction, active, *shared);
    }
    analysis::Sectors sectors() const { return analysis::sectors_of(instruction, active, *global); }
};

base::Result<Access> access_of(Figures& figures) {
    auto traced = figures.traced();
    if (!traced) return traced.error();
    auto number = figures.event();
    if (!number) return number.error();
    const trace::Trace& trace = (*traced)->block.block->trace;
    const trace::Event& event = trace.events[*number];
    Access access{trace.listing->instructions[event.pc], event.active, nullptr, nullptr, figures.scene().subject.arch};
    if (event.access >= trace.accesses.size())
        return none(base::say("there is no access at this moment"),
                    base::say("choose a moment such as \"load of As\""));
    const bool copies = access.instruction.kind == Kind::async_copy;
    if (access.instruction.space == Space::shared) access.shared = &trace.accesses[event.access];
    if (access.instruction.space == Space::global) access.global = &trace.accesses[event.access];
    if (copies && event.access + 1 < trace.accesses.size()) access.global = &trace.accesses[event.access + 1];
    return access;
}

// The most distinct words in any bank, and which bank that is.
struct WorstBank {
    int bank = 0, words = 0;
};
WorstBank worst_bank(const Access& access) {
    WorstBank worst;
    for (const analysis::Phase& phase : access.wavefronts().phases) {
        std::array<std::set<uint64_t>, 32> words;
        for (int lane = 0; lane < trace::warp_size; ++lane) {
            if (!(phase.lanes >> lane & 1)) continue;
            const uint64_t first = (*access.shared)[static_cast<size_t>(lane)] / 4;
            const uint64_t count = std::max(access.instruction.bytes / 4u, 1u);
            for (uint64_t word = first; word < first + count; ++word) words[word % 32].insert(word);
        }
        for (int bank = 0; bank < 32; ++bank)
            if (std::ssize(words[static_cast<size_t>(bank)]) > worst.words)
                worst = {bank, static_cast<int>(words[static_cast<size_t>(bank)].size())};
    }
    return worst;
}

Value of_shared(Figures& figures, double (*f)(const Access&)) {
    auto access = access_of(figures);
    if (!access) return access.error();
    if (!access->shared)
        return none(base::say("the access at this moment is not to shared memory"),
                    base::say("choose a moment such as \"load of As\""));
    return f(*access);
}
Value of_global(Figures& figures, double (*f)(const Access&)) {
    auto access = access_of(figures);
    if (!access) return access.error();
    if (!access->global)
        return none(base::say("the access at this moment is not to global memory"),
                    base::say("choose a moment such as \"load of A\""));
    return f(*access);
}
template <class F>
Value of_grid(Figures& figures, F&& f) {
    auto grid = figures.executions().grid(figures.scene().subject);
    if (!grid) return grid.error();
    return f(**grid);
}
// A grid that is too large is counted from some of its blocks: then there is no C to compare.
Value of_verification(Figures& figures, double (*f)(const session::Verification&)) {
    auto grid = figures.executions().grid(figures.scene().subject);
    if (!grid) return grid.error();
    if (!(*grid)->run->verification)
        return none(base::say("C is not compared at this size: only some blocks are executed"),
                    base::say("choose a smaller size"));
    return f(*(*grid)->run->verification);
}
Value of_block(Figures& figures, double (*f)(const session::BlockRun&)) {
    auto traced = figures.traced();
    if (!traced) return traced.error();
    return f(*(*traced)->block.block);
}
Value of_resources(Figures& figures, double (*f)(const Resources&)) {
    auto found = figures.executions().resources(figures.scene().subject);
    if (!found) return found.error();
    return f(**found);
}
Value of_job(Figures& figures, double (*f)(const session::Job&)) {
    auto job = figures.executions().job(figures.scene().subject);
    if (!job) return job.error();
    return f(**job);
}
// What one SM of the scene's architecture has room for.
using Limits = analysis::Multiprocessor;
Value of_sm(Figures& figures, double (*f)(const Limits&)) {
    auto sm = analysis::multiprocessor(figures.scene().subject.arch);
    if (!sm) return sm.error();
    return f(*sm);
}
Value of_speed(Figures& figures, double (*f)(const session::Speed&)) {
    auto speed = figures.executions().speed(figures.scene().subject, figures.scene().speed_size);
    if (!speed) return speed.error();
    const double value = f(*speed);
    if (!(value > 0)) return none(base::say("cuBLAS was not measured beside it"));
    return value;
}

// Barriers from one turn of the k loop to the next, where it is in its stride.
double barriers_per_tile(const session::BlockRun& run) {
    const auto &tiles = run.timeline.k_tiles, &barriers = run.timeline.barriers;
    if (tiles.empty()) return 0;
    if (tiles.size() < 3) return real(barriers.size()) / real(tiles.size());
    return real(static_cast<uint64_t>(
        std::count_if(barriers.begin(), barriers.end(), [&](uint32_t b) { return b >= tiles[1] && b < tiles[2]; })));
}

double operations(Figures& figures, const catalog::Problem& size) {
    const auto kernel = figures.executions().catalog().find(figures.scene().subject.kernel);
    return catalog::operations(kernel ? kernel->operation : catalog::Operation::product, size.m, size.n, size.k);
}

Value of_traffic(Figures& figures, double analysis::Intensity::*part) {
    auto grid = figures.executions().grid(figures.scene().subject);
    if (!grid) return grid.error();
    return analysis::intensity((*grid)->run->totals, operations(figures, figures.scene().subject.problem),
                               analysis::Device{}).*
           part;
}

struct Waves { // at the size of speeds
    uint64_t blocks = 0, per_wave = 0;
    uint64_t count() const { return (blocks + per_wave - 1) / per_wave; }
};
base::Result<Waves> waves(Figures& figures) {
    const Scene& scene = figures.scene();
    auto resources = figures.executions().resources(scene.subject);
    if (!resources) return resources.error();
    const analysis::Device* device = analysis::device_of(scene.subject.arch);
    if (!device) return none(base::say("no GPU of this architecture is listed"));
    session::Subject large = scene.subject;
    large.problem = scene.speed_size;
    const auto kernel = figures.executions().catalog().find(large.kernel);
    auto values = catalog::with(*kernel, large.parameters);
    if (!values) return values.error();
    auto shape = catalog::launch_shape(*kernel, *values, large.problem);
    if (!shape) return shape.error();
    return Waves{shape->grid.count(), static_cast<uint64_t>((*resources)->occupancy.blocks) *
                                          static_cast<uint64_t>(device->multiprocessors)};
}
Value of_waves(Figures& figures, double (*f)(const Waves&)) {
    auto found = waves(figures);
    if (!found) return found.error();
    return f(*found);
}

using Reader = std::function<Value(Figures&)>;

void add_access(std::map<std::string, Reader>& table) {
    table["access.wavefronts"] = [](Figures& f) {
        return of_shared(f, [](const Access& a) { return double(a.wavefronts().wavefronts); });
    };
    table["access.ideal"] = [](Figures& f) {
        return of_shared(f, [](const Access& a) { return double(a.wavefronts().ideal); });
    };
    table["access.excessive"] = [](Figures& f) {
        return of_shared(f, [](const Access& a) { return double(a.wavefronts().excessive()); });
    };
    table["access.ways"] = [](Figures& f) {
        return of_shared(f, [](const Access& a) { return double(worst_bank(a).words); });
    };
    table["worst_bank"] = [](Figures& f) {
        return of_shared(f, [](const Access& a) { return double(worst_bank(a).bank); });
    };
    table["access.sectors"] = [](Figures& f) {
        return of_global(f, [](const Access& a) { return double(a.sectors().sectors); });
    };
    table["access.ideal_sectors"] = [](Figures& f) {
        return of_global(f, [](const Access& a) { return double(a.sectors().ideal); });
    };
    table["access.bytes"] = [](Figures& f) {
        return of_global(f, [](const Access& a) { return double(a.sectors().bytes_used); });
    };
    table["access.used"] = [](Figures& f) {
        return of_global(f, [](const Access& a) {
            const analysis::Sectors s = a.sectors();
            return s.sectors ? 100.0 * s.bytes_used / (s.sectors * analysis::sector_bytes) : 0;
        });
    };
    table["access.lanes"] = [](Figures& f) -> Value {
        auto access = access_of(f);
        if (!access) return access.error();
        return double(std::popcount(access->active));
    };
    table["access.lane_bytes"] = [](Figures& f) -> Value {
        auto access = access_of(f);
        if (!access) return access.error();
        return double(access->instruction.bytes);
    };
}

void add_counters(std::map<std::string, Reader>& table) {
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        const auto fields = analysis::fields(row, {});
        for (size_t i = 0; i < fields.size(); ++i) {
            const std::string part = *fields[i].name ? fmt::format(".{}", fields[i].name) : "";
            table[fmt::format("counters.{}{}", row.name, part)] = [&row, i](Figures& figures) {
                return of_grid(figures,
                               [&](const Grid& g) { return real(analysis::fields(row, g.run->totals)[i].value); });
            };
        }
    }
    table["findings"] = [](Figures& f) {
        return of_grid(f, [](const Grid& g) { return real(g.run->findings.size()); });
    };
    table["verified"] = [](Figures& f) {
        return of_verification(f, [](const session::Verification& v) { return v.passed ? 1.0 : 0.0; });
    };
    table["error"] = [](Figures& f) {
        return of_verification(f, [](const session::Verification& v) { return v.max_abs_error; });
    };
    table["ffma_share"] = [](Figures& f) {
        return of_grid(f, [](const Grid& g) { return analysis::fma_percent(g.run->totals); });
    };
    table["flop_per_instruction"] = [](Figures& f) {
        return of_grid(f, [](const Grid& g) { return analysis::flop_per_instruction(g.run->totals); });
    };
    table["intensity"] = [](Figures& f) { return of_traffic(f, &analysis::Intensity::flop_per_byte); };
    table["bytes"] = [](Figures& f) { return of_traffic(f, &analysis::Intensity::global_bytes); };
    table["flop"] = [](Figures& f) -> Value { return operations(f, f.scene().subject.problem); };
}

void add_launch(std::map<std::string, Reader>& table) {
    table["registers"] = [](Figures& f) {
        return of_resources(f, [](const Resources& r) { return double(r.used.registers); });
    };
    table["spills"] = [](Figures& f) {
        return of_resources(
            f, [](const Resources& r) { return real(r.used.spill_load_bytes) + real(r.used.spill_store_bytes); });
    };
    table["shared_bytes"] = [](Figures& f) {
        return of_resources(f, [](const Resources& r) { return real(r.shared_bytes); });
    };
    table["occupancy.blocks"] = [](Figures& f) {
        return of_resources(f, [](const Resources& r) { return double(r.occupancy.blocks); });
    };
    table["occupancy.warps"] = [](Figures& f) {
        return of_resources(f, [](const Resources& r) { return double(r.occupancy.warps); });
    };
    table["occupancy.percent"] = [](Figures& f) {
        return of_resources(f, [](const Resources& r) { return 100 * r.occupancy.fraction(); });
    };
    table["sm.warps"] = [](Figures& f) { return of_sm(f, [](const Limits& sm) { return double(sm.max_warps); }); };
    table["sm.threads"] = [](Figures& f) {
        return of_sm(f, [](const Limits& sm) { return double(sm.max_warps * trace::warp_size); });
    };
    table["sm.blocks"] = [](Figures& f) { return of_sm(f, [](const Limits& sm) { return double(sm.max_blocks); }); };
    table["sm.registers"] = [](Figures& f) { return of_sm(f, [](const Limits& sm) { return real(sm.registers); }); };
    table["sm.thread_registers"] = [](Figures& f) {
        return of_sm(f, [](const Limits& sm) { return real(sm.max_registers_per_thread); });
    };
    table["sm.block_threads"] = [](Figures& f) {
        return of_sm(f, [](const Limits& sm) { return double(sm.max_threads_per_block); });
    };
    table["sm.shared_bytes"] = [](Figures& f) {
        return of_sm(f, [](const Limits& sm) { return real(sm.shared_bytes); });
    };
    table["sm.block_shared_bytes"] = [](Figures& f) {
        return of_sm(f, [](const Limits& sm) { return real(sm.max_shared_per_block); });
    };
    table["multiprocessors"] = [](Figures& f) -> Value {
        const analysis::Device* device = analysis::device_of(f.scene().subject.arch);
        if (!device) return none(base::say("no GPU of this architecture is listed"));
        return double(device->multiprocessors);
    };
    table["threads"] = [](Figures& f) {
        return of_job(f, [](const session::Job& j) { return real(j.shape.block.count()); });
    };
    table["blocks"] = [](Figures& f) {
        return of_job(f, [](const session::Job& j) { return real(j.shape.grid.count()); });
    };
    table["barriers"] = [](Figures& f) {
        return of_block(f, [](const session::BlockRun& b) { return real(b.timeline.barriers.size()); });
    };
    table["barriers_per_tile"] = [](Figures& f) { return of_block(f, barriers_per_tile); };
    table["k_tiles"] = [](Figures& f) {
        return of_block(f, [](const session::BlockRun& b) { return real(b.timeline.k_tiles.size()); });
    };
    table["waves"] = [](Figures& f) {
        return of_waves(f, [](const Waves& w) { return real(w.blocks) / real(w.per_wave); });
    };
    table["last_wave"] = [](Figures& f) {
        return of_waves(
            f, [](const Waves& w) { return 100 * real(w.blocks - (w.count() - 1) * w.per_wave) / real(w.per_wave); });
    };
    table["speed_blocks"] = [](Figures& f) { return of_waves(f, [](const Waves& w) { return real(w.blocks); }); };
    table["wave_efficiency"] = [](Figures& f) {
        return of_waves(f, [](const Waves& w) { return 100 * real(w.blocks) / real(w.count() * w.per_wave); });
    };
    table["speed.cublas_tflops"] = [](Figures& f) {
        return of_speed(f, [](const session::Speed& s) { return s.cublas_gflops / 1000; });
    };
    table["speed.milliseconds"] = [](Figures& f) -> Value {
        auto speed = f.executions().speed(f.scene().subject, f.scene().speed_size);
        if (!speed) return speed.error();
        return operations(f, f.scene().speed_size) / speed->gflops / 1e6;
    };
    table["speed.tflops"] = [](Figures& f) {
        return of_speed(f, [](const session::Speed& s) { return s.gflops / 1000; });
    };
    table["speed.percent"] = [](Figures& f) {
        return of_speed(f, [](const session::Speed& s) { return 100 * s.ratio(); });
    };
    table["M"] = [](Figures& f) -> Value { return double(f.scene().subject.problem.m); };
    table["N"] = [](Figures& f) -> Value { return double(f.scene().subject.problem.n); };
    table["K"] = [](Figures& f) -> Value { return double(f.scene().subject.problem.k); };
    table["speed_size"] = [](Figures& f) -> Value { return double(f.scene().speed_size.m); };
}

const std::map<std::string, Reader>& table() {
    static const std::map<std::string, Reader> made = [] {
        std::map<std::string, Reader> figures;
        add_access(figures);
        add_counters(figures);
        add_launch(figures);
        return figures;
    }();
    return made;
}

std::optional<Value> lane_figure(Figures& figures, const std::string& name, int lane) {
    if (name == "lane") return Value(double(lane));
    const std::array<const char*, 5> known{"active", "address", "word", "bank", "sector"};
    if (std::find(known.begin(), known.end(), name) == known.end()) return {};
    auto access = access_of(figures);
    if (!access) return Value(access.error());
    if (name == "active") return Value(double(access->active >> lane & 1));
    const trace::Addresses* addresses = access->shared ? access->shared : access->global;
    if (!addresses) return Value(none(base::say("there is no access to shared or global memory at this moment")));
    const trace::Addresses& all = *addresses;
    if (!(access->active >> lane & 1)) return Value(-1.0);
    const auto first = static_cast<size_t>(std::countr_zero(access->active | 1u << 31));
    const uint64_t base = access->shared ? 0 : all[first] / analysis::line_bytes * analysis::line_bytes;
    const double address = real(all[static_cast<size_t>(lane)]) - real(base);
    if (name == "address") return Value(address);
    if (name == "word") return Value(std::floor(address / 4));
    if (name == "sector") return Value(std::floor(address / analysis::sector_bytes));
    return Value(std::fmod(std::floor(address / 4), 32));
}

std::optional<trace::FindingKind> finding_named(std::string_view name) {
    for (int kind = 0; kind <= static_cast<int>(trace::FindingKind::unfinished_read); ++kind)
        if (trace::name(static_cast<trace::FindingKind>(kind)) == name) return static_cast<trace::FindingKind>(kind);
    return {};
}

} // namespace

std::vector<std::string> Figures::names() {
    std::vector<std::string> names;
    for (const auto& [name, reader] : table()) names.push_back(name);
    return names;
}

base::Result<std::shared_ptr<const Traced>> Figures::traced() {
    return executions_.block(scene_.subject, scene_.block);
}

base::Result<uint32_t> Figures::event() {
    if (event_) return *event_;
    auto block = traced();
    if (!block) return block.error();
    event_ = event_in_words(scene_.moment, **block, scene_.warp);
    return *event_;
}

// "question.access.wavefronts": of what the step asks about.
base::Result<double> Figures::of_step(const Step& step, const std::string& name) {
    constexpr std::string_view asked = "question.";
    const bool question = name.starts_with(asked) && step.question;
    Scene scene = step.scene;
    if (question) scene.subject = step.question->subject;
    Figures other(executions_, *lesson_, scene);
    other.depth_ = depth_ + 1;
    if (other.depth_ > 1) // a.b.c.M
        return base::Error{
            base::Failure::usage, base::say("\"{}\" is a step of a step", name), {}, base::say("name one step")};
    return other.value(question ? name.substr(asked.size()) : name);
}

base::Result<double> Figures::value(const std::string& name, std::optional<int> lane) {
    constexpr std::string_view selected = "selected.";
    if (lane)
        if (auto found = lane_figure(*this, name, *lane)) return *found;
    if (name.starts_with(selected))
        if (auto found = lane_figure(*this, name.substr(selected.size()), scene_.lane)) return *found;
    if (const auto known = table().find(name); known != table().end()) return known->second(*this);
    const size_t point = name.find('.');
    const std::string first = name.substr(0, point), rest = point == name.npos ? "" : name.substr(point + 1);
    if (first == "findings")
        if (const auto kind = finding_named(rest)) {
            auto grid = executions_.grid(scene_.subject);
            if (!grid) return grid.error();
            const auto& all = (*grid)->run->findings;
            return double(std::count_if(all.begin(), all.end(), [&](const auto& f) { return f.kind == *kind; }));
        }
    auto job = executions_.job(scene_.subject);
    if (!job) return job.error();
    if (const auto parameter = (*job)->parameters.find(name); parameter != (*job)->parameters.end())
        return double(parameter->second);
    if (const Step* other = lesson_->step(first); other && !rest.empty()) return of_step(*other, rest);
    base::Sentence known =
        base::say("known are the kernel's parameters, STEP.figure, STEP.question.figure and {}", base::names(names()));
    std::vector<std::string> all = names();
    for (const auto& [parameter, value] : (*job)->parameters) all.push_back(parameter);
    const std::string meant = session::nearest(name, all);
    return base::Error{base::Failure::usage,
                       base::say("there is no figure \"{}\"", name),
                       {},
                       meant.empty() ? std::move(known) : base::say("did you mean {}? {}", meant, std::move(known))};
}

} // namespace lesson
