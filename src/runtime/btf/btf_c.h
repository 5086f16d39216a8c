// C definitions of the kernel's types, as far as a text needs them.
#pragma once

#include <set>
#include <string>

struct btf;

namespace lt {

// See Kernel::c_types.
std::string c_types(const btf* types, const std::set<std::string, std::less<>>& words);

}  // namespace lt
