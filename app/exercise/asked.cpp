#include "exercise/asked.h"

#include "analysis/banks.h"
#include "catalog/expression.h"
#include "lesson/figures.h"
#include "lesson/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace exercise {
namespace {

constexpr int most_attempts = 100;
constexpr double most_products_asked = 2048.0 * 2048 * 2048; // what Executions counts in some seconds

class Asker {
public:
    Asker(const Sheet& sheet, const Item& item, const std::string& student, lesson::Executions& executions)
        : sheet_(sheet), item_(item), executions_(executions), student_(student) {}

    base::Result<Asked> asked() {
        base::Error last;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            draw(attempt);
            if (item_.exercise) return told();
            if (!item_.races.empty()) return with_race();
            const base::Status legal = item_.access ? base::Status(base::Done{}) : set_up();
            if (legal) return computed();
            last = legal.error();
            if (item_.draw.empty()) break;
        }
        return at(last);
    }

private:
    base::Error at(base::Error error) const {
        error.where = fmt::format("{}:{}", sheet_.path.string(), item_.line);
        return error;
    }

    void draw(int attempt) {
        const Draw draw(fmt::format("{}/{}/{}", sheet_.id, student_, item_.id));
        asked_ = {};
        asked_.item = &item_;
        asked_.seed = fmt::format("{}/{}/{}", sheet_.id, student_, item_.id);
        for (const auto& [name, drawn] : item_.draw) {
            const std::string key = fmt::format("{}.{}", name, attempt);
            int value = 0;
            if (const auto* list = std::get_if<std::vector<int>>(&drawn))
                value = (*list)[static_cast<size_t>(draw.between(key, 0, static_cast<int64_t>(list->size()) - 1))];
            else {
                const auto& range = std::get<SizePattern::Range>(drawn);
                value = static_cast<int>(draw.between(key, range.least, range.most));
            }
            asked_.drawn[name] = value;
        }
    }

    std::string with_values(std::string text) const {
        for (const auto& [name, value] : asked_.drawn) {
            const std::string place = "{" + name + "}";
            for (size_t at = text.find(place); at != text.npos; at = text.find(place, at))
                text.replace(at, place.size(), std::to_string(value));
        }
        return text;
    }

    base::Result<Asked> with_race() {
        const Draw draw(asked_.seed);
        const auto last = static_cast<int64_t>(item_.races.size()) - 1;
        const auto named =
            find_race(executions_.catalog().kernels, item_.races[static_cast<size_t>(draw.between("race", 0, last))]);
        if (!named) return at(named.error());
        auto made = race(*named->kernel, named->mistake->name, executions_.threads());
        if (!made) return at(made.error());
        asked_.race = std::make_shared<const Race>(std::move(*made));
        asked_.story = named->kernel->story;
        return told();
    }

    Asked told() {
        asked_.ask = {with_values(item_.ask.en), with_values(item_.ask.zh)};
        return asked_;
    }

    // Of an expression over the variables and, where it has one, `lane`.
    base::Result<int64_t> value_of(const std::string& text, std::optional<int> lane = {}) const {
        std::vector<std::string> names;
        std::vector<int64_t> values;
        if (lane) names.push_back("lane"), values.push_back(*lane);
        for (const auto& [name, value] : asked_.drawn) names.push_back(name), values.push_back(value);
        const auto parsed = catalog::Expression::parse(text, names);
        if (!parsed) return parsed.error();
        if (const auto value = parsed->evaluate(values)) return *value;
        return base::Error{base::Failure::usage, base::say("{} is not a number here", text), {}, {}};
    }

    base::Status set_up() {
        session::Subject& subject = asked_.subject;
        if (item_.kernel.empty()) return base::Done{};
        subject.kernel = item_.kernel;
        const auto kernel = executions_.catalog().find(item_.kernel);
        if (!kernel)
            return base::Error{base::Failure::usage,
                               base::say("there is no kernel \"{}\"", item_.kernel),
                               {},
                               base::say("gemmscope list names them")};
        subject.parameters = catalog::initial_values(*kernel);
        for (const auto& [name, text] : item_.parameters) {
            const auto value = value_of(text);
            if (!value) return value.error();
            if (!subject.parameters.contains(name))
                return base::Error{base::Failure::usage,
                                   base::say("{} has no parameter {}", kernel->id, name),
                                   {},
                                   base::say("choose one of {}", base::names(catalog::parameter_names(*kernel)))};
            subject.parameters[name] = static_cast<int>(*value);
        }
        std::array<int, 3> size{};
        for (size_t i = 0; i < 3; ++i) {
            const auto value = value_of(item_.size[i]);
            if (!value) return value.error();
            if (*value < 1 || *value > 8192)
                return base::Error{
                    base::Failure::usage, base::say("a size of {}", *value), {}, base::say("choose 1 to {}", 8192)};
            size[i] = static_cast<int>(*value);
        }
        subject.problem = {size[0], size[1], size[2]};
        if (static_cast<double>(size[0]) * size[1] * size[2] > most_products_asked)
            return base::Error{base::Failure::usage,
                               base::say("{} takes too long", size_text(subject.problem)),
                               {},
                               base::say("choose a smaller size")};
        const auto job = executions_.job(subject);
        return job ? base::Status(base::Done{}) : base::Status(job.error());
    }

