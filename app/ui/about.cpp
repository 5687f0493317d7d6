#include "ui/about.h"

namespace ui {

const char* about(const Context& context, std::string_view view) {
    return find_panel(view) ? context.tr("about." + std::string(view)) : "";
}

} // namespace ui
