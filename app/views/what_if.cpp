#include "views/what_if.h"

namespace views {

const char* switch_text(const Strings& tr, const timing::Switch& one) { return tr(std::string("what_if.") + one.name); }

const char* switch_tip(const Strings& tr, const timing::Switch& one) {
    return tr(std::string("what_if.") + one.name + "_tip");
}

std::string what_if_text(const Strings& tr, const timing::WhatIf& what_if) {
    std::string text;
    for (const timing::Switch& one : timing::switches())
        if (one.is_on(what_if)) text += (text.empty() ? "" : tr("what_if.and")) + std::string(switch_text(tr, one));
    return text;
}

} // namespace views
