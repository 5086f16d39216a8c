// Operations that refer to the outside of a function: its input from the event and the session, and its output to the
// session, to lt and to C.
#pragma once

#include <initializer_list>
#include <vector>

#include "codegen/ir/builder.h"
#include "runtime/border/host_calls.h"

namespace lt::ir {

// The event: the address of the context, `width` bytes of it, an argument of the traced function at its entry, its
// result, and a number that is the same at the entry and the return of one call, and lower for calls inside it.
Value context(Builder& b);
Value field(Builder& b, uint32_t offset, uint8_t width, bool is_signed);
Value argument(Builder& b, uint32_t n);
Value result(Builder& b);
Value frame(Builder& b);

// The session: the address of a parameter, the value of Program::relocations[index] on the running kernel, and whether
// the session is ending (not zero), as it is after halt().
Value param(Builder& b, uint32_t offset);
Value relocation(Builder& b, uint32_t index);
Value stopping(Builder& b);
void halt(Builder& b);

// reserve() allocates a record of this event in a ring buffer, or returns null. submit() publishes it, with the flags
// of bpf_ringbuf_submit().
Value reserve(Builder& b, uint32_t ring, uint32_t event);
void submit(Builder& b, Value record, Value flags);

// An operation that only lt itself can do, in functions of Way::host.
Value host(Builder& b, HostCall what, std::initializer_list<Value> in);
// Program::c_functions[function]; failed reads are counted in the loss.
Value c_call(Builder& b, uint32_t function, const std::vector<Value>& in, uint32_t loss);

}  // namespace lt::ir
