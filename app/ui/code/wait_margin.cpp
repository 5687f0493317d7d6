#include "ui/code/wait_margin.h"

#include "ui/draw/grid.h"
#include "views/error_words.h"

namespace ui {

void add_wait_columns(const Context& context, CodeView& view, const WaitsOfLines& waits, uint64_t most) {
    constexpr int of_number = 8, of_name = 18; // characters: a sign and "12.3k"; the longest name
    for (const WaitRow* row : waits)
        if (row) most = std::max(most, row->lost);
    CodeColumn lost{.head = context.tr("time.lost"),
                    .tip = context.tr("time.lost_tip") +
                           ("\n" + launch_error_text(context.tr, context.session.products().judged)),
                    .characters = of_number,
                    .least_text = 28};
    CodeColumn reason{.head = context.tr("time.reason"),
                      .tip = context.tr("time.reason_tip"),
                      .characters = of_name,
                      .least_text = 64};
    for (const WaitRow* row : waits) {
        const bool some = row && row->lost > 0;
        lost.cells.push_back(some ? compact(row->lost) : "");
        lost.signs.push_back(
            some ? CodeSign{row->reasons.front().why, static_cast<float>(row->lost) / static_cast<float>(most)}
                 : CodeSign{});
        reason.cells.push_back(some ? wait_name(context.tr, row->reasons.front().why) : "");
    }
    view.columns.insert(view.columns.begin(), {std::move(lost), std::move(reason)});
}

} // namespace ui
