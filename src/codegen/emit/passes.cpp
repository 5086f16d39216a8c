// The list of passes, with only the analyses that they need: LLVM's own pipeline builder would link all passes.
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "codegen/emit/conditions.h"
#include "codegen/emit/module.h"

namespace lt::emitter {
namespace {

// Does what LLVM's AlwaysInlinerPass does, which first estimates how often each block of the callers runs.
struct Inliner : llvm::PassInfoMixin<Inliner> {
    static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
        for (llvm::Function& f : llvm::make_early_inc_range(module)) {
            if (f.isDeclaration() || !f.hasFnAttribute(llvm::Attribute::AlwaysInline) ||
                !llvm::isInlineViable(f).isSuccess())
                continue;
            std::vector<llvm::CallBase*> calls;
            for (llvm::User* user : f.users())
                if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == &f)
                    calls.push_back(call);
            for (llvm::CallBase* call : calls) {
                llvm::InlineFunctionInfo inlined;
                llvm::InlineFunction(*call, inlined, true);
            }
            f.removeDeadConstantUsers();
            if (f.isDefTriviallyDead()) f.eraseFromParent();
        }
        return llvm::PreservedAnalyses::none();
    }
};

void register_analyses(llvm::FunctionAnalysisManager& functions, llvm::TargetMachine& machine) {
    functions.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    functions.registerPass([] { return llvm::AssumptionAnalysis(); });
    functions.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    functions.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
    functions.registerPass([] { return llvm::LoopAnalysis(); });
    functions.registerPass([] { return llvm::LazyValueAnalysis(); });
    functions.registerPass([] { return llvm::BranchProbabilityAnalysis(); });
    functions.registerPass([] { return llvm::BlockFrequencyAnalysis(); });
    functions.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
    functions.registerPass(
        [&] { return llvm::TargetLibraryAnalysis(llvm::TargetLibraryInfoImpl(machine.getTargetTriple())); });
    functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
    functions.registerPass([] { return llvm::BasicAA(); });
    functions.registerPass([] {
        llvm::AAManager aliases;
        aliases.registerFunctionAnalysis<llvm::BasicAA>();
        return aliases;
    });
}

llvm::FunctionPassManager function_passes() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::InstCombinePass());
    // do not merge the common code of two branches: the verifier would lose track of the pointer that it uses
    passes.addPass(llvm::SimplifyCFGPass(
        llvm::SimplifyCFGOptions().hoistCommonInsts(false).sinkCommonInsts(false).speculateBlocks(false)));
    passes.addPass(llvm::JumpThreadingPass());
    passes.addPass(llvm::ADCEPass());
    passes.addPass(Conditions());  // last, so that nothing makes values of its branches again
    return passes;
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    register_analyses(functions, machine);
    modules.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    modules.registerPass([] { return llvm::ProfileSummaryAnalysis(); });
    modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
    functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });

    llvm::ModulePassManager passes;
    passes.addPass(Inliner());
    passes.addPass(llvm::GlobalDCEPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(function_passes()));
    passes.addPass(llvm::GlobalDCEPass());
    passes.run(module, modules);
}

}  // namespace lt::emitter
