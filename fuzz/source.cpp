// CUDA source: found to be declarations, and the host's taken out. What is left has the same lines.
// Coverage: app/compile/declarations.cpp app/compile/host_code.cpp app/compile/tokens.cpp app/compile/compiler_log.cpp
#include "entry.h"

#include "compile/compiler_log.h"
#include "compile/host_code.h"

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > 64 << 10) return 0;
    const std::string_view text = text_of(data, size);
    compile::HostCode code(text, "no such folder/fuzzed.cu", "k<int>");
    code.remove_unused();
    for (int line = 1; line < 60; ++line) {
        if (line % 4 == 1) code.begin_errors();
        code.remove_at(code.files().front().path, line, "error");
    }
    code.remove_includes_of("/thrust/x.h");
    const std::string& left = code.files().front().text;
    if (left.size() != size || std::count(left.begin(), left.end(), '\n') != std::count(text.begin(), text.end(), '\n'))
        std::abort();
    for (const compile::Message& message : compile::messages(text)) (void)compile::quoted_names(message.text);
    return 0;
}
