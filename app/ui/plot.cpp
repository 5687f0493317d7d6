#include "ui/draw.h"
#include "ui/panel.h"

namespace ui {

void draw_plot(Context& context) {
    heading(context, context.tr("plot.title"));
    ImGui::TextUnformatted(context.tr("plot.empty"));
}

} // namespace ui
