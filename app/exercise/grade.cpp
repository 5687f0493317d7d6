#include "exercise/grade.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/expression.h"
#include "exercise/hand_in.h"
#include "exercise/one_file.h"
#include "exercise/time_limit.h"
#include "lesson/figures.h"
#include "lesson/formula.h"
#include "views/flights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

namespace exercise {
namespace {

using Standing = Judged::Standing;

constexpr int64_t largest_seed = std::numeric_limits<int>::max();

// What a count is about: accesses of one kind, and which part of them is bounded.
struct Cost {
    const analysis::CounterRow* row = nullptr;
    bool excessive = false, instructions = false;
    uint64_t of(const trace::InstructionCounts& c) const {
        if (instructions) return c.executed;
        const uint64_t moved = row->sum == analysis::Sum::wavefronts ? c.wavefronts : c.sectors;
        const uint64_t ideal = row->sum == analysis::Sum::wavefronts ? c.wavefronts_ideal : c.sectors_ideal;
        return excessive ? moved - std::min(ideal, moved) : moved;
    }
};

// The counter that a figure names, if it counts accesses.
std::optional<Cost> cost_of(const std::string& figure) {
    for (const std::string& name : lesson::names_in(figure))
        for (const analysis::CounterRow& row : analysis::counter_rows()) {
            const bool accesses = row.sum == analysis::Sum::wavefronts || row.sum == analysis::Sum::sectors;
            if (accesses && name.starts_with(fmt::format("counters.{}.", row.name)))
                return Cost{&row, name.ends_with(".wavefronts_excessive") || name.ends_with(".sectors_excessive"),
                            name.ends_with(".instructions")};
        }
    return {};
}

class Grader {
public:
    Grader(const Exercise& exercise, const std::filesystem::path& file, const GradeOptions& options,
           std::stop_token stop)
        : exercise_(exercise), options_(options), limit_(options.limit_s, std::move(stop)) {
        verdict_.file = file.string();
    }

    Verdict run(const std::string& source) {
        const auto start = std::chrono::steady_clock::now();
        begin();
        judge(source);
        verdict_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return std::move(verdict_);
    }

private:
    void begin() { // every rule waits
        verdict_.rules.push_back({});
        verdict_.rules[0].wanted = base::say("The kernel compiles");
        for (size_t step = 0; step < exercise_.steps.size(); ++step)
            for (const Rule& rule : exercise_.steps[step].rules) {
                Judged judged;
                judged.step = step;
                judged.rule = &rule;
                judged.wanted = wanted(rule);
                verdict_.rules.push_back(std::move(judged));
            }
    }

    static base::Sentence wanted(const Rule& rule) {
        switch (rule.kind) {
        case Rule::Kind::result: return base::say("C equals the reference");
        case Rule::Kind::findings: return base::say("No finding in any order of the warps");
        case Rule::Kind::figure: break;
        }
        return rule.most.empty() ? base::say("at least {}", rule.least) : base::say("at most {}", rule.most);
    }

    // A step is judged when those before it have passed: the counts of a kernel that is wrong say nothing.
    void judge(const std::string& text) {
        if (!compiles(text)) return;
        for (size_t step = 0; step < exercise_.steps.size() && verdict_.first() && verdict_.first()->step == step;
             ++step)
            for (size_t i = 1; i < verdict_.rules.size() && !limit_.token().stop_requested(); ++i)
                if (verdict_.rules[i].step == step) judge(verdict_.rules[i], i);
        note_limit();
    }

    // Between two rules the limit stops none of them: the one that was next is not known.
    void note_limit() {
        const auto next = std::find_if(verdict_.rules.begin(), verdict_.rules.end(),
                                       [](const Judged& j) { return j.standing != Standing::passed; });
        if (!limit_.token().stop_requested() || next == verdict_.rules.end()) return;
        if (next->standing == Standing::waiting) next->standing = Standing::unknown, next->got = limit_.why();
    }

