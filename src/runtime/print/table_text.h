// Distributions and statistics with keys as one table: a row for each key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/print/printer.h"
#include "runtime/values/value.h"

namespace lt {

// The names of the columns.
std::vector<std::string_view> table_columns();

// The figure of a column for a distribution or a value of stats(); none if it has no such figure, as the share.
std::optional<int64_t> table_figure(std::string_view column, const Value& value);

// A figure of values of this type as it is printed in a table: "-", "1,234", "1.53ms".
std::string table_figure_text(std::string_view column, std::optional<int64_t> figure, const Type& type);

// A part of a key that fits into a line of a table, not too long.
std::string key_cell(const Value& part, ValueStyle style);

// 1234567 -> "1,234,567"
std::string grouped(int64_t number, bool is_signed = true);

// Is it a view whose column and columns exist?
Status check_view(const TableView& view);

// Is the map printed as a table?
bool is_table(const MapContent& content, const TableView& view);

struct Table {
    struct Row {
        std::vector<std::string> cells;   // one for each title
        std::vector<std::string> stacks;  // lines below the row: the parts of the key that take several
    };
    size_t key_parts = 1;             // columns of the key, which come first
    std::vector<std::string> titles;  // the first is the map's name
    std::vector<Row> rows;            // the greatest first, in the order of the view or, without one, of the total
    size_t hidden = 0;                // rows that the view leaves out
};
Table table_of(const MapContent& content, const TableView& view, ValueStyle style);

// The title, and the rows.
std::string table_text(const MapContent& content, const TableView& view, ValueStyle style);

}  // namespace lt
