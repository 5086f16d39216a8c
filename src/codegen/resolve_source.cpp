// Places in source code: "f@b.c:12" and what else SystemTap writes, and the line behind PATH@FILE.c:.
#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "ladder.h"
#include "resolver.h"

namespace lt {
namespace {

constexpr std::string_view shapes = "lines are 12, 12-20 or *, and +3 counts from that of the function";

// "12", "12-20", "*"
bool read_lines(std::string_view text, SourceQuery& out) {
    if (text == "*") {
        out.first = 1;
        out.last = UINT32_MAX;
        return true;
    }
    const size_t dash = text.find('-');
    const auto first = number<uint32_t>(text.substr(0, dash));
    const auto last = dash == text.npos ? first : number<uint32_t>(text.substr(dash + 1));
    if (!first || !last || *last < *first || *last == UINT32_MAX) return false;
    out.first = *first;
    out.last = *last;
    return out.last > 0;
}

}  // namespace

// `file` is empty where the name has it: FUNCTION@FILE:LINES, FUNCTION@FILE+LINES or FUNCTION@FILE.
Result<SourceQuery> Resolver::source_query(std::string_view name, std::string_view file, bool inlined) {
    SourceQuery out;
    out.inlined = inlined;
    if (!file.empty()) {
        out.file = file;
        if (read_lines(name, out)) return out;
        return Error{fmt::format("{} is no line", quoted(name)), "write PATH@FILE.c:LINE", 0};
    }
    const size_t at = name.find('@');
    const std::string_view place = at == name.npos ? "*" : name.substr(at + 1);
    const size_t sign = place.find_last_of(":+");
    out.function = at == 0 ? "*" : std::string(name.substr(0, at));
    out.file = place.substr(0, sign);
    if (sign == place.npos) return out;
    out.relative = place[sign] == '+';
    if (read_lines(place.substr(sign + 1), out)) return out;
    return Error{fmt::format("{} is no line", quoted(place.substr(sign + 1))), std::string(shapes), 0};
}

namespace {

// Those that begin at one of the places, sorted.
std::vector<std::string> functions_at(const std::vector<SourcePlace>& places) {
    std::set<std::string> names;
    for (const SourcePlace& p : places)
        if (!p.place.name.empty() && p.place.name.find('+') == p.place.name.npos) names.insert(p.place.name);
    return {names.begin(), names.end()};
}

}  // namespace

// Lines of the kernel, where its functions are inlined, and the functions of a file.
Resolver::Places Resolver::kernel_source(const ast::ProbeSpec& spec, const ResolvedPlace& place, const Asked& asked) {
    const Part& part = spec.parts.back();
    const auto refuse = [&](const Error& error) {
        diags_.error(part.span, error.what).hint = error.hint;
        return Places{};
    };
    const std::string word = spec.parts.size() == 3 ? spec.parts[1].text : "";
    const bool apart = word.find('@') != word.npos;  // the colon before the line has parted them
    const Result<SourceQuery> query =
        source_query(apart ? fmt::format("{}:{}", word, part.text) : part.text, "", !word.empty() && !apart);
    if (!query) return refuse(query.error());
    const bool functions = query->last == 0 && !query->inlined;
    if (!functions && (place.kind != ProbeKind::kprobe || asked.role == Role::call))
        return refuse({"only kprobes are on single instructions", "write k:\"FUNCTION@FILE.c:LINE\" { ... }", 0});
    const Result<std::string> file = kernel_.debug_file();
    if (!file)
        return refuse({file.error().what,
                       fmt::format("{}; kprobe:{} is the function's entry", file.error().hint, query->function), 0});
    Result<std::vector<SourcePlace>> found = kernel_.source_places(*file, *query);
    if (!found) return refuse(found.error());
    if (functions) return matching_functions(spec, place, functions_at(*found), asked);
    if (!count_fits(spec, found->size(), most_matches_)) return {};
    Places out;
    for (const SourcePlace& one : *found) {
        Places places = kernel_line(spec, place, one);
        if (places.empty()) return {};
        out.push_back(std::move(places.front()));
    }
    return out;
}

// By the name of the function that lies there, which may not be the one of the source.
Resolver::Places Resolver::kernel_line(const ast::ProbeSpec& spec, ResolvedPlace place, const SourcePlace& found) {
    const std::string& name = found.place.name;
    const size_t plus = name.find('+');
    place.function.name = name.substr(0, plus);
    place.offset = plus == name.npos ? 0 : any_number(name.substr(plus + 1)).value_or(0);
    place.user = found.place;
    place.text = fmt::format("{}:{}", probe_row(place.kind).name, found.text);
    place.rungs = instruction_rungs(place.function.name);
    if (place.rungs.front().refused.empty() && kernel_.ambiguous(place.function.name))
        place.rungs.front().refused = fmt::format("the kernel has several functions {}", place.function.name);
    return any_open(place.rungs) ? Places{std::move(place)} : no_way(spec, place);
}

}  // namespace lt