    // The description must be that of the exercise where it says what is computed, and how exactly.
    bool compiles(const std::string& text) {
        Judged& judged = verdict_.rules[0];
        auto kernel = text.size() > largest_source
                          ? base::Error{base::Failure::usage, base::say("the file has {} bytes", text.size()),
                                        verdict_.file, base::say("a kernel may have {}", largest_source)}
                          : catalog::parse(text, verdict_.file);
        if (!kernel) return fail(judged, kernel.error());
        const catalog::Kernel& starter = *exercise_.starter;
        if (kernel->operation != starter.operation || kernel->operands != starter.operands ||
            kernel->rounding != starter.rounding || kernel->row_alignment != starter.row_alignment ||
            kernel->managed != starter.managed)
            return fail(judged,
                        {base::Failure::check_failed, base::say("the first comment describes another operation"),
                         verdict_.file, base::say("take the first comment of the starter, {}", starter.path)});
        if (auto alone = includes_no_file(text, verdict_.file); !alone) return fail(judged, alone.error());
        subject_.kernel = kernel->id;
        subject_.parameters = catalog::initial_values(*kernel);
        catalog::Catalog mine;
        mine.kernels.push_back(std::make_shared<const catalog::Kernel>(std::move(*kernel)));
        executions_.emplace(std::move(mine), nullptr, options_.threads);
        executions_->use(limit_.token());
        subject_.problem = {64, 64, 64};
        const auto resources = executions_->resources(subject_);
        if (resources || resources.error().failure == base::Failure::missing) {
            judged.standing = Standing::passed;
            return true;
        }
        return fail(judged, resources.error());
    }

    // "file:12" is taken apart.
    bool fail(Judged& judged, const base::Error& error) {
        judged.standing = error.failure == base::Failure::missing ? Standing::unknown : Standing::failed;
        if (limit_.token().stop_requested()) {
            judged.standing = Standing::unknown;
            judged.got = limit_.why();
            return false;
        }
        base::Error here = error;
        here.where.clear();
        judged.got = here.said();
        Look look;
        look.text = judged.got;
        look.file = error.where;
        if (const size_t colon = error.where.rfind(':'); colon != error.where.npos && colon > 1) {
            look.file = error.where.substr(0, colon);
            look.line = std::atoi(error.where.c_str() + colon + 1);
        }
        judged.look = std::move(look);
        return false;
    }

    void judge(Judged& judged, size_t number) {
        const Rule& rule = *judged.rule;
        const auto kernel = executions_->catalog().find(subject_.kernel);
        auto parameters = catalog::with(*kernel, rule.parameters);
        if (!parameters) return void(fail(judged, parameters.error()));
        subject_.parameters = std::move(*parameters);
        const Draw draw(fmt::format("{}/{}", exercise_.id, options_.seed));
        if (!options_.seed.empty()) subject_.seed = static_cast<uint64_t>(draw.between("inputs", 1, largest_seed));
        for (size_t i = 0; i < rule.sizes.size(); ++i) {
            subject_.problem = rule.sizes[i].draw(draw, fmt::format("{}.{}", number, i));
            subject_.alpha = rule.alpha, subject_.beta = rule.beta;
            subject_.schedule = {};
            const bool holds = rule.kind == Rule::Kind::figure     ? judge_figure(judged)
                               : rule.kind == Rule::Kind::findings ? judge_findings(judged)
                                                                   : judge_result(judged);
            if (!holds) return;
        }
        judged.standing = Standing::passed;
    }

    Look look(const Judged& judged, base::Sentence text) const {
        Look look;
        look.text = std::move(text);
        look.view = judged.rule->view;
        look.size = subject_.problem;
        look.schedule = subject_.schedule;
        look.alpha = subject_.alpha, look.beta = subject_.beta;
        look.seed = subject_.seed;
        look.parameters = judged.rule->parameters;
        return look;
    }

