// Which scripts read files while they are compiled: a plan of such a script depends on more than the script.
#include <gtest/gtest.h>

#include "declarations/read.h"
#include "parser/parse.h"

namespace lt {
namespace {

bool reads(std::string text) {
    const Source source{"t.lt", std::move(text)};
    Diags diags;
    const ast::Program program = parse(source, diags);
    for (const Diag& d : diags.all()) ADD_FAILURE() << draw(source, d, false);
    return reads_files(program);
}

TEST(ReadsFiles, HoweverItIsWritten) {
    EXPECT_TRUE(reads("#include <a.h>\nBEGIN { }"));
    EXPECT_TRUE(reads("#  include \"a.h\"\nBEGIN { }"));
    EXPECT_TRUE(reads("#\tinclude_next <a.h>\nBEGIN { }"));
    EXPECT_TRUE(reads("#if __has_include(\"a.h\")\n#define X 1\n#endif\nBEGIN { }"));
    EXPECT_TRUE(reads("struct a {\n# include \"members.h\"\n};\nBEGIN { }"));
}

TEST(ReadsFiles, OtherCDoesNot) {
    EXPECT_FALSE(reads("BEGIN { print(\"#include <a.h>\"); }"));
    EXPECT_FALSE(reads("#define include 1\nstruct a { int included; };\nBEGIN { }"));
    EXPECT_FALSE(reads("// #include <a.h>\nBEGIN { }"));
}

}  // namespace
}  // namespace lt
