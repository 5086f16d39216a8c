// The recorder's own BPF object (stdlib/bpf/recorder.bpf.c): loaded, attached, and its rings as memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/border/recording.h"
#include "runtime/load/keep_size.h"
#include "runtime/load/kernel_targets.h"
#include "runtime/load/object.h"

struct bpf_object;
struct bpf_link;

namespace lt {

// Memory that a BPF array shares.
class SharedArray {
  public:
    SharedArray() = default;
    static Result<SharedArray> map(int descriptor, uint64_t bytes, const char* what);
    SharedArray(SharedArray&& other) noexcept { swap(other); }
    SharedArray& operator=(SharedArray&& other) noexcept {
        swap(other);
        return *this;
    }
    ~SharedArray();
    template <class T>
    volatile T* as() const {
        return static_cast<volatile T*>(memory_);
    }

  private:
    void swap(SharedArray& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
    }
    void* memory_ = nullptr;
    uint64_t bytes_ = 0;
};

class RecorderObject {
  public:
    // `script` has the maps of the rings, in these sizes. It must outlive the object.
    static Result<std::unique_ptr<RecorderObject>> load(const LoadedObject& script, const KeepSize& size);
    Status attach();
    void detach() { links_.clear(); }
    // Tracepoints that this kernel does not have.
    const std::vector<std::string>& missing() const { return missing_; }

    // Events so far at which the kernel skipped a program, because the program interrupted itself.
    uint64_t missed() const;

    volatile KeptControl& control() const { return *rings_.as<KeptControl>(); }
    volatile KeptRing& ring(uint64_t number) const { return rings_.as<KeptRing>()[1 + number]; }
    volatile KeptSlot* slots(uint64_t ring) const { return slots_.as<KeptSlot>() + ring * size_.slots; }
    volatile KeptStack& stack(uint64_t number) const { return stacks_.as<KeptStack>()[number]; }
    const KeepSize& size() const { return size_; }

  private:
    struct Close {
        void operator()(bpf_object* object) const;
        void operator()(bpf_link* link) const;
    };
    explicit RecorderObject(const KeepSize& size) : size_(size) {}
    Status prepare(const LoadedObject& script, KernelTargets& targets);
    Status map_memory(const LoadedObject& script);

    const KeepSize size_;
    std::unique_ptr<bpf_object, Close> object_;
    std::vector<std::unique_ptr<bpf_link, Close>> links_;
    std::vector<std::string> missing_;
    SharedArray rings_, slots_, stacks_;
};

}  // namespace lt
