// A BPF map mapped into memory, which programs in the kernel write, too.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <utility>

namespace lt {

class SharedMemory {
  public:
    SharedMemory() = default;
    // Empty if the kernel does not allow mapping it. `size` is the size of the value.
    SharedMemory(int map, size_t size) {
        const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
        const size_t length = (size + page - 1) / page * page;
        void* at =
            map < 0 || size == 0 ? MAP_FAILED : ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
        if (at == MAP_FAILED) return;
        bytes_ = {static_cast<uint8_t*>(at), size};
        length_ = length;
    }
    SharedMemory(SharedMemory&& other) noexcept
        : bytes_(std::exchange(other.bytes_, {})), length_(std::exchange(other.length_, 0)) {}
    SharedMemory& operator=(SharedMemory other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(length_, other.length_);
        return *this;
    }
    ~SharedMemory() {
        if (length_ > 0) ::munmap(bytes_.data(), length_);
    }
    std::span<uint8_t> bytes() const { return bytes_; }

  private:
    std::span<uint8_t> bytes_;
    size_t length_ = 0;
};

}  // namespace lt