    base::Result<double> of_access(const std::string& name) const {
        trace::Addresses addresses{};
        uint32_t active = 0;
        for (int lane = 0; lane < trace::warp_size; ++lane) {
            const auto offset = value_of(item_.access->offset, lane);
            if (!offset) return offset.error();
            if (*offset < 0) continue; // as `gemmscope wavefronts` has it: inactive
            active |= 1u << lane;
            addresses[static_cast<size_t>(lane)] = static_cast<uint64_t>(*offset);
        }
        const auto found = analysis::count_wavefronts(analysis::bank_rule(asked_.subject.arch), item_.access->load,
                                                      item_.access->bytes, active, addresses);
        if (name == "access.wavefronts") return double(found.wavefronts);
        if (name == "access.ideal") return double(found.ideal);
        return double(found.wavefronts - found.ideal);
    }

    base::Result<Asked> computed() {
        lesson::Scene scene;
        scene.subject = asked_.subject;
        scene.moment = item_.moment;
        const auto warp = value_of(item_.warp), lane = value_of(item_.lane);
        if (!warp) return at(warp.error());
        if (!lane) return at(lane.error());
        scene.warp = static_cast<int>(*warp);
        scene.lane = static_cast<int>(*lane);
        static const lesson::Lesson none;
        lesson::Figures figures(executions_, none, scene);
        const auto value = lesson::evaluate(item_.answer, [&](const std::string& name) -> base::Result<double> {
            if (const auto drawn = asked_.drawn.find(name); drawn != asked_.drawn.end()) return double(drawn->second);
            return item_.access ? of_access(name) : figures.value(name);
        });
        if (!value) return at(value.error());
        asked_.answer = *value;
        if (auto basis = basis_of(); basis) asked_.basis = *basis;
        else return at(basis.error());
        return told();
    }

    // The same word counts different things in the PTX and in the machine code.
    base::Result<base::Sentence> basis_of() {
        const auto names = lesson::names_in(item_.answer);
        const auto any = [&](std::string_view start) {
            return std::any_of(names.begin(), names.end(), [&](const auto& name) { return name.starts_with(start); });
        };
        const bool of_access = any("access.");
        const bool of_grid =
            any("counters.") || any("ffma_share") || any("flop_per_instruction") || any("intensity") || any("bytes");
        if (of_grid || of_access) {
            const auto engine = executions_.engine(asked_.subject);
            if (!engine) return engine.error();
            const bool machine = *engine == trace::Engine::machine;
            if (of_grid && machine)
                return base::say("counted in the machine code for {}, over the whole grid, as Nsight Compute counts",
                                 asked_.subject.arch);
            if (of_grid) return base::say("counted in the PTX, over the whole grid");
            return machine ? base::say("counted for one SASS instruction of one warp")
                           : base::say("counted for one PTX instruction of one warp");
        }
        if (any("registers") || any("spills") || any("occupancy") || any("shared_bytes"))
            return base::say("of the machine code for {}", asked_.subject.arch);
        return base::Sentence{};
    }

    const Sheet& sheet_;
    const Item& item_;
    lesson::Executions& executions_;
    std::string student_;
    Asked asked_;
};

} // namespace

base::Result<Asked> ask(const Sheet& sheet, const Item& item, const std::string& student,
                        lesson::Executions& executions) {
    return Asker(sheet, item, student, executions).asked();
}

bool is_right(const Asked& asked, double given) {
    if (!asked.answer) return false;
    constexpr double rounding = 1e-9; // of a number that was printed and typed
    return std::abs(given - *asked.answer) <= (asked.item->within + rounding) * std::abs(*asked.answer);
}

} // namespace exercise
