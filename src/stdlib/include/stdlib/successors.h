// Kernel functions that were renamed, and by what: how `k:copy_to_user` finds the function that this kernel has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

struct Successor {
    std::string_view old_name;  // may hold one *
    std::string_view new_name;  // the * stands for the same text
    std::string_view remark;    // what a user must know about what is seen under the new name; may be empty
};

struct Candidate {
    std::string name;
    std::string_view remark;
};

std::span<const Successor> successor_rows();
// Every name that `name` may have today, best first.
std::vector<Candidate> successors(std::string_view name);

// What compilers append to a function's name when they make a variant of it: ".isra." and so on, followed by a number.
std::span<const std::string_view> variant_suffixes();

}  // namespace lt
