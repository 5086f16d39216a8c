// The LLVM module in the making. This folder and object.cpp are the only places that know LLVM; the emitter switches on
// operations of the IR and on nothing else.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
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
    // Of arguments that are addresses of so many bytes, or numbers where that is 0.
    llvm::DISubprogram* apart(llvm::Function& function, const std::vector<uint64_t>& sizes);
    void back_to(llvm::DISubprogram* function) { current_ = function; }
    llvm::DebugLoc line(Span span);  // in the function begun last
    // A function of the kernel that programs call; libbpf compares its type with the kernel's.
    void kernel_function(llvm::Function& function, llvm::DIType* result);
    llvm::DIType* truth() { return builder_.createBasicType("_Bool", 8, llvm::dwarf::DW_ATE_boolean); }
    llvm::DIType* pointer_to_word() {
        return builder_.createPointerType(builder_.createBasicType("u64", 64, llvm::dwarf::DW_ATE_unsigned), 64);
    }
    llvm::DIType* root(const ir::Relocation& relocation);  // a structure that holds just what is asked for
    void finish() { builder_.finalize(); }

  private:
    llvm::DIType* number(const char* name, uint32_t n);
    llvm::DIType* leaf(const Type& type);
    llvm::DIType* holder(const std::string& name, const Member& member, llvm::DIType* type);
    llvm::DIBuilder builder_;
    llvm::DIFile* file_;
    llvm::DIBasicType* int_;
    llvm::DISubprogram* current_ = nullptr;
    std::vector<uint32_t> line_starts_;
};

class ModuleBuilder {
  public:
    ModuleBuilder(llvm::LLVMContext& context, const ir::Program& program, const Source& source);
    // What of the script's C the kernel could not run is told in `diags`.
    Result<std::unique_ptr<llvm::Module>> build(Diags& diags);

  private:
    friend class FunctionBuilder;
    void globals();
    void relocations();
    Status link_library();
    void set_license();
    Status link_c(Diags& diags);
    llvm::Function* kernel_function(const char* name, llvm::Type* result, llvm::DIType* described);
    llvm::Function* session_is_return();
    llvm::Function* session_cookie();

    llvm::LLVMContext& context_;
    const ir::Program& program_;
    const Source& source_;
    std::unique_ptr<llvm::Module> module_;
    DebugInfo debug_;
    std::vector<llvm::GlobalVariable*> maps_;
    std::vector<llvm::GlobalVariable*> texts_;
    std::vector<llvm::GlobalVariable*> relocations_;
    llvm::GlobalVariable* lost_ = nullptr;
    llvm::GlobalVariable* params_ = nullptr;
    llvm::GlobalVariable* stop_ = nullptr;
    std::map<std::string, llvm::Function*> apart_;  // by what they do with which constants
    llvm::GlobalVariable* zero_ = nullptr;          // 0, which the verifier does not know
};

// Makes of functions that clang has compiled, which follow addresses of the kernel as if they were their own memory,
// ones that the verifier takes: each such access becomes a read that may fail. What could not run is told.
void fit_c(llvm::Module& module, const Source& source, Diags& diags);

// The always-inline functions of stdlib/bpf as LLVM bitcode, embedded in the program.
llvm::StringRef library_bitcode();

// The passes: those few that give the code of -O2 at half its price, after the library is inlined.
void optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace lt::emitter
