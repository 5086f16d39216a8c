// Loads a hand-written program, attaches it, and runs a command meanwhile.
//   floor [-s] OBJECT BINARY FUNCTION COMMAND...
// A program in the section uprobe or uretprobe goes to the entry or return of FUNCTION in BINARY, one in uprobe.session
// to both; every other one where its section says. A program in raw_tp is run once by hand instead, and no command
// then. At the end "@: N", the sum of everything in the map `at`; with -s also how many instructions the kernel made of
// each program.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(const char* what) {
    fprintf(stderr, "floor: %s failed\n", what);
    exit(1);
}

// Missing in the headers of Debian 12.
enum { TRACE_UPROBE_SESSION = 57 };
struct session_attr {
    __u32 program, target, type, flags;
    __u64 path, offsets, reference_counters, cookies;
    __u32 count, multi_flags, pid, unused;
};

// The offset of a function in its file.
static __u64 file_offset(const char* binary, const char* function) {
    elf_version(EV_CURRENT);
    Elf* elf = elf_begin(open(binary, O_RDONLY | O_CLOEXEC), ELF_C_READ, NULL);
    GElf_Shdr header, text;
    for (Elf_Scn* section = NULL; elf && (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header);) {
        if (header.sh_type != SHT_SYMTAB) continue;
        GElf_Sym symbol;
        Elf_Data* data = elf_getdata(section, NULL);
        for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
            const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name && strcmp(name, function) == 0 && gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &text))
                return symbol.st_value - text.sh_addr + text.sh_offset;
        }
    }
    fail("finding the function");
}

static void attach_session(struct bpf_program* program, const char* binary, const char* function) {
    const __u64 offset = file_offset(binary, function);
    const struct session_attr attr = {.program = (__u32)bpf_program__fd(program),
                                      .type = TRACE_UPROBE_SESSION,
                                      .path = (__u64)binary,
                                      .offsets = (__u64)&offset,
                                      .count = 1};
    if (syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr) < 0) fail("attach");
}

static void attach(struct bpf_program* program, const char* binary, const char* function) {
    const char* section = bpf_program__section_name(program);
    struct bpf_link* link = NULL;
    if (strcmp(section, "uprobe.session") == 0) {
        attach_session(program, binary, function);
        return;
    }
    if (strcmp(section, "uprobe") == 0 || strcmp(section, "uretprobe") == 0) {
        LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = function, .retprobe = section[1] == 'r');
        link = bpf_program__attach_uprobe_opts(program, -1, binary, 0, &options);
    } else {
        link = bpf_program__attach(program);
    }
    if (!link) fail("attach");
}

static void print_size(struct bpf_program* program) {
    struct bpf_prog_info info = {0};
    __u32 length = sizeof info;
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length) != 0) fail("info");
    fprintf(stderr, "floor: program %s: %u instructions\n", bpf_program__name(program), info.xlated_prog_len / 8);
}

// The sum of a per-CPU array or hash whose values are counters.
static unsigned long long sum(struct bpf_map* map) {
    const size_t size = bpf_map__value_size(map) * (size_t)libbpf_num_possible_cpus();
    unsigned long long *values = malloc(size), total = 0;
    __u32 key, *before = NULL;
    while (values && bpf_map_get_next_key(bpf_map__fd(map), before, &key) == 0) {
        if (bpf_map_lookup_elem(bpf_map__fd(map), &key, values) != 0) fail("lookup");
        for (size_t i = 0; i < size / sizeof *values; i++) total += values[i];
        before = &key;
    }
    free(values);
    return total;
}

static int run(char** command) {
    const pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) fail("fork");
    return status == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
    const int sizes = argc > 1 && strcmp(argv[1], "-s") == 0;
    argv += sizes;
    argc -= sizes;
    if (argc < 2) {
        fprintf(stderr, "usage: floor [-s] OBJECT BINARY FUNCTION COMMAND...\n");
        return 2;
    }
    struct bpf_object* object = bpf_object__open_file(argv[1], NULL);
    if (!object) fail("open");
    struct bpf_program* program;
    bpf_object__for_each_program(program, object) {
        if (strcmp(bpf_program__section_name(program), "uprobe.session") != 0) continue;
        bpf_program__set_type(program, BPF_PROG_TYPE_KPROBE);
        bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)TRACE_UPROBE_SESSION);
    }
    if (bpf_object__load(object) != 0) fail("load");

    bpf_object__for_each_program(program, object) {
        if (sizes) print_size(program);
        if (strcmp(bpf_program__section_name(program), "raw_tp") == 0) {
            LIBBPF_OPTS(bpf_test_run_opts, options);
            return bpf_prog_test_run_opts(bpf_program__fd(program), &options) == 0 ? 0 : 1;
        }
        attach(program, argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
    }
    const int status = argc > 4 ? run(argv + 4) : 0;
    struct bpf_map* at = bpf_object__find_map_by_name(object, "at");
    if (at) printf("@: %llu\n", sum(at));
    return status;
}
