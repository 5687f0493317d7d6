#include "base/html.h"

#include "base/text.h"

#include <algorithm>
#include <span>

namespace base {
namespace {

// A page can be read as a file, too: what holds other elements begins with a line end, and only what stands in a line ends without one.
constexpr std::string_view holding[] = {"html",    "head", "body", "style", "main",  "header", "footer", "nav",
                                        "section", "ul",   "ol",   "dl",    "table", "thead",  "tbody",  "figure"};
constexpr std::string_view in_a_line[] = {"a", "b", "code", "em", "span", "strong"};

bool is_among(std::span<const std::string_view> names, std::string_view element) {
    return std::find(names.begin(), names.end(), element) != names.end();
}

} // namespace

std::string xml_text(std::string_view text) {
    std::string done;
    for (const char c : shown(text)) {
        if (c == '&') done += "&amp;";
        else if (c == '<') done += "&lt;";
        else if (c == '>') done += "&gt;";
        else if (c == '"') done += "&quot;";
        else done += c;
    }
    return done;
}

Html Html::page(std::string_view language, std::string_view title, std::string_view style) {
    Html page;
    page.text_ = "<!doctype html>\n";
    page.open("html", {{"lang", language}}).open("head");
    page.lone("meta", {{"charset", "utf-8"}});
    page.lone("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    page.element("title", title);
    page.open("style").markup(style).close().close();
    return std::move(page.open("body"));
}

void Html::begin(std::string_view element, Attributes attributes) {
    text_ += '<';
    text_ += element;
    for (const auto& [name, value] : attributes) {
        text_ += ' ';
        text_ += name;
        text_ += "=\"" + xml_text(value) + "\"";
    }
    text_ += '>';
}

Html& Html::open(std::string_view element, Attributes attributes) {
    begin(element, attributes);
    if (is_among(holding, element)) text_ += '\n';
    open_.emplace_back(element);
    return *this;
}

Html& Html::close() {
    if (open_.empty()) return *this;
    text_ += "</" + open_.back() + ">";
    if (!is_among(in_a_line, open_.back())) text_ += '\n';
    open_.pop_back();
    return *this;
}

Html& Html::text(std::string_view words) { return markup(xml_text(words)); }

Html& Html::markup(std::string_view markup) {
    text_ += markup;
    return *this;
}

Html& Html::element(std::string_view name, std::string_view words, Attributes attributes) {
    return open(name, attributes).text(words).close();
}

Html& Html::lone(std::string_view name, Attributes attributes) {
    begin(name, attributes);
    text_ += '\n';
    return *this;
}

std::string Html::done() {
    while (!open_.empty()) close();
    return std::move(text_);
}

} // namespace base
