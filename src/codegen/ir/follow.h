// Members of the kernel's structures in programs that know their types: the verifier follows the arguments of a typed
// tracepoint, and what they point to. Reading such a member is one load, which cannot fail.
#pragma once

#include "codegen/ir/builder.h"

namespace lt::ir {

constexpr uint32_t cannot_fail = 0xffffffff;  // instead of the loss of Code::fetch

inline Value follow(Builder& b, Value address, uint8_t width, bool is_signed) {
    return b.fetch(address, width, is_signed, false, cannot_fail);
}

}  // namespace lt::ir
