#include "driver/cache/plan_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_text.h"

namespace lt {
namespace {

constexpr std::string_view magic("\x89LTKEPT\n", 8);
constexpr std::string_view unfinished = "new-";  // before the process that writes it

constexpr size_t most_files = 128;
constexpr off_t most_bytes = 64 << 20, longest_file = 16 << 20;
constexpr time_t longest_write = 60;  // seconds

struct Header {
    char magic[8];
    uint64_t key_size, value_size;
    uint32_t sum;  // CRC-32 of key and value
    uint32_t padding;
};

uint32_t sum_of(std::string_view bytes) {
    return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string name_of(std::string_view key) { return fmt::format("{:016x}", std::hash<std::string_view>{}(key)); }

// Can only this user write it?
bool is_own(const struct stat& about) { return about.st_uid == ::geteuid() && (about.st_mode & 022) == 0; }

// Could another user put a folder of his own into the place of one on the way? Where the sticky bit is set he can only
// move his own.
bool is_safe(const std::filesystem::path& path) {
    std::error_code failed;
    std::filesystem::path whole;
    for (const auto& part : std::filesystem::canonical(path, failed)) {
        struct stat about{};
        whole /= part;
        if (::stat(whole.c_str(), &about) != 0 || (about.st_uid != 0 && about.st_uid != ::geteuid())) return false;
        if ((about.st_mode & 022) != 0 && (about.st_mode & S_ISVTX) == 0) return false;
    }
    return !failed;
}

Descriptor own_folder(int parent, const char* name) {
    if (::mkdirat(parent, name, 0700) != 0 && errno != EEXIST) return Descriptor();
    Descriptor folder(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat about{};
    return folder && ::fstat(folder.get(), &about) == 0 && is_own(about) ? std::move(folder) : Descriptor();
}

std::string cache_folder() {
    if (const char* given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given == '/') return given;
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache" : "";
}

struct Kept {
    std::string name;
    timespec used;
    off_t size;
};

bool read_all(int file, std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
        const ssize_t n = ::read(file, &bytes[at], bytes.size() - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += static_cast<size_t>(n);
    }
    return true;
}

}  // namespace

std::optional<PlanCache> PlanCache::open() {
    const std::string path = cache_folder();
    if (path.empty()) return {};
    ::mkdir(path.c_str(), 0700);
    if (!is_safe(path)) return {};
    const Descriptor all(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const Descriptor own = all ? own_folder(all.get(), "lt") : Descriptor();
    Descriptor plans = own ? own_folder(own.get(), "plans") : Descriptor();
    return plans ? std::optional(PlanCache(std::move(plans))) : std::nullopt;
}

std::optional<std::string> PlanCache::find(std::string_view key) const {
    const Descriptor file(
        ::openat(folder_.get(), name_of(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about{};
    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || !is_own(about)) return {};
    if (about.st_size < static_cast<off_t>(sizeof(Header)) || about.st_size > longest_file) return {};
    std::string bytes(static_cast<size_t>(about.st_size), '\0');
    if (!read_all(file.get(), bytes)) return {};
    Header header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::string_view body = std::string_view(bytes).substr(sizeof header);
    if (std::string_view(header.magic, sizeof header.magic) != magic || header.key_size > body.size() ||
        header.value_size != body.size() - header.key_size || header.sum != sum_of(body))
        return {};
    if (body.substr(0, header.key_size) != key) return {};
    ::futimens(file.get(), nullptr);  // it was used
    return std::string(body.substr(header.key_size));
}

void PlanCache::keep(std::string_view key, std::string_view value) const {
    std::string bytes(sizeof(Header), '\0');
    bytes.append(key).append(value);
    if (bytes.size() > static_cast<size_t>(longest_file)) return;
    Header header{{}, key.size(), value.size(), sum_of(std::string_view(bytes).substr(sizeof header)), 0};
    std::memcpy(header.magic, magic.data(), magic.size());
    std::memcpy(bytes.data(), &header, sizeof header);

    const std::string name = fmt::format("{}{}", unfinished, ::getpid());
    remove(name);  // of an earlier process of that number
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const Descriptor file(::openat(folder_.get(), name.c_str(), flags, 0600));
    const bool kept = file && write_all(file.get(), bytes) == 0 &&
                      ::renameat(folder_.get(), name.c_str(), folder_.get(), name_of(key).c_str()) == 0;
    if (file && !kept) remove(name);
    remove_oldest();
}

void PlanCache::remove(const std::string& name) const { ::unlinkat(folder_.get(), name.c_str(), 0); }

// Also what a process has begun to write that was killed.
void PlanCache::remove_oldest() const {
    std::vector<Kept> all;
    off_t bytes = 0;
    std::error_code failed;
    std::filesystem::directory_iterator at(fmt::format("/proc/self/fd/{}", folder_.get()), failed), end;
    for (; !failed && at != end; at.increment(failed)) {
        const std::string name = at->path().filename();
        struct stat about{};
        if (::fstatat(folder_.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
            continue;
        const bool is_left = name.starts_with(unfinished);
        if (is_left && about.st_mtim.tv_sec + longest_write < ::time(nullptr)) remove(name);
        if (is_left) continue;
        all.push_back({name, about.st_mtim, about.st_size});
        bytes += about.st_size;
    }
    const auto older = [](const Kept& a, const Kept& b) {
        return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    };
    std::ranges::sort(all, older);
    size_t left = all.size();
    for (const Kept& each : all) {
        if (left <= most_files && bytes <= most_bytes) return;
        remove(each.name);
        left--;
        bytes -= each.size;
    }
}

}  // namespace lt
