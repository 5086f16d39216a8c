// Stacks in the form that flame graph tools read: a line for each, from the outermost function to the innermost, and
// its weight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/print/printer.h"

namespace lt {

struct FoldedStack {
    std::vector<std::string> frames;  // outermost first; those of the kernel end in "_[k]"
    uint64_t weight = 0;
};

// An entry of a map with a stack in its key. First come the other parts of the key, then the user stack, then the
// kernel stack. The weight is the value, the sum of the collected values for avg, stats and dist, and their number for
// hist. None if the key has no stack, or if the value cannot be added up (a string, min, max, a negative number).
std::optional<FoldedStack> fold(const MapEntry& entry);

// Is it an entry with a stack in its key that fold() refuses only because its weight would be negative?
bool is_negative_stack(const MapEntry& entry);

// Can values of this type be weights?
bool can_fold(const Type& value);

// Is the weight of a stack a duration if a map collects such values?
bool adds_durations(const Type& value);

// The name of the weights of a map of such values: "time", "count", "sum" or, for a variable, "value". `plain`: as
// bpftrace prints, without durations.
std::string_view weight_name(const Type& value, bool plain);

// "main;work;read_[k] 12"
std::string folded_text(const FoldedStack& stack);

// Prints maps that can be folded as such lines to `sink`, and passes everything else to `others`. With `named`, the
// map's name is the outermost frame.
std::unique_ptr<Printer> folded_printer(Sink& sink, Printer& others, bool named);

}  // namespace lt
