// Reading ELF objects. What a compiler emits is read from the file that the environment names in LT_TEST_OBJECT.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "machine/run.h"

namespace lt::machine {
namespace {

TEST(Object, RefusesWhatIsNone) {
    EXPECT_EQ(Object::read({}).error().what, "BPF object: not an ELF file");
    const Bytes text = {'t', 'e', 'x', 't'};
    EXPECT_EQ(Object::read(text).error().what, "BPF object: not an ELF file");
}

TEST(Object, FindsFunctions) {
    Assembler a;
    a.function("first") << mov(r0, 1) << exit_();
    a.function("second") << mov(r0, 2) << exit_();
    const Object o = a.object();
    EXPECT_EQ(o.function("second")->begin, 2U);
    EXPECT_EQ(o.function_at(2)->name, "second");
    EXPECT_EQ(o.function_at(1), nullptr);
    EXPECT_EQ(o.function("third"), nullptr);
}

}  // namespace
}  // namespace lt::machine
