#include "systemtap/port/remarks.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace lt::port {
namespace {

class Scanner {
  public:
    explicit Scanner(const Source& source)
        : text_(source.text), end_(source.parts.empty() ? source.text.size() : source.parts.front().begin) {}

    std::vector<ast::Remark> all() {
        while (at_ < end_) step();
        return std::move(out_);
    }

  private:
    bool is(std::string_view what) const { return text_.compare(at_, what.size(), what) == 0; }
    size_t past(std::string_view what) const {
        const size_t found = text_.find(what, at_ + 2);
        return found == std::string::npos ? end_ : std::min(found + what.size(), end_);
    }
    size_t line_end() const { return std::min(text_.find('\n', at_), end_); }

    void step() {
        const bool is_word = at_ > 0 && (text_[at_ - 1] == '$' || text_[at_ - 1] == '@');
        if (text_[at_] == '"') return string();
        if (is("%{")) return skip(past("%}"));
        if (is("/*")) return take(past("*/"));
        if (is("//") || (text_[at_] == '#' && !is_word)) return take(line_end());
        at_++;
    }
    void skip(size_t to) { at_ = to; }
    void string() {
        for (at_++; at_ < end_ && text_[at_] != '"'; at_++) at_ += text_[at_] == '\\';
        at_++;
    }

    void take(size_t to) {
        ast::Remark r;
        r.begin = static_cast<uint32_t>(at_);
        const size_t newline = text_.rfind('\n', at_);
        const size_t line = at_ == 0 || newline == std::string::npos ? 0 : newline + 1;
        const std::string_view before = std::string_view(text_).substr(line, at_ - line);
        r.line_begin = static_cast<uint32_t>(line);
        r.trails = !trim(before).empty();
        r.text = plain(std::string_view(text_).substr(at_, to - at_), at_ - line);
        const size_t next = text_.find_first_not_of(" \t\r", to);
        const size_t after = next != std::string::npos && text_[next] == '\n'
                                 ? text_.find_first_not_of(" \t\r", next + 1)
                                 : std::string::npos;
        r.apart = after != std::string::npos && text_[after] == '\n';
        at_ = to;
        const bool is_for_shell = (r.begin == 0 && text_.starts_with("#!")) || r.text.find("exec stap") != r.text.npos;
        if (!is_for_shell) out_.push_back(std::move(r));
    }

    // With //, and with the lines after the first at their indentation relative to it.
    static std::string plain(std::string_view text, size_t column) {
        std::string out;
        if (text.starts_with('#')) {
            text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
            out = "//";
        }
        for (std::string_view line : split(text, '\n')) {
            if (!out.empty() && out != "//") {
                out += '\n';
                const size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
                line.remove_prefix(std::min(blanks, column));
            }
            while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
            out += line;
        }
        return out;
    }

    const std::string& text_;
    const size_t end_;
    size_t at_ = 0;
    std::vector<ast::Remark> out_;
};

// The number of comments at the top, which describe the whole script.
size_t head_of(const Source& source, const std::vector<ast::Remark>& all) {
    size_t head = 0, at = 0;
    for (size_t i = 0; i < all.size(); i++) {
        const std::string_view between = std::string_view(source.text).substr(at, all[i].begin - at);
        const bool is_first = i == 0 && source.text.starts_with("#!");
        if (!is_first && !trim(between).empty()) break;
        head = i + 1;
        const bool is_block = source.text.compare(all[i].begin, 2, "/*") == 0;
        at = is_block ? source.text.find("*/", all[i].begin) + 2 : source.text.find('\n', all[i].begin);
        if (at >= source.text.size()) break;
    }
    return head;
}

}  // namespace

std::vector<ast::Remark> remarks_of(const Source& source) { return Scanner(source).all(); }

ast::PrintOptions with_remarks(const Source& source, const std::vector<Span>& items,
                               const std::vector<std::pair<Span, Span>>& absorbed, const ast::Program& program) {
    ast::PrintOptions out;
    out.source = &source;
    std::vector<ast::Remark> all = remarks_of(source);
    const size_t head = head_of(source, all);
    out.first.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(head));
    std::vector<Span> places = items;
    std::ranges::sort(places, [](Span a, Span b) { return a.begin < b.begin; });
    const auto item_at = [&](Span place) -> std::optional<size_t> {
        for (size_t i = 0; i < program.items.size(); i++) {
            if (program.items[i].span == place) return i;
        }
        return {};
    };
    for (size_t i = head; i < all.size(); i++) {
        ast::Remark r = all[i];
        const auto owner = std::ranges::find_if(
            places, [&](Span p) { return p.end >= r.begin || (r.trails && p.end > r.line_begin); });
        Span place = owner == places.end() ? Span{} : *owner;
        for (const auto& [from, to] : absorbed) {
            if (place != from || owner == places.end()) continue;
            place = to;
            r.begin = 0, r.trails = false;
        }
        const auto item = owner == places.end() ? std::nullopt : item_at(place);
        if (item)
            out.remarks[*item].push_back(r);
        else
            out.last.push_back(r);
    }
    for (auto& [item, remarks] : out.remarks)
        std::ranges::stable_sort(remarks, [](const auto& a, const auto& b) { return a.begin < b.begin; });
    return out;
}

}  // namespace lt::port
