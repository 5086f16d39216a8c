// Which file of the BPF library has a function: a program opens each file that it needs, which takes time.
#include <gtest/gtest.h>

#include "codegen/ir/ir.h"

namespace lt::ir {
namespace {

// Almost each program asks it, and most of them aggregate.
TEST(BpfLibrary, WhetherATaskIsLtsOwnIsAskedInTheFileThatAggregates) {
    EXPECT_EQ(library_row(Library::is_own).file, library_row(Library::slot).file);
    EXPECT_EQ(library_row(Library::is_own).file, library_row(Library::hist).file);
}

}  // namespace
}  // namespace lt::ir
