#include "ui/speed/why.h"

#include "ui/draw/grid.h"
#include "views/number_rows.h"
#include "views/plot_data.h"

#include <algorithm>
#include <functional>

namespace ui {
namespace {

using session::SettingFacts;

struct Row {
    const char* name; // of the tables
    std::function<std::string(const Context&, const SettingFacts&)> text;
};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

const std::vector<Row>& rows() {
    using C = Context;
    using F = SettingFacts;
    static const std::vector<Row> all{
        {"numbers.threads", [](const C&, const F& f) { return thousands(static_cast<uint64_t>(f.threads)); }},
        {"numbers.registers", [](const C&, const F& f) { return std::to_string(f.registers); }},
        {"numbers.spills", [](const C&, const F& f) { return thousands(f.spill_bytes) + " B"; }},
        {"why.shared", [](const C&, const F& f) { return thousands(f.shared_bytes) + " B"; }},
        {"numbers.occupancy", [](const C&, const F& f) { return percent(f.occupancy.fraction()); }},
        {"numbers.limiter", [](const C& c, const F& f) { return std::string(c.tr(limiter_key(f.occupancy.limiter))); }},
        {"why.products", [](const C&, const F& f) { return percent(f.product_share); }},
        {"why.excessive", [](const C&, const F& f) { return percent(f.excessive_share); }},
        {"why.waves", [](const C&, const F& f) { return thousands(f.waves()); }},
        {"why.last_wave", [](const C&, const F& f) { return percent(f.last_wave()); }},
    };
    return all;
}

int multiprocessors_of(const Context& context, const std::string& device) {
    const KnownDevice known = known_device(context.session.gpu().here, context.session.devices(), device);
    if (known.record) return known.record->device.multiprocessors;
    const analysis::Device* listed = device_named(device);
    return listed ? listed->multiprocessors : 0;
}

} // namespace

float why_width(const Context& context) {
    float names = 0;
    for (const Row& row : rows()) names = std::max(names, text_size(context.style.text, context.tr(row.name)).x);
    return names + 2 * text_size(context.style.mono, "0000000000").x + 4 * context.style.unit;
}

void draw_why(Context& context, const Rect& area, const SpeedNow& now, const session::Speeds::Best& best) {
    const Style& style = context.style;
    const bool is_best = best.values == now.values;
    context.commands.facts = is_best ? std::vector{now.values} : std::vector{now.values, best.values};
    context.commands.multiprocessors = multiprocessors_of(context, now.speeds.device());
    const auto here = context.session.facts(now.values), there = is_best ? nullptr : context.session.facts(best.values);
    const float value = text_size(style.mono, "0000000000").x, line = style.text->FontSize + style.unit / 2;
    const float drop = style.text->Ascent - style.mono->Ascent, last = area.right(),
                first = is_best ? last : last - value;
    float y = area.y;
    text_right(style.text, {first, y}, style.colour.text, context.tr("why.here"));
    if (!is_best) text_right(style.text, {last, y}, style.colour.text, context.tr("why.best"));
    y += line;
    const auto known = [](const auto& facts) { return facts && facts->ok() ? &**facts : nullptr; };
    for (const Row& row : rows()) {
        if (y + line > area.bottom()) return;
        const SettingFacts *mine = known(here), *its = known(there);
        const std::string left = mine ? row.text(context, *mine) : "\u2026", right = its       ? row.text(context, *its)
                                                                                     : is_best ? ""
                                                                                               : "\u2026";
        const bool differs = mine && its && left != right;
        const ImU32 ink = differs ? style.colour.text : style.colour.dim;
        text_cut(context, style.text, {area.x, y}, first - value - area.x, ink, context.tr(row.name));
        text_right(style.mono, {first, y + drop}, ink, left);
        if (!is_best) text_right(style.mono, {last, y + drop}, ink, right);
        if (hovered({area.x, y, area.width, line})) tooltip(context, context.tr(std::string(row.name) + "_tip"));
        y += line;
    }
    if (here && !here->ok())
        text_cut(context, style.text, {area.x, y}, area.width, style.colour.dim, context.tr(here->error().what));
}

} // namespace ui
