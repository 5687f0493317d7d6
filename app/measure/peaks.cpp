#include "measure/peaks.h"

#include "base/number.h"

#include <utility>

namespace measure {

base::FieldsWriter fields_of(const Peaks& p) {
    base::FieldsWriter json;
    json.number("fma_gflops", base::significant(p.fma_gflops))
        .number("fp64_gflops", base::significant(p.fp64_gflops))
        .number("copy_gb_s", base::significant(p.copy_gb_s))
        .number("l1_gb_s", base::significant(p.l1_gb_s))
        .number("l2_gb_s", base::significant(p.l2_gb_s))
        .integer("fma_clock_mhz", p.fma_clock_mhz)
        .integer("fp64_clock_mhz", p.fp64_clock_mhz)
        .integer("copy_clock_mhz", p.copy_clock_mhz)
        .integer("l1_clock_mhz", p.l1_clock_mhz)
        .integer("l2_clock_mhz", p.l2_clock_mhz)
        .text("driver", p.driver)
        .text("cuda", p.cuda)
        .text("date", p.date);
    return json;
}

base::Result<Peaks> peaks_from(base::Fields fields) {
    Peaks p;
    p.fma_gflops = fields.positive("fma_gflops");
    p.copy_gb_s = fields.positive("copy_gb_s");
    if (fields.has("fp64_gflops")) {
        p.fp64_gflops = fields.number("fp64_gflops");
        p.fp64_clock_mhz = fields.integer("fp64_clock_mhz", 0);
    }
    if (fields.has("l2_gb_s")) {
        for (auto [name, value] : {std::pair{"l1_gb_s", &p.l1_gb_s}, {"l2_gb_s", &p.l2_gb_s}}) {
            *value = fields.number(name);
            if (*value < 0) fields.fail(base::say("{} is below 0", name));
        }
        p.l1_clock_mhz = fields.integer("l1_clock_mhz", 0);
        p.l2_clock_mhz = fields.integer("l2_clock_mhz", 0);
    }
    p.fma_clock_mhz = fields.integer("fma_clock_mhz", 0);
    p.copy_clock_mhz = fields.integer("copy_clock_mhz", 0);
    p.driver = fields.text("driver");
    p.cuda = fields.text("cuda");
    p.date = fields.text("date");
    if (!fields.ok()) return fields.error();
    return p;
}

} // namespace measure
