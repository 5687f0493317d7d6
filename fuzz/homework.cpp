// An exercise, a sheet and a hand-in in any bytes.
#include "entry.h"

#include "exercise/hand_in.h"
#include "exercise/sheet.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    (void)exercise::parse(text, "nowhere/exercise");
    (void)exercise::parse_sheet(text, "nowhere/sheet.toml", {});
    if (const auto read = exercise::parse_hand_in(text, "work.gemm")) (void)exercise::to_text(*read);
    const std::string line = text.substr(0, text.find('\n'));
    if (const auto size_of = exercise::parse_size(line)) (void)size_of->draw(exercise::Draw(text), line);
    return 0;
}
