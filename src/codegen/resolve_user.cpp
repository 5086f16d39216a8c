// Functions and instructions of programs and libraries.
#include <fmt/format.h>

#include <cerrno>

#include "base/text.h"
#include "ladder.h"
#include "resolver.h"
#include "stdlib/successors.h"

namespace lt {

// Behind a function's first instruction the kernel would take what lies on the stack for the return address, and
// the program would crash.
Resolver::Places Resolver::not_an_entry(const ast::ProbeSpec& spec) {
    diags_.error(spec.parts.back().span, "a return can only be traced from a function's entry, not from inside it")
        .hint = "name the function alone";
    return {};
}

Resolver::Places Resolver::binary_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    const bool at_return = probe_row(place.kind).result || asked.role == Role::call;
    if (!offered(spec, Feature::uprobe, "uprobes")) return {};
    const std::string& file = spec.parts[1].text;
    if (means_files(file)) return functions_of_files(spec, std::move(place), asked);
    // PATH@FILE.c, unless the path itself has such a sign
    const bool may_be_line = spec.parts.size() == 3 && file.find('@') != file.npos && !kernel_.binary(file);
    const size_t at = may_be_line ? file.rfind('@') : file.npos;
    Result<std::string> path = kernel_.binary(file.substr(0, at));
    if (path && at == file.npos) path = library_today(spec, *std::move(path));
    if (!path) {
        diags_.error(spec.parts[1].span, path.error().what).hint = path.error().hint;
        return {};
    }
    const std::string& name = spec.parts.back().text;
    const std::string_view source = at == file.npos ? "" : std::string_view(file).substr(at + 1);
    if (at_return && (name.find('+') != name.npos || !source.empty())) return not_an_entry(spec);
    const std::optional<std::vector<SourcePlace>> found = user_places(spec, *path, source);
    if (!found) return {};
    const UserFunction& first = found->front().place;
    if (at_return && !first.name.empty() && first.name.find('+') != first.name.npos) return not_an_entry(spec);
    if (at_return && name.starts_with("0x") && !starts_function(*path, first)) return not_an_entry(spec);
    const bool many = found->size() > 1 || is_glob(name);
    return many && asked.by_fields ? user_one_by_one(spec, place, *found, asked)
                                   : user_as_one(spec, std::move(place), *found, asked, many);
}

Resolver::Places Resolver::user_as_one(const ast::ProbeSpec& spec, ResolvedPlace place,
                                       const std::vector<SourcePlace>& found, const Asked& asked, bool many) {
    for (const SourcePlace& f : found)
        if (many) place.members.push_back({text_of(spec, place, f), "", f.place});
    place.user = found.front().place;
    if (!many) place.text = text_of(spec, place, found.front());
    place.rungs = ladder(kernel_, place.user, {place.kind, asked.role == Role::call, many}, options_.ruled_out);
    return any_open(place.rungs) ? std::vector{place} : no_way(spec, place);
}

// Variables lie elsewhere in each of them.
Resolver::Places Resolver::user_one_by_one(const ast::ProbeSpec& spec, const ResolvedPlace& place,
                                           const std::vector<SourcePlace>& found, const Asked& asked) {
    Places out;
    if (!count_fits(spec, found.size())) return out;
    for (const SourcePlace& f : found) {
        Places one = user_as_one(spec, place, {f}, asked, false);
        if (one.empty()) return one;
        out.push_back(std::move(one.front()));
    }
    return out;
}

// Where the function has gone with its library, if the file has it no more; else the file itself.
std::string Resolver::library_today(const ast::ProbeSpec& spec, std::string path) {
    const std::string& name = spec.parts.back().text;
    const std::string_view today = library_successor(path);
    if (today.empty() || user_place(path, name)) return path;
    const Result<std::string> other = kernel_.binary(today);
    if (!other || !user_place(*other, name)) return path;
    diags_.note(spec.parts[1].span, fmt::format("{} has no function {}; that of {} is taken", path, name, *other));
    return *other;
}

