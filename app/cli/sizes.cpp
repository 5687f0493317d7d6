#include "cli/sizes.h"

#include "base/number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using catalog::Problem;

struct NamedSizes {
    const char* name;
    const char* meaning;
    std::vector<Problem> problems;
};

// M is the number of tokens, N what a token becomes, K what it was: C = X W.
const std::vector<NamedSizes> named_sizes = {
    {"square",
     "256 to 8192",
     {{256, 256, 256},
      {512, 512, 512},
      {1024, 1024, 1024},
      {1536, 1536, 1536},
      {2048, 2048, 2048},
      {3072, 3072, 3072},
      {4096, 4096, 4096},
      {8192, 8192, 8192}}},
    {"transformer",
     "ten products of GPT-2 and Llama 3 8B",
     {
         // GPT-2 small, 1024 tokens of 768: Radford et al., Language Models are Unsupervised Multitask
         // Learners, 2019, table 2.
         {1024, 2304, 768},   // queries, keys and values of all heads
         {1024, 3072, 768},   // MLP, up
         {1024, 768, 3072},   // MLP, down
                              // Llama 3 8B, 2048 tokens of 4096: Grattafiori et al., The Llama 3 Herd of
                              // Models, 2024, table 3 (32 heads of 128, 8 of keys and values).
         {2048, 4096, 4096},  // queries, and the output projection
         {2048, 1024, 4096},  // keys, and values
         {2048, 14336, 4096}, // MLP, up
         {2048, 4096, 14336}, // MLP, down
         {2048, 2048, 128},   // scores of one head: a short sum
         {2048, 128, 2048},   // scores times values of one head: tall
         {16, 14336, 4096},   // MLP, up, for the next token of 16 conversations: flat
     }},
};

Error not_a_size(const std::string& item) {
    return {
        Failure::usage,
        base::say("--sizes {} is no size", item.empty() ? "with nothing between two commas" : item),
        {},
        base::say("write N, MxNxK, FIRST..LAST:STEP, FIRST..LAST:xFACTOR, square or transformer, with commas between")};
}

base::Result<int> parse_edge(const std::string& text) {
    auto size = base::parse_integer(text, "--sizes", 1, 1 << 20);
    if (!size) return size.error();
    return static_cast<int>(*size);
}

// "MxNxK"
base::Result<Problem> parse_rectangle(const std::string& item) {
    const size_t first = item.find('x'), second = item.find('x', first + 1);
    if (second == std::string::npos || item.find('x', second + 1) != std::string::npos) return not_a_size(item);
    auto m = parse_edge(item.substr(0, first)), n = parse_edge(item.substr(first + 1, second - first - 1)),
         k = parse_edge(item.substr(second + 1));
    for (auto* edge : {&m, &n, &k}) {
        if (!*edge) return edge->error();
    }
    return Problem{*m, *n, *k};
}

// "FIRST..LAST:STEP" or "FIRST..LAST:xFACTOR"
base::Result<std::vector<Problem>> parse_range(const std::string& item) {
    const size_t dots = item.find(".."), colon = item.find(':', dots);
    if (colon == std::string::npos || colon + 1 == item.size()) return not_a_size(item);
    const bool multiplies = item[colon + 1] == 'x';
    auto first = parse_edge(item.substr(0, dots)), last = parse_edge(item.substr(dots + 2, colon - dots - 2)),
         step = parse_edge(item.substr(colon + 1 + multiplies));
    for (auto* edge : {&first, &last, &step}) {
        if (!*edge) return edge->error();
    }
    if (*first > *last || (multiplies && *step < 2)) {
        return Error{Failure::usage,
                     base::say("--sizes {} never comes from {} to {}", item, *first, *last),
                     {},
                     base::say("begin with the smaller and let it grow")};
    }
    std::vector<Problem> problems;
    for (int64_t edge = *first; edge <= *last; edge = multiplies ? edge * *step : edge + *step) {
        const int n = static_cast<int>(edge);
        problems.push_back({n, n, n});
        if (problems.size() > 1000)
            return Error{
                Failure::usage, base::say("--sizes {} are more than 1000", item), {}, base::say("take a larger step")};
    }
    return problems;
}

base::Result<std::vector<Problem>> parse_item(const std::string& item) {
    for (const NamedSizes& named : named_sizes) {
        if (item == named.name) return named.problems;
    }
    if (item.empty() || item.find_first_not_of("0123456789x.:") != std::string::npos) return not_a_size(item);
    if (item.find("..") != std::string::npos) return parse_range(item);
    if (item.find('x') != std::string::npos) {
        auto problem = parse_rectangle(item);
        if (!problem) return problem.error();
        return std::vector{*problem};
    }
    auto edge = parse_edge(item);
    if (!edge) return edge.error();
    return std::vector{Problem{*edge, *edge, *edge}};
}

} // namespace

base::Result<std::vector<Problem>> parse_sizes(const std::string& text) {
    std::vector<Problem> problems;
    for (size_t from = 0; from <= text.size();) {
        const size_t comma = std::min(text.find(',', from), text.size());
        auto some = parse_item(text.substr(from, comma - from));
        if (!some) return some.error();
        for (const Problem& problem : *some) {
            if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
        }
        from = comma + 1;
    }
    return problems;
}

base::Result<Problem> parse_one_size(const std::string& text, std::string_view option) {
    const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == 'x'; };
    const Error wrong{
        Failure::usage, base::say("{} {} is not one size", option, text), {}, base::say("give N, or MxNxK")};
    if (!std::all_of(text.begin(), text.end(), is_part)) return wrong;
    auto problems = parse_item(text);
    if (!problems) return wrong;
    return problems->front();
}

std::string size_text(const catalog::Problem& size) { return fmt::format("{} x {} x {}", size.m, size.n, size.k); }

std::string sizes_help() {
    std::vector<std::string> sets;
    for (const NamedSizes& named : named_sizes) sets.push_back(fmt::format("{} ({})", named.name, named.meaning));
    return fmt::format("with commas between: N, MxNxK, FIRST..LAST:STEP, FIRST..LAST:xFACTOR, {}",
                       fmt::join(sets, ", "));
}

} // namespace cli
