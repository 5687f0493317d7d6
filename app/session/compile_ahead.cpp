#include "session/compile_ahead.h"

#include "base/clock.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

namespace session {
namespace {

constexpr double longest_s = 20; // of a core: a laptop is to rest when nobody moves anything

Subject at_initial(const Subject& like, const catalog::Kernel& kernel) {
    Subject subject = like;
    subject.kernel = kernel.id;
    subject.parameters = catalog::initial_values(kernel);
    subject.breaks.clear();
    return subject;
}

std::vector<Subject> rungs_beside(const catalog::Catalog& catalog, const Subject& now) {
    std::vector<Subject> beside;
    for (const int direction : {1, -1})
        if (auto kernel = catalog.beside(now.kernel, direction)) beside.push_back(at_initial(now, *kernel));
    return beside;
}

} // namespace

std::vector<Subject> likely_next(const catalog::Catalog& catalog, const Subject& before, const Subject& now) {
    const auto kernel = catalog.find(now.kernel);
    if (!kernel) return {};
    struct Step {
        int turn;         // the rungs come second, the values beside those of other sliders third
        ptrdiff_t values; // from the present one
        Subject subject;
    };
    std::vector<Step> steps;
    const bool same_kernel = before.kernel == now.kernel;
    for (const auto& parameter : kernel->parameters) {
        const auto was = before.parameters.find(parameter.name), is = now.parameters.find(parameter.name);
        if (is == now.parameters.end()) continue;
        const bool moved = same_kernel && was != before.parameters.end() && was->second != is->second;
        const auto at =
            std::find(parameter.values.begin(), parameter.values.end(), is->second) - parameter.values.begin();
        const bool onwards = !moved || was->second < is->second;
        for (ptrdiff_t i = 0; i < std::ssize(parameter.values); ++i) {
            const auto other =
                onwards ? std::ssize(parameter.values) - 1 - i : i; // of two as far away the one ahead comes first
            auto legal = catalog::nearest_legal(*kernel, now.parameters, parameter.name,
                                                parameter.values[static_cast<size_t>(other)]);
            if (!legal || *legal == now.parameters) continue;
            const auto distance = std::abs(other - at);
            steps.push_back({moved ? 1 : distance == 1 ? 3 : 4, distance, now});
            steps.back().subject.parameters = std::move(*legal);
        }
    }
    for (Subject& rung : rungs_beside(catalog, now)) steps.push_back({same_kernel ? 2 : 0, 0, std::move(rung)});
    std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) {
        return std::pair(x.turn, x.values) < std::pair(y.turn, y.values);
    });
    std::vector<Subject> found;
    for (Step& step : steps)
        if (std::find(found.begin(), found.end(), step.subject) == found.end())
            found.push_back(std::move(step.subject));
    return found;
}

void CompileAhead::compile(const std::vector<Subject>& subjects) {
    std::vector<std::pair<std::shared_ptr<const catalog::Kernel>, Subject>> wanted;
    for (const Subject& subject : subjects)
        if (auto kernel = catalog_.find(subject.kernel)) wanted.emplace_back(std::move(kernel), subject);
    auto work =
        [wanted = std::move(wanted)](std::stop_token stop) { // resolves there, too: thirty settings take half a frame
            const auto start = base::Clock::now();
            for (const auto& [kernel, subject] : wanted) {
                if (stop.stop_requested() || base::seconds_since(start) > longest_s) break;
                const auto found = resolve(*kernel, subject);
                if (!found) continue;
                const auto ptx = compile::to_ptx(found->source, stop);
                if (ptx.value && found->engine == Engine::machine)
                    (void)compile::to_machine_code(*ptx.value, found->source, stop);
            }
            return base::Done{};
        };
    jobs_.start(job, std::move(work), [](base::Done&&) {});
}

} // namespace session
