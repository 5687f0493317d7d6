// What the GPU is, its peaks by arithmetic and by measurement, and what each rung reaches of them.
#include "ui/grid.h"
#include "ui/plot_views.h"

#include <algorithm>

namespace ui {
namespace {

// The kernel's fastest sample in the group, whatever its size and parameters; nothing if there is none.
std::optional<Figure> fastest(const SeriesGroup& group, const std::string& kernel) {
    std::optional<Figure> best;
    for (const gpu::Series* series : group.series) {
        const gpu::Sample* sample = series->kernel == kernel ? gpu::fastest(*series) : nullptr;
        if (sample && (!best || sample->gflops > best->sample.gflops)) best = {series, *sample};
    }
    return best;
}

struct Reached {
    std::string title;
    Figure figure;
    bool current = false;
};

std::vector<Reached> reached(const Context& context, const std::optional<SeriesGroup>& group) {
    std::vector<Reached> rows;
    if (!group) return rows;
    const session::Session& session = context.session;
    for (const auto& kernel : compared_kernels(session))
        if (auto figure = fastest(*group, kernel->id))
            rows.push_back({context.tr(kernel->title), *figure, kernel->id == session.view().subject.kernel});
    const gpu::Series* reference = cublas_of(*group, catalog::OperandType::f32);
    if (const gpu::Sample* sample = reference ? gpu::fastest(*reference) : nullptr)
        rows.push_back({series_title(context, *reference), {reference, *sample}});
    return rows;
}

std::string percent(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "";
}

// Recorded where and when, or here; and whose peaks stand in where these were not measured.
std::string whence(const Context& context, const KnownDevice& device) {
    const bool here = device.record->file.empty();
    std::string words = here ? std::string(context.tr("device.here")) : say(context, "device.recorded", device.record->file);
    if (device.measured && device.measured != device.record)
        words += " · " + say(context, "device.peaks_recorded", device.measured->file);
    if (device.measured && !device.measured->file.empty()) words += " · " + device.peaks()->date;
    return words;
}

class DevicePage {
public:
    DevicePage(Context& context, const KnownDevice& device, const std::optional<SeriesGroup>& group)
        : context_(context), style_(context.style), known_(device),
          peaks_(session::arithmetic(device.record->device)), rows_(reached(context, group)) {}

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
        Rect rest = beside ? Rect{left_.right() + 4 * style_.unit, area.y,
                                  area.width - width - 4 * style_.unit, area.height}
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
        const float room = left_.width - indent,
                    tall = font->CalcTextSizeA(font->FontSize, FLT_MAX, room, words.data(),
                                               words.data() + words.size())
                               .y;
        ImGui::GetWindowDrawList()->AddText(font, font->FontSize, {left_.x + indent, y_}, ink, words.data(),
                                            words.data() + words.size(), room);
        y_ += tall + style_.unit / 2;
    }

    void facts() {
        const gpu::Device& d = known_.record->device;
        constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
        line(style_.text, style_.colour.text, d.name + " · " + whence(context_, known_));
        line(style_.text, style_.colour.dim,
             say(context_, "device.chip", d.multiprocessors, d.arch, d.sm_clock_mhz));
        line(style_.text, style_.colour.dim,
             say(context_, "device.memories", short_number(double(d.memory_bytes) / gib),
                 short_number(double(d.l2_bytes) / mib), short_number(double(d.shared_bytes) / kib)));
        y_ += style_.unit;
        const gpu::Peaks* m = known_.peaks();
        product("device.fp32",
                fmt::format("{} × {} × 2 × {} MHz = {:.1f} TFLOPS", d.multiprocessors, peaks_.fp32_lanes,
                            d.sm_clock_mhz, peaks_.fma_gflops / 1e3),
                "device.fp32_factors",
                m ? say(context_, "device.fp32_measured", fmt::format("{:.1f}", m->fma_gflops / 1e3),
                        percent(m->fma_gflops, peaks_.fma_gflops), m->fma_clock_mhz)
                  : "");
        product("device.memory",
                fmt::format("{} bit ÷ 8 × 2 × {} MHz = {:.0f} GB/s", d.memory_bus_bits, d.memory_clock_mhz,
                            peaks_.memory_gb_s),
                "device.memory_factors",
                m ? say(context_, "device.memory_measured", fmt::format("{:.0f}", m->copy_gb_s),
                        percent(m->copy_gb_s, peaks_.memory_gb_s))
                  : "");
        if (!m) line(style_.text, style_.colour.dim, context_.tr("device.not_measured"));
    }

