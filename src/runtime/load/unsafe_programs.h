// The programs of a loaded object that do what only --unsafe allows.
#pragma once

struct bpf_object;

namespace lt {

// Does one of them send signals, write into the memory of programs, or decide what a function returns?
bool has_unsafe_programs(const bpf_object* object);

}  // namespace lt
