// A PTX file, parsed. (The engine's author fills this in.)
#pragma once

namespace ptx {
struct Module;
}
