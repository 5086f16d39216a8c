// A name in the BPF file system, under which other programs find an object. It goes with its owner; after kill -9 it
// stays.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace lt {

class Pin {
  public:
    explicit Pin(std::string path = {}) : path_(std::move(path)) {}
    Pin(Pin&& other) noexcept : path_(std::move(other.path_)), is_made_(std::exchange(other.is_made_, false)) {}
    Pin& operator=(Pin&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(is_made_, other.is_made_);
        return *this;
    }
    ~Pin() { remove(); }

    bool is_wanted() const { return !path_.empty(); }
    Status make(int descriptor);  // does nothing without a path
    void remove();

  private:
    std::string path_;
    bool is_made_ = false;
};

}  // namespace lt
