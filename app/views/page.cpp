#include "views/page.h"

#include "base/base64.h"
#include "base/version.h"
#include "views/say.h"

#include <span>

namespace views {
namespace {

constexpr size_t rows_at_once = 40; // a longer table is opened by the reader, and not printed until then

// Dark on white: #444 on white has a contrast of 9.7 to 1.
constexpr std::string_view style =
    "body{font:16px/1.5 \"Noto Sans\",\"DejaVu Sans\",\"Noto Sans CJK SC\",sans-serif;color:#111;background:#fff;"
    "max-width:70em;margin:2em auto;padding:0 1em}\n"
    "h1,h2{line-height:1.25;break-after:avoid}h2{border-top:1px solid #767676;padding-top:.5em;margin-top:2em}\n"
    "figure{margin:1em 0;break-inside:avoid}img{display:block;width:100%;height:auto;border:1px solid #767676}"
    "figcaption,.subtitle{color:#444;font-size:.9em}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9em}th,td{border:1px solid #767676;"
    "padding:.1em .5em;text-align:left;vertical-align:top}td{font-variant-numeric:tabular-nums}.n{text-align:right}\n"
    ".note{margin:.2em 0}summary{font-weight:bold;padding:.25em 0}tr{break-inside:avoid}@page{size:A4;margin:13mm 15mm}\n"
    "@media print{body{font-size:10pt;margin:0;max-width:none}}\n";

void add_table(base::Html& page, const Table& table, const std::string& name) {
    page.open("div", {{"class", "wide"}, {"role", "region"}, {"aria-label", name}, {"tabindex", "0"}});
    page.open("table").open("thead").open("tr");
    const auto kind = [&](size_t column) { return is_numeric(table, column) ? "n" : "w"; };
    for (size_t i = 0; i < table.columns.size(); ++i)
        page.element("th", column_heading(table.columns[i]), {{"scope", "col"}, {"class", kind(i)}});
    page.close().close().open("tbody");
    for (const std::vector<std::string>& row : table.rows) {
        page.open("tr");
        for (size_t i = 0; i < table.columns.size(); ++i)
            page.element("td", i < row.size() ? row[i] : "", {{"class", kind(i)}});
        page.close();
    }
    page.close().close().close();
}

void add_view(base::Html& page, const PageView& view, const Strings& tr) {
    const std::string title = view.tables.empty() ? "" : view.tables.front().title;
    page.open("section").element("h2", title);
    add_picture(page, view.picture);
    for (const Table& table : view.tables) {
        for (const std::string& note : table.notes) page.element("p", note, {{"class", "note"}});
        if (table.rows.empty()) continue;
        const std::string name = say(tr, "page.table", table.rows.size());
        if (table.rows.size() <= rows_at_once) page.open("details", {{"open", ""}});
        else page.open("details");
        page.element("summary", name);
        add_table(page, table, title + ", " + name);
        page.close();
    }
    page.close();
}

} // namespace

void add_picture(base::Html& page, const PagePicture& picture) {
    const auto bytes = std::as_bytes(std::span(picture.file.data(), picture.file.size()));
    const std::string data = fmt::format("data:{};base64,{}", picture.type, base::to_base64(bytes));
    page.open("figure").lone("img", {{"src", data}, {"alt", picture.alternative_text}});
    page.element("figcaption", picture.caption).close();
}

std::string to_html(const std::string& title, const std::vector<PageView>& views, const Strings& tr) {
    const bool zh = tr.language() == session::Language::zh;
    base::Html page = base::Html::page(zh ? "zh-Hans" : "en", title, style);
    page.open("main").element("h1", title);
    page.element("p", say(tr, "page.subtitle", base::version()), {{"class", "subtitle"}});
    for (const PageView& view : views) add_view(page, view, tr);
    return page.done();
}

} // namespace views