    // A peak as the multiplication that it is, what its factors are, and what was measured.
    void product(const char* name, const std::string& multiplied, const char* factors,
                 const std::string& measured) {
        const float indent = std::max(text_size(style_.text, context_.tr("device.fp32")).x,
                                      text_size(style_.text, context_.tr("device.memory")).x) +
                             3 * style_.unit;
        text(style_.text, {left_.x, y_}, style_.colour.dim, context_.tr(name));
        line(style_.mono, style_.colour.text, multiplied, indent);
        line(style_.text, style_.colour.dim, context_.tr(factors), indent);
        if (!measured.empty()) line(style_.text, style_.colour.text, measured, indent);
        y_ += style_.unit;
    }

    // The height below which the bars' rows would overlap: a heading, the rows, and the names of the peaks.
    float least_bars() const {
        if (rows_.empty()) return 0;
        return static_cast<float>(rows_.size()) * 1.25f * style_.text->FontSize + 2 * style_.text->FontSize +
               style_.unit;
    }

    // A bar for each rung, from 0 to the peak by arithmetic, with the measured peak as a line through all of
    // them.
    void bars(const Rect& area) {
        if (rows_.empty() || peaks_.fma_gflops <= 0) return;
        const float font = style_.text->FontSize, unit = style_.unit;
        const double measured = known_.peaks() ? known_.peaks()->fma_gflops : 0;
        float titles = 0;
        for (const Reached& row : rows_) titles = std::max(titles, text_size(style_.text, row.title).x);
        titles = std::min(titles + 3 * unit, area.width * 0.35f);
        const char* shares = context_.tr(measured > 0 ? "device.of_both" : "device.of_arithmetic");
        const float numbers = std::max(text_size(style_.mono, "00.0 TFLOPS  000.0 %  000.0 %").x,
                                       text_size(style_.text, shares).x) +
                              2 * unit;
        const float left = area.x + titles, width = area.width - titles - numbers;
        if (width < 8 * unit) return;
        text_right(style_.text, {area.right(), area.y}, style_.colour.dim, shares);
        const float top = area.y + font + unit,
                    height =
                        std::min(2 * font, (area.bottom() - top - font) / static_cast<float>(rows_.size()));
        if (height < font) return;
        const auto at = [&](double gflops) {
            return left + width * static_cast<float>(gflops / peaks_.fma_gflops);
        };
        for (size_t i = 0; i < rows_.size(); ++i)
            row(rows_[i], {area.x, top + static_cast<float>(i) * height, area.width, height}, titles, at(0),
                at(rows_[i].figure.sample.gflops), measured);
        const float bottom = top + static_cast<float>(rows_.size()) * height;
        fill({at(peaks_.fma_gflops), top, 1, bottom - top}, style_.colour.dim);
        if (measured > 0) fill({at(measured) - 1, top, 2, bottom - top}, style_.colour.text);
        const std::string names = measured > 0
                                      ? say(context_, "plot.peaks", operands_text(catalog::OperandType::f32),
                                            gflops(peaks_.fma_gflops), gflops(measured))
                                      : say(context_, "plot.peak", operands_text(catalog::OperandType::f32),
                                            gflops(peaks_.fma_gflops));
        const float right = std::max(at(peaks_.fma_gflops), area.x + text_size(style_.text, names).x);
        text_right(style_.text, {right, bottom}, style_.colour.dim, names);
    }

