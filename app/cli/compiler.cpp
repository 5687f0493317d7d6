// compiler: serves the compilations of another gemmscope.
#include "cli/command.h"
#include "compile/compile_service.h"

namespace cli {

Action define_compiler(Options& options, const Common&) {
    options.hide(); // nobody types it
    return [] { return compile::serve_compilations(); };
}

} // namespace cli
