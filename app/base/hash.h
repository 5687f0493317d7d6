// Names for contents: 128 bits of XXH3, as 32 hexadecimal digits. Not for secrets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace base {

std::string hash(std::string_view bytes);

// The hash of a sequence of fields. Lengths count: {"ab", "c"} and {"a", "bc"} differ.
class Hasher {
public:
    Hasher();
    ~Hasher();
    Hasher& add(std::string_view field);
    Hasher& add(int64_t field);
    std::string digest() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace base
