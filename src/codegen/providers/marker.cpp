// USDT markers of programs and libraries. Markers with their arguments at the same locations share a program.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "codegen/providers/program_function.h"
#include "codegen/providers/provider.h"
#include "codegen/providers/shared/ladder.h"

namespace lt {
namespace {

std::optional<std::vector<std::string>> marked_files(const Search& s, const Part& part) {
    if (means_files(part.text)) return files_of(s, part);
    const Result<std::string> path = s.kernel.machine().binary(part.text);
    if (path) {
        const Result<std::vector<Marker>> readable = s.kernel.programs().markers(*path);
        if (readable) return std::vector{*path};
        s.diags.error(part.span, readable.error().what).hint = readable.error().hint;
        return {};
    }
    s.diags.error(part.span, path.error().what).hint = path.error().hint;
    return {};
}

Places missing_marker(const Search& s, const std::vector<std::string>& names) {
    const std::string& name = s.last().text;
    Diag& d = s.diags.error(
        s.last().span, names.empty() ? fmt::format("{} has no USDT markers", s.spec.parts[1].text)
                                     : fmt::format("{} has no USDT marker {}", s.spec.parts[1].text, quoted(name)));
    d.hint = did_you_mean(closest(name, views(names)));
    if (d.hint.empty() && !names.empty())
        d.hint = fmt::format("`lt -l 'usdt:{}:*'` lists the markers", s.spec.parts[1].text);
    return {};
}

Places marker(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::uprobe, "uprobes")) return {};
    const auto files = marked_files(s, s.spec.parts[1]);
    if (!files) return {};
    const std::string& name = s.last().text;
    const std::string provider = s.spec.parts.size() == 4 ? s.spec.parts[2].text : "*";
    std::map<std::pair<std::string, std::string>, ResolvedPlace> by_arguments;
    std::vector<std::string> names;
    size_t found = 0;
    for (const std::string& path : *files) {
        const Result<std::vector<Marker>> markers = s.kernel.programs().markers(path);
        for (const Marker& m : markers ? *markers : std::vector<Marker>{}) {
            names.push_back(m.name);
            if (!glob_match(provider, m.provider) || !glob_match(name, m.name)) continue;
            ResolvedPlace& shared = by_arguments.try_emplace({path, m.arguments}, place).first->second;
            const std::string text =
                fmt::format("{}:{}:{}:{}", probe_row(place.kind).name, file_text(s, path), m.provider, m.name);
            const std::string file = path.substr(0, path.find("!/"));  // for a library in an archive, the archive
            shared.members.push_back({text, "", {file, m.name, m.offset, 0}, m.semaphore});
            if (shared.members.size() == 1)
                shared.there = MarkerPlace{shared.members.front().user, marker_arguments(m.arguments)};
            found++;
        }
    }
    if (found == 0 && means_files(s.spec.parts[1].text)) return missing_in_files(s, files->size(), "USDT marker");
    if (found == 0 && !is_glob(name)) return missing_marker(s, names);
    if (!count_fits(s, found, most_members) || !count_fits(s, by_arguments.size())) return {};
    Places out;
    for (auto& [arguments, shared] : by_arguments) {
        const std::string& text = shared.members.front().text;
        if (std::ranges::all_of(shared.members, [&](const SharedPlace& m) { return m.text == text; }))
            shared.text = text;
        const bool many = shared.members.size() > 1;
        shared.rungs = ladder(s.kernel, shared.members.front().user, {shared.kind, s.asked.role == Role::call, many},
                              s.options.ruled_out);
        if (!any_open(shared.rungs)) return no_way(s, shared);
        out.push_back(std::move(shared));
    }
    return out;
}

// "PROVIDER:NAME", sorted and without duplicates.
Result<std::vector<std::string>> markers_of(const ListSearch& s, const std::string& path) {
    const Result<std::vector<Marker>> markers = s.kernel.programs().markers(path);
    if (!markers) return markers.error();
    const std::string name = s.parts.size() > 2 ? s.last() : "*";
    const std::string provider = s.parts.size() > 3 ? s.part(2) : "*";
    std::vector<std::string> names;
    for (const Marker& m : *markers)
        if (glob_match(name, m.name) && glob_match(provider, m.provider))
            names.push_back(fmt::format("{}:{}", m.provider, m.name));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

FoundNames list_markers(const ListSearch& s) {
    return list_in_files(s, [&](const std::string& path) -> FoundNames {
        const Result<std::vector<std::string>> names = markers_of(s, path);
        return names ? named(*names, path + ":") : FoundNames(names.error());
    });
}

std::vector<std::string> complete_marker(Kernel& kernel, std::string_view typed) {
    return complete_in_file(kernel, typed, [&](const std::string& path, std::string_view) {
        const auto found = kernel.programs().markers(path);
        std::vector<std::string> all;
        for (const Marker& m : found ? *found : std::vector<Marker>{})
            all.push_back(fmt::format("{}:{}", m.provider, m.name));
        return all;
    });
}

}  // namespace

extern constinit const Provider marker_provider{
    .least = 2,
    .most = 3,
    .find = marker,
    .list = list_markers,
    .complete = complete_marker,
    .sees = Sees::one,
    .side = Side::program,
    .looked_up = true,
    .in_file = true,
    .acts = true,
};

}  // namespace lt
