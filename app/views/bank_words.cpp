#include "views/bank_words.h"

#include <algorithm>
#include <map>
#include <utility>

namespace views {

namespace {

constexpr uint64_t row_words = 32;

using PhaseWords = std::map<uint64_t, uint32_t>; // word -> lanes, of one phase

PhaseWords words_of(const analysis::Phase& phase, int words_per_lane, const trace::Addresses& address) {
    PhaseWords words;
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        if (!(phase.lanes >> lane & 1)) continue;
        for (int i = 0; i < words_per_lane; ++i) words[address[lane] / 4 + static_cast<uint64_t>(i)] |= 1u << lane;
    }
    return words;
}

void add_rows(BankWords& picture, int phase, const PhaseWords& words) {
    std::array<uint8_t, 32> degree{};
    for (const auto& [word, lanes] : words) ++degree[word % row_words];
    for (size_t bank = 0; bank < row_words; ++bank) {
        picture.degree[bank] = std::max(picture.degree[bank], degree[bank]);
        picture.worst = std::max<int>(picture.worst, degree[bank]);
    }
    uint64_t previous = 0;
    for (const auto& [word, lanes] : words) {
        const bool new_row =
            picture.rows.empty() || picture.rows.back().phase != phase || picture.rows.back().row != word / row_words;
        if (new_row) picture.rows.push_back({phase, word / row_words, {}});
        std::vector<WordBox>& boxes = picture.rows.back().boxes;
        const bool joins = !boxes.empty() && previous + 1 == word && boxes.back().lanes == lanes;
        if (joins) ++boxes.back().words;
        else boxes.push_back({word, 1, lanes, {}});
        boxes.back().degree[static_cast<size_t>(boxes.back().words - 1)] = degree[word % row_words];
        previous = word;
    }
}

} // namespace

BankWords bank_words(analysis::Wavefronts count, int bytes, const trace::Addresses& address) {
    BankWords picture;
    picture.count = std::move(count);
    for (size_t phase = 0; phase < picture.count.phases.size(); ++phase)
        add_rows(picture, static_cast<int>(phase),
                 words_of(picture.count.phases[phase], std::max(1, bytes / 4), address));
    return picture;
}

} // namespace views
