// What the GPU is, its peaks by arithmetic and by measurement, and what each rung reaches of them.
#include "session/ceiling.h"
#include "ui/draw/grid.h"
#include "ui/plot/plot_views.h"
#include "views/device_rows.h"

#include <algorithm>

namespace ui {
namespace {

// The kernel's fastest sample in the group, whatever its size and parameters: of one that was not measured at the size of
// the others. Nothing if there is none.
std::optional<Figure> fastest(const SeriesGroup& group, const std::string& kernel) {
    std::optional<Figure> best;
    for (const measure::Series* series : group.series) {
        const measure::Sample* sample = series->kernel == kernel ? measure::fastest(*series) : nullptr;
        if (sample && (!best || sample->gflops > best->sample.gflops)) best = {series, *sample};
    }
    return best;
}

struct Reached {
    std::string title; // with the size, where it is another one than that of the page
    Figure figure;
    session::Ceiling ceiling; // of the units that compute it
    bool current = false;
};

// What the page is about, and the series that were measured on that device: live ones completed by recorded
// ones, and at which size they are looked at.
struct Shown {
    KnownDevice device;
    std::optional<SeriesGroup> group;
    std::optional<catalog::Problem> size;
};

Shown shown(const Context& context, const std::vector<SeriesGroup>& groups) {
    const auto& here = context.session.gpu().here;
    Shown found{known_device(here, context.session.devices(), here ? here->device.name : ""), {}, {}};
    if (!found.device.record) return found;
    for (const SeriesGroup& group : groups)
        if (!found.group && group.device == found.device.record->device.name) found.group = completed(group, groups);
    if (found.group) found.size = nearest_size(*found.group, context.session.view().speed_problem);
    return found;
}

std::string size_of(const catalog::Problem& size) { return size_text(size.m, size.n, size.k); }

std::vector<Reached> reached(const Context& context, const Shown& page) {
    const KnownDevice& known = page.device;
    const std::optional<SeriesGroup>& group = page.group;
    std::vector<Reached> rows;
    if (!group || !page.size) return rows;
    const session::Session& session = context.session;
    const analysis::Device device = session::arithmetic(known.record->device);
    const auto ceiling = [&](const measure::Series& series) {
        return session::ceiling(session::unit_of(series, session.catalog(), device), device, known.peaks());
    };
    for (const auto& kernel : compared_kernels(session)) {
        std::string title = context.tr(kernel->title);
        auto reaches = figure(*group, kernel->id, *page.size);
        if (!reaches && (reaches = fastest(*group, kernel->id)))
            title += " · " + size_of({reaches->sample.m, reaches->sample.n, reaches->sample.k});
        if (reaches)
            rows.push_back({title, *reaches, ceiling(*reaches->series), kernel->id == session.view().subject.kernel});
    }
    if (const auto reference = reference_figure(*group, group->series.front()->operands, *page.size))
        rows.push_back({series_title(context, *reference->series), *reference, ceiling(*reference->series)});
    return rows;
}

// Of all rows, each once, in their order.
std::vector<session::Ceiling> ceilings(const std::vector<Reached>& rows) {
    std::vector<session::Ceiling> found;
    for (const Reached& row : rows)
        if (std::find(found.begin(), found.end(), row.ceiling) == found.end()) found.push_back(row.ceiling);
    return found;
}

// Recorded where and when, or here; and whose peaks stand in where these were not measured.
std::string whence(const Context& context, const KnownDevice& device) {
    const bool here = device.record->file.empty();
    std::string words =
        here ? std::string(context.tr("device.here")) : say(context, "device.recorded", device.record->file);
    if (device.measured && device.measured != device.record)
        words += " · " + say(context, "device.peaks_recorded", device.measured->file);
    if (device.measured && !device.measured->file.empty()) words += " · " + device.peaks()->date;
    return words;
}

class DevicePage {
public:
    DevicePage(Context& context, const Shown& page)
        : context_(context), style_(context.style), known_(page.device),
          device_(session::arithmetic(page.device.record->device)), rows_(reached(context, page)),
          ceilings_(ceilings(rows_)) {
        if (page.size && page.group)
            whence_ = say(context, "device.speed_at", size_of(*page.size), origin_on(context, *page.group));
    }

