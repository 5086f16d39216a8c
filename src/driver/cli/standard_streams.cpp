#include "driver/cli/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/file_text.h"
#include "base/visible.h"

namespace lt {
namespace {

int output_error = 0;  // why a part of the output was lost
bool reader_is_outlived = false;

void fill(int descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) return;
    // This is the lowest free number. Opened in the wrong direction, so that reading and writing still fail.
    const int way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", way) < 0 && ::open("/", O_PATH | O_DIRECTORY) < 0) _exit(1);
}

ssize_t write_output(void*, const char* bytes, size_t size) {
    const int error = write_all(STDOUT_FILENO, {bytes, size});
    if (error == EPIPE && reader_is_outlived) return static_cast<ssize_t>(size);
    if (error == EPIPE) {
        ::signal(SIGPIPE, SIG_DFL);
        ::raise(SIGPIPE);
    }
    if (error != 0) output_error = error;
    return static_cast<ssize_t>(size);
}

// A message that cannot be written is lost: there is nowhere to report it.
ssize_t write_message(void*, const char* bytes, size_t size) {
    write_all(STDERR_FILENO, visible({bytes, size}, Keep::messages));
    return static_cast<ssize_t>(size);
}

void replace(std::FILE*& stream, cookie_write_function_t* write, int buffering) {
    std::FILE* own = ::fopencookie(nullptr, "w", {nullptr, write, nullptr, nullptr});
    if (!own) return;
    std::setvbuf(own, nullptr, buffering, BUFSIZ);
    stream = own;
}

}  // namespace

void prepare_standard_streams() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) fill(descriptor);
    ::signal(SIGPIPE, SIG_IGN);
    replace(stdout, write_output, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
    replace(stderr, write_message, _IONBF);
}

void outlive_reader() { reader_is_outlived = true; }

int status_of_streams(int status) {
    std::fflush(stdout);
    if (output_error == 0 || output_error == EIO) return status;  // a terminal that has gone is not an error
    fmt::print(stderr, "lt: error: cannot write the output: {}\n", std::strerror(output_error));
    return status == 0 ? 1 : status;
}

}  // namespace lt
