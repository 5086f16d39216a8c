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

Bytes read_whole(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

TEST(Object, FromTheCompiler) {
    const char* path = std::getenv("LT_TEST_OBJECT");
    if (!path) GTEST_SKIP() << "LT_TEST_OBJECT names no object file";
    auto object = Object::read(read_whole(path));
    ASSERT_TRUE(object) << object.error().what;
    EXPECT_FALSE(object->functions.empty());
    auto machine = Machine::create(*object, 2);
    ASSERT_TRUE(machine) << machine.error().what;
    const Bytes context(256);
    for (const Function& f : object->functions) {
        if (f.section == ".text") continue;
        const auto result = machine->run(f.name, context);
        EXPECT_TRUE(result) << result.error().what;
    }
}

}  // namespace
}  // namespace lt::machine
