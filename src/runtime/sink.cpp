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
    FileSink(int fd, Buffering buffering) : fd_(fd), buffering_(buffering) { pending_.reserve(block); }
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;
    ~FileSink() override { flush_pending(); }

    void write(std::string_view bytes) override {
        if (pending_.size() + bytes.size() > block) flush_pending();
        if (bytes.size() >= block) return put(bytes);
        pending_ += bytes;
        if (buffering_ == Buffering::none) flush_pending();
    }
    void flush() override {
        if (buffering_ != Buffering::full) flush_pending();
    }
    Status finish() override {
        flush_pending();
        // Nobody reads any more: that is an end of the run and no mistake.
        return errno_ == 0 || errno_ == EPIPE ? Status(Done{}) : system_error("cannot write the output", errno_);
    }

  private:
    void flush_pending() {
        put(pending_);
        pending_.clear();
    }
    void put(std::string_view bytes);
    bool wait_until_writable();

    int fd_;
    Buffering buffering_;
    int errno_ = 0;  // of the write that failed
    std::string pending_;
};

void FileSink::put(std::string_view bytes) {
    while (!bytes.empty() && errno_ == 0) {
        const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<size_t>(written));
        } else {
            const int error = errno;
            if (!wait_until_writable()) errno_ = error;
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

std::unique_ptr<Sink> file_sink(int fd, Buffering buffering) { return std::make_unique<FileSink>(fd, buffering); }

}  // namespace lt
