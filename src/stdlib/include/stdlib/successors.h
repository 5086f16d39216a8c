// Names that were changed, and to what: how `k:copy_to_user` finds the function that this kernel has. Of functions,
// tracepoints, their parameters and members of structures of the kernel, and of libraries.
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

struct MemberSuccessor {
    std::string_view structure;  // "struct cfs_rq"
    std::string_view old_name, new_name;
};

struct ParameterSuccessor {
    std::string_view function;  // may hold one *
    std::string_view old_name, new_name;
    std::string_view remark;  // what a user must know about the value; may be empty
};

// A function that had a parameter which only a function that it calls has today.
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
};

std::span<const Successor> successor_rows();
// Every name that `name` may have today, best first.
std::vector<Candidate> successors(std::string_view name);
// The same of a tracepoint.
std::vector<Candidate> event_successors(std::string_view name);

// What a member is called today; empty: nothing else that is known.
std::string_view member_successor(std::string_view structure, std::string_view member);
// The rows of what a parameter of the function may be called instead, best first.
std::vector<ParameterSuccessor> parameter_successors(std::string_view function, std::string_view parameter);
// The row of a function of which this parameter is asked; nullptr: there is none.
const InnerFunction* inner_function(std::string_view function, std::string_view parameter);
// Where the functions of the library at this path, or of this name, have gone; empty: nowhere that is known.
std::string_view library_successor(std::string_view path);

// What compilers append to a function's name when they make a variant of it: ".isra." and so on, followed by a number.
std::span<const std::string_view> variant_suffixes();

}  // namespace lt
