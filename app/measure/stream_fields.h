// The part of a streamed product's JSON that its request and its record share.
#pragma once

#include "base/fields.h"
#include "catalog/kernel.h"

namespace measure {

base::FieldsWriter stream_shape_fields(const catalog::StreamShape&);
catalog::StreamShape stream_shape_from(base::Fields, base::Fields& outer);

} // namespace measure
