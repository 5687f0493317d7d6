// What the calling thread has computed so far.
#pragma once

namespace base {

// Seconds of processor time of the calling thread. Only differences mean something. Waiting does not count,
// nor does the time in which another thread had the core: on a loaded machine this, and not a clock on the
// wall, says how long work is.
double thread_cpu_s();

} // namespace base
