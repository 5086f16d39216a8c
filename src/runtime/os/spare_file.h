// A descriptor that is kept for when no more files can be opened: with it, a listening socket can still get rid of a
// connection, which otherwise would stay and wake its reader again and again.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "runtime/os/descriptor.h"

namespace lt {

class SpareFile {
  public:
    // Closes the first connection that waits at the non-blocking socket. False: there is none, or no file to spare.
    bool turn_away(int listening) {
        spare_.reset();
        const bool had_one = static_cast<bool>(Descriptor(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC)));
        spare_ = some_file();
        return had_one;
    }

    // If connections wait, but no file can be opened now: turns away up to `most` of them. Returns how many.
    unsigned turn_away_if_out_of_files(int listening, unsigned most) {
        pollfd waiting{listening, POLLIN, 0};
        if (::poll(&waiting, 1, 0) <= 0) return 0;
        if (const Descriptor another = some_file(); another || (errno != EMFILE && errno != ENFILE)) return 0;
        unsigned count = 0;
        while (count < most && turn_away(listening)) count++;
        return count;
    }

  private:
    static Descriptor some_file() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

    Descriptor spare_ = some_file();
};

}  // namespace lt
