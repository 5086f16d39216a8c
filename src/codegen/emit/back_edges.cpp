// Before Linux 6.8 the verifier accepts a loop only if a jump leads back to its start: it reports a "back-edge" where
// an ordinary instruction comes before the start of a loop and belongs to the loop. LLVM may put the end of a loop
// there and enter the loop in the middle. As the last of LLVM's passes, this one ends such a block with a jump.
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

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

llvm::Pass* ends_of_loops() { return new BackEdges; }

}  // namespace lt::emitter
