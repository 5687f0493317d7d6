#include "ui/draw/text_table.h"
#include "ui/memory/access_list.h"
#include "ui/memory/bank_picture.h"
#include "ui/time/stepping.h"

namespace ui {

namespace {

// Of the same access by the rule of Nsight Compute's source page, as the list below and the numbers of the grid have it.
analysis::WavefrontCount page_count(const BankScene& scene) {
    return analysis::source_page_wavefronts(analysis::bank_rule(scene.context.session.view().subject.arch),
                                            *scene.shown.instruction, scene.shown.active, *scene.shown.address);
}

std::string one_instruction(const Context& context) { return say(context, "banks.rule", executed_program(context)); }

std::string rule_words(const BankScene& scene) {
    std::string words = one_instruction(scene.context);
    const analysis::WavefrontCount page = page_count(scene);
    if (page.wavefronts != scene.words.count.wavefronts || page.ideal != scene.words.count.ideal)
        words += std::string("  ") + say(scene.context, "banks.nsight", page.wavefronts, page.ideal);
    return words;
}

Table table(const BankScene& scene) {
    const Strings& tr = scene.context.tr;
    Table table{.notes = {bank_headline(scene), rule_words(scene)},
                .columns = table_columns(tr, {{"banks.column_lane"},
                                              {"banks.column_offset"},
                                              {"banks.column_banks"},
                                              {"banks.column_phase"},
                                              {"banks.column_wavefront"},
                                              {"banks.column_element"}})};
    int phase = 0, wavefront = 0;
    for (const analysis::Phase& group : scene.words.count.phases) {
        ++phase;
        for (const uint32_t served : group.served) {
            ++wavefront;
            for (size_t lane = 0; lane < trace::warp_size; ++lane) {
                if (!(served >> lane & 1)) continue;
                const uint64_t offset = (*scene.shown.address)[lane], word = offset / 4;
                const uint64_t last = word + static_cast<uint64_t>(scene.shown.words()) - 1;
                table.rows.push_back(
                    {std::to_string(lane), fmt::format("0x{:05x}", offset),
                     word == last ? std::to_string(word % 32) : fmt::format("{}..{}", word % 32, last % 32),
                     std::to_string(phase), std::to_string(wavefront),
                     accessed_name(scene.picture.trace(), scene.origin, offset, scene.shown.instruction->bytes)});
            }
        }
    }
    return table;
}

// By which rule the headline counts, and what Nsight Compute's makes of the same access where it differs. The legend at the right.
void draw_rule(BankScene& scene) {
    Context& context = scene.context;
    const Style& style = context.style;
    const Rect line = free_area();
    const std::string words = rule_words(scene);
    std::string why = context.tr("banks.rule_tip");
    if (words != one_instruction(context)) why += std::string("\n") + context.tr("banks.nsight_tip");
    const float used = text_cut(context, style.text, {line.x, line.y}, line.width, style.colour.dim, words);
    if (hovered({line.x, line.y, used, style.text->FontSize})) tooltip(context, words + "\n" + why);
    if (scene.words.worst > 1)
        draw_bank_legend(scene, {line.x, line.y, line.width, style.mono->FontSize}, line.x + used + 4 * style.unit);
    ImGui::Dummy({line.width, style.mono->FontSize});
}

} // namespace

void draw_banks(Context& context) {
    if (!face(context, context.session.products().block)) return;
    const auto picture = shown_block(context);
    if (!picture) return sentence(context, context.tr("map.no_events"));
    const session::Selection& selection = context.session.view().selection;
    const auto shown = access_shown(*picture, selection, trace::Space::shared);
    if (!shown)
        return sentence(context, context.tr(picture->trace().bulk_copies.empty() ? "banks.none" : "banks.no_thread"));

    BankScene scene = bank_scene(context, *picture, *shown, context.session.view().subject.arch);
    if (context.view.table) return draw_access_table(context, scene.shown, table(scene));
    draw_access_line(context, scene.shown, bank_headline(scene));
    draw_rule(scene);
    const Rect area = free_area();
    const float bottom = draw_bank_picture(scene, area, BankLayout::as_it_fits);
    const float rest = bottom + 4 * context.style.unit;
    draw_access_list(context, scene.shown, trace::Space::shared, {area.x, rest, area.width, area.bottom() - rest});
    ImGui::Dummy({area.width, bottom - area.y}); // scrolls when even thin rows are too many
}

} // namespace ui
