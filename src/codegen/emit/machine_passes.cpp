// The passes from IR to the file.
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils.h>

#include "codegen/emit/module.h"

// Of LLVM's BPF target; it has no header for them.
namespace llvm {
ModulePass* createBPFCheckAndAdjustIR();
FunctionPass* createBPFMISimplifyPatchablePass();
FunctionPass* createBPFMIPeepholePass();
FunctionPass* createBPFMIPreEmitCheckingPass();
FunctionPass* createBPFMIPreEmitPeepholePass();
}  // namespace llvm

namespace lt::emitter {
namespace {

bool has_loop(const llvm::Module& module) {
    llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> edges;
    for (const llvm::Function& f : module)
        if (!f.isDeclaration()) llvm::FindFunctionBackedges(f, edges);
    return !edges.empty();
}

// Those passes of LLVM's list for BPF (TargetPassConfig) that can change a program of lt. The others look for vectors,
// exceptions, calls of the C library or registers with parts; to schedule them takes longer than to run these.
class OwnPasses {
  public:
    OwnPasses(llvm::legacy::PassManager& passes, const CodeFile& file)
        : passes_(passes), machine_(file.machine), loops_(has_loop(file.module)) {}

    void add(llvm::TargetPassConfig& config) {
        on_ir();
        config.addInstSelector();
        add({&llvm::FinalizeISelID});
        on_values();
        allocate_registers();
        on_registers();
    }

  private:
    void add(std::initializer_list<const char*> ids) {
        for (const char* id : ids) passes_.add(llvm::Pass::createPass(id));
    }

    void on_ir() {
        passes_.add(llvm::createTargetTransformInfoWrapperPass(machine_.getTargetIRAnalysis()));
        passes_.add(llvm::createPreISelIntrinsicLoweringPass());
        passes_.add(llvm::createAtomicExpandLegacyPass());
        passes_.add(llvm::createBPFCheckAndAdjustIR());
        passes_.add(llvm::createBasicAAWrapperPass());
        if (loops_) {
            passes_.add(llvm::createCanonicalizeFreezeInLoopsPass());
            passes_.add(llvm::createLoopStrengthReducePass());
        }
        passes_.add(llvm::createLowerConstantIntrinsicsPass());
        passes_.add(llvm::createUnreachableBlockEliminationPass());
        passes_.add(llvm::createConstantHoistingPass());
        passes_.add(llvm::createCodeGenPrepareLegacyPass());
    }

    void on_values() {
        passes_.add(llvm::createBPFMISimplifyPatchablePass());
        add({&llvm::EarlyTailDuplicateID, &llvm::OptimizePHIsID, &llvm::StackColoringID,
             &llvm::DeadMachineInstructionElimID});
        if (loops_) add({&llvm::EarlyMachineLICMID});
        add({&llvm::MachineCSEID, &llvm::MachineSinkingID, &llvm::PeepholeOptimizerID,
             &llvm::DeadMachineInstructionElimID});
        passes_.add(llvm::createBPFMIPeepholePass());
    }

    void allocate_registers() {
        add({&llvm::ProcessImplicitDefsID, &llvm::UnreachableMachineBlockElimID, &llvm::LiveVariablesID,
             &llvm::MachineLoopInfoID, &llvm::PHIEliminationID, &llvm::TwoAddressInstructionPassID,
             &llvm::RegisterCoalescerID});
        passes_.add(llvm::createGreedyRegisterAllocator());
        add({&llvm::VirtRegRewriterID, &llvm::StackSlotColoringID, &llvm::MachineCopyPropagationID});
        if (loops_) add({&llvm::MachineLICMID});
    }

    void on_registers() {
        add({&llvm::PostRAMachineSinkingID, &llvm::PrologEpilogCodeInserterID, &llvm::MachineLateInstrsCleanupID,
             &llvm::BranchFolderPassID, &llvm::TailDuplicateID, &llvm::MachineCopyPropagationID,
             &llvm::ExpandPostRAPseudosID, &llvm::MachineBlockPlacementID});
        passes_.add(llvm::createBPFMIPreEmitCheckingPass());
        passes_.add(llvm::createBPFMIPreEmitPeepholePass());
    }

    llvm::legacy::PassManager& passes_;
    llvm::LLVMTargetMachine& machine_;
    bool loops_;
};

}  // namespace

bool add_passes(llvm::legacy::PassManager& passes, const CodeFile& file, llvm::raw_pwrite_stream& out) {
    auto* const modules = new llvm::MachineModuleInfoWrapperPass(&file.machine);
    llvm::TargetPassConfig* const config = file.machine.createPassConfig(passes);
    config->setDisableVerify(true);
    passes.add(config);
    passes.add(modules);
    if (file.has_c) {  // which can contain anything
        if (config->addISelPasses()) return false;
        config->addMachinePasses();
    } else {
        OwnPasses(passes, file).add(*config);
    }
    config->setInitialized();
    passes.add(ends_of_loops());
    if (file.machine.addAsmPrinter(passes, out, nullptr, file.type, modules->getMMI().getContext())) return false;
    passes.add(llvm::createFreeMachineFunctionPass());
    return true;
}

}  // namespace lt::emitter
