// Lines that a worker and its client say to each other, in both directions: one that can be read is written, and what was written reads
// back as itself.
// Coverage: app/gpu/protocol.cpp app/base/fields.cpp
#include "entry.h"

#include "gpu/protocol.h"

#include <cstdlib>

namespace {

void as_reply(std::string_view line) {
    const auto said = gpu::reply_from_json(line);
    if (!said) return;
    if (const auto* hello = std::get_if<gpu::Hello>(&said->reply); hello && hello->version != gpu::protocol_version)
        return; // nothing else is read of it
    const std::string written = gpu::to_json(said->reply, said->number);
    const auto again = gpu::reply_from_json(written);
    if (!again || again->number != said->number || gpu::to_json(again->reply, again->number) != written) std::abort();
}

void as_request(std::string_view line) {
    const gpu::Asked asked = gpu::request_from_json(line);
    if (!asked.request) return;
    const std::string written = gpu::to_json(*asked.request, asked.number);
    const gpu::Asked again = gpu::request_from_json(written);
    if (!again.request || again.number != asked.number || gpu::to_json(*again.request, again.number) != written)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    as_reply(text_of(data, size));
    as_request(text_of(data, size));
    return 0;
}