    // Scrolls where there is more than fits.
    void draw(const Rect& box) {
        ImGui::SetCursorScreenPos({box.x, box.y});
        ImGui::BeginChild("device", {box.width, box.height});
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Rect area{at.x, at.y, ImGui::GetContentRegionAvail().x, box.height};
        const float line = style_.text->FontSize;
        const bool beside = area.width > 52 * line && area.height < 24 * line; // else one below the other
        const float width = beside ? std::max(area.width * 0.42f, 26 * line) : area.width;
        y_ = area.y;
        left_ = {area.x, area.y, width, area.height};
        facts();
        Rect rest =
            beside ? Rect{left_.right() + 4 * style_.unit, area.y, area.width - width - 4 * style_.unit, area.height}
                   : Rect{area.x, y_ + style_.unit, area.width, area.bottom() - y_ - style_.unit};
        rest.height = std::max(rest.height, least_bars());
        bars(rest);
        ImGui::SetCursorScreenPos(at);
        ImGui::Dummy({1, std::max(y_, rest.bottom()) - at.y});
        ImGui::EndChild();
    }

private:
    // Wrapped where it is too long.
    void line(ImFont* font, ImU32 ink, const std::string& words, float indent = 0) {
        y_ += text_wrapped(font, {left_.x + indent, y_}, left_.width - indent, ink, words) + style_.unit / 2;
    }

    void facts() {
        const measure::Device& d = known_.record->device;
        line(style_.text, style_.colour.text, d.name + " · " + whence(context_, known_));
        for (const std::string& words : device_facts(context_.tr, d)) line(style_.text, style_.colour.dim, words);
        y_ += style_.unit;
        const measure::Peaks* m = known_.peaks();
        const auto peaks = device_peaks(context_.tr, d, m, units());
        float indent = 0;
        for (const DevicePeak& row : peaks) indent = std::max(indent, text_size(style_.text, row.name).x);
        for (const DevicePeak& row : peaks) peak(row, indent + 3 * style_.unit);
        const std::string caches = m ? caches_text(context_.tr, *m) : "";
        if (!caches.empty()) line(style_.text, style_.colour.text, caches);
        if (!m) line(style_.text, style_.colour.dim, context_.tr("device.not_measured"));
    }

    // Those of every device, and what else the rows are measured against.
    std::vector<analysis::Unit> units() const {
        std::vector<analysis::Unit> all{analysis::Unit::fp32, analysis::Unit::fp64};
        for (const session::Ceiling& one : ceilings_)
            if (one.gflops > 0 && std::find(all.begin(), all.end(), one.unit) == all.end()) all.push_back(one.unit);
        return all;
    }

    // A peak as the multiplication that it is, what its factors are, and what was measured.
    void peak(const DevicePeak& row, float indent) {
        text(style_.text, {left_.x, y_}, style_.colour.dim, row.name);
        line(style_.mono, style_.colour.text, row.product, indent);
        line(style_.text, style_.colour.dim, row.factors, indent);
        if (!row.measured.empty()) line(style_.text, style_.colour.text, row.measured, indent);
        y_ += style_.unit;
    }

    // The height below which the bars' rows would overlap: a heading, the rows, and the names of the peaks.
    float least_bars() const {
        if (rows_.empty()) return 0;
        return (static_cast<float>(rows_.size()) * 1.25f + 1 + static_cast<float>(ceilings_.size())) *
                   style_.text->FontSize +
               style_.unit;
    }

