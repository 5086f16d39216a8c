// For the kernel, a link in the path /proc/PID/root/... is one of lt's own root if it is absolute.
#include "runtime/system/mapped_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "runtime/names/symbolize.h"
#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"
#include "runtime/programs/elf_file.h"
#include "runtime/system/event_sources.h"
#include "runtime/system/kernel_binaries.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

using FileNumber = std::pair<dev_t, ino_t>;

std::optional<FileNumber> number_of(const std::string& path) {
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0) return {};
    return FileNumber{about.st_dev, about.st_ino};
}

std::string link_to(const std::string& path) {
    std::error_code failed;
    return fs::read_symlink(path, failed).string();
}

std::string root_of(int process) { return fmt::format("/proc/{}/root", process); }

// Paths of links in /proc are relative to lt's root, or, of other mounts, to the root of these.
std::string path_below(const std::string& path, const std::string& root) {
    const bool is_below = root != "/" && path.starts_with(root + "/");
    return is_below ? path.substr(root.size()) : path;
}

MappedFile mapped_file(int process, Mapping mapping, const std::string& root, const std::string& program) {
    constexpr std::string_view mark = " (deleted)";
    MappedFile file;
    file.mapping = std::move(mapping);
    const std::string& name = file.mapping.name;
    file.through = fmt::format("/proc/{}/map_files/{:x}-{:x}", process, file.mapping.begin, file.mapping.end);
    file.deleted = name.ends_with(mark) && !is_same_file(name, file.through);
    file.path = name.substr(0, name.size() - (file.deleted ? mark.size() : 0));
    file.inside = path_below(file.path, root);
    const std::string exe = fmt::format("/proc/{}/exe", process);
    if (name == program && (!number_of(file.through) || is_same_file(file.through, exe))) file.through = exe;
    return file;
}

std::vector<std::string> program_folders_of(int process) {
    constexpr std::string_view usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", name = "PATH=";
    const Result<std::string> environment = read_text(fmt::format("/proc/{}/environ", process));
    const auto variables = split(environment ? std::string_view(*environment) : std::string_view(), '\0');
    const auto path = std::ranges::find_if(variables, [&](std::string_view one) { return one.starts_with(name); });
    std::vector<std::string> folders;
    for (std::string_view folder : split(path == variables.end() ? usual : path->substr(name.size()), ':'))
        if (folder.starts_with('/')) folders.emplace_back(folder);
    return folders;
}

std::optional<FileBelow> elf_below(int process, const std::string& path) {
    const Result<FileBelow> file = find_below(process, path);
    return file && is_native_elf(file->path) ? std::optional(*file) : std::nullopt;
}

// Empty if it cannot be one: the process may have put a pipe there, which has no writer, or a file without an end.
std::string loader_cache_below(int process) {
    constexpr off_t most_bytes = 16 << 20;
    const Result<FileBelow> cache = find_below(process, "/etc/ld.so.cache");
    const Descriptor file(cache ? ::open(cache->path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1);
    struct stat about{};
    const bool fits = file && ::fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= most_bytes;
    std::string text(fits ? static_cast<size_t>(about.st_size) : 0, '\0');
    const ssize_t got = fits ? ::pread(file.get(), text.data(), text.size(), 0) : 0;
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return text;
}

std::optional<FileBelow> library_below(int process, std::string_view name) {
    const auto wanted = [&](const std::string& path) { return elf_below(process, path).has_value(); };
    if (const auto path = find_in_cache(loader_cache_below(process), name, wanted)) return elf_below(process, *path);
    for (const std::string& folder : library_folders()) {
        const Result<FileBelow> there = find_below(process, folder);
        for (const std::string& file : there ? names_in(there->path) : std::vector<std::string>())
            if (is_library(file, name))
                if (auto found = elf_below(process, fmt::format("{}/{}", folder, file))) return found;
    }
    return {};
}

}  // namespace

bool is_same_file(const std::string& one, const std::string& other) {
    const auto number = number_of(one);
    return number && number == number_of(other);
}

