#include "ui/draw.h"

namespace ui {

void draw_timeline(Context& context) {
    heading(context, context.tr("timeline.title"));
    face(context, context.session.products().block);
}

} // namespace ui
