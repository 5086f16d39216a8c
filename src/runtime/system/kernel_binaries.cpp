// Reads the loader's cache as glibc documents it (sysdeps/generic/dl-cache.h): a header, a table of entries, strings.
// Without a cache, searches the loader's default folders.
#include "runtime/system/kernel_binaries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "arch/arch.h"
#include "base/text.h"
#include "runtime/os/mounts.h"
#include "runtime/programs/archive.h"
#include "runtime/programs/elf_file.h"
#include "runtime/system/mapped_files.h"

namespace lt {

namespace {

namespace fs = std::filesystem;

struct CacheHeader {
    char magic[20];
    uint32_t count;
    uint32_t strings_size;
    uint32_t flags_and_extension[5];
};
struct CacheEntry {
    int32_t flags;
    uint32_t name, path;  // from the header's start
    uint32_t os_version;
    uint64_t hardware;
};
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";

// Empty if the offset is outside of the file.
std::string_view string_at(std::string_view cache, uint32_t offset) {
    if (offset >= cache.size()) return {};
    const std::string_view rest = cache.substr(offset);
    return rest.substr(0, rest.find('\0'));
}

// The same path if the current folder is gone.
std::string absolute(std::string_view path) {
    std::error_code failed;
    const fs::path whole = fs::absolute(fs::path(path), failed);
    return (failed ? fs::path(path) : whole).lexically_normal().string();
}

bool is_program(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_in_folder(const std::string& folder, std::string_view name) {
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        if (is_library(at->path().filename().string(), name) && is_native_elf(at->path())) return at->path();
    }
    return std::nullopt;
}

std::vector<std::string> program_folders() {
    const char* path = std::getenv("PATH");
    std::vector<std::string> folders;
    for (std::string_view folder : split(path != nullptr ? path : "/usr/bin:/bin", ':'))
        if (!folder.empty()) folders.emplace_back(folder);
    return folders;
}

std::optional<std::string> find_program(std::string_view name) {
    for (const std::string& folder : program_folders()) {
        const std::string file = fmt::format("{}/{}", folder, name);
        if (is_program(file)) return absolute(file);
    }
    return std::nullopt;
}

std::optional<std::string> find_in_folders(std::string_view name) {
    for (const std::string& folder : library_folders()) {
        if (auto found = find_in_folder(folder, name)) return found;
    }
    return std::nullopt;
}

std::optional<std::string> find_library(std::string_view name) {
    if (Result<std::string> cache = read_text("/etc/ld.so.cache")) {
        if (auto found = find_in_cache(*cache, name, is_native_elf)) return found;
    }
    return find_in_folders(name);
}

Result<std::string> check_path(std::string_view name) {
    const std::string path = absolute(name);
    const std::string file = archive_path(path).archive;
    const Result<std::string> meant = within_root(file);
    if (!meant) return meant.error();
    if (::faccessat(AT_FDCWD, meant->c_str(), R_OK, AT_EACCESS) != 0) return system_error(file, errno);
    return *meant + path.substr(file.size());
}

// The file itself, whatever links lead to it; in another root, the one that its process would find.
std::string without_links(const std::string& path) {
    std::error_code failed;
    if (!path.starts_with("/proc/")) return fs::canonical(path, failed).string();
    const Result<std::string> meant = within_root(path);
    return meant ? *meant : "";
}

void add_matching(const std::string& pattern, std::set<std::string>& files) {
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (const std::string real = without_links(found.gl_pathv[i]); is_native_elf(real)) files.insert(real);
    }
    ::globfree(&found);
}

// Debian's path for what other systems have in /lib64 or /usr/lib: "/usr/lib*/libx.so.*" becomes
// "/usr/lib*/MULTIARCH/libx.so.*". Empty: the pattern is for another folder.
std::string multiarch_pattern(std::string_view pattern) {
    const size_t slash = pattern.rfind('/');
    const std::string_view folder = pattern.substr(0, slash);
    constexpr std::array<std::string_view, 3> names{"lib", "lib64", "lib*"};
    const std::string_view last = folder.substr(folder.rfind('/') + 1);
    if (std::ranges::find(names, last) == names.end()) return {};
    const std::string_view before = folder.substr(0, folder.size() - last.size());
    return fmt::format("{}lib/{}{}", before, arch::native.target, pattern.substr(slash));
}

}  // namespace

bool is_library(std::string_view file, std::string_view name) {
    if (file == name) return true;
    return file.starts_with(name) && file.substr(name.size()).starts_with(".so");
}

std::vector<std::string> library_folders() {
    return {fmt::format("/lib/{}", arch::native.target),
            fmt::format("/usr/lib/{}", arch::native.target),
            "/lib64",
            "/usr/lib64",
            "/lib",
            "/usr/lib",
            "/usr/local/lib"};
}

std::vector<std::string> find_binaries(const std::string& pattern) {
    std::set<std::string> files;
    if (pattern.find('/') != pattern.npos) {
        add_matching(pattern, files);
        if (const std::string other = multiarch_pattern(pattern); files.empty() && !other.empty())
            add_matching(other, files);
    } else {
        for (const std::string& folder : program_folders()) add_matching(folder + "/" + pattern, files);
        for (const std::string& folder : library_folders()) add_matching(folder + "/" + pattern, files);
    }
    return {files.begin(), files.end()};
}

std::optional<std::string> find_in_cache(std::string_view cache, std::string_view name,
                                         const std::function<bool(const std::string&)>& wanted) {
    // An old-format table may come first; offsets are relative to the new one.
    const size_t start = cache.find(cache_magic);
    if (start == std::string_view::npos) return std::nullopt;
    cache.remove_prefix(start);
    CacheHeader header{};
    if (cache.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, cache.data(), sizeof header);
    const size_t most = (cache.size() - sizeof header) / sizeof(CacheEntry);
    for (size_t i = 0; i < header.count && i < most; i++) {
        CacheEntry entry{};
        std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
        if (!is_library(string_at(cache, entry.name), name)) continue;
        std::string path(string_at(cache, entry.path));
        if (wanted(path)) return path;
    }
    return std::nullopt;
}

Result<std::string> find_binary(std::string_view name) {
    if (name.empty()) return Error{"the name of a program or library is missing", ""};
    if (name.find('/') != std::string_view::npos) return check_path(name);
    if (auto program = find_program(name)) return *program;
    if (auto library = find_library(name)) return *library;
    Error e{fmt::format("there is no program or library `{}`", name), ""};
    if (::access(std::string(name).c_str(), R_OK) == 0)
        e.hint = fmt::format("for the file in this folder: `./{}`", name);
    return e;
}

}  // namespace lt
