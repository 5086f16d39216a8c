// The program writes some bytes for each object (stdlib/bpf/iterator.bpf.c), so that reading returns after as many
// objects as there is room for.
#include "iterator.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "descriptor.h"

namespace lt {

Status read_iterator(int link, const std::function<bool()>& goes_on) {
    const Descriptor file(bpf_iter_create(link));
    if (!file) return system_error("cannot run the iterator", errno);
    std::array<uint64_t, 64> some{};
    for (;;) {
        const ssize_t n = ::read(file.get(), some.data(), sizeof some);
        if (n < 0 && errno != EINTR && errno != EAGAIN) return system_error("cannot read the iterator", errno);
        if (!goes_on() || n == 0) return Done{};
    }
}

}  // namespace lt
