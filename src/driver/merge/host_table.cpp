#include "driver/merge/host_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/visible.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/grid.h"
#include "runtime/print/show.h"
#include "runtime/print/table_text.h"

namespace lt {
namespace {

constexpr std::string_view by_key = "key";
constexpr size_t longest_host = 24;  // characters of a title
constexpr size_t fewest_for_median = 3;

std::string host_title(std::string_view host) { return shortened(host, longest_host); }

// The number that rows are sorted by.
int64_t rank_of(const Value& value, std::string_view sort) {
    if (!sort.empty())
        if (const auto figure = table_figure(sort, value)) return *figure;
    if (const auto* d = std::get_if<Distribution>(&value.data)) return d->sum;
    if (const auto* average = std::get_if<Average>(&value.data)) return average->sum;
    if (const auto* causes = std::get_if<Causes>(&value.data)) return causes->total();
    return host_figure("count", value).value_or(INT64_MIN);
}

std::vector<size_t> row_order(const HostMap& map, const TableView& view) {
    std::vector<MapEntry> entries(map.all.begin(), map.all.end());
    std::vector<size_t> order;
    order = key_order({std::string(map.name), Entries(std::move(entries)), 0, true, map.type});
    if (view.sort != by_key)
        std::ranges::stable_sort(order, std::ranges::greater{},
                                 [&](size_t row) { return rank_of(map.all[row].value, view.sort); });
    return order;
}

class HostTable {
  public:
    HostTable(const HostMap& map, const std::vector<size_t>& columns, const TableView& view)
        : map_(map),
          columns_(columns),
          figures_(host_figures(map, view)),
          parts_(parts_of_keys()),
          has_figures_(figures_.size() > 1 || !figures_.front().empty()),
          has_median_(map.hosts.size() >= fewest_for_median),
          grid_(parts_ + (has_figures_ ? 1 : 0), titles()) {}

    void add(size_t row) {
        const bool has_causes = map_.type.aggregation == Aggregation::why;
        for (const std::string_view figure : figures_)
            if (!has_causes || host_figure(figure, map_.all[row].value).value_or(1) != 0) add_line(row, figure);
        for (const Value& part : key_parts(map_.all[row].key))
            if (const auto* stack = std::get_if<Stack>(&part.data))
                for (const std::string& frame : stack_rows(*stack, part.type.stack_form))
                    stacks_.back() += fmt::format("    {}\n", visible(frame));
    }

    std::string text() const {
        std::string out = grid_.line(0);
        for (size_t i = 0; i < stacks_.size(); i++) out += grid_.line(i + 1) + stacks_[i];
        return out;
    }

  private:
    size_t parts_of_keys() const {
        size_t parts = 0;
        for (const Value& part : key_parts(map_.all.front().key))
            parts += std::holds_alternative<Stack>(part.data) ? 0 : 1;
        return std::max<size_t>(parts, 1);
    }

    std::vector<std::string> titles() const {
        std::vector<std::string> out{fmt::format("{} by host", map_.name)};
        out.resize(parts_ + (has_figures_ ? 1 : 0));
        out.emplace_back("all");
        if (has_median_) out.emplace_back("median");
        for (const size_t host : columns_) out.push_back(host_title(map_.hosts[host]));
        return out;
    }

    void add_line(size_t row, std::string_view figure) {
        std::vector<std::string> cells;
        if (figure == figures_.front())
            for (const Value& part : key_parts(map_.all[row].key))
                if (!std::holds_alternative<Stack>(part.data)) cells.push_back(key_cell(part, false));
        cells.resize(parts_);
        if (has_figures_) cells.emplace_back(figure);
        const auto text = [&](std::optional<int64_t> number) { return host_figure_text(figure, number, map_.type); };
        cells.push_back(text(host_figure(figure, map_.all[row].value)));
        std::vector<std::optional<int64_t>> of_host(map_.hosts.size());
        std::vector<int64_t> known;
        for (const HostValue& each : map_.each[row]) {
            of_host[each.host] = host_figure(figure, each.value);
            if (of_host[each.host]) known.push_back(*of_host[each.host]);
        }
        if (has_median_) cells.push_back(text(known.empty() ? std::nullopt : std::optional(median_of(known))));
        for (const size_t host : columns_) cells.push_back(text(of_host[host]));
        grid_.add(std::move(cells));
        stacks_.emplace_back();
    }

    const HostMap& map_;
    const std::vector<size_t>& columns_;
    std::vector<std::string_view> figures_;
    size_t parts_;      // columns of the key
    bool has_figures_;  // a column with their names
    bool has_median_;
    Grid grid_;
    std::vector<std::string> stacks_;  // after each line
};

}  // namespace

std::string host_table(const HostMap& map, const std::vector<size_t>& columns, const TableView& view) {
    if (map.all.empty()) return {};
    std::vector<size_t> order = row_order(map, view);
    const size_t hidden = view.most != 0 && view.most < order.size() ? order.size() - view.most : 0;
    order.resize(order.size() - hidden);
    HostTable table(map, columns, view);
    for (const size_t row : order) table.add(row);
    return table.text() + (hidden > 0 ? fmt::format("({} more)\n", hidden) : "") + '\n';
}

}  // namespace lt
