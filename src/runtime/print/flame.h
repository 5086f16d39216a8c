// Flame graphs: stacks share the boxes of their common outer functions, and the width of a box is its share of the
// total weight.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/print/folded.h"
#include "runtime/print/printer.h"

namespace lt {

class FlameGraph {
  public:
    void add(const FoldedStack& stack);
    void leave_out_negative() { negative_++; }  // a stack with such a weight has no box
    // "2 stacks with negative values are not drawn"; empty if all are.
    std::string left_out_text() const;
    bool empty() const { return root_.weight == 0; }
    // The part that was added since it was like `before`; all of it if it has been emptied since.
    FlameGraph since(const FlameGraph& before) const;

    // A self-contained file, as wide as its window, light or dark as the reader's system is: titles show numbers, a
    // click magnifies a function, and functions can be searched. `facts` is a line below the title. With `durations`,
    // weights are nanoseconds.
    std::string svg(std::string_view title, std::string_view facts, bool durations) const;
    // The same as an element of a page. With `before`, a function is red as far as its share of the total has grown
    // since then, and blue as far as it has shrunk; those that are gone have no box.
    std::string picture(std::string_view title, std::string_view facts, bool durations,
                        const FlameGraph* before = nullptr) const;

  private:
    friend class FlameDrawing;
    struct Node {
        uint64_t weight = 0;
        std::map<std::string, Node> above;  // by name, so that the same stacks give the same picture
    };
    static void take_away(Node& from, const Node& what);

    Node root_;
    size_t negative_ = 0;  // stacks
};

// Passes everything on to `next`, and adds the maps at the end of a run to the graph, as far as they can be folded.
std::unique_ptr<Printer> flame_printer(FlameGraph& graph, Printer& next, bool named);

}  // namespace lt
