// A fuzzer's function without a fuzzer: every seed, and as many damaged ones as asked for, the same in every run. For the
// suite of tests, and to look at an input that a fuzzer has found: replay_ptx 0 crash-1234.
#include "entry.h"

#include "base/file.h"
#include "base/number.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Files, and those of folders. Of a .txt file each paragraph is a seed.
std::vector<std::string> seeds(int count, char** paths) {
    std::vector<fs::path> files;
    for (int i = 0; i < count; ++i) {
        if (!fs::is_directory(paths[i])) files.emplace_back(paths[i]);
        else
            for (const auto& entry : fs::recursive_directory_iterator(paths[i])) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const fs::path& file : files) {
        if (!fs::is_regular_file(file)) continue;
        auto text = base::read_file(file);
        if (!text) continue;
        if (file.extension() != ".txt") {
            texts.push_back(std::move(*text));
            continue;
        }
        for (size_t at = 0; at < text->size();) {
            const size_t end = std::min(text->find("\n\n", at), text->size());
            texts.push_back(text->substr(at, end - at));
            at = end + 2;
        }
    }
    return texts;
}

// A few edits: bytes changed, stretches dropped, doubled or taken from another seed, words exchanged, numbers made such that sums wrap.
std::string damaged(std::string text, const std::string& other, std::mt19937& random) {
    const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
    const auto word = [&](const std::string& from) {
        constexpr const char* ends = " ,;\n[]{}()\"'=";
        const size_t start = std::min(from.find_last_of(ends, below(from.size())) + 1, from.size()); // npos + 1 is 0
        return std::pair{start, std::min(from.find_first_of(ends, start), from.size()) - start};
    };
    for (size_t edits = 1 + below(5); edits > 0; --edits) {
        const size_t at = below(text.size());
        switch (below(7)) {
        case 0:
            if (!text.empty()) text[at] = static_cast<char>(below(256));
            break;
        case 1: text.erase(at, below(40)); break;
        case 2: text.insert(at, text.substr(below(text.size()), below(60))); break;
        case 3: text.insert(at, other.substr(below(other.size()), below(200))); break;
        case 4: {
            constexpr const char* numbers[] = {"0",
                                               "-1",
                                               "-8",
                                               "-16",
                                               "1",
                                               "255",
                                               "65536",
                                               "2147483647",
                                               "-2147483648",
                                               "4294967288",
                                               "4294967295",
                                               "9223372036854775807",
                                               "18446744073709551608"};
            const size_t number = text.find_first_of("0123456789", at),
                         end = text.find_first_not_of("0123456789", number);
            if (number != std::string::npos)
                text.replace(number, std::min(end, text.size()) - number, numbers[below(std::size(numbers))]);
            break;
        }
        default: {
            const auto [to, length] = word(text);
            const auto [from, taken] = word(below(2) ? text : other);
            const std::string& source = from + taken <= text.size() && below(2) ? text : other;
            text.replace(to, length, source.substr(std::min(from, source.size()), taken));
        }
        }
    }
    return text;
}

void call(const std::string& text) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

} // namespace

int main(int argc, char** argv) {
    const auto rounds = base::parse_integer(argc > 1 ? argv[1] : "", "ROUNDS", 0);
    const std::vector<std::string> texts = seeds(argc - 2, argv + 2);
    if (!rounds || texts.empty()) {
        std::fprintf(stderr, "usage: replay ROUNDS SEED-FILE-OR-FOLDER...\n");
        return 2;
    }
    for (const std::string& text : texts) call(text);
    std::mt19937 random(20240229);
    for (int64_t i = 0; i < *rounds; ++i)
        call(damaged(texts[random() % texts.size()], texts[random() % texts.size()], random));
    std::printf("%zu seeds, %lld damaged\n", texts.size(), static_cast<long long>(*rounds));
    return 0;
}
