#include "runtime/bpf/ring_buffer.h"

#include <bpf/libbpf.h>

#include <cerrno>

namespace lt::bpf {

void RingBuffer::Free::operator()(ring_buffer* ring) const { ring_buffer__free(ring); }

Result<RingBuffer> RingBuffer::open(int map, Take take, void* self) {
    RingBuffer opened;
    opened.ring_.reset(ring_buffer__new(map, take, self, nullptr));
    if (!opened.ring_) return system_error("cannot map the ring buffer", errno);
    return opened;
}

void RingBuffer::consume() { ring_buffer__consume(ring_.get()); }

}  // namespace lt::bpf
