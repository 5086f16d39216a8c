// Functions and instructions of programs and libraries.
#include <fmt/format.h>

#include "base/text.h"
#include "ladder.h"
#include "resolver.h"

namespace lt {

// Behind a function's first instruction the kernel would take what lies on the stack for the return address, and
// the program would crash.
Resolver::Places Resolver::not_an_entry(const ast::ProbeSpec& spec) {
    diags_.error(spec.parts[2].span, "a return can only be traced from a function's entry, not from inside it").hint =
        "name the function alone";
    return {};
}

Resolver::Places Resolver::binary_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    const bool at_return = probe_row(place.kind).result || asked.role == Role::call;
    if (!offered(spec, Feature::uprobe, "uprobes")) return {};
    const Result<std::string> path = kernel_.binary(spec.parts[1].text);
    if (!path) {
        diags_.error(spec.parts[1].span, path.error().what).hint = path.error().hint;
        return {};
    }
    const std::string& name = spec.parts[2].text;
    if (!is_glob(name)) {
        Result<UserFunction> f = user_place(*path, name);
        if (!f) return missing_user_function(spec, *path, f.error());
        if (at_return && name.find('+') != name.npos) return not_an_entry(spec);
        if (at_return && name.starts_with("0x") && !starts_function(*path, *f)) return not_an_entry(spec);
        place.text = text_of(place, *f);
        place.user = std::move(*f);
        place.rungs = ladder(kernel_, place.user, {place.kind, asked.role == Role::call, false}, options_.ruled_out);
        return any_open(place.rungs) ? std::vector{place} : no_way(spec, place);
    }
    const std::vector<std::string> names = kernel_.user_functions(*path, name);
    if (!count_fits(spec, names.size(), most_members)) return {};
    for (const std::string& match : names) {
        Result<UserFunction> f = kernel_.user_function(*path, match);
        if (f) place.members.push_back({text_of(place, *f), "", std::move(*f)});
    }
    if (place.members.empty()) return missing_user_function(spec, *path, Error{"none of them can be traced", "", 0});
    place.user = place.members.front().user;
    place.rungs = ladder(kernel_, place.user, {place.kind, asked.role == Role::call, true}, options_.ruled_out);
    return any_open(place.rungs) ? std::vector{place} : no_way(spec, place);
}

std::string Resolver::text_of(const ResolvedPlace& place, const UserFunction& f) {
    return fmt::format("{}:{}:{}", probe_row(place.kind).name, f.path, f.name);
}

// NAME, NAME+OFFSET or 0xADDRESS
Result<UserFunction> Resolver::user_place(const std::string& path, std::string_view name) {
    if (name.starts_with("0x")) {
        const auto address = number<uint64_t>(name.substr(2), 16);
        if (!address) return Error{fmt::format("`{}` is no address", name), "", 0};
        return kernel_.user_address(path, *address);
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
    Diag& d = diags_.error(spec.parts[2].span, error.what);
    const std::vector<std::string> all = kernel_.user_functions(path, "*");
    d.hint = did_you_mean(closest(spec.parts[2].text, views(all)));
    if (d.hint.empty()) d.hint = error.hint;
    return {};
}

}  // namespace lt
