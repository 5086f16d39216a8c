// Converts IR to an ELF object: the module, the passes, LLVM's BPF back end.
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "codegen/compile.h"
#include "codegen/emit/module.h"

extern "C" {
void LLVMInitializeBPFTargetInfo();
void LLVMInitializeBPFTarget();
void LLVMInitializeBPFTargetMC();
void LLVMInitializeBPFAsmParser();
void LLVMInitializeBPFAsmPrinter();
}

namespace lt {
namespace {

// LLVM's own handler ends the process; this one collects the messages.
class KeepDiagnostics : public llvm::DiagnosticHandler {
  public:
    explicit KeepDiagnostics(std::string& out) : out_(out) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
        if (info.getSeverity() != llvm::DS_Error || is_of_host(info)) return true;
        llvm::raw_string_ostream stream(out_);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info.print(printer);
        return true;
    }

  private:
    // Programs that lt itself runs have a larger stack than the kernel's: LLVM complains, and continues.
    static bool is_of_host(const llvm::DiagnosticInfo& info) {
        const auto* unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info);
        return unsupported != nullptr && unsupported->getFunction().getSection() == "lt_host" &&
               unsupported->getMessage().str().find("stack limit") != std::string::npos;
    }

    std::string& out_;
};

// LLVM would merge equal instructions at the ends of two branches. The verifier refuses an instruction that reads the
// context on one branch and other memory on the other.
void keep_branches_apart() {
    const llvm::StringMap<llvm::cl::Option*>& options = llvm::cl::getRegisteredOptions();
    if (const auto found = options.find("enable-tail-merge"); found != options.end())
        found->second->addOccurrence(1, found->first(), "false");
}

std::unique_ptr<llvm::TargetMachine> target_machine() {
    LLVMInitializeBPFTargetInfo();
    LLVMInitializeBPFTarget();
    LLVMInitializeBPFTargetMC();
    LLVMInitializeBPFAsmParser();
    LLVMInitializeBPFAsmPrinter();
    [[maybe_unused]] static const bool once = (keep_branches_apart(), true);
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget("bpf", error);
    if (!target) return nullptr;
    // v3: 32-bit operations, atomics with results; every kernel since 5.12 supports it
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        "bpf", "v3", "", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

// LLVM ends the process where a jump is too far; instead, the passes are left, and their memory with them.
void leave_passes(void* complaints, const char* reason, bool) {
    *static_cast<std::string*>(complaints) = reason;
    llvm::CrashRecoveryContext::GetCurrent()->HandleExit(1);
}

bool generate(const emitter::CodeFile& file, llvm::SmallVectorImpl<char>& out, std::string& complaints) {
    bool made = false;
    const llvm::ScopedFatalErrorHandler handler(leave_passes, &complaints);
    llvm::CrashRecoveryContext::Enable();
    llvm::CrashRecoveryContext().RunSafely([&] {
        llvm::raw_svector_ostream stream(out);
        llvm::legacy::PassManager passes;
        made = emitter::add_passes(passes, file, stream);
        if (made) passes.run(file.module);
    });
    llvm::CrashRecoveryContext::Disable();
    return made;
}

std::string text_of(const llvm::Module& module) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    module.print(stream, nullptr);
    return out;
}

}  // namespace

Result<Emitted> emit(const ir::Program& program, const Plan& plan, const Source& source, const EmitOptions& options,
                     Diags& diags) {
    std::string complaints;
    llvm::LLVMContext context;
    context.setDiscardValueNames(!options.llvm_text);  // they take time, and only readers need them
    context.setDiagnosticHandler(std::make_unique<KeepDiagnostics>(complaints));
    const std::unique_ptr<llvm::TargetMachine> machine = target_machine();
    if (!machine) return Error{"this LLVM has no BPF target", "", 0};
    Result<std::unique_ptr<llvm::Module>> module = emitter::ModuleBuilder(context, program, plan, source).build(diags);
    if (!module) return module.error();
    if (diags.has_errors()) return Emitted{};
    emitter::optimize(**module, *machine);

    Emitted out;
    if (options.llvm_text) out.llvm = text_of(**module);
    llvm::SmallVector<char, 0> bytes;
    auto& bpf = static_cast<llvm::LLVMTargetMachine&>(*machine);
    const bool has_c = !program.c_code.empty();
    if (options.assembly_text) {
        const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(**module);
        llvm::StripDebugInfo(*copy);
        if (generate({*copy, bpf, llvm::CodeGenFileType::AssemblyFile, has_c}, bytes, complaints))
            out.assembly.assign(bytes.begin(), bytes.end());
        bytes.clear();
    }
    const bool made = generate({**module, bpf, llvm::CodeGenFileType::ObjectFile, has_c}, bytes, complaints);
    if (complaints.find("stack") != std::string::npos) {
        return Error{"a block of this program needs more than BPF's 512 bytes of stack",
                     "use fewer or shorter strings and keys in one statement, or split the block into two probes", 0};
    }
    if (complaints.find("out of insn range") != std::string::npos) {
        return Error{"a block of this program is too large: a jump of BPF reaches at most 32,767 instructions",
                     "split the probe into several", 0};
    }
    if (!made || !complaints.empty()) return Error{"LLVM cannot compile this program to BPF: " + complaints, "", 0};
    out.object.assign(bytes.begin(), bytes.end());
    return out;
}

}  // namespace lt
