// A sink over a file descriptor that writes large blocks. After a write that cannot succeed (the reader went away, the
// disk is full) it drops what follows: whoever runs the event loop watches the descriptor and ends the run.
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/printer.h"

namespace lt {
namespace {

constexpr size_t block = 64 * 1024;

class FileSink final : public Sink {
  public:
    FileSink(int fd, bool in_blocks) : fd_(fd), in_blocks_(in_blocks) { pending_.reserve(block); }
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;
    ~FileSink() override { flush_pending(); }

    void write(std::string_view bytes) override {
        if (pending_.size() + bytes.size() > block) flush_pending();
        if (bytes.size() >= block || !in_blocks_) return put(bytes);
        pending_ += bytes;
    }
    void flush() override { flush_pending(); }

  private:
    void flush_pending() {
        put(pending_);
        pending_.clear();
    }
    void put(std::string_view bytes);
    bool wait_until_writable();

    int fd_;
    bool in_blocks_;
    bool failed_ = false;
    std::string pending_;
};

void FileSink::put(std::string_view bytes) {
    while (!bytes.empty() && !failed_) {
        const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<size_t>(written));
        } else {
            failed_ = !wait_until_writable();
        }
    }
}

// After a write that failed: is another try worth while?
bool FileSink::wait_until_writable() {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    pollfd wanted{fd_, POLLOUT, 0};
    return ::poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

std::unique_ptr<Sink> file_sink(int fd, bool in_blocks) { return std::make_unique<FileSink>(fd, in_blocks); }

}  // namespace lt
