#include "lesson/moment_words.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace lesson {
namespace {

using trace::Kind;
using trace::Space;

constexpr std::array<std::string_view, 11> ordinals{"zeroth", "first",   "second", "third", "fourth", "fifth",
                                                    "sixth",  "seventh", "eighth", "ninth", "tenth"};

std::optional<int> whole_number(std::string_view word) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words;
    for (size_t at = text.find_first_not_of(' '); at != text.npos; at = text.find_first_not_of(' ', at)) {
        const size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

struct Wanted {
    std::vector<Kind> kinds;
    Space space = Space::none;  // none: any
    std::optional<int> ordinal; // from 1; -1: the last
    std::optional<int> k_tile;  // from 0
    std::string array;
    int line = 0;
};

class MomentParser {
public:
    explicit MomentParser(const std::string& text) : text_(text), words_(split(text)) {}

    base::Result<Wanted> parse() {
        if (at_ < words_.size()) {
            if (words_[at_] == "last") wanted_.ordinal = -1, ++at_;
            const auto found = std::find(ordinals.begin() + 1, ordinals.end(), at_ < words_.size() ? words_[at_] : "");
            if (found != ordinals.end()) wanted_.ordinal = static_cast<int>(found - ordinals.begin()), ++at_;
        }
        if (take("shared")) wanted_.space = Space::shared;
        else if (take("global")) wanted_.space = Space::global;
        if (!kind()) return meaningless();
        while (at_ < words_.size())
            if (!clause()) return meaningless();
        return wanted_;
    }

private:
    bool take(std::string_view word) {
        const bool here = at_ < words_.size() && words_[at_] == word;
        at_ += here;
        return here;
    }
    std::optional<int> take_number() {
        const auto number = at_ < words_.size() ? whole_number(words_[at_]) : std::nullopt;
        at_ += number.has_value();
        return number;
    }
    bool kind() {
        struct Name {
            const char* name;
            std::vector<Kind> kinds;
        };
        static const std::array<Name, 8> names{{{"load", {Kind::load}},
                                                {"store", {Kind::store}},
                                                {"copy", {Kind::async_copy, Kind::bulk_copy}},
                                                {"atomic", {Kind::atomic}},
                                                {"wait", {Kind::wait}},
                                                {"fma", {Kind::fma}},
                                                {"matrix", {Kind::matrix}},
                                                {"barrier", {Kind::barrier}}}};
        if (take("k-tile")) {
            const auto number = take_number();
            wanted_.k_tile = number ? *number : wanted_.ordinal.value_or(1) - 1;
            wanted_.ordinal = 1;
            return at_ == words_.size();
        }
        for (const Name& name : names)
            if (take(name.name)) {
                wanted_.kinds = name.kinds;
                if (name.kinds[0] == Kind::barrier)
                    wanted_.ordinal = take_number().value_or(wanted_.ordinal.value_or(1));
                return true;
            }
        return false;
    }
    bool clause() {
        if (take("in")) {
            take("k-tile");
            const auto number = take_number();
            wanted_.k_tile = number;
            return number.has_value();
        }
        if (!take("of") || at_ == words_.size()) return false;
        if (take("line")) {
            const auto number = take_number();
            wanted_.line = number.value_or(0);
            return wanted_.line > 0;
        }
        wanted_.array = words_[at_++];
        return true;
    }
    base::Error meaningless() const {
        static constexpr std::array examples = {"\"load of As\"", "\"second store of Bs in k-tile 1\"",
                                                "\"third barrier\"", "\"k-tile 2\""};
        return {base::Failure::usage,
                at_ < words_.size()
                    ? base::say("the moment \"{}\" is not understood from \"{}\" on", text_, words_[at_])
                    : base::say("the moment \"{}\" is not understood", text_),
                {},
                base::say("write for example {} or a part of a source line in quotation marks", base::names(examples))};
    }

    const std::string& text_;
    std::vector<std::string> words_;
    size_t at_ = 0;
    Wanted wanted_;
};

// Of the warp's events those that are meant, in order.
class MomentSearch {
public:
    MomentSearch(const Traced& traced, int warp)
        : traced_(traced), block_(*traced.block.block), trace_(block_.trace), warp_(warp) {}

    std::vector<uint32_t> matches(const Wanted& wanted) const {
        std::vector<uint32_t> found;
        for (uint32_t i = 0; i < trace_.events.size(); ++i) {
            const trace::Event& event = trace_.events[i];
            if (event.warp != warp_ || (wanted.k_tile && k_tile_of(i) != *wanted.k_tile)) continue;
            const trace::Instruction& instruction = trace_.listing->instructions[event.pc];
            if (!wanted.kinds.empty() &&
                std::find(wanted.kinds.begin(), wanted.kinds.end(), instruction.kind) == wanted.kinds.end())
                continue;
            if (wanted.space != Space::none && instruction.space != wanted.space) continue;
            if (wanted.line && !is_on(instruction, [&](int line) { return line == wanted.line; })) continue;
            if (!wanted.array.empty() && traced_.arrays.of(event, instruction.space) != wanted.array) continue;
            found.push_back(i);
        }
        return found;
    }

    std::optional<uint32_t> on_line_with(const std::string& text) const {
        const auto lines = base::lines(traced_.block.kernel->source);
        for (uint32_t i = 0; i < trace_.events.size(); ++i) {
            const trace::Event& event = trace_.events[i];
            const trace::Instruction& instruction = trace_.listing->instructions[event.pc];
            const auto has_text = [&](int line) {
                return line > 0 && line <= std::ssize(lines) &&
                       lines[static_cast<size_t>(line) - 1].find(text) != std::string_view::npos;
            };
            if (event.warp == warp_ && is_on(instruction, has_text)) return i;
        }
        return {};
    }

    std::optional<uint32_t> first() const {
        for (uint32_t i = 0; i < trace_.events.size(); ++i)
            if (trace_.events[i].warp == warp_) return i;
        return {};
    }
    std::optional<uint32_t> last() const {
        for (uint32_t i = static_cast<uint32_t>(trace_.events.size()); i > 0; --i)
            if (trace_.events[i - 1].warp == warp_) return i - 1;
        return {};
    }
    int k_tile_of(uint32_t event) const { // -1: before the first
        const auto& starts = block_.timeline.k_tiles;
        return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), event) - starts.begin()) - 1;
    }

