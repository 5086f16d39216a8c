// Libraries that know many processors have tables that name the functions of each. With these in their place the linker
// takes those of this processor only. The file is linked into the programs, before the libraries.
extern "C" {

// libebl prints instructions; lt does not.
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
