// A program of three files (PART 0 to 2) with the same names in several scopes, and another one. Only read, never run.
#define function __attribute__((noinline))
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

twins(Twin);

function int both(left::Twin* one, right::Twin* two) { return one->in_left + two->in_right; }

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
    return both(&one, &two) + late_statement(1);
}

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
