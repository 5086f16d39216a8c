// A sink over a file descriptor that writes large blocks. When the reader has gone, it drops what follows: the owner of
// the event loop watches the descriptor and ends the run. After other errors, such as a full disk, it drops and counts
// whole lines, and tries again with the next block.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "runtime/print/printer.h"

namespace lt {
namespace {

constexpr size_t block = 64 * 1024;

class FileSink final : public Sink {
  public:
    FileSink(int fd, Buffering buffering, bool empties) : fd_(fd), buffering_(buffering), empties_(empties) {
        pending_.reserve(block);
    }
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
        empty();
        if (buffering_ != Buffering::full) flush_pending();
    }
    Status finish() override {
        empty();
        flush_pending();
        if (lost_ == 0) return Done{};
        return system_error(plural(lost_, "line") + " of the output could not be written", errno_);
    }

  private:
    void flush_pending() {
        put(pending_);
        pending_.clear();
    }
    // A pipe or a device cannot be emptied.
    void empty() {
        if (std::exchange(empties_, false) && ::ftruncate(fd_, 0) != 0) return;
    }
    void put(std::string_view bytes);
    size_t write_some(std::string_view bytes);
    void lose(std::string_view bytes);
    bool wait_until_writable();

    int fd_;
    Buffering buffering_;
    bool empties_;
    bool has_reader_ = true;
    bool in_line_ = false;  // the last line that was written is incomplete
    bool cut_ = false;      // and will stay so
    bool in_lost_ = false;  // next comes the end of a line whose start was lost
    uint64_t lost_ = 0;     // lines
    int errno_ = 0;         // of the last write that failed
    std::string pending_;
};

// Returns the number of bytes written before an error.
size_t FileSink::write_some(std::string_view bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t written = ::write(fd_, bytes.data() + done, bytes.size() - done);
        if (written >= 0) {
            done += static_cast<size_t>(written);
            continue;
        }
        const int error = errno;
        if (wait_until_writable()) continue;
        errno_ = error;
        has_reader_ = error != EPIPE;  // otherwise the run ends normally
        break;
    }
    if (done > 0) in_line_ = bytes[done - 1] != '\n';
    return done;
}

void FileSink::put(std::string_view bytes) {
    if (in_lost_) {
        const size_t end = bytes.find('\n');
        in_lost_ = end == bytes.npos;
        bytes.remove_prefix(in_lost_ ? bytes.size() : end + 1);
    }
    if (bytes.empty() || !has_reader_) return;
    empty();
    if (cut_ && write_some("\n") == 0) return lose(bytes);
    cut_ = false;
    const size_t done = write_some(bytes);
    if (done < bytes.size()) lose(bytes.substr(done));
}

// An incomplete line is cut off, and ends once there is room again.
void FileSink::lose(std::string_view bytes) {
    if (!has_reader_) return;
    if (lost_ == 0) fmt::print(stderr, "lt: cannot write the output: {}; continuing\n", std::strerror(errno_));
    cut_ = in_line_;
    in_lost_ = bytes.back() != '\n';
    lost_ += static_cast<uint64_t>(std::ranges::count(bytes, '\n')) + (in_lost_ ? 1 : 0);
}

// After a write that failed: is it worth trying again?
bool FileSink::wait_until_writable() {
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    pollfd wanted{fd_, POLLOUT, 0};
    return ::poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

std::unique_ptr<Sink> file_sink(int fd, Buffering buffering, bool empties) {
    return std::make_unique<FileSink>(fd, buffering, empties);
}

}  // namespace lt
