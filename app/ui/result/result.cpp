#include "ui/result/result.h"
#include "ui/draw/kept.h"

#include "ui/draw/text_table.h"
#include "ui/result/result_scene.h"
#include "ui/time/stepping.h"
#include "views/plot_data.h"

namespace ui {

namespace {

using analysis::Rectangle;
using Source = ResultShown::Source;

ResultScene scene_of(Context& context, const ResultShown& shown) {
    ResultScene scene{context, shown, shown_block(context)};
    if (!scene.block || scene.block->c < 0) return scene;
    const ArrayPicture& c = scene.block->arrays[static_cast<size_t>(scene.block->c)];
    if (c.buffer->rows != static_cast<uint64_t>(shown.m) || c.buffer->columns != static_cast<uint64_t>(shown.n))
        return scene;
    scene.c = &c;
    const int thread = selected_warp(*scene.block, context.session.view().selection) * trace::warp_size +
                       context.session.view().selection.lane;
    for (const analysis::Touch& touch : c.map->stores)
        if (touch.thread == thread) scene.owned.push_back({touch.row, touch.column});
    return scene;
}

std::string origin_of(const ResultScene& scene) {
    const ResultShown& shown = scene.shown;
    const Context& context = scene.context;
    if (shown.source == Source::cpu) return say(context, "result.cpu", shown.m, shown.n);
    const std::string way = shown.reason.empty() ? std::string(context.tr("result.interop"))
                                                 : say(context, "result.host", context.tr(shown.reason));
    return say(context, "result.gpu", shown.device, shown.kernel_ms, way);
}

struct Verdict {
    std::string words;
    bool good = true;
};

Verdict verdict_of(const ResultScene& scene) {
    const ResultShown& shown = scene.shown;
    const Context& context = scene.context;
    if (shown.source == Source::gpu) {
        if (!shown.difference) return {context.tr("result.not_compared")};
        if (shown.difference->elements == 0) return {context.tr("result.equal")};
        return {
            say(context, "result.differs", shown.difference->elements, shown.values.size(), shown.difference->largest),
            shown.verification && static_cast<double>(shown.difference->largest) <= 2 * shown.verification->tolerance};
    }
    if (!shown.verification) return {context.tr("result.not_verified")};
    const auto number = [](double value) { return fmt::format("{:.2g}", value); };
    const char* key = shown.verification->passed ? "numbers.verified" : "numbers.not_verified";
    return {say(context, key, number(shown.verification->max_abs_error), number(shown.verification->tolerance)),
            shown.verification->passed};
}

std::string size_of(const catalog::Problem& p) { return size_text(p.m, p.n, p.k); }

// What the run on the GPU waits for, and how far that is.
std::string awaited(const Context& context) {
    const session::Products& products = context.session.products();
    const bool small = products.stand_in.face == session::Slot<session::StandIn>::Face::computing;
    const auto percent = [](float progress) { return fmt::format("{:.0f}", 100 * progress); };
    if (!small) return say(context, "result.waiting", percent(products.grid.progress));
    const session::Subject& subject = context.session.view().subject;
    const auto kernel = context.session.kernel();
    const auto size = kernel ? session::stand_in_problem(*kernel, subject.parameters, subject.problem) : std::nullopt;
    return say(context, "result.waiting_small", size_of(size.value_or(subject.problem)),
               percent(products.stand_in.progress));
}

std::string gpu_words(const Context& context) {
    using Face = LiveResult::Gpu::Face;
    const LiveResult::Gpu& gpu = context.result->gpu();
    const auto checked = [&](const char* key) {
        return say(context, key, size_of(gpu.stand_in->problem), gpu.stand_in->last.x, gpu.stand_in->last.y);
    };
    switch (gpu.face) {
    case Face::waiting: return awaited(context);
    case Face::running: return context.tr("result.running");
    case Face::shown: return gpu.stand_in ? checked("result.checked_small") : std::string();
    case Face::wrong: return context.tr("result.wrong");
    case Face::unverified:
        return gpu.stand_in
                   ? checked("result.other_code")
                   : context.tr("result.unverified") + (gpu.reason.empty() ? "" : " " + context.tr(gpu.reason));
    case Face::failed:
        return say(context, "result.failed",
                   gpu.reason.empty() ? std::string(context.tr("result.no_opengl")) : context.tr(gpu.reason));
    default: return {};
    }
}

// Where C came from, whether it is right, and what became of the GPU.
void draw_lines(const ResultScene& scene, float room) {
    Context& context = scene.context;
    const Style& style = context.style;
    Rect area = free_area();
    area.width = room;
    const float line = style.text->FontSize + style.unit;
    const Verdict verdict = verdict_of(scene);
    const ImU32 colour = verdict.good ? style.colour.dim : style.colour.alarm;
    float y = area.y;
    const float used =
        text_cut(context, style.heading, {area.x, y}, area.width, style.colour.text, origin_of(scene)) + 6 * style.unit;
    const bool beside = used + text_size(style.text, verdict.words).x <= area.width;
    if (!beside) y += line;
    text_cut(context, style.text, {area.x + (beside ? used : 0), y}, area.width - (beside ? used : 0), colour,
             verdict.words);
    if (const std::string words = gpu_words(context); !words.empty()) {
        y += line;
        text_cut(context, style.text, {area.x, y}, area.width, style.colour.dim, words);
    }
    ImGui::Dummy({area.width, y + line + style.unit - area.y});
}

// As many digits as tell it from its neighbours.
std::string exact_words(base::NumbersView values, size_t at) {
    const double value = values[at];
    return values.element() == base::NumberType::f64 ? fmt::format("{}", value)
                                                     : fmt::format("{}", static_cast<float>(value));
}

std::string value_at(const ResultScene& scene, base::NumbersView values, const char* key, int64_t row, int64_t column) {
    return values.empty() ? std::string() : say(scene.context, key, exact_words(values, scene.index(row, column)));
}

std::string read_out(const ResultScene& scene, int64_t row, int64_t column, const char* between) {
    const bool gpu = scene.shown.source == Source::gpu;
    const std::string there = gpu ? value_at(scene, scene.shown.values, "result.tip_gpu", row, column) : std::string();
    const std::string here = value_at(scene, scene.shown.cpu, "result.tip_cpu", row, column);
    const std::string error = scene.shown.errors.empty() ? ""
                                                         : between + say(scene.context, "result.tip_error",
                                                                         scene.shown.errors[scene.index(row, column)]);
    return there + (there.empty() || here.empty() ? "" : between) + here + error;
}

// One number where both engines agree on it.
std::string in_short(const ResultScene& scene, int64_t row, int64_t column) {
    const base::NumbersView values = scene.shown.values;
    const bool agree =
        scene.shown.source == Source::cpu || (scene.shown.difference && scene.shown.difference->elements == 0);
    return agree && !values.empty() ? exact_words(values, scene.index(row, column))
                                    : read_out(scene, row, column, "  ");
}

std::string range_words(const ResultScene& scene) {
    return scene.error() ? say(scene.context, "result.error_range", *scene.shown.largest_error)
                         : say(scene.context, "result.range", scene.shown.least, scene.shown.most);
}

// What there is room to say at the right of the ramp.
void draw_notes(const ResultScene& scene, const Rect& room) {
    Context& context = scene.context;
    const Style& style = context.style;
    const float line = style.text->FontSize + style.unit;
    if (room.width < 24 * style.unit) return;
    float y = room.y;
    const auto note = [&](ImU32 colour, const std::string& words) {
        if (words.empty() || y + line > room.bottom()) return;
        text_cut(context, style.text, {room.x, y}, room.width, colour, words);
        y += line;
    };
    note(style.colour.text, range_words(scene));
    if (scene.error() && scene.shown.verification)
        note(style.colour.dim, say(context, "result.tolerance", scene.shown.verification->tolerance));
    if (!scene.shown.finite) {
        fill({room.x, y + style.unit / 2, 3 * style.unit, style.text->FontSize - style.unit}, style.colour.finding);
        text_cut(context, style.text, {room.x + 5 * style.unit, y}, room.width - 5 * style.unit, style.colour.alarm,
                 context.tr("result.not_numbers"));
        y += line;
    }
    if (const double down = 1 / scene.canvas.per_row, across = 1 / scene.canvas.per_column; down > 1 || across > 1)
        note(style.colour.dim, say(context,
                                   scene.error()                                                       ? "result.worst"
                                   : std::max(down, across) < static_cast<double>(gpu::least_averaged) ? "result.one"
                                                                                                       : "result.mean",
                                   std::max(down, 1.0), std::max(across, 1.0)));
    if (!scene.c) return;
    const session::Selection& selection = context.session.view().selection;
    const Rectangle box = selected_box(scene);
    y += style.unit;
    note(style.colour.dim, say(context, "result.block", selection.block.x, selection.block.y));
    note(style.colour.text,
         element_run(scene.c->buffer->name, box.row, box.column, box.row + std::max(box.rows, 1u) - 1,
                     box.column + std::max(box.columns, 1u) - 1));
    note(style.colour.dim,
         say(context, "result.thread", selected_warp(*scene.block, selection), selection.lane, scene.owned.size()));
    for (const analysis::Element& element : scene.owned)
        note(style.colour.text, element_name(scene.c->buffer->name, element.row, element.column) + "  " +
                                    in_short(scene, element.row, element.column));
}

// Whose the element is, as the map says it, and what a click does.
std::string owner_words(const ResultScene& scene, int64_t row, int64_t column, int thread) {
    const Context& context = scene.context;
    if (thread >= 0)
        return "\n" + say(context, "map.tip_stored", thread / trace::warp_size, thread % trace::warp_size, thread,
                          scene.block->step(scene.c->stored[scene.c->index(row, column)]));
    if (!scene.block || !scene.block->lattice) return {};
    const auto block = scene.block->lattice->block_at(row, column, scene.block->trace().grid);
    return block ? "\n" + say(context, "map.tip_block", block->x, block->y) : std::string();
}

// --- zoom and pan ---

struct View { // of the picture
    Rect room;
    Canvas at(const ResultScene& scene, double zoom, double pan_x, double pan_y) const {
        const float unit = scene.context.style.unit;
        return result_canvas(room, scene.shown.m, scene.shown.n, zoom, pan_x, pan_y, 6 * unit,
                             32.0 * static_cast<double>(unit));
    }
};

void set_view(session::View& view, const Canvas& canvas) {
    view.result_zoom = static_cast<float>(canvas.zoom);
    view.result_x = static_cast<float>(canvas.pan_x);
    view.result_y = static_cast<float>(canvas.pan_y);
}

// Keeps the element under `at` in its place.
void zoom_about(const ResultScene& scene, const View& view, ImVec2 at, double factor) {
    const Canvas& now = scene.canvas;
    const double row = now.row_at(at.y), column = now.column_at(at.x);
    Canvas next = view.at(scene, now.zoom * factor, now.pan_x, now.pan_y);
    next = view.at(scene, next.zoom, next.pan_x + column - next.column_at(at.x), next.pan_y + row - next.row_at(at.y));
    set_view(scene.context.view, next);
}

// So that the selected block fills most of the picture.
void zoom_to_block(const ResultScene& scene, const View& view) {
    const Rectangle box = selected_box(scene);
    const Canvas whole = view.at(scene, 1, 0, 0);
    const double share =
        0.9 * std::min(static_cast<double>(view.room.width) / (std::max(box.columns, 1u) * whole.per_column),
                       static_cast<double>(view.room.height) / (std::max(box.rows, 1u) * whole.per_row));
    set_view(scene.context.view, view.at(scene, share, box.column + box.columns / 2.0 - scene.shown.n / 2.0,
                                         box.row + box.rows / 2.0 - scene.shown.m / 2.0));
}

// At the right of the first line, at `y`.
void draw_buttons(const ResultScene& scene, const View& view, float y) {
    Context& context = scene.context;
    const Rect& area = scene.canvas.area;
    const ImVec2 middle{area.x + area.width / 2, area.y + area.height / 2};
    const std::array labels{ButtonLabel{"result.c", "C"},
                            ButtonLabel{"result.error", context.tr("result.error")},
                            ButtonLabel{"result.zoom_out", "-"},
                            ButtonLabel{"result.zoom_in", "+"},
                            ButtonLabel{"result.to_block", context.tr("map.block")},
                            ButtonLabel{"result.whole", context.tr("result.whole")}};
    const Rect line = free_area();
    switch (button_row(context, labels, line.x, line.right(), y, scene.error() ? 1 : 0)) {
    case 0: context.view.result_field = session::ResultField::c; break;
    case 1: context.view.result_field = session::ResultField::error; break;
    case 2: zoom_about(scene, view, middle, 1 / 1.5); break;
    case 3: zoom_about(scene, view, middle, 1.5); break;
    case 4:
        if (scene.c) zoom_to_block(scene, view);
        break;
    case 5: context.view.result_zoom = 1, context.view.result_x = context.view.result_y = 0; break;
    default: break;
    }
}

// Keys zoom and pan without knowing the bounds; what is beyond them must not pile up.
void keep_within_bounds(const ResultScene& scene, const session::View& now) {
    session::View& next = scene.context.view;
    if (next.result_zoom != now.result_zoom || next.result_x != now.result_x || next.result_y != now.result_y)
        return; // being changed
    const Canvas& canvas = scene.canvas;
    if (std::abs(static_cast<double>(now.result_x) - canvas.pan_x) > 0.5)
        next.result_x = static_cast<float>(canvas.pan_x);
    if (std::abs(static_cast<double>(now.result_y) - canvas.pan_y) > 0.5)
        next.result_y = static_cast<float>(canvas.pan_y);
    if (std::abs(static_cast<double>(now.result_zoom) / canvas.zoom - 1) > 0.01)
        next.result_zoom = static_cast<float>(canvas.zoom);
}

void select_at(const ResultScene& scene, int64_t row, int64_t column, int thread) {
    Context& context = scene.context;
    if (thread >= 0) {
        if (thread / trace::warp_size != context.view.selection.warp) select_warp(context, thread / trace::warp_size);
        select_lane(context, thread % trace::warp_size);
    } else if (scene.block && scene.block->lattice) {
        if (const auto block = scene.block->lattice->block_at(row, column, scene.block->trace().grid))
            select_block(context, *block);
    }
}

// What is under the mouse, and what a click selects.
void handle_hover(const ResultScene& scene) {
    Context& context = scene.context;
    const Rect& area = scene.canvas.area;
    if (!hovered(area)) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int64_t row = std::clamp<int64_t>(static_cast<int64_t>(scene.canvas.row_at(mouse.y)), 0, scene.shown.m - 1);
    const int64_t column =
        std::clamp<int64_t>(static_cast<int64_t>(scene.canvas.column_at(mouse.x)), 0, scene.shown.n - 1);
    session::Hover& hover = context.view.hover;
    hover.array = "C";
    hover.row = row, hover.column = column;
    int thread = -1;
    if (scene.c && scene.c->has(row, column) && scene.c->owner[scene.c->index(row, column)] != nobody) {
        thread = scene.c->owner[scene.c->index(row, column)];
        hover.warp = thread / trace::warp_size;
        hover.lane = thread % trace::warp_size;
    }
    const std::string value = read_out(scene, row, column, "\n");
    if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left))
        tooltip(context, element_name("C", static_cast<uint64_t>(row), static_cast<uint64_t>(column)) +
                             (value.empty() ? "" : "\n") + value +
                             (scene.c ? owner_words(scene, row, column, thread) : std::string()));
    if (scene.c && clicked_without_drag(area)) select_at(scene, row, column, thread);
}

