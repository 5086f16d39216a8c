// Functions that make texts by formats while a program runs in the kernel.
#include <array>

#include "tables.h"

namespace lt {
namespace {

constexpr std::array functions{
    FunctionRow{Function::sprintf_,
                "sprintf",
                {Parameter{"format", Want::format}, Parameter{"value", Want::value, true, true}},
                Aggregation::none,
                nothing(),
                "What printf() would print, as a string: up to 12 numbers and strings. Linux 5.13.",
                "k:vfs_read { @[sprintf(\"%s-%d\", comm, pid)] = count(); }"},
};

}  // namespace

std::span<const FunctionRow> format_functions() { return functions; }

}  // namespace lt
