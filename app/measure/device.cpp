#include "measure/device.h"

namespace measure {

base::FieldsWriter fields_of(const Device& d) {
    base::FieldsWriter json;
    json.text("name", d.name)
        .text("arch", d.arch)
        .integer("multiprocessors", d.multiprocessors)
        .integer("sm_clock_mhz", d.sm_clock_mhz)
        .integer("memory_clock_mhz", d.memory_clock_mhz)
        .integer("memory_bus_bits", d.memory_bus_bits)
        .natural("memory_bytes", d.memory_bytes)
        .natural("l2_bytes", d.l2_bytes)
        .natural("shared_bytes", d.shared_bytes);
    return json;
}

base::Result<Device> device_from(base::Fields fields) {
    Device d;
    d.name = fields.text("name");
    d.arch = fields.text("arch");
    d.multiprocessors = fields.integer("multiprocessors", 0);
    d.sm_clock_mhz = fields.integer("sm_clock_mhz", 0);
    d.memory_clock_mhz = fields.integer("memory_clock_mhz", 0);
    d.memory_bus_bits = fields.integer("memory_bus_bits", 0);
    d.memory_bytes = fields.natural("memory_bytes");
    d.l2_bytes = fields.natural("l2_bytes");
    d.shared_bytes = fields.natural("shared_bytes");
    if (!fields.ok()) return fields.error();
    return d;
}

} // namespace measure