void handle_zoom(const ResultScene& scene, const View& view) {
    const PanZoom wish = pan_zoom(scene.canvas.area, "result held");
    if (wish.factor != 1) zoom_about(scene, view, ImGui::GetIO().MousePos, wish.factor);
    const Canvas& now = scene.canvas;
    if (wish.drag.x != 0 || wish.drag.y != 0)
        set_view(scene.context.view,
                 view.at(scene, now.zoom, now.pan_x - static_cast<double>(wish.drag.x) / now.per_column,
                         now.pan_y - static_cast<double>(wish.drag.y) / now.per_row));
}

// --- the view ---

// `first_line`: where the buttons stand.
void draw_picture(ResultScene& scene, float first_line) {
    const Style& style = scene.context.style;
    const Rect area = free_area();
    const float line = style.mono->FontSize, digit = text_size(style.mono, "0").x;
    const float left = digit * static_cast<float>(fmt::format("{}", scene.shown.m - 1).size()) + 2 * style.unit,
                top = line + 2;
    const Rect bar{0, 0, 5 * style.unit, std::max(area.height - top - style.unit, 1.0f)};
    const float legend = 5 * style.unit + ramp_width(scene, bar);
    const bool ramp = area.width - left - legend > 10 * style.unit;
    const float notes = area.width > 130 * style.unit ? std::min(17 * style.text->FontSize, area.width / 3) : 0;
    const View view{
        {area.x + left, area.y + top, area.width - left - (ramp ? legend : 0) - notes, area.height - top - style.unit}};
    if (view.room.width < 2 * style.unit || view.room.height < 2 * style.unit) return;
    const session::View& now = scene.context.session.view();
    scene.canvas = view.at(scene, static_cast<double>(now.result_zoom), static_cast<double>(now.result_x),
                           static_cast<double>(now.result_y));
    keep_within_bounds(scene, now);
    const Rect& picture = scene.canvas.area;
    scene.context.probe.mark("result.picture", picture.x, picture.y, picture.width, picture.height);
    draw_field(scene);
    ImGui::PushClipRect({picture.x - 3, picture.y - 3}, {picture.right() + 3, picture.bottom() + 3}, true);
    draw_element_values(scene);
    draw_result_selection(scene);
    ImGui::PopClipRect();
    draw_result_ticks(scene);
    if (ramp) {
        const float end = draw_ramp(scene, {picture.right() + 5 * style.unit, picture.y, bar.width,
                                            std::min(bar.height, std::max(picture.height, 24 * style.unit))});
        draw_notes(scene, {end + 6 * style.unit, picture.y, area.right() - end - 6 * style.unit, view.room.height});
    }
    draw_buttons(scene, view, first_line);
    handle_zoom(scene, view);
    handle_hover(scene);
}

