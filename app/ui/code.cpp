#include "ui/draw.h"
#include "ui/panel.h"

namespace ui {

void draw_code(Context& context) {
    heading(context, context.tr("code.title"));
    face(context, context.session.products().prepared);
}

} // namespace ui
