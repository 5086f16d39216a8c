// Stacks as flame graphs want them: a line for each, from the outermost function to the innermost, and its weight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/printer.h"

namespace lt {

struct FoldedStack {
    std::vector<std::string> frames;  // outermost first; those of the kernel end in "_[k]"
    uint64_t weight = 0;
};

// An entry of a map that has a stack in its key. First come the parts of the key that are no stacks, then the program's
// stack, then the kernel's. The weight is the value, the sum of what was collected for avg, stats and dist, and how
// many values there are for hist. None where the key has no stack, or the value cannot be added up (a string, min, max,
// a negative number).
std::optional<FoldedStack> fold(const MapEntry& entry);

// Can values of this type be weights?
bool can_fold(const Type& value);

// "main;work;read_[k] 12"
std::string folded_text(const FoldedStack& stack);

// Prints maps that can be folded as such lines to `sink`; all else that is printed is left to `others`, and so is what
// cannot be folded. Where `named`, the name of the map is the outermost frame.
std::unique_ptr<Printer> folded_printer(Sink& sink, Printer& others, bool named);

}  // namespace lt