// The selected block's part of C, and the selected thread's.
std::string selected_words(const ResultScene& scene) {
    if (!scene.c) return {};
    const Context& context = scene.context;
    const session::Selection& selection = context.session.view().selection;
    const Rectangle box = selected_box(scene);
    return say(context, "result.block", selection.block.x, selection.block.y) + " " +
           element_run(scene.c->buffer->name, box) + ", " +
           say(context, "result.thread", selected_warp(*scene.block, selection), selection.lane, scene.owned.size());
}

// The values around the selected thread's first element.
Table table(const ResultScene& scene) {
    constexpr int64_t rows = 32, columns = 12;
    analysis::Element centre;
    if (!scene.owned.empty()) centre = scene.owned.front();
    else if (scene.c) centre = {selected_box(scene).row, selected_box(scene).column};
    const auto first = [](int64_t at, int64_t count, int64_t all) {
        return std::clamp<int64_t>(at - count / 2, 0, std::max<int64_t>(all - count, 0));
    };
    const int64_t row = first(centre.row, rows, scene.shown.m), column = first(centre.column, columns, scene.shown.n);
    Table table{.notes = {origin_of(scene), verdict_of(scene).words, range_words(scene), selected_words(scene)},
                .columns = table_columns(scene.context.tr, {{"result.column_row"}})};
    const base::NumbersView values = scene.error()                ? base::NumbersView(scene.shown.errors)
                                     : scene.shown.values.empty() ? scene.shown.cpu
                                                                  : scene.shown.values;
    for (int64_t c = column; c < std::min<int64_t>(column + columns, scene.shown.n); ++c)
        table.columns.push_back({fmt::format("{}", c)});
    for (int64_t r = row; r < std::min<int64_t>(row + rows, scene.shown.m); ++r) {
        auto& cells = table.rows.emplace_back(1, fmt::format("{}", r));
        for (int64_t c = column; c < std::min<int64_t>(column + columns, scene.shown.n); ++c)
            cells.push_back(values.empty() ? std::string("-") : fmt::format("{:.6g}", values[scene.index(r, c)]));
    }
    return table;
}

