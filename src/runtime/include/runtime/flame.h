// Flame graphs: stacks that begin alike stand on common ground, and how wide a function is says how much of the whole
// was in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/folded.h"
#include "runtime/printer.h"

namespace lt {

class FlameGraph {
  public:
    void add(const FoldedStack& stack);
    bool empty() const { return root_.weight == 0; }

    // A file that stands by itself: titles tell numbers, a click magnifies a function, and functions can be searched.
    // Where `durations`, weights are nanoseconds.
    std::string svg(std::string_view title, bool durations) const;

  private:
    friend class FlameDrawing;
    struct Node {
        uint64_t weight = 0;
        std::map<std::string, Node> above;  // by name, so that the picture of the same stacks is the same
    };
    Node root_;
};

// Hands everything on to `next`, and adds the maps of the end of a run to the graph, as far as they can be folded.
std::unique_ptr<Printer> flame_printer(FlameGraph& graph, Printer& next, bool named);

}  // namespace lt
