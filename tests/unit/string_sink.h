// Output kept as a string.
#pragma once

#include <string>
#include <string_view>

#include "runtime/print/printer.h"

namespace lt {

class StringSink final : public Sink {
  public:
    void write(std::string_view bytes) override { text += bytes, writes++; }
    void flush() override {}
    std::string text;
    int writes = 0;
};

}  // namespace lt
