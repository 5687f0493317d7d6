// The part of a streamed product's JSON that its request and its record share.
#pragma once

#include "catalog/kernel.h"
#include "gpu/fields.h"

namespace gpu {

FieldsWriter stream_shape_fields(const catalog::StreamShape&);
catalog::StreamShape stream_shape_from(Fields, Fields& outer);

} // namespace gpu
