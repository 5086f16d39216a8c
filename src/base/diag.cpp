// Draws diagnostics. The caret line copies the tabs of the text line, so that both stay aligned in any terminal.
#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "base/visible.h"

namespace lt {
namespace {

struct Paint {
    std::string_view on;
    std::string_view off;
};

Paint paint(Severity s, bool color) {
    if (!color) return {};
    switch (s) {
        case Severity::error:
            return {"\033[1;31m", "\033[0m"};
        case Severity::warning:
            return {"\033[1;35m", "\033[0m"};
        case Severity::note:
            return {"\033[1;36m", "\033[0m"};
    }
    return {};
}

std::string place(const Source& source, Span span) {
    if (span == Span{}) return {};
    const Position p = source.position(span.begin);
    return fmt::format("{}:{}:{}: ", visible(source.name_at(span.begin)), p.line, p.column);
}

// The line of text and, below it, a caret and tildes up to the end of the span or of the line.
std::string excerpt(const Source& source, Span span, Paint ink) {
    if (span == Span{}) return {};
    const Position p = source.position(span.begin);
    const std::string_view line = source.line_at(span.begin);
    const size_t begin = std::min<size_t>(p.column - 1, line.size());
    const size_t width = span.empty() ? 1 : span.end - span.begin;
    std::vector<std::string> blanks;  // between tabs
    const std::string before = visible(line.substr(0, begin), Keep::tabs);
    for (const std::string_view part : split(before, '\t')) blanks.emplace_back(columns_in(part), ' ');
    const size_t marked = columns_in(visible(line.substr(begin, width), Keep::tabs));
    const std::string mark = "^" + std::string(marked > 0 ? marked - 1 : 0, '~');
    return fmt::format("    {}\n    {}{}{}{}\n", visible(line, Keep::tabs), join(blanks, "\t"), ink.on, mark, ink.off);
}

}  // namespace

std::string_view severity_name(Severity s) {
    constexpr auto names = std::to_array<std::string_view>({"note", "warning", "error"});
    static_assert(names.size() == static_cast<size_t>(Severity::error) + 1);
    return names[static_cast<size_t>(s)];
}

Diag& Diags::add(Severity severity, Span span, std::string message) {
    all_.push_back({severity, span, std::move(message), {}, {}});
    return all_.back();
}

Diag& Diags::error(Span span, std::string message) {
    errors_++;
    return add(Severity::error, span, std::move(message));
}

Diag& Diags::warning(Span span, std::string message) { return add(Severity::warning, span, std::move(message)); }

Diag& Diags::note(Span span, std::string message) { return add(Severity::note, span, std::move(message)); }

void Diags::take(Diags&& other) {
    errors_ += other.errors_;
    for (Diag& d : other.all_) all_.push_back(std::move(d));
}

void Diags::forget(size_t from) {
    for (size_t i = from; i < all_.size(); i++) errors_ -= all_[i].severity == Severity::error;
    all_.resize(std::min(from, all_.size()));
}

void Diags::explain(size_t from, const Note& note) {
    for (size_t i = from; i < all_.size(); i++) all_[i].notes.push_back(note);
}

void Diags::fold(size_t from) {
    constexpr size_t most_of_one_text = 3;
    std::vector<Diag> kept(all_.begin(), all_.begin() + static_cast<ptrdiff_t>(std::min(from, all_.size())));
    std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>>
        errors;                     // for each text: indices of the diagnostics that stay
    std::map<size_t, size_t> more;  // how many were dropped, by the last index that stays
    for (size_t i = kept.size(); i < all_.size(); i++) {
        Diag& d = all_[i];
        const bool is_again = std::ranges::any_of(kept, [&](const Diag& k) { return k == d; });
        std::vector<size_t>& others = errors[{d.span.begin, d.span.end}];
        const bool counts = d.severity == Severity::error && d.span != Span{};
        if (is_again) continue;
        if (counts && others.size() == most_of_one_text) {
            more[others.back()]++;
            continue;
        }
        if (counts) others.push_back(kept.size());
        kept.push_back(std::move(d));
    }
    for (const auto& [at, n] : more)
        kept[at].notes.push_back({{}, fmt::format("{} more errors here, at other locations of the probe", n)});
    all_ = std::move(kept);
    errors_ = static_cast<int>(std::ranges::count(all_, Severity::error, &Diag::severity));
}

std::string draw(const Source& source, const Diag& diag, bool color) {
    const Paint ink = paint(diag.severity, color);
    const std::string where = diag.span == Span{} ? "lt: " : place(source, diag.span);
    std::string out =
        fmt::format("{}{}{}:{} {}\n", where, ink.on, severity_name(diag.severity), ink.off, visible(diag.message));
    out += excerpt(source, diag.span, ink);
    const Paint faint = paint(Severity::note, color);
    for (const Note& n : diag.notes) {
        out += fmt::format("{}{}note:{} {}\n", place(source, n.span), faint.on, faint.off, visible(n.text));
        out += excerpt(source, n.span, faint);
    }
    if (!diag.hint.empty()) out += fmt::format("{}hint:{} {}\n", faint.on, faint.off, visible(diag.hint, Keep::lines));
    return out;
}

}  // namespace lt
