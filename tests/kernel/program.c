// A program for uprobes that are planned and never hit: it is linked without a C library, at fixed addresses and with
// each function on a boundary of its own, so that the offsets in expected outputs do not depend on the compiler.

#define function __attribute__((noinline, aligned(256)))

function int add(int a, int b) { return a + b; }

function long work(long n) {
    volatile long sum = 0;
    for (long i = 0; i < n; i++) sum += i;
    return sum;
}

function int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

function int handle_request(const char* path, int size) { return add(path[0], size); }

function int main(void) { return handle_request("/", factorial(3)) + (int)work(10); }

function void _start(void) {
    main();
    __builtin_trap();
}

function char* readline(const char* prompt) { return (char*)prompt; }
