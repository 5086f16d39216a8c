#include "codegen/typed/percent.h"

#include <algorithm>
#include <string_view>

#include "runtime/border/plan.h"

namespace lt {
namespace {

constexpr uint64_t one_percent = whole_share / 100;
constexpr size_t most_whole_digits = 3;
constexpr size_t fraction_digits = 6;  // in one_percent

bool all_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

uint64_t number(std::string_view digits) {
    uint64_t n = 0;
    for (char c : digits) n = n * 10 + static_cast<uint64_t>(c - '0');
    return n;
}

std::optional<uint64_t> decimal(std::string_view text) {
    const size_t dot = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, dot);
    std::string fraction(text.substr(std::min(dot + 1, text.size())));
    if (whole.empty() || whole.size() > most_whole_digits || fraction.size() > fraction_digits) return {};
    if (!all_digits(whole) || !all_digits(fraction)) return {};
    fraction.resize(fraction_digits, '0');
    return number(whole) * one_percent + number(fraction);
}

}  // namespace

std::optional<uint64_t> percent_share(const ast::Expr& expr) {
    std::optional<uint64_t> share;
    if (const auto* n = std::get_if<ast::Integer>(&expr.node))
        share = std::min<uint64_t>(n->value, whole_share) * one_percent;
    if (const auto* text = std::get_if<ast::String>(&expr.node)) share = decimal(text->value);
    return share && *share <= whole_share ? share : std::nullopt;
}

}  // namespace lt
