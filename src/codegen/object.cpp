// From IR to an ELF object: the module, the passes, LLVM's BPF back end.
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "codegen/compile.h"
#include "emit/module.h"

extern "C" {
void LLVMInitializeBPFTargetInfo();
void LLVMInitializeBPFTarget();
void LLVMInitializeBPFTargetMC();
void LLVMInitializeBPFAsmPrinter();
}

namespace lt {
namespace {

// LLVM's own handler ends the process; this one keeps what was said.
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
    // What lt itself runs has a larger stack than the kernel gives: LLVM complains, and goes on.
    static bool is_of_host(const llvm::DiagnosticInfo& info) {
        const auto* unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info);
        return unsupported != nullptr && unsupported->getFunction().getSection() == "lt_host" &&
               unsupported->getMessage().str().find("stack limit") != std::string::npos;
    }

    std::string& out_;
};

std::unique_ptr<llvm::TargetMachine> target_machine() {
    LLVMInitializeBPFTargetInfo();
    LLVMInitializeBPFTarget();
    LLVMInitializeBPFTargetMC();
    LLVMInitializeBPFAsmPrinter();
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget("bpf", error);
    if (!target) return nullptr;
    // v3: 32-bit operations, atomics with results; every kernel from 5.12 on takes it
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        "bpf", "v3", "", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

bool generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type,
              llvm::SmallVectorImpl<char>& out) {
    llvm::raw_svector_ostream stream(out);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return false;
    passes.run(module);
    return true;
}

std::string text_of(const llvm::Module& module) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    module.print(stream, nullptr);
    return out;
}

}  // namespace

Result<Emitted> emit(const ir::Program& program, const Source& source, const EmitOptions& options, Diags& diags) {
    std::string complaints;
    llvm::LLVMContext context;
    context.setDiagnosticHandler(std::make_unique<KeepDiagnostics>(complaints));
    const std::unique_ptr<llvm::TargetMachine> machine = target_machine();
    if (!machine) return Error{"this LLVM has no BPF target", "", 0};
    Result<std::unique_ptr<llvm::Module>> module = emitter::ModuleBuilder(context, program, source).build(diags);
    if (!module) return module.error();
    if (diags.has_errors()) return Emitted{};
    emitter::optimize(**module, *machine);

    Emitted out;
    if (options.llvm_text) out.llvm = text_of(**module);
    llvm::SmallVector<char, 0> bytes;
    if (options.assembly_text) {
        const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(**module);
        llvm::StripDebugInfo(*copy);
        if (generate(*copy, *machine, llvm::CodeGenFileType::AssemblyFile, bytes))
            out.assembly.assign(bytes.begin(), bytes.end());
        bytes.clear();
    }
    const bool made = generate(**module, *machine, llvm::CodeGenFileType::ObjectFile, bytes);
    if (complaints.find("stack") != std::string::npos) {
        return Error{"a block of this program needs more than the 512 bytes of stack that BPF has",
                     "use fewer or shorter strings and keys in one statement, or two probes", 0};
    }
    if (!made || !complaints.empty()) return Error{"LLVM cannot make BPF of this program: " + complaints, "", 0};
    out.object.assign(bytes.begin(), bytes.end());
    return out;
}

}  // namespace lt
