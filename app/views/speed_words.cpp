#include "views/speed_words.h"

#include "views/plot_data.h"
#include "views/say.h"

namespace views {

std::string of_cublas(const Strings& tr, double share, catalog::OperandType type) {
    return say(tr, "plot.of_cublas", fmt::format("{:.1f}", 100 * share), operands_text(catalog::cublas_operands(type)));
}

std::string speed_origin(const Strings& tr, const session::Speed& speed) {
    return say(tr, "plot.origin_on", tr(speed.origin == measure::Origin::live ? "plot.live" : "plot.recorded"),
               speed.device);
}

std::string unit_text(const Strings& tr, analysis::Unit unit) {
    const std::string name(analysis::name_of(unit));
    return analysis::is_tensor(unit) ? say(tr, "plot.tensor_cores", name) : name;
}

std::string percent_text(double part, double whole) {
    return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "—";
}

} // namespace views
