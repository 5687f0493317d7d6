#include "ui/draw.h"
#include "ui/panel.h"

namespace ui {

void draw_compare(Context& context) {
    heading(context, context.tr("compare.title"));
    ImGui::TextUnformatted(context.tr("compare.empty"));
}

} // namespace ui
