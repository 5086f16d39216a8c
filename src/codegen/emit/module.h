// The LLVM module in the making. This folder and object.cpp are the only places that know LLVM; the emitter switches on
// operations of the IR and on nothing else.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "codegen/compile.h"
#include "codegen/ir.h"

namespace llvm {
class TargetMachine;
}

namespace lt::emitter {

// Debug information of what libbpf and the verifier's log need: map definitions, one subprogram per function, a line
// per operation.
class DebugInfo {
  public:
    DebugInfo(llvm::Module& module, const Source& source);
    void map(llvm::GlobalVariable& variable, const ir::MapDefinition& definition);
    void function(llvm::Function& function);
    llvm::DISubprogram* callback(llvm::Function& function);  // gives the function in which lines were until now
    void back_to(llvm::DISubprogram* function) { current_ = function; }
    llvm::DebugLoc line(Span span);  // in the function begun last
    void finish() { builder_.finalize(); }

  private:
    llvm::DIType* number(const char* name, uint32_t n);
    llvm::DIBuilder builder_;
    llvm::DIFile* file_;
    llvm::DIBasicType* int_;
    llvm::DISubprogram* current_ = nullptr;
    std::vector<uint32_t> line_starts_;
};

class ModuleBuilder {
  public:
    ModuleBuilder(llvm::LLVMContext& context, const ir::Program& program, const Source& source);
    Result<std::unique_ptr<llvm::Module>> build();

  private:
    friend class FunctionBuilder;
    void globals();
    Status link_library();

    llvm::LLVMContext& context_;
    const ir::Program& program_;
    std::unique_ptr<llvm::Module> module_;
    DebugInfo debug_;
    std::vector<llvm::GlobalVariable*> maps_;
    std::vector<llvm::GlobalVariable*> texts_;
    llvm::GlobalVariable* lost_ = nullptr;
    llvm::GlobalVariable* params_ = nullptr;
    llvm::GlobalVariable* stop_ = nullptr;
    llvm::GlobalVariable* zero_ = nullptr;  // 0, which the verifier does not know
};

// The always-inline functions of stdlib/bpf as LLVM bitcode, embedded in the program.
llvm::StringRef library_bitcode();

// The passes: the five that give the code of -O2 at half its price, after the library is inlined.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace lt::emitter
