#include "measure/profile.h"

#include "base/fields.h"
#include "base/json_lines.h"

namespace measure {

base::Result<Profile> profile_from_json(std::string_view line) {
    base::Fields fields(line);
    Profile p;
    p.kernel = fields.text("kernel");
    p.parameters = fields.integers("parameters");
    p.problem = {fields.integer("m", 1), fields.integer("n", 1), fields.integer("k", 1)};
    for (auto [name, value] : {std::pair{"l1_hit_percent", &p.l1_hit_percent},
                               {"l2_hit_percent", &p.l2_hit_percent},
                               {"dram_read_bytes", &p.dram_read_bytes}}) {
        *value = fields.number(name);
        if (*value < 0) fields.fail(base::say("{} is below 0", name));
    }
    p.time_ms = fields.positive("time_ms");
    if (fields.has("l2_bytes")) p.l2_bytes = fields.positive("l2_bytes");
    for (auto [name, value] : {std::pair{"device", &p.device},
                               {"driver", &p.driver},
                               {"cuda", &p.cuda},
                               {"tool", &p.tool},
                               {"date", &p.date},
                               {"command", &p.command}})
        *value = fields.text(name);
    if (!fields.ok()) return fields.error();
    return p;
}

base::Result<std::vector<Profile>> read_profiles(const std::filesystem::path& path) {
    return base::read_json_lines<Profile>(path, profile_from_json,
                                          base::phrase("make it again by scripts/record_profiles.sh"));
}

} // namespace measure
