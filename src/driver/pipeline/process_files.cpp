#include "driver/pipeline/process_files.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

#include "base/text.h"
#include "codegen/providers/provider.h"
#include "runtime/system/kernel_binaries.h"
#include "runtime/system/mapped_files.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

bool sees_the_same(int process) {
    std::error_code failed;
    const fs::path own = "/proc/self", its = fmt::format("/proc/{}", process);
    const bool same_mounts = fs::read_symlink(own / "ns/mnt", failed) == fs::read_symlink(its / "ns/mnt", failed);
    struct stat here{}, there{};
    if (::stat("/", &here) != 0 || ::stat((its / "root/.").c_str(), &there) != 0) return true;
    return same_mounts && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool is_path(const std::string& name) { return name.find('/') != name.npos; }

// A path in /proc, such as /proc/self/root/bin/bash, is one of lt's, whatever root the process has.
bool is_path_of_lt(const std::string& name) {
    constexpr std::string_view processes = "/proc/";
    return name.starts_with("/proc/self/") ||
           (name.starts_with(processes) && name.find_first_of("0123456789", processes.size()) == processes.size());
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

std::string absolute_path(const std::string& path) {
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    return (failed ? fs::path(path) : whole).lexically_normal().string();
}

// "libc", as a process has loaded it: libc.so.6, earlier libc-2.31.so, in musl the loader.
bool is_meant(const std::string& file, const std::string& name) {
    const size_t size = name.size();
    if (is_library(file, name) || (name == "libc" && file.starts_with("ld-musl-"))) return true;
    return file.starts_with(name + "-") && file.find_first_of("0123456789", size) == size + 1 && file.ends_with(".so");
}

// The file that has the name for a process, whether or not it has mapped it.
std::optional<FileBelow> file_today(int process, const std::string& name, bool same_root) {
    if (same_root) {
        const Result<std::string> path = find_binary(name);
        if (!path) return {};
        const Result<FileBelow> below = find_below(process, *path);
        return FileBelow{*path, below ? below->real : *path};
    }
    if (!is_path(name)) return find_binary_below(process, name);
    const Result<FileBelow> below = find_below(process, absolute_path(name));
    if (!below || (!name.starts_with('/') && !is_same_file(name, below->path))) return {};
    return *below;
}

// Of a library with its version in its name, the next version has another name, and a link leads to it.
bool was_before(const MappedFile& old, const std::string& name, const std::string& real) {
    const fs::path then(old.inside);
    if (!is_path(name)) return is_meant(then.filename(), name) || old.inside == real;
    return old.inside == real ||
           (file_name(name).find(".so") != name.npos && then.parent_path() == fs::path(real).parent_path() &&
            then.filename().string().starts_with(file_name(name) + "."));
}

// The deleted file that the process still runs, if it has not mapped the one that now has the name.
const MappedFile* outdated(const std::vector<MappedFile>& files, const std::string& name,
                           const std::optional<FileBelow>& today) {
    if (std::ranges::none_of(files, &MappedFile::deleted)) return nullptr;
    const auto is_today = [&](const MappedFile& file) { return today && is_same_file(file.through, today->path); };
    if (std::ranges::any_of(files, is_today)) return nullptr;
    const std::string real = today ? today->real : absolute_path(name);
    const auto old = std::ranges::find_if(
        files, [&](const MappedFile& file) { return file.deleted && was_before(file, name, real); });
    return old == files.end() ? nullptr : &*old;
}

const MappedFile* mapped_as(const std::vector<MappedFile>& files, const std::string& name) {
    const auto found = std::ranges::find_if(files, [&](const MappedFile& file) {
        return is_path(name) ? file.inside == name : is_meant(file_name(file.inside), name);
    });
    return found == files.end() ? nullptr : &*found;
}

Error no_such_file(int process, const std::string& name) {
    const std::string own = is_path(name) ? absolute_path(name) : "/PATH";
    return Error{
        fmt::format("process {} has no file `{}`: it has another root or other mounts than lt", process, name),
        fmt::format("give the path that the process sees, or `/proc/self/root{}` for the one that lt sees", own), 0};
}

Result<std::string> path_to(int process, const MappedFile& file) {
    std::string path = reachable_path(process, file);
    if (!path.empty()) return path;
    return Error{fmt::format("process {} runs `{}`, which was deleted, and lt may not open it", process, file.path),
                 "restart the process, or run lt as root", 0};
}

Result<std::string> plain_file(int process, const std::string& name, bool same_root) {
    const std::vector<MappedFile> files = mapped_code(process);
    if (same_root && std::ranges::none_of(files, &MappedFile::deleted)) return name;
    if (!same_root && !is_path(name))
        if (const MappedFile* mapped = mapped_as(files, name)) return path_to(process, *mapped);
    const std::optional<FileBelow> today = file_today(process, name, same_root);
    if (const MappedFile* old = outdated(files, name, today)) return path_to(process, *old);
    if (same_root) return name;
    if (today) return today->path;
    const MappedFile* mapped = mapped_as(files, name);
    return mapped != nullptr ? path_to(process, *mapped) : Result<std::string>(no_such_file(process, name));
}

// The folders before the first wildcard may be links.
Result<std::string> pattern_below(int process, const std::string& pattern) {
    if (!is_path(pattern))
        return Error{fmt::format("process {} has another root, where lt does not search for `{}`", process, pattern),
                     "write the folder, for example `/usr/lib/*/libc*`, or `*` for all files that it has mapped", 0};
    const size_t end = pattern.rfind('/', pattern.find_first_of("*?["));
    const Result<FileBelow> folder = find_below(process, pattern.substr(0, end + 1));
    if (!pattern.starts_with('/') || !folder) return no_such_file(process, pattern);
    const std::string path = folder->path.ends_with('/') ? folder->path : folder->path + "/";
    return path + pattern.substr(end + 1);
}

bool names_file(const ast::ProbeSpec& spec) {
    const ProbeRow* row = spec.parts.size() > 1 ? find_probe(spec.parts[0].text) : nullptr;
    return row && provider(row->place).in_file && (spec.parts.size() > 2 || is_path(spec.parts[1].text));
}

// bpftrace's `uprobe:FUNCTION`: a function of the program that the process runs.
void add_program(ast::ProbeSpec& spec, int process) {
    std::vector<ast::ProbeSpec::Part>& parts = spec.parts;
    const ProbeRow* row = find_probe(parts.front().text);
    const bool lacks = row && row->place == Place::binary_function && parts.size() == 2;
    if (!lacks || is_path(parts[1].text)) return;
    std::error_code failed;
    const fs::path program = fs::read_symlink(fmt::format("/proc/{}/exe", process), failed);
    if (failed) return;
    const std::vector<MappedFile> files = mapped_code(process);
    const auto mapped = std::ranges::find(files, program.string(), [](const auto& file) { return file.mapping.name; });
    parts.insert(parts.begin() + 1, {parts[1].span, mapped == files.end() ? program.string() : mapped->inside});
}

// Replaces the files of a program's probes.
class Files {
  public:
    Files(int process, Diags& diags) : process_(process), diags_(diags) {}

    void take(ast::ProbeSpec& spec) {
        add_program(spec, process_);
        if (!names_file(spec)) return;
        ast::ProbeSpec::Part& part = spec.parts[1];
        const auto known = known_.find(part.text);
        const Result<std::string>& path =
            known != known_.end() ? known->second
                                  : known_.emplace(part.text, file_of_process(process_, part.text)).first->second;
        if (!path) {
            diags_.error(part.span, path.error().what).hint = path.error().hint;
            return;
        }
        if (known == known_.end() && is_glob(part.text)) warn_of_outdated(part);
        if (known == known_.end() && !is_path_of_lt(part.text) && is_mapping(*path))
            diags_.note(part.span, fmt::format("the file `{}` of process {} was replaced or deleted; lt traces the one "
                                               "that the process runs, as {}",
                                               part.text, process_, *path));
        part.text = *path;
    }

  private:
    // A pattern finds the files that are there now.
    void warn_of_outdated(const ast::ProbeSpec::Part& pattern) {
        if (pattern.text == "*" || is_path_of_lt(pattern.text)) return;
        for (const MappedFile& file : mapped_code(process_)) {
            if (!file.deleted || !glob_match(file_name(pattern.text), file_name(file.inside))) continue;
            diags_
                .warning(pattern.span,
                         fmt::format("process {} runs `{}`, which was replaced or deleted; a pattern finds only the "
                                     "files that are there now",
                                     process_, file.inside))
                .hint =
                fmt::format("write its path, `{}`, or `*` for all files that the process has mapped", file.inside);
        }
    }

    bool is_mapping(const std::string& path) const {
        return is_path_of_lt(path) && !path.starts_with(fmt::format("/proc/{}/root/", process_));
    }

    const int process_;
    Diags& diags_;
    std::map<std::string, Result<std::string>> known_;
};

template <class Work>
void for_each_probe(ast::Program& program, const Work& work) {
    for (ast::Item& item : program.items) {
        if (auto* action = std::get_if<ast::Action>(&item.node)) std::ranges::for_each(action->probes, work);
        if (auto* span = std::get_if<ast::SpanAction>(&item.node)) {
            for (ast::Endpoint& e : span->opens) work(e.probe);
            for (ast::Endpoint& e : span->closes) work(e.probe);
        }
    }
}

bool is_32_bit(int process) {
    std::ifstream file(fmt::format("/proc/{}/exe", process), std::ios::binary);
    std::array<char, EI_NIDENT> start{};
    return file.read(start.data(), start.size()) && start[EI_CLASS] == ELFCLASS32;
}

bool is_system_call(const ast::ProbeSpec& spec) {
    const ProbeRow* row = spec.parts.size() > 1 ? find_probe(spec.parts[0].text) : nullptr;
    if (row == nullptr) return false;
    return row->place == Place::system_call || (row->place == Place::event && spec.parts[1].text == syscall_category);
}

}  // namespace

Result<std::string> file_of_process(int process, const std::string& name) {
    if (process == 0 || name.empty() || name == "*" || is_path_of_lt(name)) return name;
    const bool same_root = sees_the_same(process);
    if (is_glob(name)) return same_root ? Result<std::string>(name) : pattern_below(process, name);
    Result<std::string> whole = plain_file(process, name, same_root);
    const size_t at = std::min(name.find("!/"), name.rfind('@'));  // ARCHIVE!/FILE, PATH@FILE.c
    if (at == name.npos || (whole && (!same_root || find_binary(name)))) return whole;
    Result<std::string> file = plain_file(process, name.substr(0, at), same_root);
    if (!file) return file;
    return *file + name.substr(at);
}

bool take_files_of(ast::Program& program, int process, Diags& diags) {
    if (process == 0) return true;
    Files files(process, diags);
    for_each_probe(program, [&](ast::ProbeSpec& spec) { files.take(spec); });
    return !diags.has_errors();
}

std::optional<Span> unseen_calls(ast::Program& program, int process) {
    std::optional<Span> first;
    if (process == 0) return first;
    for_each_probe(program, [&](const ast::ProbeSpec& spec) {
        if (!first && is_system_call(spec)) first = spec.span;
    });
    return first && is_32_bit(process) ? first : std::nullopt;
}

}  // namespace lt
