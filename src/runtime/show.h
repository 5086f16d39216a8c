// Single values as text, added to the end of a string so that a printer of many values allocates nothing for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/value.h"

namespace lt {

constexpr std::string_view nothing_text = "-";  // where there is no number to show

// A histogram, a distribution and a stack are rows, each of which ends its line; not so a stack in bpftrace's form.
void append_value(std::string& out, const Value& value, bool plain);
bool is_rows(const Value& value);

// Bytes of the traced machine: as they are, except that what a terminal would obey (control characters other than
// newline and tab) is written \xNN. Text in UTF-8 stays whole.
void append_visible(std::string& out, std::string_view bytes);

// The bytes of a buffer: printable characters of ASCII as they are, all others \xNN.
void append_bytes_shown(std::string& out, std::string_view bytes);

std::string frame_text(const Frame& frame, StackForm form = StackForm::names);

// Is the stack's type printed as bpftrace prints it? Then it is an empty line, and a line for each frame if it has any.
bool is_bpftraces(const Type& type);
std::string bpftrace_stack(const Stack& stack, StackForm form);

// The frames, innermost first, or a sentence in brackets where there are none to show.
std::vector<std::string> stack_rows(const Stack& stack, StackForm form = StackForm::names);

// The one number that stands for a value where one is asked for: an average, an extreme, how many values a histogram
// or a distribution holds; 0 for a string.
int64_t number_of(const Value& value);

}  // namespace lt
