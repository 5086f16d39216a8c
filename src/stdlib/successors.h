// Renamed things and their new names: this is how `k:copy_to_user` finds the function of this kernel. Covers functions,
// tracepoints, their parameters, members of kernel structures, and libraries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

struct Successor {
    std::string_view old_name;  // may hold one *
    std::string_view new_name;  // the * stands for the same text
    std::string_view remark;    // what a user must know about the new name; may be empty
    uint8_t same = UINT8_MAX;   // of a function: so many first arguments are still at their positions
};

struct MemberSuccessor {
    std::string_view structure;  // "struct cfs_rq"
    std::string_view old_name, new_name;
};

struct ParameterSuccessor {
    std::string_view function;  // may hold one *
    std::string_view old_name, new_name;
    std::string_view remark;  // what a user must know about the value; may be empty
};

// A function's former parameter that today only a function it calls has.
struct InnerFunction {
    std::string_view function, parameter;
    std::string_view inner;
    std::string_view remark;
};

struct LibrarySuccessor {
    std::string_view old_name, new_name;  // without the version: "libpthread"
};

struct Candidate {
    std::string name;
    std::string_view remark;
    uint8_t same = UINT8_MAX;
};

std::span<const Successor> successor_rows();
// Every name that `name` may have today, best first.
std::vector<Candidate> successors(std::string_view name);
// The same for a tracepoint.
std::vector<Candidate> event_successors(std::string_view name);

// The current name of a member; empty: none known.
std::string_view member_successor(std::string_view structure, std::string_view member);
// Rows with the possible new names of a function's parameter, best first.
std::vector<ParameterSuccessor> parameter_successors(std::string_view function, std::string_view parameter);
// The row for this parameter of the function; nullptr: there is none.
const InnerFunction* inner_function(std::string_view function, std::string_view parameter);
// The library that now has the functions of the library with this path or name; empty: none known.
std::string_view library_successor(std::string_view path);

// Suffixes that compilers append to the name of a function's variant: ".isra." and so on, followed by a number.
struct VariantSuffix {
    std::string_view text;
    std::string_view remark;  // what a user must know about such a variant
};
std::span<const VariantSuffix> variant_suffixes();

}  // namespace lt
