// Lines of cells as text: the columns of a table, aligned.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/visible.h"

namespace lt {

class Grid {
  public:
    // So many columns, from the first on, are aligned on the left.
    Grid(size_t left, std::vector<std::string> titles) : left_(left), widths_(titles.size()) { add(std::move(titles)); }

    // A line; it has as many cells as there are titles.
    void add(std::vector<std::string> cells) {
        for (size_t i = 0; i < cells.size(); i++) widths_[i] = std::max(widths_[i], columns_in(cells[i]));
        lines_.push_back(std::move(cells));
    }

    // With a newline; line 0 is that of the titles.
    std::string line(size_t number) const {
        std::string out;
        for (size_t i = 0; i < lines_[number].size(); i++) {
            const std::string& cell = lines_[number][i];
            if (i > 0) out += i < left_ ? " " : "  ";
            out += i < left_ ? at_left(cell, widths_[i]) : at_right(cell, widths_[i]);
        }
        return out + '\n';
    }

  private:
    size_t left_;
    std::vector<size_t> widths_;
    std::vector<std::vector<std::string>> lines_;
};

}  // namespace lt
