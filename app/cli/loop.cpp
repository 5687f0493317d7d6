#include "cli/loop.h"

#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {

Json to_json(const session::InnerLoop& inner) {
    Json widths = Json::object(), lines = Json::array();
    for (const auto& [bytes, count] : inner.mix.shared_loads) widths[std::to_string(bytes)] = count;
    for (const session::InnerLoop::Line& i : inner.lines)
        lines.push_back({{"address", i.address}, {"text", i.text}, {"control", i.control}, {"line", i.source_line}});
    return {{"k_steps", inner.k_steps},
            {"instructions", inner.loop.instructions},
            {"products", inner.loop.products},
            {"shared_loads", widths},
            {"shared_stores", inner.mix.shared_stores},
            {"global_loads", inner.mix.global_loads},
            {"async_copies", inner.mix.async_copies},
            {"barriers", inner.mix.barriers},
            {"branches", inner.mix.branches},
            {"others", inner.mix.others},
            {"stall_cycles", inner.mix.stall_cycles},
            {"waits", inner.mix.waits},
            {"reused", inner.mix.reused},
            {"body", lines}};
}

std::string to_text(const session::InnerLoop& inner) {
    using enum Table::Align;
    Table counts({left, right, right, left});
    const bool known = inner.k_steps > 0;
    const auto row = [&](const std::string& what, int count, const std::string& note = {}) {
        counts.row({what, std::to_string(count), known ? fmt::format("{:.2f}", count / inner.k_steps) : "", note});
    };
    counts.row({"", "a turn", known ? "a k-step" : "", ""});
    row("instructions", inner.loop.instructions);
    row("multiply-adds", inner.loop.products, fmt::format("{:.1f} % of them", 100 * inner.loop.product_share()));
    for (const auto& [bytes, count] : inner.mix.shared_loads)
        row("shared loads", count, fmt::format("{} bytes a lane", bytes));
    row("shared stores", inner.mix.shared_stores);
    row("global loads", inner.mix.global_loads);
    row("asynchronous copies", inner.mix.async_copies);
    row("barriers", inner.mix.barriers);
    row("branches", inner.mix.branches);
    row("others", inner.mix.others, "integers, predicates, moves");
    row("stall cycles", inner.mix.stall_cycles, "the least that a warp takes which is alone");
    row("waits", inner.mix.waits, "instructions that wait for a scoreboard");
    row("operands kept", inner.mix.reused, "in the reuse cache");

    std::string text = known ? fmt::format("main loop, {:g} k-steps a turn\n", inner.k_steps) : "main loop\n";
    text += counts.text() + "\n";
    size_t width = 0;
    for (const session::InnerLoop::Line& i : inner.lines) width = std::max(width, i.text.size());
    for (const session::InnerLoop::Line& i : inner.lines)
        text += fmt::format("{:5x}  {:{}}  {}\n", i.address, i.text, width, i.control);
    return text;
}

} // namespace cli
