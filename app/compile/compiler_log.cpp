#include "compile/compiler_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace compile {
namespace {

template <class Each>
void for_each_line(std::string_view text, Each each) {
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size());
        each(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

std::optional<uint32_t> take_number(std::string_view& text) {
    uint32_t value = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{}) return {};
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return value;
}

// "error: ", "error #20: ", "warning #177-D: ", "catastrophic error: "; nothing for other lines, and for remarks.
std::optional<bool> take_severity(std::string_view& text) {
    std::string_view rest = text;
    bool is_warning = take(rest, "warning");
    if (!is_warning && !take(rest, "error") && !take(rest, "catastrophic error") && !take(rest, "internal error"))
        return {};
    if (take(rest, " #")) rest.remove_prefix(std::min(rest.find(':'), rest.size()));
    if (!take(rest, ": ")) return {};
    text = rest;
    return !is_warning;
}

// "naive.cu(12): error: identifier "x" is undefined". Names may hold brackets, so the number is looked for from the right.
std::optional<Message> compiler_message(std::string_view line) {
    for (size_t colon = line.find("): "); colon != line.npos; colon = line.find("): ", colon + 1)) {
        size_t open = line.rfind('(', colon);
        if (open == line.npos) continue;
        std::string_view digits = line.substr(open + 1, colon - open - 1), text = line.substr(colon + 3),
                         file = line.substr(0, open);
        auto number = take_number(digits);
        if (!number || !digits.empty()) continue;
        auto is_error = take_severity(text);
        if (!is_error) continue;
        if (text.ends_with(':')) text.remove_suffix(1); // a list follows, on lines of its own
        return Message{*is_error, std::string(file), static_cast<int>(*number), std::string(text)};
    }
    return {};
}

// "ptxas error   : Entry function '...' uses too much shared data", "ptxas /dev/stdin, line 95; error   :
// Unknown modifier '.rx'", "nvrtc: error: invalid value for --gpu-architecture"
std::optional<Message> tool_message(std::string_view line) {
    std::string_view rest = line, place;
    if (!take(rest, "ptxas ") && !take(rest, "nvrtc: ")) return {};
    uint32_t number = 0;
    constexpr std::string_view before = ", line ";
    if (const size_t at = rest.find(before), end = rest.find("; "); at < end && end != rest.npos) {
        place = rest.substr(0, at);
        std::string_view digits = rest.substr(at + before.size());
        number = take_number(digits).value_or(0);
        rest.remove_prefix(end + 2);
    }
    bool is_error = rest.starts_with("error") || rest.starts_with("fatal");
    if (!is_error && !rest.starts_with("warning")) return {};
    size_t colon = rest.find(": ");
    return Message{is_error, std::string(place), static_cast<int>(number),
                   std::string(colon == rest.npos ? rest : rest.substr(colon + 2))};
}

// "At end of source: error: expected a "}""
std::optional<Message> message_about_the_end(std::string_view line) {
    if (!take(line, "At end of source: ")) return {};
    const auto is_error = take_severity(line);
    if (!is_error) return {};
    return Message{*is_error, {}, 0, fmt::format("{} at the end of the file", line)};
}

// The number before `unit` in "24 bytes stack frame, 20 bytes spill stores"; 0 if the unit is not mentioned.
uint32_t number_before(std::string_view line, std::string_view unit) {
    size_t end = line.find(unit);
    if (end == line.npos) return 0;
    size_t start = end;
    while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
    std::string_view digits = line.substr(start, end - start);
    return take_number(digits).value_or(0);
}

} // namespace

std::vector<Message> messages(std::string_view log) {
    std::vector<Message> found;
    for_each_line(log, [&](std::string_view line) {
        if (auto from_compiler = compiler_message(line)) found.push_back(std::move(*from_compiler));
        else if (auto from_tool = tool_message(line)) found.push_back(std::move(*from_tool));
        else if (auto about_end = message_about_the_end(line)) found.push_back(std::move(*about_end));
    });
    return found;
}

std::vector<Diagnostic> diagnostics(std::string_view log, std::string_view name) {
    std::vector<Diagnostic> found;
    for (Message& message : messages(log)) {
        // NVRTC puts the name expression into a file of its own, which means nothing to the reader.
        const bool is_other = !message.file.empty() && message.file != name && message.file != "__nv_name_map";
        if (is_other)
            message.text = fmt::format("{}({}): {}: {}", message.file, message.line,
                                       message.error ? "error" : "warning", message.text);
        found.push_back(
            {message.error, message.file == name ? message.line : 0, base::verbatim(std::move(message.text))});
    }
    return found;
}

std::optional<Message> first_error(std::string_view log) {
    const auto all = messages(log);
    const auto first = std::find_if(all.begin(), all.end(), [](const Message& m) { return m.error; });
    return first == all.end() ? std::nullopt : std::optional(*first);
}

bool is_about_entry(const Message& message) { return message.file == "__nv_name_map"; }

std::vector<std::string> quoted_names(std::string_view text) {
    std::vector<std::string> found;
    for (size_t open = text.find('"'); open != text.npos;) {
        const size_t close = text.find('"', open + 1);
        if (close == text.npos) break;
        found.emplace_back(text.substr(open + 1, close - open - 1));
        open = text.find('"', close + 1);
    }
    return found;
}

// ptxas -v names the function, then tells its properties in two lines:
//   ptxas info    : Function properties for _Z4naivePf
//   ptxas         .     24 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
//   ptxas info    : Used 128 registers, used 1 barriers, 24 bytes cumulative stack size, 16640 bytes smem
std::optional<Resources> resources(std::string_view log, std::string_view entry) {
    Resources found;
    bool is_ours = false, is_complete = false;
    for_each_line(log, [&](std::string_view line) {
        if (size_t at = line.find("Compiling entry function '"); at != line.npos)
            is_ours = line.substr(line.find('\'', at) + 1).starts_with(std::string(entry) + "'");
        if (!is_ours) return;
        if (line.find(" bytes stack frame") != line.npos) {
            found.stack_bytes = number_before(line, " bytes stack frame");
            found.spill_store_bytes = number_before(line, " bytes spill stores");
            found.spill_load_bytes = number_before(line, " bytes spill loads");
        } else if (line.find(": Used ") != line.npos) {
            found.registers = static_cast<int>(number_before(line, " registers"));
            found.static_shared_bytes = number_before(line, " bytes smem");
            is_complete = true;
        }
    });
    return is_complete ? std::optional(found) : std::nullopt;
}

} // namespace compile
