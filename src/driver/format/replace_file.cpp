#include "driver/format/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/file_text.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

// The path of the file itself, in the same folder.
Result<std::string> own_path(const std::string& path) {
    std::error_code failed;
    if (!fs::is_symlink(path, failed)) return path;
    const fs::path target = fs::canonical(path, failed);
    if (failed) return system_error("cannot follow " + path, failed.value());
    const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    if (target.parent_path() == fs::canonical(folder, failed)) return target.string();
    return Error{fmt::format("{} is a symbolic link to another folder", path),
                 fmt::format("format the file itself: `lt fmt {}`", target.string()), 0};
}

// A new file beside the one that it replaces; without rename() it is removed again.
class Successor {
  public:
    explicit Successor(const std::string& path)
        : name_(path + ".lt-fmt-XXXXXX"), fd_(::mkostemp(name_.data(), O_CLOEXEC)) {}
    ~Successor() {
        if (fd_ < 0) return;
        ::close(fd_);
        if (!name_.empty()) ::unlink(name_.c_str());
    }
    Successor(const Successor&) = delete;
    Successor& operator=(const Successor&) = delete;

    // All of these return false, and set errno, if they fail.
    bool is_open() const { return fd_ >= 0; }
    bool write(std::string_view text) { return write_all(fd_, text) == 0; }
    bool take_owner(const struct stat& of) {
        struct stat own{};
        if (::fstat(fd_, &own) != 0) return false;
        const bool same = own.st_uid == of.st_uid && own.st_gid == of.st_gid;
        return same || ::fchown(fd_, of.st_uid, of.st_gid) == 0;
    }
    bool take_mode(const struct stat& of) { return ::fchmod(fd_, of.st_mode & 07777) == 0; }
    bool replace(const std::string& path) {
        if (::fsync(fd_) != 0 || ::rename(name_.c_str(), path.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

  private:
    std::string name_;
    int fd_;
};

}  // namespace

Status replace_file(const std::string& path, const std::string& text) {
    const Result<std::string> own = own_path(path);
    if (!own) return own.error();
    struct stat about{};
    if (::stat(own->c_str(), &about) != 0) return system_error("cannot write " + path, errno);
    const std::string by_hand = fmt::format("`lt fmt - < {}` prints the formatted text", path);
    if (!S_ISREG(about.st_mode)) return Error{path + " is not a regular file", by_hand, 0};
    if (about.st_nlink > 1)
        return Error{path + " has another name (a hard link), which would keep the old text", by_hand, 0};
    if (::access(own->c_str(), W_OK) != 0) return system_error("cannot write " + path, errno);
    Successor successor(*own);
    if (!successor.is_open()) return system_error("cannot write beside " + path, errno);
    if (!successor.write(text)) return system_error("cannot write beside " + path, errno);
    if (!successor.take_owner(about)) return system_error("cannot keep the owner of " + path, errno);
    if (!successor.take_mode(about)) return system_error("cannot keep the mode of " + path, errno);
    if (!successor.replace(*own)) return system_error("cannot write " + path, errno);
    return Done{};
}

}  // namespace lt