// All places in the file that the probe stands for: source, a name of C++, a pattern, or one. None after a diagnostic,
// else at least one.
std::optional<std::vector<SourcePlace>> Resolver::user_places(const ast::ProbeSpec& spec, const std::string& path,
                                                              std::string_view source) {
    const std::string& name = spec.parts.back().text;
    const auto refused = [&](const Error& error) {
        missing_user_function(spec, path, error);
        return std::nullopt;
    };
    const bool inlined = spec.parts.size() == 4 && spec.parts[2].text == "inline";
    if (!source.empty() || inlined || name.find('@') != name.npos) {
        const Result<SourceQuery> query = source_query(name, source, inlined);
        if (!query) return refused(query.error());
        Result<std::vector<SourcePlace>> places = kernel_.source_places(path, *query);
        if (!places) return refused(places.error());
        return count_fits(spec, places->size(), most_members) ? std::optional(*std::move(places)) : std::nullopt;
    }
    if (spec.parts.size() == 4 && spec.parts[2].text != "cpp") {
        diags_.error(spec.parts[2].span, fmt::format("there is no language {}", quoted(spec.parts[2].text))).hint =
            "write u:PATH:cpp:\"name\" for a name of C++, u:PATH:inline:name for where a function is inlined";
        return {};
    }
    const bool cpp = spec.parts.size() == 4 || name.find("::") != name.npos;
    Result<UserFunction> one = Error{fmt::format("{} has no C++ function {}", path, quoted(name)), "", 0};
    if (!is_glob(name) && !cpp) one = user_place(path, name);
    if (one) return std::vector{SourcePlace{*std::move(one), ""}};
    const bool by_symbol = is_glob(name) && !cpp;
    std::vector<SourcePlace> found =
        named_functions(path, by_symbol ? kernel_.user_functions(path, name) : kernel_.cpp_functions(path, name));
    if (by_symbol && !count_fits(spec, found.size(), most_members)) return {};
    return found.empty() ? refused(one.error()) : std::optional(std::move(found));
}

std::vector<SourcePlace> Resolver::named_functions(const std::string& path, const std::vector<std::string>& names) {
    std::vector<SourcePlace> out;
    for (const std::string& name : names)
        if (Result<UserFunction> f = kernel_.user_function(path, name)) out.push_back({*std::move(f), ""});
    return out;
}

// A path as it was written; of what was found by a name or a pattern where it is.
std::string Resolver::file_text(const ast::ProbeSpec& spec, const std::string& path) {
    const std::string& file = spec.parts[1].text;
    if (file.find('/') == file.npos || means_files(file)) return path;
    const size_t line = kernel_.binary(file) ? file.npos : file.rfind('@');
    const Result<std::string> meant = kernel_.binary(file.substr(0, line));
    return meant && *meant == path ? file.substr(0, line) : path;
}

std::string Resolver::text_of(const ast::ProbeSpec& spec, const ResolvedPlace& place, const SourcePlace& f) {
    const std::string& name = f.text.empty() ? f.place.name : f.text;
    return fmt::format("{}:{}:{}", probe_row(place.kind).name, file_text(spec, f.place.path), name);
}

// NAME, NAME+OFFSET or 0xADDRESS
Result<UserFunction> Resolver::user_place(const std::string& path, std::string_view name) {
    if (name.starts_with("0x")) {
        const auto address = number<uint64_t>(name.substr(2), 16);
        if (!address) return Error{fmt::format("`{}` is no address", name), "", 0};
        Result<UserFunction> place = kernel_.user_address(path, *address);
        const bool is_flat = !place && place.error().code == ENOEXEC;
        if (is_flat && options_.unsafe) return UserFunction{path, std::string(name), *address};
        if (is_flat) return Error{place.error().what, "with --unsafe the number is an offset in any file", ENOEXEC};
        return place;
    }
    const size_t plus = name.find('+');
    if (plus == std::string_view::npos) return kernel_.user_function(path, name);
    std::string_view text = name.substr(plus + 1);
    const bool hex = text.starts_with("0x");
    const auto offset = number<uint64_t>(hex ? text.substr(2) : text, hex ? 16 : 10);
    if (!offset) return Error{fmt::format("`{}` is no offset", text), "write NAME+16 or NAME+0x10", 0};
    Result<UserFunction> f = kernel_.user_function(path, name.substr(0, plus));
    if (!f) return f;
    if (f->size != 0 && *offset >= f->size) {
        return Error{fmt::format("{} is only {} bytes long", f->name, f->size), "", 0};
    }
    f->offset += *offset;
    f->name = name;
    return f;
}

bool Resolver::starts_function(const std::string& path, const UserFunction& f) {
    const Result<UserFunction> named = kernel_.user_function(path, f.name);
    return named && named->offset == f.offset;
}

Resolver::Places Resolver::missing_user_function(const ast::ProbeSpec& spec, const std::string& path,
                                                 const Error& error) {
    Diag& d = diags_.error(spec.parts.back().span, error.what);
    std::vector<std::string> all = kernel_.user_functions(path, "*");
    std::erase(all, spec.parts.back().text);
    d.hint = did_you_mean(closest(spec.parts.back().text, views(all)));
    if (d.hint.empty()) d.hint = error.hint;
    return {};
}

}  // namespace lt
