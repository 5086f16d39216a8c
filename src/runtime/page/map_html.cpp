#include "runtime/page/map_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/markup.h"
#include "base/text.h"
#include "runtime/page/page.h"
#include "runtime/print/causes_text.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/figures.h"
#include "runtime/print/folded.h"
#include "runtime/print/show.h"
#include "runtime/print/table_text.h"

namespace lt {
namespace {

std::string more_text(size_t hidden) {
    return hidden == 0 ? "" : fmt::format("<p class=\"faint\">{} more</p>\n", grouped(static_cast<int64_t>(hidden)));
}

std::string lines_html(std::string_view text) {
    return fmt::format("<pre>{}</pre>\n", escaped(trim(text), Lines::keep));
}

// As wide as it is, up to a part of the window.
std::string key_html(std::string_view text) {
    return fmt::format("<div class=\"k\">{}</div>", escaped(text, Lines::keep));
}

// Zero has an empty cell, and little a thin bar.
std::string bar_html(uint64_t number, uint64_t most) {
    if (number == 0) return {};
    return fmt::format("<i style=\"width:{:.2f}%\"></i>",
                       100 * static_cast<double>(number) / static_cast<double>(most));
}

std::string bars_html(const std::vector<Bar>& bars) {
    uint64_t most = 1;
    for (const Bar& bar : bars) most = std::max(most, bar.count);
    std::string out = "<table class=\"bars ranges\">\n";
    for (const Bar& bar : bars)
        out += fmt::format("<tr><th>{}</th><td>{}</td><td class=\"bar\">{}</td></tr>\n", escaped(bar.label),
                           grouped(static_cast<int64_t>(bar.count)), bar_html(bar.count, most));
    return out + "</table>\n";
}

std::string distribution_html(const Distribution& d, const Type& type, bool plain) {
    std::string names, texts;
    for (const Figure& figure : figures_of(d, type.view, plain)) {
        names += fmt::format("<th>{}</th>", figure.name);
        texts += fmt::format("<td>{}</td>", figure.text);
    }
    return fmt::format("<div class=\"chart\"><table class=\"rows\">\n<tr>{}</tr>\n<tr>{}</tr>\n</table></div>\n", names,
                       texts) +
           bars_html(bars_of(d, type.view, plain));
}

std::string causes_html(const Causes& causes, bool plain) {
    std::string out = fmt::format("<p>{}</p>\n<table class=\"bars ranges\">\n", causes_heading(causes, plain));
    const std::vector<CauseLine> parts = cause_lines(causes, plain);
    const auto whole = static_cast<uint64_t>(std::max<int64_t>(causes.total(), 1));
    for (const CauseLine& part : parts)
        out += fmt::format("<tr><th>{}</th><td>{}</td><td>{} %</td><td class=\"bar\">{}</td></tr>\n",
                           escaped(part.cause->title), part.text, part.share,
                           bar_html(static_cast<uint64_t>(std::max<int64_t>(part.time, 0)), whole));
    return out + "</table>\n";
}

// A value that is drawn; empty for others.
std::string picture(const Value& value, bool plain) {
    if (const auto* causes = std::get_if<Causes>(&value.data)) return causes_html(*causes, plain);
    if (const auto* d = std::get_if<Distribution>(&value.data)) return distribution_html(*d, value.type, plain);
    if (const auto* h = std::get_if<Histogram>(&value.data)) return bars_html(bars_of(*h, value.type, plain));
    return {};
}

std::string key_text(const std::vector<Value>& key, ValueStyle style) {
    std::string out;
    for (const Value& part : key_parts(key)) out += (out.empty() ? "" : ", ") + std::string(trim(show(part, style)));
    return out;
}

std::string table_html(const MapContent& content, const TableView& view, ValueStyle style) {
    MapContent limited = content;
    if (limited.most == 0 && view.most == 0) limited.most = Page::most_rows;
    const Table table = table_of(limited, view, style);
    std::string out = "<div class=\"chart\"><table class=\"rows\">\n<tr>";
    for (size_t i = 0; i < table.titles.size(); i++)
        out += fmt::format("<th{}>{}</th>", i < table.key_parts ? " class=\"key\"" : "",
                           i == 0 ? "" : escaped(table.titles[i]));
    out += "</tr>\n";
    for (const Table::Row& row : table.rows) {
        out += "<tr>";
        for (size_t i = 0; i < row.cells.size(); i++)
            out += i < table.key_parts ? fmt::format("<td class=\"key\">{}</td>", key_html(row.cells[i]))
                                       : fmt::format("<td>{}</td>", escaped(row.cells[i]));
        out += "</tr>\n";
        if (!row.stacks.empty())
            out += fmt::format("<tr><td class=\"key\" colspan=\"{}\">{}</td></tr>\n", row.cells.size(),
                               lines_html(join(row.stacks, "\n")));
    }
    return out + "</table></div>\n" + more_text(table.hidden);
}

// The largest first.
std::vector<size_t> largest(const MapContent& content, size_t most, size_t& hidden, bool plain) {
    MapContent limited{content.name, content.entries, content.most == 0 ? most : std::min(content.most, most)};
    std::vector<size_t> order = print_order(limited, plain);
    std::ranges::reverse(order);
    hidden = content.entries.size() - order.size();
    return order;
}

// Each key with its histogram.
std::string pictures_html(const MapContent& content, ValueStyle style) {
    size_t hidden = 0;
    std::string out;
    for (const size_t index : largest(content, Page::most_histograms, hidden, style.plain)) {
        const MapEntry entry = content.entries[index];
        if (!entry.key.empty()) out += fmt::format("<h3>{}</h3>\n", escaped(key_text(entry.key, style), Lines::keep));
        out += picture(entry.value, style.plain);
    }
    return out + more_text(hidden);
}

// How long the bar of a number is, which adds up or not; none for anything else.
std::optional<uint64_t> bar_of(const Value& value) {
    const auto* number = std::get_if<int64_t>(&value.data);
    const bool is_named = value.type.view == View::enumeration || value.type.view == View::hex;
    if (!number || is_named) return {};
    const bool is_negative = *number < 0 && (value.type.is_signed || value.type.view != View::plain);
    return is_negative ? std::nullopt : std::optional(static_cast<uint64_t>(*number));
}

// A row for each key, with a bar where the value is a number.
std::string rows_html(const MapContent& content, ValueStyle style) {
    size_t hidden = 0;
    const std::vector<size_t> order = largest(content, Page::most_rows, hidden, style.plain);
    uint64_t most = 1;
    for (const size_t index : order) most = std::max(most, bar_of(content.entries.plain(index).value).value_or(0));
    std::string out = "<table class=\"bars\">\n";
    for (const size_t index : order) {
        const MapEntry entry = content.entries[index];
        const bool is_grouped = bar_of(entry.value) && entry.value.type.view == View::plain && !style.plain;
        const std::string text = is_grouped ? grouped(std::get<int64_t>(entry.value.data), entry.value.type.is_signed)
                                            : show(entry.value, style);
        out += fmt::format("<tr><th>{}</th>", key_html(key_text(entry.key, style)));
        if (is_rows(entry.value)) {
            out += fmt::format("<td class=\"key\" colspan=\"2\">{}</td></tr>\n", lines_html(text));
            continue;
        }
        out += fmt::format("<td>{}</td><td class=\"bar\">", escaped(text, Lines::keep));
        if (const auto bar = bar_of(entry.value); bar && order.size() > 1) out += bar_html(*bar, most);
        out += "</td></tr>\n";
    }
    return out + "</table>\n" + more_text(hidden);
}

}  // namespace

std::optional<FlameGraph> stacks_of(const MapContent& content) {
    if (content.entries.empty() || !can_fold(content.value)) return {};
    FlameGraph graph;
    for (size_t i = 0; i < content.entries.size(); i++) {
        const MapEntry entry = content.entries[i];
        if (const auto folded = fold(entry))
            graph.add(*folded);
        else if (is_negative_stack(entry))
            graph.leave_out_negative();
    }
    return graph.empty() ? std::nullopt : std::optional(std::move(graph));
}

std::string left_out_html(const FlameGraph& graph) {
    const std::string text = graph.left_out_text();
    return text.empty() ? text : fmt::format("<p class=\"faint\">{}</p>\n", text);
}

std::string map_html(const MapContent& content, const PrintStyle& style) {
    const ValueStyle values(style.plain, style.newlines);
    if (content.entries.empty()) return "<p class=\"faint\">empty</p>\n";
    if (const auto graph = stacks_of(content)) {
        const bool durations = !style.plain && adds_durations(content.value);
        return "<div class=\"stacks\">" +
               graph->picture(content.name, fmt::format("{} by stack", weight_name(content.value, style.plain)),
                              durations) +
               "</div>\n" + left_out_html(*graph);
    }
    if (!style.plain && is_table(content, style.view)) return table_html(content, style.view, values);
    const bool drawn = !picture(content.entries.plain(0).value, style.plain).empty();
    return drawn ? pictures_html(content, values) : rows_html(content, values);
}

std::string map_style() {
    return "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th{font-weight:normal;"
           "color:var(--faint)}\n"
           ".rows th,.rows td{padding:3px 12px;text-align:right;white-space:nowrap}.rows tr+tr{border-top:1px solid "
           "var(--line)}\n"
           ".rows .key{text-align:left;white-space:normal;overflow-wrap:anywhere}.rows "
           ".key:first-child{padding-left:0}\n"
           ".k{width:max-content;max-width:min(48vw,640px);overflow-wrap:anywhere;white-space:pre-wrap}\n"
           ".bars{width:100%}.bars th,.bars td{padding:1px 8px 1px 0;white-space:nowrap;vertical-align:top}"
           ".bars th{text-align:left;color:var(--ink);width:1%}.bars td{text-align:right;width:1%}\n"
           ".bars td.bar{width:auto;text-align:left}.bars td.key{text-align:left;width:auto;white-space:normal}"
           ".bars pre{margin:0}.bar i{display:block;height:14px;margin-top:4px;background:var(--bar);border-radius:0 "
           "2px "
           "2px 0;min-width:1px}\n"
           ":root{--bar:#2f74c0}@media(prefers-color-scheme:dark){:root{--bar:#4b93e6}}\n"
           "h3{font-size:14px;font-weight:600;margin:18px 0 6px;overflow-wrap:anywhere;white-space:pre-wrap}"
           ".faint{color:var(--faint)}.stacks{border:1px solid var(--line);border-radius:6px;overflow:hidden}\n"
           ".stacks svg{display:block}\n";
}

}  // namespace lt
