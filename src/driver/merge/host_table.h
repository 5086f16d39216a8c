// A map's values by host as a table: keys and figures in rows, hosts in columns.
#pragma once

#include <string>
#include <vector>

#include "driver/merge/host_map.h"
#include "runtime/print/printer.h"

namespace lt {

// `columns`: the hosts that have one, in their order. The rows are in the order of the view; without one, the greatest
// come first, by the total or the number of values. Empty if the map is.
std::string host_table(const HostMap& map, const std::vector<size_t>& columns, const TableView& view);

}  // namespace lt
