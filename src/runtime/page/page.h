// The results of a run as one page for a browser: a picture or a table for each map, what was lost, and what the script
// printed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/page/heat.h"
#include "runtime/print/flame.h"
#include "runtime/print/printer.h"

namespace lt {

class Page {
  public:
    // Beyond these a page says how many it leaves out.
    static constexpr size_t most_rows = 1000;       // of a map
    static constexpr size_t most_histograms = 20;   // of a map with keys
    static constexpr size_t most_text = 256 << 10;  // bytes of what was printed; the oldest are left out

    explicit Page(PrintStyle style) : style_(style) {}

    // The time from which on the maps collect, and the content of one during the run, for its picture over time.
    void begin(Heat::Clock::time_point now) { begin_ = now; }
    void look(const MapContent& content, Heat::Clock::time_point now);
    // A map to show. Heading: its name, or what the caller writes instead.
    void add(const MapContent& content, std::string heading = {});
    // The stacks that came after `before`, and where their share of the total has grown and shrunk. False, and nothing
    // is shown, if the map has no stacks.
    enum class After : uint8_t { has_both, alone };  // does `after` include what came before?
    bool add_difference(const MapContent& before, const MapContent& after, std::string_view heading, After after_has);
    // Several lines as they are.
    void add_text(std::string_view heading, std::string_view text);
    void printed(std::string_view text);  // what the script prints, in this order
    void notice(std::string_view text);   // something that a reader must know: a loss, an error

    // `script` may be empty.
    std::string html(std::string_view title, std::string_view facts, std::string_view script) const;

  private:
    PrintStyle style_;
    std::string maps_, printed_;  // maps_ is HTML
    size_t left_out_ = 0;         // bytes of printed_
    std::vector<std::string> notices_;
    Heat::Clock::time_point begin_ = Heat::Clock::now();
    std::map<std::string, Heat> heats_;  // by map
};

// Passes everything on to `next`, and the maps at the end, what was printed and what was lost to the page.
std::unique_ptr<Printer> page_printer(Page& page, Printer& next, PrintStyle style);

}  // namespace lt
