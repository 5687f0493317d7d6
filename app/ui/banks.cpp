#include "ui/draw.h"

namespace ui {

void draw_banks(Context& context) {
    heading(context, context.tr("banks.title"));
    face(context, context.session.products().block);
}

} // namespace ui
