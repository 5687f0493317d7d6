#include "session/view_fields.h"
#include "ui/panel.h"

#include <array>

namespace ui {

namespace {

using session::MiddleTab;

template <MiddleTab tab>
void on_tab(session::View& view) {
    view.middle_tab = tab;
}

template <session::PlotTab tab>
void on_plot(session::View& view) {
    view.plot_tab = tab;
}

// Beside the map: some views take its room.
void with_map(session::View& view) {
    if (panel_of(view.middle_tab).large) view.middle_tab = MiddleTab::banks;
}

void as_is(session::View&) {}

constexpr PanelRow rows[] = {
    {"ladder", "ladder.title", draw_ladder, as_is, 640},
    {"tiles", "tiles.title", draw_tiles, as_is, 640},
    {"map", "map.title", draw_map, with_map, 1040},
    {"banks", "window.banks", draw_banks, on_tab<MiddleTab::banks>, 1040},
    {"sectors", "window.sectors", draw_sectors, on_tab<MiddleTab::sectors>, 1320},
    {"timeline", "window.timeline", draw_timeline, on_tab<MiddleTab::timeline>, 1040},
    {"shared", "window.shared", draw_shared, on_tab<MiddleTab::shared>, 1360},
    {"registers", "window.registers", draw_registers, on_tab<MiddleTab::registers>, 1100},
    {"compare", "window.compare", draw_compare, on_tab<MiddleTab::compare>, 1240, true},
    {"result", "window.result", draw_result, on_tab<MiddleTab::result>, 1040, true},
    {"blocks", "window.blocks", draw_blocks, on_tab<MiddleTab::blocks>, 1040},
    {"stream", "window.stream", draw_stream, on_tab<MiddleTab::stream>, 1040},
    {"source", "code.title", draw_code, as_is, 1040},
    {"numbers", "numbers.title", draw_numbers, as_is, 880},
    {"plot", "plot.title", draw_plot, as_is, 960},
    {"ladder_plot", "plot.ladder", draw_plot, on_plot<session::PlotTab::ladder>, 960},
    {"parameter", "plot.parameter", draw_plot, on_plot<session::PlotTab::parameter>, 960},
    {"roofline", "plot.roofline", draw_plot, on_plot<session::PlotTab::roofline>, 960},
    {"errors", "plot.errors", draw_plot, on_plot<session::PlotTab::errors>, 960},
    {"device", "plot.device", draw_plot, on_plot<session::PlotTab::device>, 960},
    {"transport", "transport.title", draw_transport, as_is, 960},
};

} // namespace

std::span<const PanelRow> panels() { return rows; }

const PanelRow* find_panel(std::string_view id) {
    for (const PanelRow& row : rows)
        if (row.id == id) return &row;
    return nullptr;
}

const PanelRow& panel_of(MiddleTab tab) {
    const PanelRow* row = find_panel(session::names_of(tab)[static_cast<size_t>(tab)]);
    return row ? *row : rows[0]; // a test finds a tab without a row
}

const PanelRow& panel_of(session::PlotTab tab) {
    constexpr std::array<const char*, session::names_of(session::PlotTab{}).size()> ids{
        "plot", "ladder_plot", "parameter", "roofline", "errors", "device"};
    return *find_panel(ids[static_cast<size_t>(tab)]);
}

bool show_view(session::View& view, std::string_view id) {
    const PanelRow* row = find_panel(id);
    if (!row) return false;
    session::Layout& layout = view.layout;
    const std::pair<void (*)(Context&), bool*> panels_shown[] = {
        {draw_ladder, &layout.ladder},   {draw_tiles, &layout.ladder},    {draw_map, &layout.map_panel},
        {draw_code, &layout.code_panel}, {draw_numbers, &layout.numbers}, {draw_plot, &layout.plot}};
    bool* shown = row->draw == draw_transport ? nullptr : &layout.banks; // the middle has all the tabs
    for (const auto& [draw, panel] : panels_shown)
        if (draw == row->draw) shown = panel;
    if (shown) *shown = true;
    row->prepare(view);
    return true;
}

const char* about(const Context& context, std::string_view view) {
    return find_panel(view) ? context.tr("about." + std::string(view)) : "";
}

} // namespace ui
