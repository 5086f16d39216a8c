// A program of three files (PART 0 to 2) with the same names in several scopes, and another one. Only read, never run.
#define function __attribute__((noinline))
#define local_variable(name) __attribute__((used)) static int name __asm__(#name)  // not mangled
#define twins(of)     \
    namespace left {  \
    struct of {       \
        int in_left;  \
    };                \
    }                 \
    namespace right { \
    struct of {       \
        int in_right; \
    };                \
    }

#if PART == 0

local_variable(own_or_global) = 1;

twins(Twin);

struct Opaque;
namespace deep {
struct Opaque;
class Declared;
}  // namespace deep
struct Several {
    int of_part_0;
};

function int unknown(Opaque* top, deep::Opaque* nested, deep::Declared* declared, Several* several) {
    return top != nullptr && nested != nullptr && declared != nullptr && several != nullptr;
}

function int both(left::Twin* one, right::Twin* two) { return one->in_left + two->in_right; }

function static int local(int number) { return number + own_or_global; }

// Line 1000 has a stretch of code whose first row begins no statement.
function int late_statement(int number) {
    __asm__ volatile(
        "nop\n"
        ".loc 1 1000 0 is_stmt 0\n"
        "nop\n"
        ".loc 1 1000 0 is_stmt 1\n"
        "nop\n");
    return number;
}

int main() {
    left::Twin one{};
    right::Twin two{};
    return both(&one, &two) + late_statement(1) + local(1) + unknown(nullptr, nullptr, nullptr, nullptr);
}

#endif

#if PART == 1

local_variable(own_or_global) = 10;
local_variable(lonely) = 11;
local_variable(twice) = 12;
local_variable(global_or_local) = 13;

namespace deep {
struct Opaque {
    int in_deep;
};
struct Declared {
    int declared;
};
}  // namespace deep
struct Several {
    int of_part_1;
};
int use_1(deep::Opaque* nested, deep::Declared* declared, Several* several) {
    return nested->in_deep + declared->declared + several->of_part_1;
}

#elif PART == 2

struct Opaque {
    int at_top;
};
struct Several {
    int of_part_2;
};
int use_2(Opaque* top, Several* several) { return top->at_top + several->of_part_2; }

local_variable(twice) = 20;
int own_or_global = 21, global_or_local = 22;

#endif

// A file of its own, for clang, which describes functions in their namespaces.
#if PART == 3

namespace deep {

volatile int sink;

static inline __attribute__((always_inline)) void halved(int number) { sink = number / 2; }

function void half(int number) { halved(number + 1); }

}  // namespace deep

int main() { deep::half(1); }

#endif
