// Text for XML and HTML, and the page that lt's own pages are.
#pragma once

#include <string>
#include <string_view>

namespace lt {

// The characters of a text as far as XML allows them. A byte that is not part of a UTF-8 character, and a control
// character, become \xNN. Newlines and tabs stay if wanted.
enum class Lines : unsigned char { escape, keep };
std::string escaped(std::string_view text, Lines lines = Lines::escape);

// A whole page without any other file: light or dark as the reader's system is, from a phone's width to 1,280 pixels.
struct PageText {
    std::string title;  // plain text
    std::string facts;  // plain text: a line below the title
    std::string style;  // CSS besides the common one
    std::string body;   // HTML
};
std::string page_html(const PageText& page);

}  // namespace lt
