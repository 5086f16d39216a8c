// A probe as raw text: its parts, and where a key begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parser/tree/ast.h"

namespace lt {

// The position of the key that ends the text of a probe; empty if it has none.
//
// A bracket directly after a probe is a glob set, as in vfs_[rw]*, or the key of an event, as in
// sched_wakeup[args.pid]. It is a set if it contains only letters, digits and _!^-, and the name continues after it. If
// the name ends with the bracket, as in vfs_[rw], it could be both: then it is a key in an event of `a -> b`
// (`is_paired`), and if it contains only the name of a value, such as tid; otherwise it is a set.
std::optional<size_t> key_begin(std::string_view text, bool is_paired);

// The parts of a probe that begins at the offset.
ast::ProbeSpec split_probe(std::string_view text, uint32_t offset);

}  // namespace lt
