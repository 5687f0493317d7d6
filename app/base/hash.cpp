#include "base/hash.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace base {
namespace {

std::string hexadecimal(XXH128_hash_t value) { return fmt::format("{:016x}{:016x}", value.high64, value.low64); }

} // namespace

std::string hash(std::string_view bytes) { return hexadecimal(XXH3_128bits(bytes.data(), bytes.size())); }

struct Hasher::State {
    XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }

Hasher::~Hasher() = default;

Hasher& Hasher::add(std::string_view field) {
    add(static_cast<int64_t>(field.size()));
    XXH3_128bits_update(&state_->xxh, field.data(), field.size());
    return *this;
}

Hasher& Hasher::add(int64_t field) {
    XXH3_128bits_update(&state_->xxh, &field, sizeof field);
    return *this;
}

std::string Hasher::digest() const { return hexadecimal(XXH3_128bits_digest(&state_->xxh)); }

} // namespace base
