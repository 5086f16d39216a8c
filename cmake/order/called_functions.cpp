// called_functions PROGRAM [ARGUMENT...] > FILE: runs the program and writes the names of the functions that it calls,
// in the order of their first calls. The linker places functions in that order, so that those that run lie on few
// pages.
//
// A breakpoint stands at each function until it is called. It cannot follow other threads and processes: the program
// must start none before it has done what is of interest.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace {

constexpr uint8_t breakpoint = 0xcc;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "called_functions: %s: %s\n", what, std::strerror(errno));
    std::exit(1);
}

struct Function {
    std::vector<const char*> names;  // several can share their code
    uint8_t first = 0;               // the byte that the breakpoint has replaced
};
using Functions = std::unordered_map<uint64_t, Function>;  // by address

// The functions of an ELF file that is not relocated.
Functions functions_of(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts{};
    if (file < 0 || ::fstat(file, &facts) != 0) fail(path);
    const void* const map = ::mmap(nullptr, static_cast<size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) fail(path);
    const char* const bytes = static_cast<const char*>(map);
    const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(bytes);
    const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(bytes + header->e_shoff);
    Functions out;
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(bytes + sections[i].sh_offset);
        const char* const names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
            const Elf64_Sym& symbol = symbols[k];
            if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF)
                continue;
            out[symbol.st_value].names.push_back(names + symbol.st_name);
        }
    }
    return out;
}

void set_breakpoints(int memory, Functions& functions) {
    for (auto& [address, function] : functions) {
        const auto at = static_cast<off_t>(address);
        if (::pread(memory, &function.first, 1, at) != 1 || ::pwrite(memory, &breakpoint, 1, at) != 1) fail("memory");
    }
}

// Is it a breakpoint of ours? Then writes the names of the function, and lets it run.
bool pass_breakpoint(pid_t program, int memory, const Functions& functions) {
    user_regs_struct registers{};
    if (::ptrace(PTRACE_GETREGS, program, nullptr, &registers) != 0) fail("registers");
    const auto found = functions.find(registers.rip - 1);
    if (found == functions.end()) return false;
    for (const char* name : found->second.names) std::puts(name);
    if (::pwrite(memory, &found->second.first, 1, static_cast<off_t>(found->first)) != 1) fail("memory");
    registers.rip--;
    if (::ptrace(PTRACE_SETREGS, program, nullptr, &registers) != 0) fail("registers");
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: called_functions PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    Functions functions = functions_of(argv[1]);
    const pid_t program = ::fork();
    if (program < 0) fail("fork");
    if (program == 0) {
        const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(nowhere, STDOUT_FILENO);
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) ::execv(argv[1], argv + 1);
        ::_exit(127);
    }
    int status = 0;
    if (::waitpid(program, &status, 0) != program || !WIFSTOPPED(status)) {
        std::fputs("called_functions: this system does not allow to trace a process, so nothing is in order\n", stderr);
        return 0;
    }
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/mem", program);
    const int memory = ::open(path, O_RDWR | O_CLOEXEC);
    if (memory < 0) fail(path);
    set_breakpoints(memory, functions);
    for (int deliver = 0;;) {
        if (::ptrace(PTRACE_CONT, program, nullptr, deliver) != 0 || ::waitpid(program, &status, 0) != program)
            fail("wait");
        if (!WIFSTOPPED(status)) break;
        deliver = WSTOPSIG(status);
        if (deliver == SIGTRAP && pass_breakpoint(program, memory, functions)) deliver = 0;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
    std::fprintf(stderr, "called_functions: %s ended with status %#x\n", argv[1], static_cast<unsigned>(status));
    return 1;
}
