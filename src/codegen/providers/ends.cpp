// Program functions whose returns are found by decoding instructions: Go functions, and others if all methods that
// replace return addresses are ruled out.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "codegen/providers/program_function.h"

namespace lt {
namespace {

// A reason without the address in it, such as "it can be left at +0x12 by ...".
std::string sort_of_reason(std::string why) {
    const size_t at = why.find(" at +0x");
    if (at != why.npos) why.erase(at, why.find(' ', at + 4) - at);
    if (why.ends_with(',')) why.pop_back();
    return why;
}

// Only for probes at a function's start; a probe inside one is at its own instruction.
bool decodes(const Search& s, const UserFunction& f, bool at_return) {
    if (!f.inlined.empty() || f.name.empty() || f.name.find('+') != f.name.npos) return false;
    if (f.convention != Convention::c) return true;
    const auto is_ruled_out = [&](const WayRow& row) {
        return std::ranges::any_of(s.options.ruled_out,
                                   [&](const RuledOut& r) { return r.function.empty() && r.way == row.way; });
    };
    return at_return && std::ranges::all_of(way_rows(), [&](const WayRow& row) {
               return !row.function || !row.user || row.decoded || is_ruled_out(row);
           });
}

// The reason; no value if the function can be traced.
std::optional<std::string> cannot_be_traced(const Search& s, UserFunction& f, bool at_return) {
    if (!decodes(s, f, at_return)) return {};
    Result<FunctionEnds> ends = s.kernel.programs().function_ends(f, at_return);
    if (!ends) return ends.error().what;
    f.ends = *std::move(ends);
    return {};
}

// Of the functions that are local to source files and share a name, only the first is found by it.
void warn_of_others(const Search& s, const std::vector<SourcePlace>& found) {
    size_t others = 0;
    for (const SourcePlace& each : found) others += each.place.others;
    if (others == 0) return;
    const std::string& first = found.front().place.name;
    const std::string name = found.size() == 1 ? first.substr(0, first.find('+')) : "";
    s.diags
        .warning(s.last().span, fmt::format("{} with {} {} not traced", plural(others, "other function"),
                                            name.empty() ? "one of these names" : fmt::format("the name `{}`", name),
                                            others == 1 ? "is" : "are"))
        .hint = fmt::format(
        "`{0}:{1}:\"{2}@FILE\"` traces that of a source file, if there is debug information, and "
        "`{0}:{1}:0xADDRESS` that at an address",
        s.spec.parts.front().text, s.spec.parts[1].text, name.empty() ? "NAME" : name);
}

}  // namespace

Places user_by_convention(const Search& s, const ResolvedPlace& place, std::vector<SourcePlace> found, bool many) {
    warn_of_others(s, found);
    const bool returns = at_return(s, place);
    const size_t all = found.size();
    std::map<std::string, std::vector<std::string>> left_out;  // by reason
    std::string first;
    bool by_entry = false;
    std::erase_if(found, [&](SourcePlace& each) {
        const auto why = cannot_be_traced(s, each.place, returns);
        if (!why) return false;
        if (left_out.empty()) first = fmt::format("`{}` cannot be traced here: {}", each.place.name, *why);
        by_entry = by_entry || (returns && !cannot_be_traced(s, each.place, false));
        left_out[sort_of_reason(*why)].push_back(each.place.name);
        return true;
    });
    if (found.empty()) {
        Diag& d = s.diags.error(s.last().span,
                                all == 1 ? first : fmt::format("none of {} functions can be traced: {}", all, first));
        if (by_entry)
            d.hint = fmt::format("the entry can be traced: `u:{}:{} {{ @ = count(); }}`", s.spec.parts[1].text,
                                 s.last().text);
        return {};
    }
    if (!left_out.empty()) {
        Diag& d =
            s.diags.warning(s.last().span, fmt::format("{} of {} functions are skipped", all - found.size(), all));
        for (const auto& [why, names] : left_out)
            d.notes.push_back({{},
                               fmt::format("{}: {}{}", why, names.front(),
                                           names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "")});
    }
    std::map<std::pair<Convention, bool>, std::vector<SourcePlace>> sorts;
    for (SourcePlace& each : found)
        sorts[{each.place.convention, each.place.ends && each.place.ends->at_check}].push_back(std::move(each));
    Places out;
    for (const auto& [sort, places] : sorts) {
        Places some =
            many && s.asked.by_fields ? user_one_by_one(s, place, places) : user_as_one(s, place, places, many);
        if (some.empty()) return some;
        std::ranges::move(some, std::back_inserter(out));
    }
    return out;
}

}  // namespace lt