private:
    // Of code that was inlined also the line where it is written, and that of the kernel's own body.
    template <class F>
    static bool is_on(const trace::Instruction& i, const F& is_line) {
        return i.source_file == 0 && (is_line(i.source_line) || is_line(i.own_line) || is_line(i.kernel_line));
    }

    const Traced& traced_;
    const session::BlockRun& block_;
    const trace::Trace& trace_;
    int warp_;
};

base::Error nothing(const std::string& words, int warp, const std::vector<std::string>& arrays) {
    return {base::Failure::check_failed,
            base::say("warp {} executes no \"{}\"", warp, words),
            {},
            arrays.empty() ? base::say("see the timeline: gemmscope trace, or the window")
                           : base::say("choose one of {}", base::names(arrays))};
}

// That are accessed where another one was wanted.
std::vector<std::string> arrays_of(const MomentSearch& search, const Traced& traced, Wanted wanted) {
    if (wanted.array.empty()) return {};
    wanted.array.clear(), wanted.k_tile.reset();
    const trace::Trace& trace = traced.block.block->trace;
    std::set<std::string> names;
    for (const uint32_t i : search.matches(wanted)) {
        const trace::Event& event = trace.events[i];
        names.emplace(traced.arrays.of(event, trace.listing->instructions[event.pc].space));
    }
    names.erase("");
    return {names.begin(), names.end()};
}

std::optional<uint32_t> chosen(const MomentSearch& search, Wanted wanted) {
    std::vector<uint32_t> found = search.matches(wanted);
    if (!wanted.ordinal && !wanted.k_tile) { // in the loop's stride
        const auto steady =
            std::find_if(found.begin(), found.end(), [&](uint32_t i) { return search.k_tile_of(i) == 1; });
        if (steady != found.end()) return *steady;
    }
    if (found.empty()) return {};
    const int ordinal = wanted.ordinal.value_or(1);
    if (ordinal < 0) return found.back();
    return ordinal >= 1 && static_cast<size_t>(ordinal) <= found.size()
               ? std::optional(found[static_cast<size_t>(ordinal) - 1])
               : std::nullopt;
}

} // namespace

base::Result<uint32_t> event_in_words(const std::string& words, const Traced& traced, int warp) {
    const MomentSearch search(traced, warp);
    const std::string text(base::trimmed(words));
    std::optional<uint32_t> event;
    if (text.empty()) {
        const uint32_t interesting = traced.block.block->interesting_event;
        const session::BlockRun& block = *traced.block.block;
        if (interesting < block.trace.events.size() && block.trace.events[interesting].warp == warp) return interesting;
        const auto moment = session::moment_of(traced.block, interesting);
        event = moment ? session::event_like(*moment, traced.block, warp) : std::nullopt;
        if (!event) event = search.first();
    } else if (text == "start") {
        event = search.first();
    } else if (text == "end") {
        event = search.last();
    } else if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
        event = search.on_line_with(text.substr(1, text.size() - 2));
    } else {
        auto wanted = MomentParser(text).parse();
        if (!wanted) return wanted.error();
        event = chosen(search, *wanted);
        if (!event) return nothing(text, warp, arrays_of(search, traced, *wanted));
    }
    if (!event) return nothing(text.empty() ? "instruction" : text, warp, {});
    return *event;
}

} // namespace lesson
