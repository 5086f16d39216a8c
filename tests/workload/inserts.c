// A small server's inserts, for probes that read variables by debug information: each insert of a row opens a table,
// writes an index and then the row, which calls itself once. Everything has values that are known.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define function __attribute__((noinline, noclone))

enum mode { READ_ONLY, READ_WRITE = 3 };

struct column {
    int id;
    unsigned char kind : 3;
    signed char order : 5;
    unsigned long sum;
};

typedef struct table {
    const char* table_name;
    char schema[16];
    enum mode mode;
    struct column columns[3];
    union {
        int as_int;
        unsigned char as_bytes[4];
    };
    struct table* next;
    double load;
} TABLE;

struct point {
    int x, y;
};

static struct table tables[2];
static long inserts_done = 40;
int public_limit = 1234;
__thread int of_thread = 5;
volatile long sink;

function int write_index(TABLE* t, int column, short depth) {
    int found = t->columns[column].id + depth;
    if (depth > 0) found += write_index(t, column, (short)(depth - 1));
    sink += found;
    return found;
}

function int write_row(TABLE* table, enum mode mode, const char* row, unsigned long long length, int a, int b, int c,
                       char d) {
    int local = a + b * 2;
    for (int i = 0; i < 3; i++) table->columns[i].sum += length;
    local += write_index(table, 1, 1);
    sink += local + c + d + row[0] + mode;  // the line of statements
    inserts_done++;
    return -local;
}

function long measure(double load, int weight, struct point where, struct table by_value) {
    long sum = weight + where.x * where.y + (long)load;
    sink += sum + (by_value.table_name != NULL);
    return sum;
}

static inline __attribute__((always_inline)) int doubled(int number) {
    int twice = number * 2;
    sink += twice;
    return twice;
}

function int twice_and_one(int given) { return doubled(given + 1) + 1; }

function void nothing(void) { sink++; }

int main(int argc, char** argv) {
    (void)argv;
    for (int i = 0; i < 2; i++) {
        tables[i].table_name = i == 0 ? "orders" : "customers";
        strcpy(tables[i].schema, i == 0 ? "shop" : "people");
        tables[i].mode = i == 0 ? READ_WRITE : READ_ONLY;
        for (int c = 0; c < 3; c++)
            tables[i].columns[c] = (struct column){10 * i + c, (unsigned char)(c + 5), (signed char)-c, 100};
        tables[i].as_int = 0x01020304;
        tables[i].next = &tables[1 - i];
        tables[i].load = 2.5;
    }
    for (int i = 0; i < 3; i++) {
        TABLE* t = &tables[i % 2];
        sink += write_row(t, t->mode, "a row", 5ULL << 33, i, -7, 8, 'x');
    }
    sink += measure(7.5, 6, (struct point){3, 4}, tables[0]);
    sink += twice_and_one(argc + 20);
    nothing();
    return 0;
}
