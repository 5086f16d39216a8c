// Probes whose file is a pattern: `*`, all files that running processes have mapped (those of one process with -p), or
// a pattern of paths. Files in which nothing matches are passed over.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "resolver.h"

namespace lt {

bool Resolver::means_files(const std::string& file) { return is_glob(file); }

// At least one, or none after a diagnostic.
std::optional<std::vector<std::string>> Resolver::files_of(const Part& part) {
    const int process = options_.traced.process;
    const bool mapped = part.text == "*";
    std::vector<std::string> files = mapped ? kernel_.mapped_files(process) : kernel_.binaries(part.text);
    if (!files.empty()) return files;
    Diag& d = diags_.error(part.span, !mapped ? fmt::format("no program or library matches {}", quoted(part.text))
                                      : process != 0 ? fmt::format("there is no process {}", process)
                                                     : "`*` is the files of all processes, and none is known to run");
    if (!mapped && part.text.find('/') == part.text.npos)
        d.hint = "a pattern without a folder is looked for in PATH and among the libraries";
    return {};
}

Resolver::Places Resolver::functions_of_files(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    const auto files = files_of(spec.parts[1]);
    if (!files) return {};
    const std::string& name = spec.parts.back().text;
    const bool at_return = probe_row(place.kind).result || asked.role == Role::call;
    if (at_return && name.find_first_of("+@") != name.npos) return not_an_entry(spec);
    const bool by_symbol = spec.parts.size() == 3 && !is_glob(name) && name.find_first_of(":@") == name.npos;
    Diags passed_over;
    Resolver quiet = telling(passed_over);
    std::vector<SourcePlace> found;
    for (const std::string& file : *files) {
        const std::string path = by_symbol ? library_today(spec, file) : file;
        if (by_symbol) {
            if (Result<UserFunction> one = user_place(path, name)) found.push_back({*std::move(one), ""});
        } else if (auto here = quiet.user_places(spec, path, "")) {
            std::ranges::move(*here, std::back_inserter(found));
        }
    }
    if (found.empty()) return missing_in_files(spec, files->size(), "function");
    if (!count_fits(spec, found.size(), most_members)) return {};
    return asked.by_fields ? user_one_by_one(spec, place, found, asked)
                           : user_as_one(spec, std::move(place), found, asked, true);
}

Resolver::Places Resolver::missing_in_files(const ast::ProbeSpec& spec, size_t files, std::string_view what) {
    const std::string which = spec.parts[1].text == "*"
                                  ? fmt::format("the {} files that processes have mapped", files)
                                  : fmt::format("the {} files that match {}", files, quoted(spec.parts[1].text));
    diags_.error(spec.parts.back().span, fmt::format("none of {} has a {} {}", which, what, spec.parts.back().text));
    return {};
}

}  // namespace lt
