// The part of a streamed product's JSON that its request and its record share. Include it in .cpp files only.
#pragma once

#include "catalog/kernel.h"
#include "gpu/fields.h"

namespace gpu {

nlohmann::ordered_json stream_shape_json(const catalog::StreamShape&);
catalog::StreamShape stream_shape_from(Fields, Fields& outer);

} // namespace gpu
