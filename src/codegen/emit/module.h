// The LLVM module that is being built. Only this folder uses LLVM; the emitter switches on IR operations and on nothing
// else.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "codegen/compile.h"
#include "codegen/ir/ir.h"

namespace llvm {
class LLVMTargetMachine;
class TargetMachine;
enum class CodeGenFileType;
}  // namespace llvm

namespace lt::emitter {

// Debug information for libbpf and the verifier's log: map definitions, one subprogram per function, a line per
// operation.
class DebugInfo {
  public:
    DebugInfo(llvm::Module& module, const Source& source);
    void map(llvm::GlobalVariable& variable, const ir::MapDefinition& definition);
    void function(llvm::Function& function);
    llvm::DISubprogram* callback(llvm::Function& function);  // returns the function that lines belonged to before
    // Each argument is the address of this many bytes, or a number if that is 0.
    llvm::DISubprogram* apart(llvm::Function& function, const std::vector<uint64_t>& sizes);
    void back_to(llvm::DISubprogram* function) { current_ = function; }
    llvm::DebugLoc line(Span span);                        // in the most recently begun function
    llvm::DIType* root(const ir::Relocation& relocation);  // a structure with only the requested members
    void finish() { builder_.finalize(); }

  private:
    llvm::DIType* number(const char* name, uint32_t n);
    llvm::DIType* leaf(const Type& type);
    llvm::DIType* holder(const std::string& name, bool is_union, const Member& member, llvm::DIType* type);
    llvm::DIBuilder builder_;
    llvm::DIFile* file_;
    llvm::DIBasicType* int_;
    llvm::DISubprogram* current_ = nullptr;
    std::vector<uint32_t> line_starts_;
};

// The module that is being built, and the state that its functions share.
struct ModuleBuilder {
    ModuleBuilder(llvm::LLVMContext& context_in, const ir::Program& program_in, const Plan& plan_in,
                  const Source& source_in);
    // Reports in `diags` which of the script's C the kernel cannot run.
    Result<std::unique_ptr<llvm::Module>> build(Diags& diags);

    void add_globals();
    void add_relocations();
    llvm::Module& library_file(ir::LibraryFile file);
    llvm::Function* library_function(const ir::LibraryRow& row);  // to call it
    Status link_library();
    void set_license();
    Status link_c(Diags& diags);
    llvm::GlobalVariable* most_turns();

    llvm::LLVMContext& context;
    const ir::Program& program;
    const Plan& plan;
    const Source& source;
    std::unique_ptr<llvm::Module> module;
    // The files that are open. Their functions are read when they are linked.
    std::array<std::unique_ptr<llvm::Module>, ir::library_files> library;
    DebugInfo debug;
    std::vector<llvm::GlobalVariable*> maps;
    std::vector<llvm::GlobalVariable*> texts;
    std::vector<llvm::GlobalVariable*> relocations;
    llvm::GlobalVariable* lost = nullptr;
    llvm::GlobalVariable* params = nullptr;
    llvm::GlobalVariable* stop = nullptr;
    std::map<std::string, llvm::Function*> apart;  // key: the library function and its constants
    llvm::GlobalVariable* zero = nullptr;          // 0, unknown to the verifier
    llvm::GlobalVariable* turns = nullptr;         // see most_turns()
};

// Adapts functions that clang has compiled to the verifier. They follow kernel addresses as if they were their own
// memory; each such access becomes a read that may fail. Reports code that cannot run.
void fit_c(llvm::Module& module, const Source& source, Diags& diags);

// The always-inline functions of stdlib/bpf as LLVM bitcode, embedded in lt's binary.
// For kernels with or without atomic instructions.
llvm::StringRef library_bitcode(ir::LibraryFile file, bool atomics);

// The few passes that give the code quality of -O2 at half its cost, after the library is inlined.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

struct CodeFile {
    llvm::Module& module;
    llvm::LLVMTargetMachine& machine;
    llvm::CodeGenFileType type;
    bool has_c;  // contains C code of the script's author
};
// Adds the passes that write code for a module. Returns false if the machine cannot write such a file.
bool add_passes(llvm::legacy::PassManager& passes, const CodeFile& file, llvm::raw_pwrite_stream& out);
// The last of them, which makes loops as kernels before Linux 6.8 require them.
llvm::Pass* ends_of_loops();

}  // namespace lt::emitter
