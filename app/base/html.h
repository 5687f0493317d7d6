// Writes HTML: what is text is escaped, and what is opened is closed.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace base {

std::string xml_text(std::string_view); // & < > " escaped; of the rest what shown() of base/text.h leaves

class Html {
public:
    using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    // A whole page that needs nothing else. `language`: of its words, as BCP 47 has it. `style`: CSS.
    static Html page(std::string_view language, std::string_view title, std::string_view style);

    Html& open(std::string_view element, Attributes = {});
    Html& close(); // what was opened last
    Html& text(std::string_view);
    Html& element(std::string_view name, std::string_view words, Attributes = {}); // opened, filled and closed
    Html& lone(std::string_view name, Attributes = {});                            // has no content: img, br
    Html& markup(std::string_view);                                                // as it stands

    std::string done(); // everything that is open is closed

private:
    void begin(std::string_view element, Attributes);

    std::string text_;
    std::vector<std::string> open_;
};

} // namespace base
