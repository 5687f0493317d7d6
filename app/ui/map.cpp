#include "ui/draw.h"

namespace ui {

void draw_map(Context& context) {
    heading(context, context.tr("map.title"));
    face(context, context.session.products().block);
}

} // namespace ui
