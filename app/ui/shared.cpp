#include "ui/draw.h"

namespace ui {

void draw_shared(Context& context) {
    heading(context, context.tr("shared.title"));
    face(context, context.session.products().state);
}

} // namespace ui
