#include "ui/draw.h"

namespace ui {

void draw_sectors(Context& context) {
    heading(context, context.tr("sectors.title"));
    face(context, context.session.products().block);
}

} // namespace ui
