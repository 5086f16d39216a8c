// Finds the per-CPU counters that a program can change without an atomic operation: read, add and write are exact if
// nothing else that changes the same counter can run in between, on that CPU or from outside.
#pragma once

#include <vector>

#include "codegen/typed/typed.h"

namespace lt {

class Exclusive {
  public:
    Exclusive(const ast::Program& program, const Typed& typed);
    // Can a program that is attached this way change its CPU's value of a map, or the books of a span, without atomics?
    bool map(uint32_t map, Way way, const ResolvedPlace& place) const;
    bool books(uint32_t span, Way way, const ResolvedPlace& place) const;

  private:
    // Programs that cannot interrupt each other: those that run in turn on a CPU, or those that nothing interrupts.
    struct Users {
        bool in_turn = true;        // no other program uses it, or only outside of interrupts
        bool uninterrupted = true;  // the same
    };
    bool in_turn(Way way, const ResolvedPlace& place) const;
    bool alone(const Users& users, Way way, const ResolvedPlace& place) const;
    bool calls_preempted_;
    std::vector<Users> maps_;
    std::vector<Users> spans_;
};

}  // namespace lt
