// The last pass over LLVM's code before it becomes instructions.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lt::emitter {

// Makes one branch of a value that joins several comparisons.
struct Conditions : llvm::PassInfoMixin<Conditions> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lt::emitter
