// Before Linux 6.8 the verifier accepts a loop only if a jump leads back to its start: it reports a "back-edge" where
// an ordinary instruction comes before the start of a loop and belongs to the loop. LLVM may put the end of a loop
// there and enter the loop in the middle. As the last of LLVM's passes, this one ends such a block with a jump.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/emit/module.h"

namespace lt::emitter {
namespace {

class BackEdges : public llvm::MachineFunctionPass {
  public:
    BackEdges() : MachineFunctionPass(id) {}

    // Like the verifier's, the walk is depth first: a block on the path to this one is the start of a loop around it.
    bool runOnMachineFunction(llvm::MachineFunction& function) override {
        const llvm::TargetInstrInfo& target = *function.getSubtarget().getInstrInfo();
        bool changed = false;
        for (auto at = llvm::df_begin(&function); at != llvm::df_end(&function); ++at) {
            llvm::MachineBasicBlock& block = **at;
            if (block.getFirstTerminator() != block.end() || block.succ_size() != 1) continue;
            llvm::MachineBasicBlock* const next = *block.succ_begin();
            bool leads_back = false;
            for (unsigned i = 0; i < at.getPathLength(); i++) leads_back |= at.getPath(i) == next;
            if (leads_back) target.insertUnconditionalBranch(block, next, block.findBranchDebugLoc());
            changed |= leads_back;
        }
        return changed;
    }

  private:
    static inline char id = 0;
};

}  // namespace

// The same passes as LLVMTargetMachine::addPassesToEmitFile(), which has no place for another, but for those that only
// serve debuggers or other targets.
bool add_passes(llvm::legacy::PassManager& passes, llvm::LLVMTargetMachine& machine, llvm::raw_pwrite_stream& out,
                llvm::CodeGenFileType type) {
    auto* const modules = new llvm::MachineModuleInfoWrapperPass(&machine);
    llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
    config->setDisableVerify(true);
    passes.add(config);
    passes.add(modules);
    for (const void* unused : {&llvm::LiveDebugValuesID, &llvm::RemoveRedundantDebugValuesID, &llvm::StackMapLivenessID,
                               &llvm::FEntryInserterID, &llvm::XRayInstrumentationID, &llvm::PatchableFunctionID,
                               &llvm::FuncletLayoutID, &llvm::ImplicitNullChecksID, &llvm::ShadowStackGCLoweringID})
        config->disablePass(unused);
    if (config->addISelPasses()) return false;
    config->addMachinePasses();
    config->setInitialized();
    passes.add(new BackEdges);
    if (machine.addAsmPrinter(passes, out, nullptr, type, modules->getMMI().getContext())) return false;
    passes.add(llvm::createFreeMachineFunctionPass());
    return true;
}

}  // namespace lt::emitter
