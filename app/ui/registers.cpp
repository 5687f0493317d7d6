#include "ui/draw.h"

namespace ui {

void draw_registers(Context& context) {
    heading(context, context.tr("registers.title"));
    face(context, context.session.products().state);
}

} // namespace ui