std::vector<MappedFile> mapped_code(int process) {
    const Result<std::string> maps = read_text(fmt::format("/proc/{}/maps", process));
    const std::string root = link_to(root_of(process)), program = link_to(fmt::format("/proc/{}/exe", process));
    std::vector<MappedFile> files;
    for (Mapping& mapping : code_mappings(maps ? std::string_view(*maps) : std::string_view())) {
        const auto is_known = [&](const MappedFile& file) {
            return file.mapping.inode == mapping.inode && file.mapping.device == mapping.device &&
                   file.mapping.name == mapping.name;
        };
        if (!mapping.name.starts_with('/') || std::ranges::any_of(files, is_known)) continue;
        files.push_back(mapped_file(process, std::move(mapping), root, program));
    }
    return files;
}

std::string reachable_path(int process, const MappedFile& file) {
    const std::string below = root_of(process) + file.inside;
    for (const std::string& path : {file.path, below})
        if (is_same_file(path, file.through)) return path;
    if (number_of(file.through)) return file.through;
    if (file.deleted) return "";
    return !number_of(below) || is_same_file(file.path, below) ? file.path : below;
}

std::vector<std::string> mapped_files(int process) {
    std::vector<std::string> files;
    for (const MappedFile& file : mapped_code(process))
        if (std::string path = reachable_path(process, file); !path.empty()) files.push_back(std::move(path));
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

std::vector<std::string> files_of_all_processes() {
    std::map<std::tuple<std::string, uint64_t, std::string>, bool> known;  // is it one with a path of lt's own?
    std::map<FileNumber, std::string> names_by_file;
    for (const std::string& process : names_in("/proc")) {
        const auto id = parse_number<int>(process);
        for (const MappedFile& file : id ? mapped_code(*id) : std::vector<MappedFile>()) {
            bool& is_own = known[{file.mapping.device, file.mapping.inode, file.path}];
            if (is_own) continue;
            std::string path = reachable_path(*id, file);
            const auto number = path.empty() ? std::nullopt : number_of(path);
            if (!number) continue;
            is_own = path == file.path;
            std::string& name = names_by_file[*number];
            if (name.empty() || (is_own && name.starts_with("/proc/"))) name = std::move(path);
        }
    }
    std::vector<std::string> files;
    for (auto& [file, name] : names_by_file) files.push_back(std::move(name));
    std::ranges::sort(files);
    return files;
}

Result<FileBelow> find_below(int process, const std::string& path) {
    const std::string root = root_of(process);
    const Descriptor top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!top) return system_error(root, errno);
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT;
    const Descriptor file(static_cast<int>(::syscall(SYS_openat2, top.get(), path.c_str(), &how, sizeof how)));
    if (!file) return system_error(root + path, errno);
    const std::string opened = fmt::format("/proc/self/fd/{}", file.get());
    const std::string real = path_below(link_to(opened), link_to(root));
    for (const std::string& inside : {path, real})
        if (is_same_file(root + inside, opened)) return FileBelow{root + inside, real};
    return system_error(root + path, ENOENT);
}

std::optional<FileBelow> find_binary_below(int process, std::string_view name) {
    for (const std::string& folder : program_folders_of(process))
        if (auto found = elf_below(process, fmt::format("{}/{}", folder, name))) return found;
    return library_below(process, name);
}

Result<std::string> within_root(const std::string& path) {
    constexpr std::string_view processes = "/proc/", root = "/root";
    if (!path.starts_with(processes)) return path;
    const size_t end = std::min(path.find('/', processes.size()), path.size());
    const auto process = parse_number<int>(std::string_view(path).substr(processes.size(), end - processes.size()));
    if (!process || path.compare(end, root.size() + 1, "/root/") != 0) return path;
    const Result<FileBelow> file = find_below(*process, path.substr(end + root.size()));
    if (!file) return file.error();
    return file->path;
}

}  // namespace lt
