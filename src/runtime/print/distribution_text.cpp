#include "runtime/print/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/print/printer.h"
#include "runtime/print/show.h"
#include "runtime/values/distribution.h"

namespace lt {
namespace {

constexpr size_t most_bars = 20;
constexpr size_t column_width = 8;

std::string figure_text(std::optional<int64_t> value, View view, bool plain) {
    return value ? show({integer_type(8, true, view), *value}, plain) : std::string(nothing_text);
}

void append_figures(std::string& out, const std::vector<Figure>& figures) {
    std::string values;
    for (const Figure& f : figures) {
        const size_t width = std::max(column_width, f.text.size());
        const std::string_view gap = values.empty() ? "" : " ";
        out += fmt::format("{}{:>{}}", gap, f.name, width);
        values += fmt::format("{}{:>{}}", gap, f.text, width);
    }
    out.append("\n").append(values).append("\n");
}

}  // namespace

std::vector<Figure> figures_of(const Distribution& d, View view, bool plain) {
    const bool any = d.count != 0;
    const auto text = [&](int64_t value) {
        return figure_text(any ? std::optional(value) : std::nullopt, view, plain);
    };
    std::vector<Figure> out = {
        {"count", fmt::format("{}", d.count)}, {"min", text(d.least)}, {"avg", text(d.average())}};
    constexpr std::array<std::pair<const char*, uint64_t>, 4> shares = {
        {{"p50", 50'000'000}, {"p90", 90'000'000}, {"p99", 99'000'000}, {"p99.9", 99'900'000}}};
    for (const auto& [name, share] : shares) out.push_back({name, figure_text(percentile(d, share), view, plain)});
    out.push_back({"max", text(d.greatest)});
    return out;
}

std::vector<Bar> bars_of(const Distribution& d, View view, bool plain) {
    return bars_of(histogram_of(d, view), view, plain, most_bars, Bounds::upper);
}

void append_distribution(std::string& out, const Distribution& d, View view, bool plain) {
    append_figures(out, figures_of(d, view, plain));
    append_bars(out, bars_of(d, view, plain));
}

}  // namespace lt
