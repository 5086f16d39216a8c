#include "runtime/print/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/rows.h"
#include "base/text.h"
#include "base/visible.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/grid.h"
#include "runtime/print/show.h"
#include "runtime/values/distribution.h"

namespace lt {
namespace {

// The numbers that a row's figures are computed from.
struct Collected {
    uint64_t count = 0;
    int64_t sum = 0;
    const Distribution* distribution = nullptr;  // null: only count and sum are known
    bool is_signed = true;
    double total() const {
        return is_signed ? static_cast<double>(sum) : static_cast<double>(static_cast<uint64_t>(sum));
    }
};

using CellFigure = std::optional<int64_t>;

struct Column {
    std::string_view name;
    bool of_distributions;                   // other values do not have it
    bool is_count;                           // and not a value like those that were collected
    CellFigure (*figure)(const Collected&);  // null: the share of the total
};

template <uint64_t share>
CellFigure at_share(const Collected& c) {
    return percentile(*c.distribution, share);
}

constexpr std::array all_columns{
    Column{"count", false, true, [](const Collected& c) { return CellFigure(static_cast<int64_t>(c.count)); }},
    Column{"total", false, false, [](const Collected& c) { return CellFigure(c.sum); }},
    Column{"share", false, false, nullptr},
    Column{"min", true, false,
           [](const Collected& c) { return c.count == 0 ? CellFigure() : CellFigure(c.distribution->least); }},
    Column{"avg", false, false,
           [](const Collected& c) {
               return c.count == 0 ? CellFigure() : CellFigure(Average{c.sum, c.count}.value(c.is_signed));
           }},
    Column{"p50", true, false, at_share<50'000'000>},
    Column{"p90", true, false, at_share<90'000'000>},
    Column{"p99", true, false, at_share<99'000'000>},
    Column{"p99.9", true, false, at_share<99'900'000>},
    Column{"max", true, false,
           [](const Collected& c) { return c.count == 0 ? CellFigure() : CellFigure(c.distribution->greatest); }},
};

struct Row {
    std::vector<std::string> key;     // the parts that fit into a line
    std::vector<std::string> stacks;  // lines of the others
    int64_t sum = 0;
    double total = 0;  // the same
    std::array<CellFigure, all_columns.size()> figures = {};
};

constexpr std::string_view by_default = "count total share avg p50 p99 max";
constexpr std::string_view by_key = "key";
constexpr size_t longest_part = 48;  // characters of a part of a key

const Column* find_column(std::string_view name) { return find_row(all_columns, name, &Column::name); }

bool is_stack(const Value& value) { return std::holds_alternative<Stack>(value.data); }

bool is_known(const Column& column, const Type& type) {
    return !column.of_distributions || type.aggregation == Aggregation::dist;
}

// A distribution has a bucket for each signed number.
bool has_signed_figures(const Type& type) { return type.is_signed || type.aggregation == Aggregation::dist; }

std::string figure_shown(const Column& column, CellFigure figure, const Type& type) {
    if (!figure) return std::string(nothing_text);
    if (column.is_count || type.view != View::duration)
        return grouped(*figure, column.is_count || has_signed_figures(type));
    return show({integer_type(8, true, type.view), *figure}, false);
}

std::string cell_text(const Column& column, const Row& row, const Type& type, double all) {
    if (column.figure == nullptr) {
        if (all == 0) return std::string(nothing_text);
        const double share = 100 * row.total / all;
        return fmt::format("{:.{}f}%", share, share != 0 && std::abs(share) < 9.95 ? 1 : 0);
    }
    return figure_shown(column, row.figures[static_cast<size_t>(&column - all_columns.data())], type);
}

Collected collected_in(const Value& value) {
    if (const auto* d = std::get_if<Distribution>(&value.data)) return {d->count, d->sum, d};
    if (const auto* average = std::get_if<Average>(&value.data))
        return {average->count, average->sum, nullptr, value.type.is_signed};
    return {};
}

Row row_of(const MapEntry& entry, ValueStyle style) {
    Row row;
    for (const Value& part : key_parts(entry.key)) {
        if (is_stack(part)) {
            const std::vector<std::string> lines = stack_rows(std::get<Stack>(part.data), part.type.stack_form);
            row.stacks.insert(row.stacks.end(), lines.begin(), lines.end());
            continue;
        }
        row.key.push_back(key_cell(part, style));
    }
    const Collected collected = collected_in(entry.value);
    row.sum = collected.sum;
    row.total = collected.total();
    for (size_t i = 0; i < all_columns.size(); i++) {
        const Column& column = all_columns[i];
        if (column.figure && is_known(column, entry.value.type)) row.figures[i] = column.figure(collected);
    }
    return row;
}

std::vector<const Column*> columns_of(const MapContent& content, const TableView& view) {
    std::vector<const Column*> columns;
    for (const std::string_view name : split(view.columns.empty() ? by_default : view.columns, ' ')) {
        const Column* column = find_column(name);
        if (column && is_known(*column, content.value)) columns.push_back(column);
    }
    return columns;
}

// The order of the rows: the greatest first. Equal ones keep theirs.
std::vector<size_t> order_of(const std::vector<Row>& rows, const MapContent& content, const TableView& view) {
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (view.sort == by_key) return order;
    const Column* column = find_column(view.sort);
    const bool is_figure = column && column->figure && is_known(*column, content.value);
    const size_t at = is_figure ? static_cast<size_t>(column - all_columns.data()) : 0;
    const uint64_t flip =
        has_signed_figures(content.value) ? 0 : uint64_t{1} << 63;  // keeps the order of unsigned ones
    const auto rank = [&](size_t index) {
        const CellFigure number = is_figure ? rows[index].figures[at] : CellFigure(rows[index].sum);
        return number ? static_cast<int64_t>(static_cast<uint64_t>(*number) ^ flip) : INT64_MIN;
    };
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return rank(a) > rank(b); });
    return order;
}

}  // namespace

