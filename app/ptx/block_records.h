// A kernel's PTX with code added that records where and when each of its blocks ran. What the kernel computes
// stays as it is.
#pragma once

#include "base/result.h"
#include "ptx/module.h"

#include <string>

namespace ptx {

// A record: three 64-bit words. %globaltimer (nanoseconds) when thread 0 of the block began, the latest
// %globaltimer at which one of its warps, or a part of one, came to an end, and %smid (manual,
// sections 10.16, 10.30).
inline constexpr size_t block_record_words = 3;

// The text of the module, whose `entry` takes one more parameter, the last: a 64-bit pointer to a record for
// each block of the grid, x fastest, all zeros before the launch. Nothing is kept in registers between a
// block's beginning and its end. Errors: no such entry, or a thread may end where the parameter is not at
// hand.
base::Result<std::string> with_block_records(const Module&, const std::string& entry);

} // namespace ptx
