#include "ui/draw.h"
#include "ui/panel.h"

namespace ui {

void draw_numbers(Context& context) {
    heading(context, context.tr("numbers.title"));
    face(context, context.session.products().grid);
}

} // namespace ui
