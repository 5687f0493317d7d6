// A picture that carries a view: its chunks lie within the file, and a view that is put into one is read back.
// Coverage: app/base/png.cpp app/session/open_file.cpp
#include "entry.h"

#include "base/png.h"
#include "session/open_file.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view file = text_of(data, size);
    size_t bytes = 0;
    const auto chunks = base::png_chunks(file);
    for (const base::PngChunk& chunk : chunks) bytes += chunk.type.size() + chunk.data.size();
    if (bytes > size) std::abort();
    if (const auto text = base::png_text(file, session::picture_keyword)) (void)session::pasted_view(*text);
    const std::string carrying = base::with_png_text(file, "fuzzed", "view");
    if (!chunks.empty() && base::png_text(carrying, "fuzzed") != "view") std::abort();
    return 0;
}
