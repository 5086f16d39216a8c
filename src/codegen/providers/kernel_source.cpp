// Locations in source code: "f@b.c:12" and SystemTap's other forms, and PATH@FILE.c:LINE.
#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "codegen/providers/kernel_function.h"
#include "codegen/providers/program_function.h"
#include "codegen/providers/shared/ladder.h"

namespace lt {
namespace {

constexpr std::string_view shapes =
    "write a line as `12`, `12-20` or `*`, or as `+3` to count from the function's first line";

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

Result<SourceQuery> source_query(std::string_view name, std::string_view file, bool inlined) {
    SourceQuery out;
    out.inlined = inlined;
    if (!file.empty()) {
        out.file = file;
        if (read_lines(name, out)) return out;
        return Error{fmt::format("{} is not a line", quoted(name)), "write `PATH@FILE.c:LINE`", 0};
    }
    const size_t at = name.find('@');
    const std::string_view place = at == name.npos ? "*" : name.substr(at + 1);
    const size_t sign = place.find_last_of(":+");
    out.function = at == 0 ? "*" : std::string(name.substr(0, at));
    out.file = place.substr(0, sign);
    if (sign == place.npos) return out;
    out.relative = place[sign] == '+';
    if (read_lines(place.substr(sign + 1), out)) return out;
    return Error{fmt::format("{} is not a line", quoted(place.substr(sign + 1))), std::string(shapes), 0};
}

namespace {

// The functions that start at one of the locations, sorted.
std::vector<std::string> functions_at(const std::vector<SourcePlace>& places) {
    std::set<std::string> names;
    for (const SourcePlace& p : places)
        if (!p.place.name.empty() && p.place.name.find('+') == p.place.name.npos) names.insert(p.place.name);
    return {names.begin(), names.end()};
}

// Named by the function that contains the instruction, which can differ from the function in the source.
Places kernel_line(const Search& s, ResolvedPlace place, const SourcePlace& found) {
    const std::string& name = found.place.name;
    const size_t plus = name.find('+');
    KernelPlace at;
    at.function.name = name.substr(0, plus);
    at.offset = plus == name.npos ? 0 : any_number(name.substr(plus + 1)).value_or(0);
    at.line = found.place;
    place.text = fmt::format("{}:{}", probe_row(place.kind).name, found.text);
    place.rungs = instruction_rungs(s, at.function.name);
    if (place.rungs.front().refused.empty() && s.kernel.ambiguous(at.function.name))
        place.rungs.front().refused = fmt::format("the kernel has several functions `{}`", at.function.name);
    place.there = std::move(at);
    return any_open(place.rungs) ? Places{std::move(place)} : no_way(s, place);
}

}  // namespace

Places kernel_source(const Search& s, const ResolvedPlace& place) {
    const Part& part = s.last();
    const auto refuse = [&](const Error& error) {
        s.diags.error(part.span, error.what).hint = error.hint;
        return Places{};
    };
    const std::string word = s.spec.parts.size() == 3 ? s.spec.parts[1].text : "";
    const bool apart = word.find('@') != word.npos;  // the colon before the line split them
    const Result<SourceQuery> query =
        source_query(apart ? fmt::format("{}:{}", word, part.text) : part.text, "", !word.empty() && !apart);
    if (!query) return refuse(query.error());
    const bool functions = query->last == 0 && !query->inlined;
    if (!functions && (place.kind != ProbeKind::kprobe || s.asked.role == Role::call))
        return refuse({"only kprobes can be at single instructions", "write `k:\"FUNCTION@FILE.c:LINE\" { ... }`", 0});
    const Result<std::string> file = s.kernel.debug_file();
    if (!file) {
        Error error = file.error();
        if (!is_glob(query->function))
            error.hint +=
                fmt::format("{}`kprobe:{}` is the function's entry", error.hint.empty() ? "" : "; ", query->function);
        return refuse(error);
    }
    Result<std::vector<SourcePlace>> found = s.kernel.programs().source_places(*file, *query);
    if (!found) return refuse(found.error());
    if (functions) return matching_functions(s, place, functions_at(*found));
    if (!count_fits(s, found->size(), s.most_matches)) return {};
    Places out;
    for (const SourcePlace& one : *found) {
        Places places = kernel_line(s, place, one);
        if (places.empty()) return {};
        out.push_back(std::move(places.front()));
    }
    return out;
}

}  // namespace lt