    void row(const Reached& row, const Rect& box, float titles, float from, float to, double measured) {
        const float y = box.y + (box.height - style_.text->FontSize) / 2;
        text_cut(context_, style_.text, {box.x, y}, titles - 2 * style_.unit,
                 row.current ? style_.colour.text : style_.colour.dim, row.title);
        const bool reference = row.figure.series->kernel.empty();
        const ImU32 ink = row.current ? style_.colour.selection
                          : reference ? style_.colour.text
                                      : mixed(style_.colour.panel, style_.colour.dim, 0.75f);
        fill({from, box.y + style_.unit / 2, std::max(to - from, 1.0f), box.height - style_.unit}, ink);
        const gpu::Sample& sample = row.figure.sample;
        std::string numbers =
            fmt::format("{}  {:>7}", gflops(sample.gflops), percent(sample.gflops, peaks_.fma_gflops));
        if (measured > 0) numbers += fmt::format("  {:>7}", percent(sample.gflops, measured));
        text_right(style_.mono, {box.right(), y + style_.text->Ascent - style_.mono->Ascent},
                   style_.colour.text, numbers);
        if (hovered(box))
            tooltip(context_, size_text(sample.m, sample.n, sample.k) + ": " + gflops(sample.gflops) + "\n" +
                                  provenance(context_.tr, *row.figure.series));
    }

    Context& context_;
    const Style& style_;
    const KnownDevice& known_;
    session::Arithmetic peaks_;
    std::vector<Reached> rows_;
    Rect left_;
    float y_ = 0;
};

// What the page is about, and the series that were measured on that device: live ones completed by recorded ones.
struct Shown {
    KnownDevice device;
    std::optional<SeriesGroup> group;
};

Shown shown(const Context& context, const std::vector<SeriesGroup>& groups) {
    const auto& here = context.session.gpu().here;
    Shown found{known_device(here, context.session.devices(), here ? here->device.name : ""), {}};
    if (!found.device.record) return found;
    for (const SeriesGroup& group : groups)
        if (!found.group && group.device == found.device.record->device.name) found.group = completed(group, groups);
    return found;
}

} // namespace

TextTable device_table(const Context& context, const std::vector<SeriesGroup>& groups) {
    TextTable table;
    for (const char* key :
         {"device.quantity", "device.value", "device.of_arithmetic_column", "device.of_measured_column"})
        table.columns.push_back(context.tr(key));
    const auto [device, group] = shown(context, groups);
    if (!device.record) return table;
    const session::Arithmetic peaks = session::arithmetic(device.record->device);
    const gpu::Peaks* measured = device.peaks();
    table.rows.push_back({device.record->device.name, whence(context, device)});
    table.rows.push_back({context.tr("device.fp32"), gflops(peaks.fma_gflops)});
    table.rows.push_back({context.tr("device.memory"), fmt::format("{:.0f} GB/s", peaks.memory_gb_s)});
    if (measured) {
        const std::string suffix = " · " + std::string(context.tr("device.measured"));
        table.rows.push_back({context.tr("device.fp32") + suffix, gflops(measured->fma_gflops),
                              percent(measured->fma_gflops, peaks.fma_gflops)});
        table.rows.push_back({context.tr("device.memory") + suffix,
                              fmt::format("{:.0f} GB/s", measured->copy_gb_s),
                              percent(measured->copy_gb_s, peaks.memory_gb_s)});
    }
    for (const Reached& row : reached(context, group)) {
        const double reaches = row.figure.sample.gflops;
        table.rows.push_back({row.title, gflops(reaches), percent(reaches, peaks.fma_gflops),
                              measured ? percent(reaches, measured->fma_gflops) : ""});
    }
    return table;
}

void draw_device(Context& context, const Rect& area, const std::vector<SeriesGroup>& groups) {
    const auto [device, group] = shown(context, groups);
    if (!device.record) return sentence(context, context.tr("device.none"));
    DevicePage(context, device, group).draw(area);
    const bool running = context.session.gpu().face == session::GpuState::Face::running;
    if (!device.record->file.empty() || device.record->measured || running) return;
    const ImVec2 size = text_size(context.style.text, context.tr("device.measure"));
    ImGui::SetCursorScreenPos({area.x, area.bottom() - size.y - 2 * context.style.unit});
    if (button(context, "device.measure", context.tr("device.measure")))
        context.commands.measure_peaks = true;
}

} // namespace ui
