// Single values as text, appended to a string so that a printer of many values allocates nothing for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

constexpr std::string_view nothing_text = "-";  // printed if there is no number

// A histogram, a distribution and a stack are rows that each end with a newline; a stack in bpftrace's form does not.
void append_value(std::string& out, const Value& value, ValueStyle style);
bool is_rows(const Value& value);

// The bytes of a buffer: printable ASCII characters unchanged, all others as \xNN.
void append_bytes_shown(std::string& out, std::string_view bytes);

std::string frame_text(const Frame& frame, StackForm form = StackForm::names);

// Is the stack's type printed as bpftrace prints it? That is an empty line, and a line for each frame.
bool is_bpftraces(const Type& type);
std::string bpftrace_stack(const Stack& stack, StackForm form);

// The frames, innermost first, or a note in parentheses if there are none.
std::vector<std::string> stack_rows(const Stack& stack, StackForm form = StackForm::names);

// The parts of a key. A tuple as the whole key is the same as its parts; a record is not.
const std::vector<Value>& key_parts(const std::vector<Value>& key);

// The one number for a value where one is needed: an average, an extreme, the number of values in a histogram or a
// distribution; 0 for a string.
int64_t number_of(const Value& value);

}  // namespace lt
