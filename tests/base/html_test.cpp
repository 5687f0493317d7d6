#include "base/html.h"

#include <gtest/gtest.h>

namespace {

TEST(Html, WhatIsTextIsEscapedAndWhatIsOpenIsClosed) {
    EXPECT_EQ(base::xml_text("a<b & \"c\"\x01"), "a&lt;b &amp; &quot;c&quot;");
    EXPECT_EQ(base::xml_text("\xff"), "\uFFFD");
    base::Html page = base::Html::page("en", "<title>", "p{margin:0}");
    page.open("main").open("p", {{"title", "\"><script>"}}).text("1 < 2").element("code", "a&b");
    const std::string text = page.done();
    EXPECT_TRUE(text.starts_with("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")) << text;
    EXPECT_NE(text.find("<title>&lt;title&gt;</title>"), std::string::npos) << text;
    EXPECT_NE(
        text.find(
            "<p title=\"&quot;&gt;&lt;script&gt;\">1 &lt; 2<code>a&amp;b</code></p>\n</main>\n</body>\n</html>\n"),
        std::string::npos)
        << text;
    EXPECT_EQ(base::Html().close().text("x").done(), "x") << "nothing is open";
}

} // namespace