    // A bar for each rung, on one scale, with the peaks of the units that compute it as lines through its
    // row: by arithmetic, and measured.
    void bars(const Rect& area) {
        double most = 0;
        bool measured = false;
        for (const Reached& row : rows_) {
            most = std::max({most, row.ceiling.gflops, row.figure.sample.gflops});
            measured |= row.ceiling.measured_gflops > 0;
        }
        if (most <= 0) return;
        const float font = style_.text->FontSize, unit = style_.unit;
        float titles = 0;
        for (const Reached& row : rows_) titles = std::max(titles, text_size(style_.text, row.title).x);
        titles = std::min(titles + 3 * unit, area.width * 0.35f);
        const char* shares = context_.tr(measured ? "device.of_both" : "device.of_arithmetic");
        const float numbers =
            std::max(text_size(style_.mono, measured ? "0000.0 TFLOPS  000.0 %  000.0 %" : "0000.0 TFLOPS  000.0 %").x,
                     text_size(style_.text, shares).x) +
            2 * unit;
        const float left = area.x + titles, width = area.width - titles - numbers;
        if (width < 8 * unit) return;
        text_cut(context_, style_.text, {area.x, area.y}, area.width - text_size(style_.text, shares).x - 2 * unit,
                 style_.colour.dim, whence_);
        text_right(style_.text, {area.right(), area.y}, style_.colour.dim, shares);
        const float top = area.y + font + unit, names = font * static_cast<float>(ceilings_.size()),
                    height = std::min(2 * font, (area.bottom() - top - names) / static_cast<float>(rows_.size()));
        if (height < font) return;
        const auto at = [&](double gflops) { return left + width * static_cast<float>(gflops / most); };
        for (size_t i = 0; i < rows_.size(); ++i) {
            const Rect box{area.x, top + static_cast<float>(i) * height, area.width, height};
            const session::Ceiling& ceiling = rows_[i].ceiling;
            row(rows_[i], box, titles, at(0), at(rows_[i].figure.sample.gflops), measured);
            if (ceiling.gflops > 0) fill({at(ceiling.gflops), box.y, 1, box.height}, style_.colour.dim);
            if (ceiling.measured_gflops > 0)
                fill({at(ceiling.measured_gflops) - 1, box.y, 2, box.height}, style_.colour.text);
        }
        float bottom = top + static_cast<float>(rows_.size()) * height;
        for (const session::Ceiling& ceiling : ceilings_) {
            const std::string name = ceiling_name(ceiling);
            const float right = std::max(at(most), area.x + text_size(style_.text, name).x);
            text_right(style_.text, {right, bottom}, style_.colour.dim, name);
            bottom += font;
        }
    }

    // "FP64 peak: 33.5 TFLOPS by arithmetic, 33.1 TFLOPS measured", or that there is none and so no share of
    // it.
    std::string ceiling_name(const session::Ceiling& ceiling) const {
        const std::string unit = unit_text(context_.tr, ceiling.unit);
        if (ceiling.gflops <= 0) return say(context_, "device.no_rate", unit, device_.arch);
        if (ceiling.measured_gflops <= 0) return say(context_, "plot.peak", unit, gflops(ceiling.gflops));
        return say(context_, "plot.peaks", unit, gflops(ceiling.gflops), gflops(ceiling.measured_gflops));
    }

    void row(const Reached& row, const Rect& box, float titles, float from, float to, bool measured) {
        const float y = box.y + (box.height - style_.text->FontSize) / 2;
        text_cut(context_, style_.text, {box.x, y}, titles - 2 * style_.unit,
                 row.current ? style_.colour.text : style_.colour.dim, row.title);
        const bool reference = row.figure.series->kernel.empty();
        const ImU32 ink = row.current ? style_.colour.selection
                          : reference ? style_.colour.text
                                      : mixed(style_.colour.panel, style_.colour.dim, 0.75f);
        fill({from, box.y + style_.unit / 2, std::max(to - from, 1.0f), box.height - style_.unit}, ink);
        const measure::Sample& sample = row.figure.sample;
        std::string numbers =
            fmt::format("{}  {:>7}", gflops(sample.gflops), percent_text(sample.gflops, row.ceiling.gflops));
        if (measured) numbers += fmt::format("  {:>7}", percent_text(sample.gflops, row.ceiling.measured_gflops));
        text_right(style_.mono, {box.right(), y + style_.text->Ascent - style_.mono->Ascent}, style_.colour.text,
                   numbers);
        if (hovered(box))
            tooltip(context_, size_text(sample.m, sample.n, sample.k) + ": " + gflops(sample.gflops) + "\n" +
                                  provenance(context_.tr, *row.figure.series));
    }

