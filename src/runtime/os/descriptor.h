// A file descriptor that is closed by its destructor. Everything that the kernel holds for a session hangs on these.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace lt {

class Descriptor {
  public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() { reset(); }

    explicit operator bool() const { return fd_ >= 0; }
    int get() const { return fd_; }
    void reset() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_;
};

// May this process open so few files that a run can lack them?
inline bool has_few_files() {
    constexpr rlim_t enough = 64;
    rlimit files{};
    return ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < enough;
}

}  // namespace lt
