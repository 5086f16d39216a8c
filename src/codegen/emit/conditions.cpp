// A value made of several comparisons, such as whether two texts have the same words. BPF has no instruction that keeps
// the result of a comparison: each would become a branch of its own that sets 0 or 1, and the verifier would follow
// every combination of them. As a condition of one branch they end at the first that decides.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "codegen/emit/conditions.h"

namespace lt::emitter {
namespace {

bool joins(const llvm::Value* v) {
    using llvm::PatternMatch::m_LogicalAnd, llvm::PatternMatch::m_LogicalOr, llvm::PatternMatch::m_Value;
    return llvm::PatternMatch::match(v, m_LogicalAnd(m_Value(), m_Value())) ||
           llvm::PatternMatch::match(v, m_LogicalOr(m_Value(), m_Value()));
}

// LLVM makes one branch for each comparison if the whole is only the condition of a branch; so do parts of such a
// whole.
bool branches(const llvm::Instruction& v) {
    if (!v.hasOneUse()) return false;
    const auto* user = llvm::cast<llvm::Instruction>(*v.user_begin());
    return user->getParent() == v.getParent() && (llvm::isa<llvm::BranchInst>(user) || joins(user));
}

unsigned comparisons(const llvm::Value* v, const llvm::BasicBlock* block) {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(v);
    if (!made || made->getParent() != block) return 0;
    if (llvm::isa<llvm::ICmpInst>(made)) return 1;
    if (!joins(made)) return 0;
    unsigned count = 0;
    for (const llvm::Value* part : made->operands()) count += comparisons(part, block);
    return count;
}

void as_branch(llvm::Instruction& condition) {
    llvm::Instruction* const next = condition.getNextNode();
    llvm::Instruction* const no = llvm::SplitBlockAndInsertIfThen(&condition, next, false);
    llvm::BasicBlock* const head = condition.getParent();
    auto* const branch = llvm::cast<llvm::BranchInst>(head->getTerminator());
    branch->swapSuccessors();
    branch->setDebugLoc(condition.getDebugLoc());
    no->setDebugLoc(condition.getDebugLoc());
    auto* const result = llvm::PHINode::Create(condition.getType(), 2, "", next->getParent()->begin());
    result->setDebugLoc(condition.getDebugLoc());
    condition.replaceUsesWithIf(result, [&](const llvm::Use& use) { return use.getUser() != branch; });
    result->addIncoming(llvm::ConstantInt::getTrue(condition.getContext()), head);
    result->addIncoming(llvm::ConstantInt::getFalse(condition.getContext()), no->getParent());
}

}  // namespace

llvm::PreservedAnalyses Conditions::run(llvm::Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
    std::vector<llvm::Instruction*> wholes;
    for (llvm::Instruction& v : llvm::instructions(function)) {
        if (v.getType()->isIntegerTy(1) && joins(&v) && !branches(v) && comparisons(&v, v.getParent()) > 1)
            wholes.push_back(&v);
    }
    for (llvm::Instruction* whole : wholes) as_branch(*whole);
    return wholes.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace lt::emitter
