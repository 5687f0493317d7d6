#include "exercise/size_pattern.h"

#include "base/hash.h"
#include "base/number.h"
#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace exercise {
namespace {

constexpr int largest_extent = 8192;

base::Error wrong(std::string_view text) {
    return {
        base::Failure::usage,
        base::say("\"{}\" is not a size", text),
        {},
        base::say("write M x N x K, as 256x256x256, or ranges to draw from, as {{33..300}}x64x64; each from 1 to {}",
                  largest_extent)};
}

base::Result<SizePattern::Range> parse_extent(std::string_view text) {
    const auto number = [](std::string_view part) { return base::parse_integer(part, "size", 1, largest_extent); };
    if (!text.starts_with('{')) {
        auto value = number(text);
        if (!value) return wrong(text);
        return SizePattern::Range{static_cast<int>(*value), static_cast<int>(*value)};
    }
    const size_t dots = text.find("..");
    if (!text.ends_with('}') || dots == text.npos) return wrong(text);
    auto least = number(text.substr(1, dots - 1)), most = number(text.substr(dots + 2, text.size() - dots - 3));
    if (!least || !most || *least > *most) return wrong(text);
    return SizePattern::Range{static_cast<int>(*least), static_cast<int>(*most)};
}

} // namespace

int64_t Draw::between(std::string_view name, int64_t least, int64_t most) const {
    const std::string digest = base::Hasher().add(seed_).add(name).digest();
    const uint64_t bits = base::RandomStream(std::stoull(digest.substr(0, 16), nullptr, 16), 0).bits(0);
    return least + static_cast<int64_t>(bits % static_cast<uint64_t>(most - least + 1));
}

bool SizePattern::is_drawn() const {
    return std::any_of(extents.begin(), extents.end(), [](const Range& r) { return r.least != r.most; });
}

catalog::Problem SizePattern::largest() const { return {extents[0].most, extents[1].most, extents[2].most}; }

catalog::Problem SizePattern::draw(const Draw& draw, std::string_view name) const {
    std::array<int, 3> drawn{};
    for (size_t i = 0; i < 3; ++i)
        drawn[i] =
            static_cast<int>(draw.between(fmt::format("{}.{}", name, "MNK"[i]), extents[i].least, extents[i].most));
    return {drawn[0], drawn[1], drawn[2]};
}

base::Result<SizePattern> parse_size(std::string_view text) {
    if (text.size() > 100) return wrong(text.substr(0, 40));
    SizePattern pattern;
    pattern.text = text;
    std::string_view rest = text;
    for (size_t i = 0; i < 3; ++i) {
        const size_t cross = rest.find('x');
        if ((cross == rest.npos) != (i == 2)) return wrong(text);
        auto extent = parse_extent(rest.substr(0, cross));
        if (!extent) return extent.error();
        pattern.extents[i] = *extent;
        if (i < 2) rest.remove_prefix(cross + 1);
    }
    return pattern;
}

std::string size_text(const catalog::Problem& size) { return fmt::format("{} x {} x {}", size.m, size.n, size.k); }

} // namespace exercise
