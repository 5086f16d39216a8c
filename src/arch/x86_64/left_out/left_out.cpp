// Libraries that know many processors have tables that name the functions of each. With these in their place the linker
// takes those of this processor only. The file is linked into the programs, before the libraries.
#include <cstddef>

extern "C" {

// Capstone: cs_arch_init and cs_arch_option. 1: CS_ERR_ARCH.
#define LT_NO_DECODER(processor)                     \
    int processor##_global_init(void*) { return 1; } \
    int processor##_option(void*, int, std::size_t) { return 1; }
LT_NO_DECODER(AArch64)
LT_NO_DECODER(ARM)
LT_NO_DECODER(EVM)
LT_NO_DECODER(M680X)
LT_NO_DECODER(M68K)
LT_NO_DECODER(Mips)
LT_NO_DECODER(PPC)
LT_NO_DECODER(Sparc)
LT_NO_DECODER(SystemZ)
LT_NO_DECODER(TMS320C64x)
LT_NO_DECODER(XCore)

// Nor does lt print instructions: not in the notation of AT&T, and not with libebl.
void X86_ATT_printInst(void*, void*, void*) {}
int x86_64_disasm() { return -1; }
int i386_disasm() { return -1; }

// elfutils: the backends of libebl. Null: there is none, as for a processor that it does not know.
#define LT_NO_BACKEND(processor) \
    void* processor##_init(void*, unsigned short, void*) { return nullptr; }
LT_NO_BACKEND(aarch64)
LT_NO_BACKEND(alpha)
LT_NO_BACKEND(arm)
LT_NO_BACKEND(bpf)
LT_NO_BACKEND(csky)
LT_NO_BACKEND(ia64)
LT_NO_BACKEND(m68k)
LT_NO_BACKEND(ppc64)
LT_NO_BACKEND(ppc)
LT_NO_BACKEND(riscv)
LT_NO_BACKEND(s390)
LT_NO_BACKEND(sh)
LT_NO_BACKEND(sparc)
}
