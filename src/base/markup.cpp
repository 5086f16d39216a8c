#include "base/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/visible.h"

namespace lt {
namespace {

struct EntityRow {
    char character;
    std::string_view text;
};
constexpr std::array entities{EntityRow{'&', "&amp;"}, EntityRow{'<', "&lt;"}, EntityRow{'>', "&gt;"},
                              EntityRow{'"', "&quot;"}};

bool is_allowed(std::string_view character, Lines lines) {
    const auto first = static_cast<unsigned char>(character.front());
    if (first == '\n' || first == '\t') return lines == Lines::keep;
    const bool is_c1 = character.size() == 2 && first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
    return first >= 0x20 && first != 0x7f && !is_c1 && character != "\xef\xbf\xbe" && character != "\xef\xbf\xbf";
}

constexpr std::string_view common_style =
    ":root{--paper:#fff;--ink:#1c2128;--faint:#6b7280;--line:#e3e6ea;--panel:#f6f7f9}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e6e8eb;--faint:#9aa1ad;--line:#2b3038;"
    "--panel:#1c2027}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1280px;margin:0 auto;padding:24px}\nh1{font-size:21px;margin:0 0 4px;overflow-wrap:anywhere}\n"
    "h2{font-size:16px;margin:28px 0 8px}\n.facts{color:var(--faint);margin:0 0 20px}\n"
    ".chart{overflow-x:auto}.chart>svg{width:100%;height:auto;display:block;min-width:860px}\n"
    ".chart>svg text{fill:var(--ink);font:12px system-ui,sans-serif}\n"
    ".chart>svg .axis{fill:var(--faint)}\n.grid{stroke:var(--line)}\n"
    "pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:14px;overflow:auto;"
    "font:13px/1.45 ui-monospace,monospace}\n"
    "@media(max-width:640px){main{padding:16px}pre{font-size:12px;white-space:pre-wrap;overflow-wrap:anywhere}}\n";

}  // namespace

std::string escaped(std::string_view text, Lines lines) {
    std::string out;
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
        const auto row = std::ranges::find(entities, character.front(), &EntityRow::character);
        if (row != entities.end())
            out += row->text;
        else if (length != 0 && is_allowed(character, lines))
            out += character;
        else
            for (const char c : character) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        text.remove_prefix(character.size());
    }
    return out;
}

std::string page_html(const PageText& page) {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n"
        "<body>\n<main>\n<h1>{0}</h1>\n<p class=\"facts\">{3}</p>\n{4}</main>\n</body>\n</html>\n",
        escaped(page.title), common_style, page.style, escaped(page.facts), page.body);
}

}  // namespace lt
