// x86-64: struct pt_regs from the kernel's header, the System V ABI, Go's ABIInternal.
#include "arch/x86_64/addresses.h"

#include <asm/ptrace.h>
#include <elf.h>

#include "arch/arch.h"

namespace lt::arch {
namespace {

constexpr std::array registers{
    Register{"r15", offsetof(pt_regs, r15), 15, {"r15", "r15d", "r15w", "r15b", ""}},
    Register{"r14", offsetof(pt_regs, r14), 14, {"r14", "r14d", "r14w", "r14b", ""}},
    Register{"r13", offsetof(pt_regs, r13), 13, {"r13", "r13d", "r13w", "r13b", ""}},
    Register{"r12", offsetof(pt_regs, r12), 12, {"r12", "r12d", "r12w", "r12b", ""}},
    Register{"bp", offsetof(pt_regs, rbp), 6, {"rbp", "ebp", "bp", "bpl", ""}},
    Register{"bx", offsetof(pt_regs, rbx), 3, {"rbx", "ebx", "bx", "bl", "bh"}},
    Register{"r11", offsetof(pt_regs, r11), 11, {"r11", "r11d", "r11w", "r11b", ""}},
    Register{"r10", offsetof(pt_regs, r10), 10, {"r10", "r10d", "r10w", "r10b", ""}},
    Register{"r9", offsetof(pt_regs, r9), 9, {"r9", "r9d", "r9w", "r9b", ""}},
    Register{"r8", offsetof(pt_regs, r8), 8, {"r8", "r8d", "r8w", "r8b", ""}},
    Register{"ax", offsetof(pt_regs, rax), 0, {"rax", "eax", "ax", "al", "ah"}},
    Register{"cx", offsetof(pt_regs, rcx), 2, {"rcx", "ecx", "cx", "cl", "ch"}},
    Register{"dx", offsetof(pt_regs, rdx), 1, {"rdx", "edx", "dx", "dl", "dh"}},
    Register{"si", offsetof(pt_regs, rsi), 4, {"rsi", "esi", "si", "sil", ""}},
    Register{"di", offsetof(pt_regs, rdi), 5, {"rdi", "edi", "di", "dil", ""}},
    Register{"orig_ax", offsetof(pt_regs, orig_rax), -1, {"orig_rax", "orig_eax", "orig_ax", "", ""}},
    Register{"ip", offsetof(pt_regs, rip), -1, {"rip", "eip", "ip", "", ""}},
    Register{"pc", offsetof(pt_regs, rip)},
    Register{"cs", offsetof(pt_regs, cs), -1, {"xcs", "", "cs", "", ""}},
    Register{"flags", offsetof(pt_regs, eflags), -1, {"eflags", "", "flags", "", ""}},
    Register{"sp", offsetof(pt_regs, rsp), 7, {"rsp", "esp", "sp", "spl", ""}},
    Register{"ss", offsetof(pt_regs, ss), -1, {"xss", "", "ss", "", ""}},
};

consteval Register of(std::string_view name) {
    for (const Register& row : registers)
        if (row.name == name) return row;
    throw "no such register";
}

constexpr std::array arguments{of("di"), of("si"), of("dx"), of("cx"), of("r8"), of("r9")};
constexpr std::array go_arguments{of("ax"), of("bx"), of("cx"),  of("di"), of("si"),
                                  of("r8"), of("r9"), of("r10"), of("r11")};
constexpr std::array system_call_arguments{of("di"), of("si"), of("dx"), of("r10"), of("r8"), of("r9")};

// arch/x86/entry/syscalls/syscall_64.tbl
constexpr std::array later_system_calls{SystemCall{335, "uretprobe"}, SystemCall{336, "uprobe"}};

constexpr std::array<std::string_view, 7> return_thunks{
    "__x86_return_thunk", "srso_return_thunk",       "srso_alias_return_thunk", "retbleed_return_thunk",
    "zen_return_thunk",   "call_depth_return_thunk", "its_return_thunk",
};

// arch/x86/include/asm/trace/irq_vectors.h
constexpr std::array interrupts{
    Interrupt{"local_timer_entry", "local_timer_exit"},
    Interrupt{"reschedule_entry", "reschedule_exit"},
    Interrupt{"call_function_entry", "call_function_exit"},
    Interrupt{"call_function_single_entry", "call_function_single_exit"},
    Interrupt{"irq_work_entry", "irq_work_exit"},
};

constexpr int64_t carry_or_zero = 0x41;  // in the flags: jbe is taken
constexpr int64_t compatible = 2;        // TS_COMPAT (arch/x86/include/asm/thread_info.h)

}  // namespace

constinit const Architecture native{
    .name = "x86_64",
    .kernel_folder = "x86",
    .kernel_option = "CONFIG_X86_64",
    .target = "x86_64-linux-gnu",
    .elf_machine = EM_X86_64,
    .registers = registers,
    .register_example = "register(\"rax\"), register(\"eax\"), register(\"al\")",
    .instruction_pointer = of("ip"),
    .stack_pointer = of("sp"),
    .frame_pointer = of("bp"),
    .arguments = arguments,
    .result = of("ax"),
    .return_address = 8,
    .go_arguments = go_arguments,
    .goroutine = of("r14"),
    .go_grows_stack = {of("flags"), carry_or_zero},
    .system_call_arguments = system_call_arguments,
    .system_call_number = of("orig_ax"),
    .system_call_functions = "__x64_sys_*",
    .later_system_calls = later_system_calls,
    .narrow_call = {"thread_info", "status"},
    .narrow_call_mask = compatible,
    .privilege = {of("cs"), 3},
    .program_privilege = 3,
    .program_end = uint64_t{1} << LT_PROGRAM_ADDRESS_BITS,
    .kernel_stack = 16 << 10,
    .debug_registers = 4,
    .return_thunks = return_thunks,
    .interrupts = interrupts,
};

}  // namespace lt::arch
