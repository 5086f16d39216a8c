// The processor that lt is built for: its registers and calling conventions, the kernel's names for it, its limits.
// Nothing outside of src/arch names a register or knows its offset in struct pt_regs. Each processor has a folder
// (x86_64) that defines what the headers of src/arch declare; CMakeLists.txt selects the folder of the build machine's
// processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lt::arch {

// A register as the kernel saves it, in 8 bytes.
struct Register {
    std::string_view name;  // argument of reg(): the member of struct pt_regs; "pc", "ip" and "sp" work everywhere
    uint32_t offset;        // in struct pt_regs, bytes
    int dwarf = -1;         // its number in debug information (DWARF); -1: none, or a duplicate in this table
    // Its lower 64, 32, 16 and 8 bits, and its second byte, as assemblers and SystemTap name them; empty: no name.
    std::array<std::string_view, 5> parts = {};
};

struct RegisterPart {
    const Register* whole;
    uint32_t bits;   // number of bits
    uint32_t shift;  // position of the lowest bit
};

// A range of bits in a register.
struct RegisterBits {
    Register in;
    int64_t mask;
};

struct SystemCall {
    int64_t number;
    std::string_view name;  // as programs name it
};

// Raw tracepoints at the beginning and the end of an interrupt that is not a device's.
struct Interrupt {
    std::string_view entry, exit;
};

struct Architecture {
    std::string_view name;           // as printed by uname -m
    std::string_view kernel_folder;  // in the kernel's source, below arch/
    std::string_view kernel_option;  // CONFIG_... that is set in all its kernels
    std::string_view target;         // for clang; also the name of Debian's library and header folders
    uint16_t elf_machine;            // e_machine of its programs (elf.h)

    std::span<const Register> registers;  // messages list them in this order
    std::string_view register_example;    // "register(\"...\"), ...", for a hint about SystemTap's names
    Register instruction_pointer;
    Register stack_pointer;
    Register frame_pointer;

    // C functions: integer and address words are in registers, the others on the stack (see arguments.h).
    std::span<const Register> arguments;
    Register result;  // also for Go
    // Bytes that a call pushes: at a function's first instruction, and at the one that returns, the stack pointer
    // points to them, and stack arguments are above. 0: the return address is in a register.
    int64_t return_address;

    // Go's ABIInternal: like C, but a value that does not fit into registers is on the stack as a whole.
    std::span<const Register> go_arguments;
    Register goroutine;  // the address of its struct g
    RegisterBits
        go_grows_stack;  // at an instruction with Instruction::checks_stack: it jumps if any of these flags is set

    // System calls. At the raw tracepoints of all calls, the registers are those of the calling program.
    std::span<const Register> system_call_arguments;
    Register system_call_number;             // while the call runs
    std::string_view system_call_functions;  // kernel functions; * stands for the name of the call
    // System calls of this processor alone that older kernel headers lack.
    std::span<const SystemCall> later_system_calls;
    // 32-bit programs use different system call numbers. A call is 32-bit if a word in struct task_struct has these
    // bits set.
    std::array<std::string_view, 2> narrow_call;  // path of the word: a member, and its member
    int64_t narrow_call_mask;

    // The event interrupted a program, not the kernel, if these bits of a register have this value.
    RegisterBits privilege;
    int64_t program_privilege;

    uint64_t program_end;  // the first address above user space
    int64_t kernel_stack;  // in bytes: the largest distance between two frames of one stack
    // Hardware breakpoints and watchpoints that a CPU supports at one time.
    size_t debug_registers;
    // Kernel functions that replace the return instruction if a mitigation is enabled; which of them exist depends on
    // the kernel.
    std::span<const std::string_view> return_thunks;
    std::span<const Interrupt> interrupts;
};

// Initialized at compile time, so initializers of other files may use it.
extern const Architecture native;

// By Register::name; null if there is none.
const Register* find_register(std::string_view name);
// By its number in debug information; null if the kernel does not save it, as for floating-point registers.
const Register* find_dwarf_register(unsigned number);
// By one of Register::parts.
std::optional<RegisterPart> find_register_part(std::string_view name);

}  // namespace lt::arch
