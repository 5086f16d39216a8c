// Stands for servers that are not installed: it has their functions and markers, and calls each a known number of
// times.
//   servers redis|mariadb|postgresql|java|ruby
#include <stdint.h>
#include <string.h>
#include <sys/sdt.h>
#include <time.h>

#define OWN __attribute__((noinline, noclone, visibility("default")))

struct text {
    uint64_t flags;
    const char* bytes;
};
static struct text set = {1, "set"}, get = {2, "get"}, key = {3, "key"};
static struct text* set_key[] = {&set, &key};
static struct text* get_key[] = {&get, &key};
static volatile int calls;
static void* values_of = set_key;
static char object[64];

static void pause_for(long milliseconds) {
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

OWN void slowlogPushEntryIfNeeded(void* client, struct text** values, int count, long long microseconds) {
    calls += client != values && count + microseconds > 0;
}
// Attached for the stages of requests, which need a network.
OWN void processInputBuffer(void* client) { calls += client != values_of; }
OWN int writeToClient(void* client, int by_handler) { return calls += client != values_of && by_handler > 0; }
static void redis(void) {
    for (int i = 0; i < 30; i++) slowlogPushEntryIfNeeded(object, set_key, 2, 2000);
    for (int i = 0; i < 20; i++) slowlogPushEntryIfNeeded(object, get_key, 2, 10);
}

// dispatch_command(enum_server_command, THD*, char*, unsigned, bool)
OWN int dispatch(int command, void* thread, const char* text, unsigned length,
                 int blocking) __asm__("_Z16dispatch_command19enum_server_commandP3THDPcjb");
int dispatch(int command, void* thread, const char* text, unsigned length, int blocking) {
    pause_for(length);
    calls += thread != text && blocking;
    return command;
}
static void mariadb(void) {
    dispatch(3, object, "select slow", 30, 1);
    dispatch(3, object, "select fast", 1, 1);
    dispatch(1, object, "no query", 30, 1);
}

static void postgresql(void) {
    DTRACE_PROBE1(postgresql, query__start, "select slow");
    pause_for(30);
    DTRACE_PROBE1(postgresql, query__done, "select slow");
    DTRACE_PROBE1(postgresql, query__start, "select fast");
    DTRACE_PROBE1(postgresql, query__done, "select fast");
}

static void java(void) {
    for (int i = 0; i < 6; i++) {
        DTRACE_PROBE1(hotspot, gc__begin, i & 1);
        pause_for(3);
        DTRACE_PROBE(hotspot, gc__end);
    }
}

static void ruby(void) {
    DTRACE_PROBE(ruby, gc__mark__begin);
    pause_for(3);
    DTRACE_PROBE(ruby, gc__mark__end);
    DTRACE_PROBE(ruby, gc__sweep__begin);
    DTRACE_PROBE(ruby, gc__sweep__end);
}

int main(int argc, char** argv) {
    const struct {
        const char* name;
        void (*run)(void);
    } servers[] = {{"redis", redis}, {"mariadb", mariadb}, {"postgresql", postgresql}, {"java", java}, {"ruby", ruby}};
    for (int i = 1; i < argc; i++)
        for (unsigned s = 0; s < sizeof servers / sizeof *servers; s++)
            if (strcmp(argv[i], servers[s].name) == 0) servers[s].run();
    return 0;
}
