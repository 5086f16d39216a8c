#include "runtime/load/why_places.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "runtime/border/why.h"
#include "runtime/bpf/map.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

// The compiler may make a function's copies with another name: f.isra.0, f.constprop.0, f.part.0. `copies` are all
// such names, sorted: to search all symbols for each function takes half a second.
std::vector<Symbol> all_of(const Kallsyms& symbols, const std::vector<std::string>& copies, std::string_view function) {
    std::vector<Symbol> out = symbols.find(function);
    const std::string beginning = std::string(function) + ".";
    for (auto name = std::ranges::lower_bound(copies, beginning); name != copies.end(); ++name) {
        if (!name->starts_with(beginning)) break;
        const std::vector<Symbol> more = symbols.find(*name);
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

std::vector<WhyPlace> places(const Kallsyms& symbols) {
    std::vector<WhyPlace> out;
    uint64_t order = wait_rows().size();
    const std::vector<std::string> copies = symbols.names("*.*");
    for (const WaitRow& row : wait_rows()) {
        const uint64_t rank = order-- << 16 | (row.anywhere ? why_anywhere : 0) | static_cast<uint64_t>(row.cause);
        for (const Symbol& named : all_of(symbols, copies, row.function)) {
            const auto symbol = named.address == 0 ? std::nullopt : symbols.at(named.address);
            if (!symbol || symbol->size == 0) continue;
            out.push_back({symbol->address, rank});
            out.push_back({symbol->address + symbol->size, 0});
        }
    }
    // where one function ends and the next begins, the beginning comes last
    std::ranges::sort(out, [](const WhyPlace& a, const WhyPlace& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.rank < b.rank;
    });
    return out;
}

}  // namespace

Result<WhyPlaces> fill_why_places(LoadedObject& object) {
    const int map = object.map(std::string(why_places));
    if (map < 0) return WhyPlaces::not_needed;
    const Result<std::string> text = read_text("/proc/kallsyms");
    if (!text) return text.error();
    std::array<WhyPlace, why_place_rows> rows{};
    static_assert(sizeof rows == why_places_size);
    rows[0].begin = 0;
    size_t n = 1;
    for (const WhyPlace& place : places(Kallsyms(*text)))
        if (n < rows.size() - 1) rows[n++] = place;
    const uint32_t first = 0;
    const int code = bpf::update(map, &first, &rows);
    if (code < 0) return system_error("cannot fill the table of functions in which threads wait", -code);
    return n > 1 ? WhyPlaces::known : WhyPlaces::hidden;
}

}  // namespace lt
