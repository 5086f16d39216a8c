// All bytes of a file, mapped into memory where the kernel can do that, and read otherwise: files of sysfs can be
// mapped from Linux 6.16 on, and are read in pages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"

namespace lt {

class FileBytes {
  public:
    static Result<FileBytes> open(const std::string& path);
    FileBytes(FileBytes&& other) noexcept : mapped_(std::exchange(other.mapped_, {})), text_(std::move(other.text_)) {}
    FileBytes& operator=(FileBytes other) noexcept {
        std::swap(mapped_, other.mapped_);
        std::swap(text_, other.text_);
        return *this;
    }
    ~FileBytes();

    std::span<const uint8_t> bytes() const {
        if (!mapped_.empty()) return mapped_;
        return {reinterpret_cast<const uint8_t*>(text_.data()), text_.size()};
    }

  private:
    FileBytes() = default;
    std::span<uint8_t> mapped_;
    std::string text_;
};

}  // namespace lt
