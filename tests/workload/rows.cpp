// A server that inserts rows as those of the field do: functions inside each other, of which the innermost wait.
//   rows COUNT      inserts so many rows, in turn into two tables
// Each row is tried in its leaf first, which takes 1 ms. Every fourth needs more room: the file is extended, by two
// writes of 200 ms each, and the row is tried again in the tree. Its thread is named "calls" while it does that.
#include <sys/prctl.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>

#define TRACED __attribute__((noinline, noclone))

struct Table_ref {
    const char* db;
    const char* table_name;
    Table_ref* next_local;
};
struct fil_space_t {
    uint32_t id;
    uint32_t size;
};

namespace {

enum latch_mode : uint32_t { modify_leaf = 2, modify_tree = 33 };
enum io_type : uint32_t { io_read = 10, io_write = 11 };
enum result : int { success = 10, no_room = 11 };

void nap(long us) {
    const timespec t = {0, us * 1000};
    nanosleep(&t, nullptr);
}

}  // namespace

TRACED int os_aio_func(io_type type, const char* name, fil_space_t* space, uint64_t offset, uint64_t n) {
    nap(900000);
    space->size += static_cast<uint32_t>(n >> 14);
    asm volatile("" : : "r"(type), "r"(name), "r"(offset) : "memory");
    return 1;
}

TRACED bool fsp_try_extend_data_file(fil_space_t* space) {
    const uint64_t end = static_cast<uint64_t>(space->size) << 14;
    int written = os_aio_func(io_write, "ibdata1", space, end, 65536);
    written += os_aio_func(io_write, "ibdata1", space, end + 65536, 65536);
    return written == 2;
}

TRACED int row_ins_clust_index_entry_low(uint32_t flags, uint32_t mode, fil_space_t* space, long row) {
    nap(1000);
    asm volatile("" : : "r"(flags) : "memory");
    if (mode == modify_leaf && row % 4 == 3) return no_room;
    if (mode == modify_tree && !fsp_try_extend_data_file(space)) return no_room;
    return success;
}

TRACED bool mysql_insert(void* thd, Table_ref* table_list, fil_space_t* space, long row) {
    int done = row_ins_clust_index_entry_low(0, modify_leaf, space, row);
    if (done == no_room) done = row_ins_clust_index_entry_low(0, modify_tree, space, row);
    asm volatile("" : : "r"(thd), "r"(table_list) : "memory");
    return done != success;
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 0;
    Table_ref tables[2] = {{"shop", "orders", &tables[1]}, {"people", "customers", nullptr}};
    fil_space_t space = {7, 64};
    prctl(PR_SET_NAME, "calls");
    for (long i = 0; i < count; i++) {
        if (mysql_insert(nullptr, &tables[i % 2], &space, i)) return 1;
    }
    return 0;
}