// Is there no C, because the whole grid would take long?
bool uncounted(const Context& context) {
    const session::Products& products = context.session.products();
    const bool sampled = products.grid.value && products.grid.value->sample; // which computes no C
    return products.grid_estimate_s && (sampled || products.grid.face == session::Slot<session::FullRun>::Face::empty);
}

// What there is to do about that, and how far it is.
void draw_uncounted(Context& context) {
    const LiveResult::Gpu& gpu = context.result->gpu();
    const bool waiting = gpu.face == LiveResult::Gpu::Face::waiting;
    const std::string words = gpu_words(context);
    paragraph(words.empty() ? context.tr("result.uncounted") : words);
    if (waiting && button(context, "result.stop", context.tr("result.stop"))) context.commands.cancel = true;
}

} // namespace

namespace {

// A C that is wrong shows where: the error, once for each run, so that who goes back to C stays there.
void show_error_of_a_wrong_result(Context& context) {
    const auto& run = context.session.products().grid.value;
    if (!run || !run->verification || run->verification->passed) return;
    Kept<const void*> seen("wrong run");
    if (seen == run.get()) return;
    seen = run.get();
    context.view.result_field = session::ResultField::error;
}

} // namespace

void draw_result(Context& context) {
    if (!context.result) return sentence(context, context.tr("result.no_opengl"));
    const ResultShown& shown = context.result->look(context.session);
    const bool on_gpu = context.result->gpu().face == LiveResult::Gpu::Face::shown; // of this very subject
    if (!on_gpu && uncounted(context)) return draw_uncounted(context);
    if (!on_gpu && !face(context, context.session.products().grid)) return;
    if (!on_gpu && context.result->takes()) return sentence(context, context.tr("face.computing"));
    if (shown.source == Source::none) return sentence(context, context.tr("result.none"));
    show_error_of_a_wrong_result(context);
    ResultScene scene = scene_of(context, shown);
    const Rect area = free_area();
    const float buttons = text_size(context.style.text, context.tr("map.block")).x +
                          text_size(context.style.text, context.tr("result.whole")).x +
                          text_size(context.style.text, context.tr("result.error")).x + 42 * context.style.unit;
    if (context.view.table) return draw_table(context, table(scene));
    const bool beside = area.width > 2 * buttons;
    draw_lines(scene, beside ? area.width - buttons : area.width);
    if (!beside) ImGui::Dummy({1, context.style.text->FontSize + 2 * context.style.unit}); // a line for the buttons
    draw_picture(scene, beside ? area.y
                               : ImGui::GetCursorScreenPos().y - context.style.text->FontSize - 2 * context.style.unit);
}

} // namespace ui
