// What lies in the user's folder and in assets/recorded/devices: a list of machines, a device. One that can be read is written, and what
// was written reads back as itself.
// Coverage: app/session/machines.cpp app/session/peaks.cpp app/measure/device.cpp app/measure/peaks.cpp
#include "entry.h"
#include "file.h"

#include "session/machines.h"
#include "session/peaks.h"

#include <cstdlib>

namespace {

void as_list(std::string_view text) {
    const auto list = session::machines_from(text, "machines");
    if (!list) return;
    const auto again = session::machines_from(session::text_of(*list), "machines");
    if (!again || again->machines != list->machines) std::abort();
}

void as_device(const uint8_t* data, size_t size) {
    const FileOf file(data, size);
    const auto device = session::read_device(file.path());
    if (!device) return;
    const std::string written = session::to_json(*device);
    const FileOf again(reinterpret_cast<const uint8_t*>(written.data()), written.size());
    const auto read = session::read_device(again.path());
    if (!read || session::to_json(*read) != written) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    as_list(text_of(data, size));
    as_device(data, size);
    return 0;
}
