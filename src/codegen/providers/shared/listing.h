// The search of `lt -l`, its results, and the C declarations that it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/border/kernel.h"
#include "stdlib/probes.h"

namespace lt {

struct ListSearch {
    Kernel& kernel;
    const ProbeRow& row;
    std::vector<std::string> parts;  // the first is the kind
    int process = 0;                 // the process whose files `*` means; 0: all processes
    bool as_bpftrace = false;        // print modules and colons like bpftrace

    std::string part(size_t i) const;  // `*` for a part that is missing or empty
    std::string last() const { return part(parts.size() < 2 ? 1 : parts.size() - 1); }
};

// A match: the text after the kind, and the name by which it is described.
struct Listed {
    std::string text;
    std::string name;
};
using FoundNames = Result<std::vector<Listed>>;

// `found`. If it is empty because the kernel's folder of events, or its type information, cannot be read, an Error with
// the reason: "tracepoints cannot be listed: ...".
FoundNames events_or_why(const ListSearch& s, std::vector<Listed> found, std::string_view what);
FoundNames types_or_why(const ListSearch& s, std::vector<Listed> found, std::string_view what);

std::vector<Listed> named(const std::vector<std::string>& names, std::string_view prefix = {});
std::vector<std::string> matching(const std::vector<std::string>& names, std::string_view pattern);

std::string module_of(const KernelFunction& function);  // "vmlinux" if it is not in a module

std::string declared(std::string_view type, std::string_view name);  // "char[16]", "comm" -> "char comm[16]"
std::string c_type(const Type& type);
std::vector<std::string> declared_fields(const std::vector<Field>& fields);
std::vector<std::string> declared_members(Kernel& kernel, std::string_view structure);

}  // namespace lt
