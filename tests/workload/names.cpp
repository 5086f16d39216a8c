// Has functions whose names and places are not easily found, for tests of symbols: of C++, of Rust, inlined, and made
// at run time. Each way ends in a system call (getppid) that nobody else makes here.
//   names calls COUNT       through a C++ method and functions named as Rust names them
//   names compiled COUNT    through code that was made at run time, which /tmp/perf-PID.map names
//   names many COUNT        in so many processes, one after another, which end at once
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noipa))
#endif

extern "C" {
// A stack is walked by frame pointers; who asks for its own has one.
APART long leaf(long n) {
    long result = 110;  // getppid
    __asm__ volatile("" : : "r"(__builtin_frame_address(0)));
    __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
    return n + 1;
}
long old_rust(long n) __asm__("_ZN41_$LT$demo..Ring$u20$as$u20$demo..Turn$GT$4turn17h0123456789abcdefE");
long new_rust(long n) __asm__("_RNvNtCs1234_4demo4ring4turn");
APART long new_rust(long n) { return leaf(n) + 1; }
APART long old_rust(long n) { return new_rust(n) + 1; }
}

namespace shop {
static inline __attribute__((always_inline)) long tax(long n) { return old_rust(n) * 2; }
struct Basket {
    long count = 0;
    __attribute__((noinline)) long price(const char* item);
};
long Basket::price(const char* item) { return tax(count) + item[0]; }
}  // namespace shop

static long calls(long count) {
    shop::Basket basket;
    for (long i = 0; i < count; i++) basket.count += basket.price("book");
    return basket.count;
}

// push %rbp; mov %rsp,%rbp; mov $110,%eax; syscall; pop %rbp; ret
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3};

static int compiled(long count) {
    void* const room = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return 1;
    std::memcpy(room, code, sizeof code);
    const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    std::FILE* const list = std::fopen(path.c_str(), "w");
    if (list == nullptr) return 1;
    std::fprintf(list, "%lx %zx LazyCompile:~turn ring.js:7\n", reinterpret_cast<unsigned long>(room), sizeof code);
    std::fclose(list);
    for (long i = 0; i < count; i++) reinterpret_cast<long (*)()>(room)();
    usleep(2000000);  // as long as a program with such a compiler would live
    return unlink(path.c_str());
}

int main(int argc, char** argv) {
    const std::string what = argc > 2 ? argv[1] : "";
    const long count = argc > 2 ? std::atol(argv[2]) : 0;
    if (what == "calls") return calls(count) == 0;
    if (what == "compiled") return compiled(count);
    for (long i = 0; what == "many" && i < count; i++) {
        const pid_t child = fork();
        if (child == 0) {
            if (i % 2 != 0) _exit(calls(1) == 0);  // as a copy of this process, and by exec
            execl("/proc/self/exe", argv[0], "calls", "1", nullptr);
            _exit(1);
        }
        if (waitpid(child, nullptr, 0) != child) return 1;
    }
    return what != "many";
}
