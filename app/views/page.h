// Views as HTML that needs nothing else: each picture with its caption, and what it shows as text. Handouts hold them, and so does what
// `gemmscope render -o FILE.html` writes.
#pragma once

#include "base/html.h"
#include "views/table.h"

namespace views {

struct PagePicture {
    std::string file, type;       // bytes, and what they are: "image/png"
    std::string alternative_text; // what it shows, for who does not see it
    std::string caption;
};
void add_picture(base::Html&, const PagePicture&);

struct PageView {
    PagePicture picture;
    std::vector<Table> tables; // its text twin; their title is the view's
};
std::string to_html(const std::string& title, const std::vector<PageView>&, const Strings&);

} // namespace views