    Context& context_;
    const Style& style_;
    const KnownDevice& known_;
    analysis::Device device_; // by arithmetic
    std::vector<Reached> rows_;
    std::vector<session::Ceiling> ceilings_; // of the rows
    std::string whence_;                     // of the rows: at which size, where
    Rect left_;
    float y_ = 0;
};

} // namespace

Table device_table(const Context& context, const std::vector<SeriesGroup>& groups) {
    Table table{.columns = table_columns(context.tr, {{"device.quantity"},
                                                      {"device.value"},
                                                      {"device.of_arithmetic_column"},
                                                      {"device.of_measured_column"},
                                                      {"device.unit_column"},
                                                      {"device.size_column"}})};
    const Shown page = shown(context, groups);
    const KnownDevice& device = page.device;
    if (!device.record) return {.notes = {context.tr("device.none")}};
    table.notes = {device.record->device.name, whence(context, device)};
    const analysis::Device peaks = session::arithmetic(device.record->device);
    const measure::Peaks* measured = device.peaks();
    const std::string suffix = " · " + std::string(context.tr("device.measured"));
    for (const analysis::Unit unit : {analysis::Unit::fp32, analysis::Unit::fp64}) {
        const session::Ceiling found = session::ceiling(unit, peaks, measured);
        table.rows.push_back({unit_text(context.tr, unit), gflops(found.gflops)});
        if (found.measured_gflops > 0)
            table.rows.push_back({unit_text(context.tr, unit) + suffix, gflops(found.measured_gflops),
                                  percent_text(found.measured_gflops, found.gflops)});
    }
    table.rows.push_back({context.tr("device.memory"), fmt::format("{:.0f} GB/s", peaks.memory_gb_s)});
    if (measured)
        table.rows.push_back({context.tr("device.memory") + suffix, fmt::format("{:.0f} GB/s", measured->copy_gb_s),
                              percent_text(measured->copy_gb_s, peaks.memory_gb_s)});
    if (measured)
        for (auto [key, gb_s] : {std::pair{"device.l2", measured->l2_gb_s}, {"device.l1", measured->l1_gb_s}})
            if (gb_s > 0) table.rows.push_back({context.tr(key) + suffix, fmt::format("{:.0f} GB/s", gb_s)});
    for (const Reached& row : reached(context, page)) {
        const double reaches = row.figure.sample.gflops;
        table.rows.push_back({row.title, gflops(reaches), percent_text(reaches, row.ceiling.gflops),
                              percent_text(reaches, row.ceiling.measured_gflops),
                              unit_text(context.tr, row.ceiling.unit),
                              size_of({row.figure.sample.m, row.figure.sample.n, row.figure.sample.k})});
    }
    return table;
}

void draw_device(Context& context, const Rect& area, const std::vector<SeriesGroup>& groups) {
    const Shown shown_page = shown(context, groups);
    const KnownDevice& device = shown_page.device;
    if (!device.record) return sentence(context, context.tr("device.none"));
    const bool running = context.session.gpu().face == session::GpuState::Face::running;
    const bool may_measure = device.record->file.empty() && !device.record->measured && !running;
    Rect page = area;
    if (may_measure)
        page.height -= context.style.text->FontSize + 4 * context.style.unit; // the page scrolls above the button
    DevicePage(context, shown_page).draw(page);
    context.probe.mark("device.page", page.x, page.y, page.width, page.height);
    if (!may_measure) return;
    ImGui::SetCursorScreenPos({page.x, page.bottom() + context.style.unit});
    if (button(context, "device.measure", context.tr("device.measure"))) context.commands.measure_peaks = true;
}

} // namespace ui
