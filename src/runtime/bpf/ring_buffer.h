// The reading end of a ring buffer.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"

struct ring_buffer;

namespace lt::bpf {

class RingBuffer {
  public:
    // Called with each record and what open() was given; the bytes are valid during the call. Negative: consume()
    // returns after this record, which counts as consumed.
    using Take = int (*)(void* self, void* record, size_t size);

    RingBuffer() = default;  // empty
    static Result<RingBuffer> open(int map, Take take, void* self);

    explicit operator bool() const { return ring_ != nullptr; }
    void consume();  // all available records, without waiting

  private:
    struct Free {
        void operator()(ring_buffer* ring) const;
    };
    std::unique_ptr<ring_buffer, Free> ring_;
};

}  // namespace lt::bpf
