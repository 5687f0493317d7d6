// How the process keeps its memory.
#pragma once

namespace base {

// Freed memory stays with the process. One picture follows another, each with megabytes that the last one has just given
// up; handing them back to the system and taking them again costs a third of a block's run. Where the C library has no
// such setting, nothing happens. What one thread has freed another can use.
void keep_freed_memory();

// Hands back what is kept, for when no picture is about to follow: hundreds of megabytes after large blocks. May take a third of a second.
void return_freed_memory();

} // namespace base
