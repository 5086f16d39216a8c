// USDT markers of programs and libraries. Those with their arguments at the same places share a program.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "ladder.h"
#include "resolver.h"

namespace lt {

Resolver::Places Resolver::marker(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    if (!offered(spec, Feature::uprobe, "uprobes")) return {};
    const auto files = marked_files(spec.parts[1]);
    if (!files) return {};
    const std::string& name = spec.parts.back().text;
    const std::string provider = spec.parts.size() == 4 ? spec.parts[2].text : "*";
    std::map<std::pair<std::string, std::string>, ResolvedPlace> by_arguments;
    std::vector<std::string> names;
    size_t found = 0;
    for (const std::string& path : *files) {
        const Result<std::vector<Marker>> markers = kernel_.markers(path);
        for (const Marker& m : markers ? *markers : std::vector<Marker>{}) {
            names.push_back(m.name);
            if (!glob_match(provider, m.provider) || !glob_match(name, m.name)) continue;
            ResolvedPlace& shared = by_arguments.try_emplace({path, m.arguments}, place).first->second;
            shared.arguments = marker_arguments(m.arguments);
            const std::string text =
                fmt::format("{}:{}:{}:{}", probe_row(place.kind).name, file_text(spec, path), m.provider, m.name);
            const std::string file = path.substr(0, path.find("!/"));  // of a library in an archive: the archive
            shared.members.push_back({text, "", {file, m.name, m.offset, 0}, m.semaphore});
            found++;
        }
    }
    if (found == 0 && means_files(spec.parts[1].text)) return missing_in_files(spec, files->size(), "USDT marker");
    if (found == 0 && !is_glob(name)) return missing_marker(spec, names);
    if (!count_fits(spec, found, most_members) || !count_fits(spec, by_arguments.size())) return {};
    Places out;
    for (auto& [arguments, shared] : by_arguments) {
        const std::string& text = shared.members.front().text;
        if (std::ranges::all_of(shared.members, [&](const SharedPlace& m) { return m.text == text; }))
            shared.text = text;
        shared.user = shared.members.front().user;
        const bool many = shared.members.size() > 1;
        shared.rungs = ladder(kernel_, shared.user, {shared.kind, asked.role == Role::call, many}, options_.ruled_out);
        if (!any_open(shared.rungs)) return no_way(spec, shared);
        out.push_back(std::move(shared));
    }
    return out;
}

std::optional<std::vector<std::string>> Resolver::marked_files(const Part& part) {
    if (means_files(part.text)) return files_of(part);
    const Result<std::string> path = kernel_.binary(part.text);
    if (path) {
        const Result<std::vector<Marker>> readable = kernel_.markers(*path);
        if (readable) return std::vector{*path};
        diags_.error(part.span, readable.error().what).hint = readable.error().hint;
        return {};
    }
    diags_.error(part.span, path.error().what).hint = path.error().hint;
    return {};
}

Resolver::Places Resolver::missing_marker(const ast::ProbeSpec& spec, const std::vector<std::string>& names) {
    const std::string& name = spec.parts.back().text;
    Diag& d = diags_.error(spec.parts.back().span,
                           names.empty() ? fmt::format("{} has no USDT markers", spec.parts[1].text)
                                         : fmt::format("{} has no USDT marker {}", spec.parts[1].text, quoted(name)));
    d.hint = did_you_mean(closest(name, views(names)));
    if (d.hint.empty() && !names.empty()) d.hint = fmt::format("`lt -l 'usdt:{}:*'` lists them", spec.parts[1].text);
    return {};
}

}  // namespace lt
