// How the process keeps its memory.
#pragma once

namespace base {

// Freed pieces of up to a megabyte stay with the process: one picture follows another, each with what the last one has just given
// up. Where the C library has no such setting, nothing happens. What one thread has freed another can use.
void keep_freed_memory();

// Hands back what is kept, for when no picture is about to follow: hundreds of megabytes after large blocks. May take a third of a second.
void return_freed_memory();

} // namespace base
