#include "ui/speed/predicted.h"

#include "ui/draw/grid.h"
#include "ui/speed/sliders.h"

#include <algorithm>

namespace ui {
namespace {

session::PredictionKey key_of(const Context& context, const catalog::Values& values, const catalog::Problem& size) {
    session::Subject subject = context.view.subject;
    subject.parameters = values;
    subject.problem = size;
    return {std::move(subject), context.view.what_if};
}

} // namespace

PredictedAnswer predicted(const Context& context, const catalog::Values& values, const catalog::Problem& size) {
    const auto kernel = context.session.kernel();
    if (!kernel || kernel->id != context.view.subject.kernel) return nullptr; // another was chosen in this frame
    const session::PredictionKey key = key_of(context, values, size);
    if (auto known = context.session.predicted(key)) return known;
    std::vector<session::PredictionWish>& wishes = context.commands.predictions;
    const auto is_it = [&](const session::PredictionWish& wish) { return wish.key == key; };
    if (std::any_of(wishes.begin(), wishes.end(), is_it)) return nullptr;
    const catalog::Values now = values_in_force(context, *kernel);
    const auto is_other = [&](const session::PredictionWish& wish) { return wish.key.subject.parameters != now; };
    const auto place = values == now ? std::find_if(wishes.begin(), wishes.end(), is_other) : wishes.end();
    wishes.insert(place, {kernel, key});
    return nullptr;
}

PredictedAnswer predicted_beside(const Context& context, const PredictedAnswer& present, const catalog::Values& values,
                                 const catalog::Problem& size) {
    const bool affordable = present && *present && (*present)->put_in_time <= affordable_instructions;
    return affordable ? predicted(context, values, size) : nullptr;
}

const session::PredictedSpeed* speed_of(const PredictedAnswer& answer) {
    return answer && *answer && (*answer)->gflops > 0 ? &**answer : nullptr;
}

std::string predicted_text(const Context& context, const PredictedAnswer& answer) {
    if (!answer) return {};
    if (!*answer) return say(context, "predicted.none", context.tr(answer->error()));
    const session::PredictedSpeed* speed = speed_of(answer);
    if (!speed) return {};
    return say(context, "predicted.speed", gflops(speed->gflops)) + "; " + error_text(context.tr, speed->error);
}

std::string predicted_device(const Context& context) {
    for (const session::DeviceRecord& one : context.session.devices())
        if (one.device.arch == context.view.subject.arch) return one.device.name;
    return context.view.subject.arch;
}

} // namespace ui
