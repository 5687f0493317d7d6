// Names as the source has them.
#pragma once

#include <string>
#include <string_view>

namespace sim {

// The last part of a symbol's name: "As" of "_ZZ11shared_tileILi32EEviiifPKfS1_fPfE2As", "tile" of
// "_ZN3lib4tileE", "half" of "_Z4halfi" (the Itanium C++ ABI's mangling, section 5.1.6). Any other name stays
// as it is.
std::string source_name(std::string_view symbol);

} // namespace sim
