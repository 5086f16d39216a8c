// Coroutines that switch stacks inside of a function, 16 of 100 calls each, as in any program with ucontext: one thread
// runs them all, and a call that was begun first need not end first. Prints how many calls have returned.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { COROUTINES = 16, CALLS = 100, STACK = 65536 };
static ucontext_t scheduler, contexts[COROUTINES];
static int ended, returned, left;
static jmp_buf out;

__attribute__((noinline)) int yielder(int self, int call) {
    swapcontext(&contexts[self], &scheduler);
    returned++;
    return 1000 * self + call;
}

static void run(int self) {
    for (int call = 0; call < CALLS; call++) yielder(self, call);
    ended++;
}

// Leaves by longjmp() from every third call.
__attribute__((noinline)) int jumper(int n) {
    if (n % 3 == 0) {
        left++;
        longjmp(out, 1);
    }
    returned++;
    return n;
}

__attribute__((noinline)) int branchy(int n) {
    switch (n) {
        case 0:
            return puts("") + 7;
        case 1:
            return rand() - 3;
        case 2:
            return 40;
        case 3:
            return rand() << 3;
        case 4:
            return n ^ rand();
        case 5:
            return rand() / 3;
        case 6:
            return 1000;
        default:
            return rand() % 5;
    }
}

// Ends with a jump to another function where it is compiled so.
__attribute__((noinline)) int tail(int n) { return branchy(n + 2); }

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "yield";
    if (strcmp(what, "jump") == 0) {
        for (volatile int i = 0; i < 300; i++)
            if (setjmp(out) == 0) jumper(i);
        printf("returned %d, left %d\n", returned, left);
        return 0;
    }
    if (strcmp(what, "tail") == 0) {
        for (int i = 0; i < 50; i++) tail(i % 5);
        return 0;
    }
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(STACK);
        contexts[i].uc_stack.ss_size = STACK;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], (void (*)(void))run, 1, i);
    }
    while (ended < COROUTINES)
        for (int i = 0; i < COROUTINES; i++)
            if (ended < COROUTINES) swapcontext(&scheduler, &contexts[i]);
    printf("returned %d\n", returned);
}