    // What is nearest to the cause: a copy that is under way when the thread exits is what an error left behind, and that C is wrong is said
    // last. A read of a copy that nobody has waited for is a race with it, too.
    static const trace::Finding& nearest(const std::vector<trace::Finding>& findings) {
        using trace::FindingKind;
        const auto distance = [](const trace::Finding& f) {
            if (f.kind == FindingKind::wrong_result) return 2;
            return f.kind == FindingKind::unwaited_async_copy && f.severity == trace::Severity::warning ? 1 : 0;
        };
        const auto first = std::min_element(findings.begin(), findings.end(),
                                            [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
        const auto unwaited = std::find_if(findings.begin(), findings.end(), [&](const auto& f) {
            return f.kind == FindingKind::unwaited_async_copy && f.source_line == first->source_line;
        });
        return first->kind == FindingKind::shared_race && unwaited != findings.end() ? *unwaited : *first;
    }

    bool fail(Judged& judged, const lesson::Grid& grid, const std::vector<trace::Finding>& findings) {
        const trace::Finding* found = &nearest(findings);
        judged.standing = Standing::failed;
        judged.found = found->kind;
        judged.got = base::say("{} at {}", trace::name(found->kind), size_text(subject_.problem));
        Look first = look(judged, found->text);
        first.line = found->source_line;
        if (first.line > 0) first.file = verdict_.file;
        judged.look = std::move(first);
        if (verdict_.findings.empty()) {
            verdict_.findings = findings;
            std::iter_swap(verdict_.findings.begin(), verdict_.findings.begin() + (found - findings.data()));
            verdict_.listing = grid.listing;
        }
        return false;
    }

    // nullptr: it cannot be executed, and the rule is judged.
    std::shared_ptr<const lesson::Grid> executed(Judged& judged) {
        const auto grid = executions_->grid(subject_);
        const base::Status ready = grid ? is_of_one_file(*(*grid)->listing, verdict_.file) : base::Status(grid.error());
        if (ready) return *grid;
        fail(judged, ready.error());
        return nullptr;
    }

    bool judge_result(Judged& judged) {
        const auto grid = executed(judged);
        if (!grid) return false;
        const auto& run = *grid->run;
        if (run.verification && run.verification->passed) return true;
        if (!run.findings.empty()) return fail(judged, *grid, run.findings);
        judged.standing = Standing::unknown;
        judged.got = base::say("C is not compared at this size: only some blocks are executed");
        return false;
    }

    bool judge_findings(Judged& judged) {
        for (const trace::Schedule schedule : judged.rule->schedules) {
            subject_.schedule = schedule;
            const auto grid = executed(judged);
            if (!grid) return false;
            std::vector<trace::Finding> findings = grid->run->findings;
            std::erase_if(findings, [](const auto& f) { return f.kind == trace::FindingKind::wrong_result; });
            if (!findings.empty()) return fail(judged, *grid, findings);
        }
        return true;
    }

    // Counts of a kernel that is wrong say nothing: it may have left out the work.
    bool judge_figure(Judged& judged) {
        if (!judge_result(judged)) return false;
        const Rule& rule = *judged.rule;
        lesson::Scene scene;
        scene.subject = subject_;
        scene.moment = rule.moment;
        static const lesson::Lesson none;
        lesson::Figures figures(*executions_, none, scene);
        const auto value = lesson::evaluate(rule.figure, [&](const std::string& name) {
            return name == in_flight ? tiles_in_flight(figures) : figures.value(name);
        });
        if (!value) return fail(judged, value.error());
        note_program();
        judged.value = *value;
        judged.got = base::verbatim(number_text(*value));
        const auto within = [&](const std::string& bound, bool most) { return is_within(judged, bound, most); };
        const bool enough = rule.least.empty() || within(rule.least, false);
        if (judged.standing != Standing::waiting) return false;
        const bool few = enough && (rule.most.empty() || within(rule.most, true));
        if (few || judged.standing != Standing::waiting) return few;
        judged.standing = Standing::failed;
        judged.look = !rule.moment.empty() ? look_at_moment(judged, figures)
                      : enough             ? look_at_cost(judged)
                                           : look(judged, {}); // no line causes what is missing
        return false;
    }

    // Of the value. A bound that is no number fails the rule.
    bool is_within(Judged& judged, const std::string& text, bool most) {
        static const std::array<std::string, 3> names{"M", "N", "K"};
        const std::array<int64_t, 3> extents{subject_.problem.m, subject_.problem.n, subject_.problem.k};
        const auto bound = catalog::Expression::parse(text, names)->evaluate(extents);
        if (!bound)
            return fail(judged, {base::Failure::check_failed,
                                 base::say("the bound is not a number at {}", size_text(subject_.problem)),
                                 fmt::format("{}:{}", (exercise_.folder / "exercise.toml").string(), judged.rule->line),
                                 {}});
        judged.bound = static_cast<double>(*bound);
        judged.wanted = most ? base::say("at most {}", number_text(*judged.bound))
                             : base::say("at least {}", number_text(*judged.bound));
        return most ? *judged.value <= *judged.bound : *judged.value >= *judged.bound;
    }

    void note_program() {
        const auto engine = executions_->engine(subject_);
        if (engine && *engine == trace::Engine::ptx) verdict_.of_machine_code = false;
    }

    // How many tiles the warp has on their way at the moment: groups of asynchronous copies, or what waits in registers to be stored.
    static base::Result<double> tiles_in_flight(lesson::Figures& figures) {
        const auto traced = figures.traced();
        if (!traced) return traced.error();
        const auto moment = figures.event();
        if (!moment) return moment.error();
        const auto flights = views::flights((*traced)->block.block->trace, 1);
        return static_cast<double>(
            std::count_if(flights[0].begin(), flights[0].end(), [&](const views::Flight& flight) {
                return flight.first <= *moment && *moment <= flight.last;
            }));
    }

    Look look_at_moment(const Judged& judged, lesson::Figures& figures) const {
        Look first = look(judged, {});
        const auto traced = figures.traced();
        const auto moment = figures.event();
        if (!traced || !moment) return first;
        const trace::Trace& trace = (*traced)->block.block->trace;
        first.line = trace.listing->instructions[trace.events[*moment].pc].source_line;
        if (first.line == 0) return first;
        first.file = verdict_.file;
        first.text = base::say("the rule counts at this moment");
        first.step = *moment;
        return first;
    }

    // Where the traced block's first warp does what is counted, in that line.
    std::optional<uint32_t> step_of(const analysis::CounterRow& row, int line) {
        static const lesson::Lesson none;
        lesson::Scene scene;
        scene.subject = subject_;
        scene.moment = fmt::format("{} of line {}",
                                   row.counter == analysis::Counter::shared_load    ? "shared load"
                                   : row.counter == analysis::Counter::shared_store ? "shared store"
                                   : row.counter == analysis::Counter::global_load  ? "global load"
                                   : row.counter == analysis::Counter::global_store ? "global store"
                                                                                    : "copy",
                                   line);
        lesson::Figures figures(*executions_, none, scene);
        const auto event = figures.event();
        return event ? std::optional(*event) : std::nullopt;
    }

    // The line of the source that costs most.
    Look look_at_cost(const Judged& judged) {
        const Rule& rule = *judged.rule;
        Look first = look(judged, {});
        const auto grid = executions_->grid(subject_);
        const auto cost = cost_of(rule.figure);
        if (!grid || !cost || !(*grid)->listing) return first;
        std::map<int, uint64_t> lines;
        const auto& instructions = (*grid)->listing->instructions;
        const trace::Counts& counts = (*grid)->run->counts;
        for (size_t pc = 0; pc < std::min(instructions.size(), counts.size()); ++pc)
            if (analysis::counts(cost->row->which, instructions[pc]))
                lines[instructions[pc].source_line] += cost->of(counts[pc]);
        const auto worst = std::max_element(lines.begin(), lines.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
        if (worst == lines.end() || worst->second == 0 || worst->first == 0) return first;
        first.file = verdict_.file;
        first.line = worst->first;
        first.step = step_of(*cost->row, worst->first);
        first.text = cost->excessive ? base::say("most of the excess comes from here")
                                     : base::say("most of them come from here");
        return first;
    }

    const Exercise& exercise_;
    GradeOptions options_;
    TimeLimit limit_;
    Verdict verdict_;
    session::Subject subject_;
    std::optional<lesson::Executions> executions_;
};

} // namespace

bool Verdict::passed() const { return first() == nullptr; }

const Judged* Verdict::first() const {
    const auto found =
        std::find_if(rules.begin(), rules.end(), [](const Judged& j) { return j.standing != Standing::passed; });
    return found == rules.end() ? nullptr : &*found;
}

int Verdict::points() const {
    int sum = 0;
    for (const Judged& judged : rules)
        if (judged.rule && judged.standing == Standing::passed) sum += judged.rule->points;
    return sum;
}

int Verdict::most_points() const {
    int sum = 0;
    for (const Judged& judged : rules)
        if (judged.rule) sum += judged.rule->points;
    return sum;
}

std::string number_text(double value) {
    if (value >= 0 && value < 1e15 && value == std::floor(value)) return base::thousands(static_cast<uint64_t>(value));
    return fmt::format("{:.6g}", value);
}

Verdict grade(const Exercise& exercise, const std::string& source, const std::filesystem::path& file,
              const GradeOptions& options, std::stop_token stop) {
    return Grader(exercise, file, options, std::move(stop)).run(source);
}

} // namespace exercise