std::string grouped(int64_t number, bool is_signed) {
    const std::string digits = is_signed ? fmt::format("{}", number) : fmt::format("{}", static_cast<uint64_t>(number));
    const size_t first = digits.starts_with('-') ? 1 : 0;
    std::string out;
    for (size_t i = 0; i < digits.size(); i++) {
        if (i > first && (digits.size() - i) % 3 == 0) out += ',';
        out += digits[i];
    }
    return out;
}

std::optional<int64_t> table_figure(std::string_view column, const Value& value) {
    const Column* found = find_column(column);
    if (!found || !found->figure || !is_known(*found, value.type)) return {};
    return found->figure(collected_in(value));
}

std::string table_figure_text(std::string_view column, std::optional<int64_t> figure, const Type& type) {
    const Column* found = find_column(column);
    return found ? figure_shown(*found, figure, type) : std::string(nothing_text);
}

// A newline would end the row, also where strings keep theirs.
std::string key_cell(const Value& part, ValueStyle style) {
    return shortened(show(part, ValueStyle(style.plain)), longest_part);
}

std::vector<std::string_view> table_columns() {
    std::vector<std::string_view> names;
    for (const Column& column : all_columns) names.push_back(column.name);
    return names;
}

Status check_view(const TableView& view) {
    const auto wrong = [](std::string_view name) {
        return Error{fmt::format("a table has no column `{}`", name),
                     fmt::format("the columns are {}", join(table_columns(), ", ")), 0};
    };
    if (!view.sort.empty() && view.sort != by_key && find_column(view.sort) == nullptr) return wrong(view.sort);
    for (const std::string_view name : split(view.columns, ' '))
        if (!name.empty() && find_column(name) == nullptr) return wrong(name);
    return Done{};
}

bool is_table(const MapContent& content, const TableView& view) {
    const bool fits = content.value.aggregation == Aggregation::dist || content.value.aggregation == Aggregation::stats;
    if (!fits || view.rows || content.entries.empty()) return false;
    return !content.entries.plain(0).key.empty();
}

Table table_of(const MapContent& content, const TableView& view, ValueStyle style) {
    const std::vector<const Column*> columns = columns_of(content, view);
    std::vector<Row> rows;
    double all = 0;
    bool has_shares = true;  // there are no shares of a total of positive and negative numbers
    for (const size_t index : key_order(content)) {
        rows.push_back(row_of(content.entries[index], style));
        all += rows.back().total;
        has_shares = has_shares && rows.back().total >= 0;
    }
    if (!has_shares) all = 0;
    std::vector<size_t> order = order_of(rows, content, view);
    const size_t most = content.most != 0 ? content.most : view.most;
    Table table;
    table.hidden = most != 0 && most < order.size() ? order.size() - most : 0;
    order.resize(order.size() - table.hidden);

    table.key_parts = std::max<size_t>(rows.front().key.size(), 1);
    table.titles = {content.name};
    table.titles.resize(table.key_parts);
    for (const Column* column : columns) table.titles.emplace_back(column->name);
    for (const size_t index : order) {
        std::vector<std::string> cells = rows[index].key;
        cells.resize(table.key_parts);
        for (const Column* column : columns) cells.push_back(cell_text(*column, rows[index], content.value, all));
        table.rows.push_back({std::move(cells), std::move(rows[index].stacks)});
    }
    return table;
}

std::string table_text(const MapContent& content, const TableView& view, ValueStyle style) {
    Table table = table_of(content, view, style);
    Grid grid(table.key_parts, std::move(table.titles));
    for (Table::Row& row : table.rows) grid.add(std::move(row.cells));
    std::string out = grid.line(0);
    for (size_t i = 0; i < table.rows.size(); i++) {
        out += grid.line(i + 1);
        for (const std::string& frame : table.rows[i].stacks) out += fmt::format("    {}\n", visible(frame));
    }
    if (table.hidden > 0) out += fmt::format("({} more)\n", table.hidden);
    return out + '\n';
}

}  // namespace lt
