#include "ui/memory/digits_switch.h"

#include "ui/draw/draw.h"

#include <array>

namespace ui {

void digits_switch(Context& context, float left, float right, float y) {
    const std::array labels{ButtonLabel{"digits.natural", context.tr("registers.natural")},
                            ButtonLabel{"digits.real", context.tr("registers.real")},
                            ButtonLabel{"digits.integer", context.tr("registers.integer")},
                            ButtonLabel{"digits.hex", context.tr("registers.hex")}};
    const int pressed = button_row(context, labels, left, right, y, static_cast<int>(context.view.digits));
    if (pressed >= 0) context.view.digits = static_cast<session::Digits>(pressed);
}

} // namespace ui
