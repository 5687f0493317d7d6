#include "views/error_words.h"

#include "views/say.h"

namespace views {

std::string error_text(const Strings& tr, const session::ExpectedError& error) {
    if (!error.accuracy) return say(tr, "predicted.not_validated", tr(error.not_validated));
    return say(tr, error.validated() ? "predicted.error" : "predicted.unreliable_error",
               percent_of(error.accuracy->median), percent_of(error.accuracy->p90));
}

std::string launch_error_text(const Strings& tr, const session::ExpectedError& error) {
    return say(tr, "predicted.of_launches", error_text(tr, error));
}

const char* standing_text(const Strings& tr, const session::ExpectedError& error) {
    if (error.validated()) return "";
    return tr(error.unreliable() ? "predicted.unreliable" : "predicted.unvalidated");
}

std::string predicted_kind(const Strings& tr, const session::ExpectedError& error) {
    const char* const standing = standing_text(tr, error);
    return *standing ? say(tr, "predicted.qualified", standing) : std::string(tr("predicted.word"));
}

std::string percent_of(double share) { return fmt::format("{:.1f}", 100 * share); }

} // namespace views
