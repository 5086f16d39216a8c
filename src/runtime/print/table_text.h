// Distributions and statistics with keys as one table: a row for each key.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/print/printer.h"
#include "runtime/values/value.h"

namespace lt {

// The names of the columns.
std::vector<std::string_view> table_columns();

// Is it a view whose column and columns exist?
Status check_view(const TableView& view);

// Is the map printed as a table?
bool is_table(const MapContent& content, const TableView& view);

// The title, and the rows: the greatest first, in the order of the view or, without one, of the total.
std::string table_text(const MapContent& content, const TableView& view, ValueStyle style);

}  // namespace lt
