// A probe as raw text: where it ends before a key, and its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parser/ast.h"

namespace lt {

// Where the key begins that ends the text of a probe, nothing if it has none.
//
// A bracket directly after a probe is a set of a glob, as in vfs_[rw]*, or the key of an event, as in
// sched_wakeup[args.pid]. It is a set when only letters, digits and _!^- are in it and the name goes on behind it.
// Where the name ends with the bracket, as in vfs_[rw], it could be both: it is a key in an event of `a -> b`
// (`is_paired`) and where it holds nothing but the name of a value, such as tid; else a set.
std::optional<size_t> key_begin(std::string_view text, bool is_paired);

// The parts of a probe that stands at the offset.
ast::ProbeSpec split_probe(std::string_view text, uint32_t offset);

}  // namespace lt
