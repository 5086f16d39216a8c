// Functions and instructions of programs and libraries. The file can be a pattern of paths, or `*` for all files that
// running processes (with -p: one process) have mapped. Files without a match are skipped.
#include "codegen/providers/program_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>

#include "base/text.h"
#include "codegen/providers/provider.h"
#include "codegen/providers/shared/ladder.h"
#include "stdlib/successors.h"

namespace lt {

bool means_files(const std::string& file) { return is_glob(file); }

std::optional<std::vector<std::string>> files_of(const Search& s, const Part& part) {
    const int process = s.options.traced.process;
    const bool mapped = part.text == "*";
    std::vector<std::string> files =
        mapped ? s.kernel.machine().mapped_files(process) : s.kernel.machine().binaries(part.text);
    if (!files.empty()) return files;
    Diag& d = s.diags.error(part.span, !mapped ? fmt::format("no program or library matches {}", lt::quoted(part.text))
                                       : process != 0
                                           ? fmt::format("there is no process {}", process)
                                           : "`*` means the files of all processes, but lt finds no running process");
    if (!mapped && part.text.find('/') == part.text.npos)
        d.hint = "lt looks for a pattern without a folder in `PATH` and among the libraries";
    return {};
}

Places missing_in_files(const Search& s, size_t files, std::string_view what) {
    const std::string which = s.spec.parts[1].text == "*"
                                  ? fmt::format("the {} files that processes have mapped", files)
                                  : fmt::format("the {} files that match {}", files, lt::quoted(s.spec.parts[1].text));
    s.diags.error(s.last().span, fmt::format("none of {} has a {} `{}`", which, what, s.last().text));
    return {};
}

std::string file_text(const Search& s, const std::string& path) {
    const std::string& file = s.spec.parts[1].text;
    if (file.find('/') == file.npos || means_files(file)) return path;
    const size_t line = s.kernel.machine().binary(file) ? file.npos : file.rfind('@');
    const Result<std::string> meant = s.kernel.machine().binary(file.substr(0, line));
    return meant && *meant == path ? file.substr(0, line) : path;
}

// Some of the mapped files may not be readable. A path is printed as it was typed, so that the output can be typed
// again.
FoundNames list_in_files(const ListSearch& s, const std::function<FoundNames(const std::string& path)>& list) {
    if (s.parts.size() < 2) return Error{"which program?", fmt::format("write {}", s.row.shape), 0};
    const std::string file = s.part(1);
    if (!is_glob(file)) {
        const Result<std::string> path = s.kernel.machine().binary(file);
        if (!path) return path.error();
        std::error_code failed;
        return list(std::filesystem::exists(file, failed) ? file : *path);
    }
    std::vector<Listed> out;
    for (const std::string& path :
         file == "*" ? s.kernel.machine().mapped_files(s.process) : s.kernel.machine().binaries(file)) {
        FoundNames here = list(path);
        if (here) std::ranges::move(*here, std::back_inserter(out));
    }
    return out;
}

std::vector<std::string> complete_in_file(
    Kernel& kernel, std::string_view typed,
    const std::function<std::vector<std::string>(const std::string& path, std::string_view name)>& names) {
    const size_t colon = typed.find(':');
    const Result<std::string> path = kernel.machine().binary(typed.substr(0, colon));
    std::vector<std::string> out;
    if (!path || colon == typed.npos) return out;
    for (const std::string& name : names(*path, typed.substr(colon + 1)))
        out.push_back(fmt::format("{}{}", typed.substr(0, colon + 1), name));
    return out;
}

namespace {

// After a function's first instruction, the kernel would take another word on the stack for the return address, and
// the program would crash.
Places not_an_entry(const Search& s) {
    s.diags.error(s.last().span, "a return can only be traced from a function's entry, not from inside it").hint =
        "write only the name of the function";
    return {};
}

// Of a source line after the function's first instruction, or of a function inlined there, too.
bool is_inside(const SourcePlace& f) { return !f.place.inlined.empty() || f.place.name.find('+') != f.place.name.npos; }

// NAME+OFFSET and f@FILE.c+LINE; a plus alone may belong to the name of a C++ operator.
bool has_offset(std::string_view name) {
    const size_t plus = name.find_last_of('+');
    if (plus == name.npos) return false;
    return name.find('@') != name.npos || name.find_first_of("0123456789", plus) == plus + 1;
}

std::string text_of(const Search& s, const ResolvedPlace& place, const SourcePlace& f) {
    const std::string& name = f.text.empty() ? f.place.name : f.text;
    return fmt::format("{}:{}:{}", probe_row(place.kind).name, file_text(s, f.place.path), name);
}

}  // namespace

Places user_as_one(const Search& s, ResolvedPlace place, const std::vector<SourcePlace>& found, bool many) {
    for (const SourcePlace& f : found)
        if (many) place.members.push_back({text_of(s, place, f), "", f.place});
    place.there = ProgramPlace{found.front().place};
    if (!many) place.text = text_of(s, place, found.front());
    place.rungs = ladder(s.kernel, found.front().place,
                         {place.kind, s.asked.role == Role::call, many, is_decoded(place)}, s.options.ruled_out);
    return any_open(place.rungs) ? std::vector{place} : no_way(s, place);
}

Places user_one_by_one(const Search& s, const ResolvedPlace& place, const std::vector<SourcePlace>& found) {
    Places out;
    if (!count_fits(s, found.size())) return out;
    for (const SourcePlace& f : found) {
        Places one = user_as_one(s, place, {f}, false);
        if (one.empty()) return one;
        out.push_back(std::move(one.front()));
    }
    return out;
}

namespace {

constexpr int misplaced = EILSEQ;

// A breakpoint between the first and the last byte of an instruction makes another instruction of it, in each process
// that has the file mapped, and the kernel does not look.
Result<UserFunction> at_instruction(const Search& s, const std::string& path, Result<UserFunction> place) {
    if (!place || s.options.unsafe) return place;
    const std::optional<bool> begins = s.kernel.programs().begins_instruction(path, place->offset);
    if (begins.value_or(false)) return place;
    const std::string where = lt::quoted(place->name);
    if (begins)
        return Error{fmt::format("no instruction begins at {}, and a probe inside one would damage the program", where),
                     fmt::format("`objdump -d {}` shows where instructions begin", path), misplaced};
    return Error{
        fmt::format("it is not known whether an instruction begins at {}", where),
        "a probe inside an instruction would damage the program; if you know that one begins there, add `--unsafe`",
        misplaced};
}

// NAME, NAME+OFFSET or 0xADDRESS
Result<UserFunction> user_place(const Search& s, const std::string& path, std::string_view name) {
    if (name.starts_with("0x")) {
        const auto address = number<uint64_t>(name.substr(2), 16);
        if (!address) return Error{fmt::format("`{}` is not an address", name), "", 0};
        Result<UserFunction> place = s.kernel.programs().user_address(path, *address);
        const bool is_flat = !place && place.error().code == ENOEXEC;
        if (is_flat && s.options.unsafe) return UserFunction{path, std::string(name), *address};
        if (is_flat) return Error{place.error().what, "with `--unsafe` the number is an offset in any file", ENOEXEC};
        return at_instruction(s, path, std::move(place));
    }
    const size_t plus = name.find('+');
    if (plus == std::string_view::npos) return s.kernel.programs().user_function(path, name);
    std::string_view text = name.substr(plus + 1);
    const bool hex = text.starts_with("0x");
    const auto offset = number<uint64_t>(hex ? text.substr(2) : text, hex ? 16 : 10);
    if (!offset) return Error{fmt::format("`{}` is not an offset", text), "write `NAME+16` or `NAME+0x10`", 0};
    Result<UserFunction> f = s.kernel.programs().user_function(path, name.substr(0, plus));
    if (!f) return f;
    if (f->size != 0 && *offset >= f->size) {
        return Error{fmt::format("`{}` is only {} bytes long", f->name, f->size), "", 0};
    }
    f->offset += *offset;
    f->name = name;
    return at_instruction(s, path, std::move(f));
}

// The library that now has the function, if the file no longer has it; otherwise the file itself. For a process with
// another root, that is the library next to the file.
std::string library_today(const Search& s, std::string path) {
    const std::string& name = s.last().text;
    const std::string_view today = library_successor(path);
    if (today.empty() || user_place(s, path, name)) return path;
    const bool is_elsewhere = path.starts_with("/proc/");
    const Result<std::string> other = s.kernel.machine().binary(
        is_elsewhere ? fmt::format("{}{}.so.6", path.substr(0, path.rfind('/') + 1), today) : std::string(today));
    if (!other || !user_place(s, *other, name)) return path;
    s.diags.note(s.spec.parts[1].span,
                 fmt::format("{} has no function `{}`; lt uses the one in {}", path, name, *other));
    return *other;
}

// A function with several names counts once, or programs would run once for each: C++ compilers give each constructor
// two, and libraries have read and __read. It gets the name with the fewest leading underscores.
std::vector<SourcePlace> named_functions(const Search& s, const std::string& path,
                                         const std::vector<std::string>& names) {
    std::vector<SourcePlace> out;
    std::map<uint64_t, size_t> known;  // by offset in the file: the position in `out`
    for (const std::string& name : names) {
        Result<UserFunction> f = s.kernel.programs().user_function(path, name);
        if (!f) continue;
        const auto [at, is_new] = known.try_emplace(f->offset, out.size());
        if (is_new) {
            out.push_back({*std::move(f), ""});
        } else if (name.find_first_not_of('_') < out[at->second].place.name.find_first_not_of('_')) {
            out[at->second].place = *std::move(f);
        }
    }
    return out;
}

Places missing_user_function(const Search& s, const std::string& path, const Error& error) {
    Diag& d = s.diags.error(s.last().span, error.what);
    d.hint = error.hint;
    if (error.code == misplaced) return {};
    std::vector<std::string> all = s.kernel.programs().user_functions(path, "*");
    std::erase(all, s.last().text);
    if (std::string meant = did_you_mean(closest(s.last().text, views(all))); !meant.empty()) d.hint = std::move(meant);
    return {};
}

// All locations of the probe in the file: source lines, a C++ name, a pattern, or one function. No value after an
// error, otherwise at least one.
std::optional<std::vector<SourcePlace>> user_places(const Search& s, const std::string& path, std::string_view source) {
    const std::string& name = s.last().text;
    const auto refused = [&](const Error& error) {
        missing_user_function(s, path, error);
        return std::nullopt;
    };
    const bool inlined = s.spec.parts.size() == 4 && s.spec.parts[2].text == "inline";
    if (!source.empty() || inlined || name.find('@') != name.npos) {
        const Result<SourceQuery> query = source_query(name, source, inlined);
        if (!query) return refused(query.error());
        Result<std::vector<SourcePlace>> places = s.kernel.programs().source_places(path, *query);
        if (!places) return refused(places.error());
        return count_fits(s, places->size(), most_members) ? std::optional(*std::move(places)) : std::nullopt;
    }
    if (s.spec.parts.size() == 4 && s.spec.parts[2].text != "cpp") {
        s.diags.error(s.spec.parts[2].span, fmt::format("there is no language {}", lt::quoted(s.spec.parts[2].text)))
            .hint =
            "write `u:PATH:cpp:\"name\"` for a C++ name, `u:PATH:inline:name` for places where a function is inlined";
        return {};
    }
    const bool cpp = s.spec.parts.size() == 4 || name.find("::") != name.npos;
    Result<UserFunction> one = Error{fmt::format("{} has no C++ function {}", path, lt::quoted(name)), "", 0};
    if (!is_glob(name) && !cpp) one = user_place(s, path, name);
    if (one) return std::vector{SourcePlace{*std::move(one), ""}};
    const bool by_symbol = is_glob(name) && !cpp;
    std::vector<SourcePlace> found = named_functions(
        s, path,
        by_symbol ? s.kernel.programs().user_functions(path, name) : s.kernel.programs().cpp_functions(path, name));
    if (by_symbol && !count_fits(s, found.size(), most_members)) return {};
    return found.empty() ? refused(one.error()) : std::optional(std::move(found));
}

// Of a place that is named by its address: has it the name of a function, without an offset?
bool starts_function(const UserFunction& f, std::string_view address) { return !f.name.empty() && f.name != address; }

Places functions_of_files(const Search& s, ResolvedPlace place) {
    const auto files = files_of(s, s.spec.parts[1]);
    if (!files) return {};
    const std::string& name = s.last().text;
    const bool returns = at_return(s, place);
    if (returns && (has_offset(name) || name.find('@') != name.npos)) return not_an_entry(s);
    const bool by_symbol = s.spec.parts.size() == 3 && !is_glob(name) && name.find_first_of(":@") == name.npos;
    Diags passed_over;
    const Search quiet{s.kernel, s.options, s.most_matches, passed_over, s.spec, s.asked};
    std::vector<SourcePlace> found;
    for (const std::string& file : *files) {
        const std::string path = by_symbol ? library_today(s, file) : file;
        if (by_symbol) {
            if (Result<UserFunction> one = user_place(s, path, name)) found.push_back({*std::move(one), ""});
        } else if (auto here = user_places(quiet, path, "")) {
            std::ranges::move(*here, std::back_inserter(found));
        }
    }
    if (found.empty()) return missing_in_files(s, files->size(), "function");
    if (returns && std::ranges::any_of(found, is_inside)) return not_an_entry(s);
    if (!count_fits(s, found.size(), most_members)) return {};
    return user_by_convention(s, place, std::move(found), true);
}

Places binary_function(const Search& s, ResolvedPlace place) {
    const bool returns = at_return(s, place);
    if (!offered(s, Feature::uprobe, "uprobes")) return {};
    const std::string& file = s.spec.parts[1].text;
    if (means_files(file)) return functions_of_files(s, std::move(place));
    // PATH@FILE.c, unless the path itself has an `@`
    const bool may_be_line =
        s.spec.parts.size() == 3 && file.find('@') != file.npos && !s.kernel.machine().binary(file);
    const size_t at = may_be_line ? file.rfind('@') : file.npos;
    Result<std::string> path = s.kernel.machine().binary(file.substr(0, at));
    if (path && at == file.npos) path = library_today(s, *std::move(path));
    if (!path) {
        s.diags.error(s.spec.parts[1].span, path.error().what).hint = path.error().hint;
        return {};
    }
    const std::string& name = s.last().text;
    const std::string_view source = at == file.npos ? "" : std::string_view(file).substr(at + 1);
    if (returns && (has_offset(name) || !source.empty())) return not_an_entry(s);
    const std::optional<std::vector<SourcePlace>> found = user_places(s, *path, source);
    if (!found) return {};
    const UserFunction& first = found->front().place;
    if (returns && std::ranges::any_of(*found, is_inside)) return not_an_entry(s);
    if (returns && name.starts_with("0x") && !starts_function(first, name)) return not_an_entry(s);
    const bool many = found->size() > 1 || is_glob(name);
    return user_by_convention(s, place, *found, many);
}

Site at_place(const ResolvedPlace& place, bool) {
    const UserFunction& f = user_function(place);
    return ProgramSite{f.path, f.name, f.offset};
}

FoundNames list_program_functions(const ListSearch& s) {
    return list_in_files(s, [&](const std::string& path) -> FoundNames {
        return named(s.kernel.programs().user_functions(path, s.part(2)), path + ":");
    });
}

// Describes "PATH:FUNCTION" from the debug information of the file, if there is any.
std::vector<std::string> describe_program_function(Kernel& kernel, const ProbeRow& row, const Listed& listed) {
    const size_t colon = listed.text.rfind(':');
    const std::string path = listed.text.substr(0, colon);
    const Result<UserFunction> f = kernel.programs().user_function(path, listed.text.substr(colon + 1));
    if (!f) return {};
    const Result<ProgramScope>& scope = kernel.programs().program_scope(*f);
    std::vector<std::string> out;
    if (!scope) return out;
    for (const ProgramVariable& v : scope->variables)
        if (row.arguments && v.parameter) out.push_back(declared(v.c_type, v.name));
    if (row.result && scope->c_result != "void") out.push_back(declared(scope->c_result, "retval"));
    return out;
}

std::vector<std::string> complete_program_function(Kernel& kernel, std::string_view typed) {
    return complete_in_file(kernel, typed, [&](const std::string& path, std::string_view name) {
        return kernel.programs().user_functions(path, fmt::format("{}*", name));
    });
}

}  // namespace

extern constinit const Provider binary_function_provider{
    .least = 2,
    .most = 3,
    .find = binary_function,
    .site = at_place,
    .list = list_program_functions,
    .describe = describe_program_function,
    .complete = complete_program_function,
    .sees = Sees::one,
    .side = Side::program,
    .looked_up = true,
    .in_file = true,
    .at_function = true,
    .registers = true,
    .acts = true,
};

}  // namespace lt
