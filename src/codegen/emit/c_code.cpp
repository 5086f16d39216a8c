// Kernel C follows kernel addresses as if they were its own, but a BPF program may only copy from kernel memory with a
// helper. The clang output is inlined into the functions that the script calls, so the function itself shows where an
// address comes from.
#include <fmt/format.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsBPF.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <utility>

#include <linux/bpf.h>

#include "codegen/emit/module.h"
#include "parser/tree/ast.h"
#include "systemtap/tables/c_words.h"

namespace lt::emitter {
namespace {

constexpr unsigned most_turns = 1 << 16;  // of a loop; the verifier's limit also depends on the loop's body

bool is_script(const llvm::DILocation* at) { return at->getFilename() == llvm::StringRef(ast::c_file); }

// Does the address point to the program's own memory, on every path?
class Owner {
  public:
    bool owns(const llvm::Value* address) {
        if (!seen_.insert(address).second) return true;  // a loop: the other inputs decide
        if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::Argument>(address)) return true;
        if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address)) return owns(step->getPointerOperand());
        if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(address))
            return owns(choice->getTrueValue()) && owns(choice->getFalseValue());
        if (const auto* merge = llvm::dyn_cast<llvm::PHINode>(address))
            return llvm::all_of(merge->incoming_values(), [&](const llvm::Use& v) { return owns(v.get()); });
        if (const auto* same = llvm::dyn_cast<llvm::IntrinsicInst>(address))
            return same->getIntrinsicID() == llvm::Intrinsic::bpf_passthrough && owns(same->getArgOperand(1));
        return false;
    }

  private:
    llvm::SmallPtrSet<const llvm::Value*, 8> seen_;
};

bool is_own(const llvm::Value* address) { return Owner().owns(address); }

// A BPF helper's number is the address to call.
bool is_helper(const llvm::Value* called) {
    const auto* address = llvm::dyn_cast<llvm::ConstantExpr>(called);
    return address != nullptr && address->getOpcode() == llvm::Instruction::IntToPtr;
}

// The number of the called helper; 0: the call is something else.
uint64_t helper_called(const llvm::CallBase& call) {
    const auto* address = llvm::dyn_cast<llvm::ConstantExpr>(call.getCalledOperand());
    const auto* number = address != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(address->getOperand(0)) : nullptr;
    return number != nullptr ? number->getZExtValue() : 0;
}

// The first part of a format that the kernel's formatting does not support (kernel/trace/bpf_trace.c); empty if there
// is none. The kernel requires that no letter or digit follows a string conversion.
llvm::StringRef wrong_conversion(llvm::StringRef format) {
    const auto ends_word = [](llvm::StringRef rest) { return rest.empty() || !llvm::isAlnum(rest.front()); };
    for (size_t at = format.find('%'); at != llvm::StringRef::npos; at = format.find('%', at)) {
        llvm::StringRef rest = format.substr(at + 1).ltrim("0 +-").ltrim("0123456789");
        if (format.substr(at).starts_with("%%")) rest = format.substr(at + 1);
        const size_t longs = rest.starts_with("ll") ? 2 : rest.starts_with("l") ? 1 : 0;
        const bool is_number = rest.size() > longs && llvm::StringRef("diuxX").contains(rest[longs]);
        const bool is_address =
            rest.starts_with("p") &&
            (ends_word(rest.substr(1)) || rest.starts_with("pK") || rest.starts_with("px") || rest.starts_with("ps") ||
             rest.starts_with("pS") || rest.starts_with("pB") || rest.starts_with("pi") || rest.starts_with("pI"));
        const bool is_text = rest.starts_with("s") && ends_word(rest.substr(1));
        const bool fits = is_number || is_address || is_text || rest.starts_with("c") || rest.starts_with("%");
        const size_t end = std::min(format.size() - rest.size() + longs + 1, format.size());
        if (!fits) return format.substr(at, end - at + (rest.starts_with("s") ? 1 : 0));
        at = end;
    }
    return {};
}

class Fitter {
  public:
    Fitter(llvm::Function& function, const Source& source, Diags& diags)
        : function_(function), source_(source), diags_(diags) {}

    void run() {
        for (llvm::Instruction& i : llvm::instructions(function_)) look_at(i);
        loops();
        if (diags_.has_errors()) return;
        std::vector<llvm::Instruction*> reads;
        for (llvm::Instruction& i : llvm::instructions(function_)) {
            if (is_read(i)) reads.push_back(&i);
        }
        for (llvm::Instruction* read : reads) replace(*read);
        for (llvm::BinaryOperator* division : divisions()) divide(*division);
    }

  private:
    std::vector<llvm::BinaryOperator*> divisions() {
        std::vector<llvm::BinaryOperator*> out;
        for (llvm::Instruction& i : llvm::instructions(function_)) {
            const bool divides = i.getOpcode() == llvm::Instruction::SDiv || i.getOpcode() == llvm::Instruction::SRem;
            if (divides) out.push_back(llvm::cast<llvm::BinaryOperator>(&i));
        }
        return out;
    }

    // BPF v3 only has unsigned division. Division by zero gives zero, as elsewhere in lt.
    static void divide(llvm::BinaryOperator& division) {
        llvm::IRBuilder<> b(&division);
        const bool remainder = division.getOpcode() == llvm::Instruction::SRem;
        llvm::Value *left = division.getOperand(0), *right = division.getOperand(1);
        llvm::Value* const zero = llvm::Constant::getNullValue(left->getType());
        llvm::Value *left_below = b.CreateICmpSLT(left, zero), *right_below = b.CreateICmpSLT(right, zero);
        llvm::Value* const none = b.CreateIsNull(right);
        left = b.CreateSelect(left_below, b.CreateNeg(left), left);
        right = b.CreateSelect(right_below, b.CreateNeg(right), right);
        right = b.CreateSelect(none, llvm::ConstantInt::get(left->getType(), 1), right);
        llvm::Value* const plain = remainder ? b.CreateURem(left, right) : b.CreateUDiv(left, right);
        llvm::Value* const below = remainder ? left_below : b.CreateXor(left_below, right_below);
        llvm::Value* const result = b.CreateSelect(below, b.CreateNeg(plain), plain);
        division.replaceAllUsesWith(b.CreateSelect(none, zero, result));
        division.eraseFromParent();
    }

    static bool is_read(const llvm::Instruction& i) {
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return !is_own(load->getPointerOperand());
        const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i);
        return copy != nullptr && !is_own(copy->getRawSource());
    }

    void look_at(llvm::Instruction& i) {
        const auto is_floating = [](const llvm::Value* v) { return v->getType()->isFPOrFPVectorTy(); };
        const bool floats =
            is_floating(&i) || llvm::any_of(i.operands(), [&](const llvm::Use& u) { return is_floating(u.get()); });
        if (floats && std::exchange(reported_floats_, true)) return;
        if (floats) return refuse(i, "BPF programs do not have floating point", "use integers in a smaller unit");
        if (const llvm::Value* written = target(i); written != nullptr && !is_own(written))
            return refuse(i, "this writes to kernel memory", "lt does not write to what it traces");
        if (const auto* room = llvm::dyn_cast<llvm::AllocaInst>(&i); room && !room->isStaticAlloca())
            return refuse(i, "the size of this array is not a constant", "give it a constant size");
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) look_at_call(*call);
    }

    // The address that the instruction writes to; null if it does not write.
    static const llvm::Value* target(const llvm::Instruction& i) {
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return store->getPointerOperand();
        if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return change->getPointerOperand();
        if (const auto* change = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) return change->getPointerOperand();
        if (const auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) return fill->getRawDest();
        return nullptr;
    }

    void look_at_call(llvm::CallBase& call) {
        if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
            if (!assembly->getAsmString().empty())
                refuse(call, "assembly is not supported here", std::string(no_assembly));
            return;
        }
        const llvm::Function* called = call.getCalledFunction();
        if (called != nullptr && (called->isIntrinsic() || called->getSection() == ".ksyms")) return;
        if (called == nullptr) {
            constexpr uint64_t snprintf_helper = 165;
            if (helper_called(call) == snprintf_helper) look_at_format(call);
            const auto is_function = [](const llvm::Use& given) { return llvm::isa<llvm::Function>(given.get()); };
            if (llvm::any_of(call.args(), is_function))
                return refuse(call, "a function cannot be passed to a helper here", "write a counted loop");
            if (!is_helper(call.getCalledOperand()))
                refuse(call, "BPF programs cannot call a function by its address", "call it by its name");
            return;
        }
        const std::string name = called->getName().str();
        if (!called->isDeclaration()) return refuse(call, fmt::format("{}() calls itself", name), "write a loop");
        const std::string_view instead = instead_of(name);
        refuse(call, fmt::format("BPF programs cannot call `{}`", name),
               !instead.empty() ? std::string(instead)
                                : "call a helper (see bpf-helpers(7)), or declare a kernel function that BPF "
                                  "programs may call with `__ksym`");
    }

    void look_at_format(const llvm::CallBase& call) {
        llvm::StringRef format;
        if (!llvm::getConstantStringInfo(call.getArgOperand(2), format)) return;
        const llvm::StringRef wrong = wrong_conversion(format);
        if (!wrong.empty())
            refuse(call, fmt::format("the kernel's formatting does not support `{}`", wrong.str()),
                   "use %d %u %x %p %s %c or %%, with a width but no precision, and no letter after %s");
    }

    void loops() {
        llvm::DominatorTree dominators(function_);
        llvm::LoopInfo found(dominators);
        llvm::AssumptionCache assumptions(function_);
        llvm::TargetLibraryInfoImpl library_names;
        llvm::TargetLibraryInfo library(library_names);
        llvm::ScalarEvolution evolution(function_, library, assumptions, dominators, found);
        for (llvm::Loop* loop : found.getLoopsInPreorder()) {
            const unsigned turns = evolution.getSmallConstantMaxTripCount(loop);
            if (turns != 0 && turns <= most_turns) continue;
            refuse(*loop->getHeader()->getTerminator(),
                   turns == 0 ? "the number of iterations of this loop is not limited"
                              : fmt::format("this loop may run {} iterations", turns),
                   "limit it with a constant: `for (i = 0; i < 100 && p; i++)`", loop->getStartLoc());
        }
    }

    void refuse(const llvm::Instruction& i, std::string what, std::string instead, llvm::DebugLoc at = {}) {
        const Span where = span_of(at ? at.get() : i.getDebugLoc().get());
        for (const Diag& earlier : diags_.all()) {
            if (earlier.span == where && earlier.message == what) return;
        }
        diags_.error(where, std::move(what)).hint = std::move(instead);
    }

    // The innermost location that is in the script; a macro may be defined elsewhere.
    Span span_of(const llvm::DILocation* at) const {
        while (at != nullptr && (!is_script(at) || at->getLine() == 0)) at = at->getInlinedAt();
        if (at == nullptr) return {};
        size_t begin = 0;
        for (unsigned i = 1; i < at->getLine(); i++) begin = source_.text.find('\n', begin) + 1;
        begin = std::min(begin + std::max(at->getColumn(), 1u) - 1, source_.text.size() - 1);
        const size_t end = std::min(source_.text.find_first_of(";{}\n", begin), source_.text.size());
        return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::max(end, begin + 1))};
    }

    void replace(llvm::Instruction& read) {
        const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
        llvm::IRBuilder<> b(&read);
        if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&read)) {
            copied(b, copy->getRawDest(), copy->getLength(), copy->getRawSource(), *read.getNextNode());
        } else {
            auto& load = llvm::cast<llvm::LoadInst>(read);
            llvm::Value* room = slot(layout.getTypeStoreSize(load.getType()));
            copied(b, room, b.getInt64(layout.getTypeStoreSize(load.getType())), load.getPointerOperand(), load);
            b.SetInsertPoint(&load);
            load.replaceAllUsesWith(b.CreateLoad(load.getType(), room));
        }
        read.eraseFromParent();
    }

    // Memory that cannot be read gives zero, and is counted.
    void copied(llvm::IRBuilder<>& b, llvm::Value* to, llvm::Value* size, llvm::Value* from, llvm::Instruction& after) {
        llvm::Type* word = b.getInt64Ty();
        auto* type = llvm::FunctionType::get(word, {b.getPtrTy(), word, b.getPtrTy()}, false);
        llvm::Value* helper = b.CreateIntToPtr(b.getInt64(BPF_FUNC_probe_read_kernel), b.getPtrTy());
        llvm::Value* failed = b.CreateCall(type, helper, {to, b.CreateZExtOrTrunc(size, word), from});
        llvm::Instruction* lost = llvm::SplitBlockAndInsertIfThen(b.CreateIsNotNull(failed), &after, false);
        b.SetInsertPoint(lost);
        llvm::Value* loss = function_.getArg(static_cast<unsigned>(function_.arg_size() - 1));
        llvm::Value* counter = b.CreateGEP(word, losses(), loss);
        b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, b.getInt64(1), llvm::MaybeAlign(8),
                          llvm::AtomicOrdering::Monotonic);
    }

    llvm::Value* losses() {
        llvm::Module& module = *function_.getParent();
        llvm::Type* none = llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()), 0);
        return module.getOrInsertGlobal("lt_lost", none);
    }

    // The result of a read is used at once, so all reads share one slot.
    llvm::Value* slot(uint64_t size) {
        constexpr uint64_t usual = 8;
        if (size > usual) return alloca(size);
        if (slot_ == nullptr) slot_ = alloca(usual);
        return slot_;
    }

    llvm::AllocaInst* alloca(uint64_t size) {
        llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
        llvm::AllocaInst* room = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), size));
        room->setAlignment(llvm::Align(8));
        return room;
    }

    llvm::Function& function_;
    const Source& source_;
    Diags& diags_;
    llvm::AllocaInst* slot_ = nullptr;
    bool reported_floats_ = false;
};

// Line numbers are the script's: inlined code gets the line of its call. Type information about members (CO-RE) stays
// on the variables that refer to it.
void drop_debug_information(llvm::Module& module) {
    for (llvm::Function& f : module) {
        if (!f.isDeclaration()) llvm::stripDebugInfo(f);
    }
    for (llvm::GlobalVariable& g : module.globals()) g.eraseMetadata(llvm::LLVMContext::MD_dbg);
    if (llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu")) units->eraseFromParent();
}

}  // namespace

void fit_c(llvm::Module& module, const Source& source, Diags& diags) {
    for (llvm::Function& f : module) {
        if (f.isDeclaration()) continue;
        f.addFnAttr(llvm::Attribute::AlwaysInline);
        f.removeFnAttr(llvm::Attribute::NoInline);
        if (f.getName().starts_with(llvm::StringRef(ast::c_prefix))) {
            Fitter(f, source, diags).run();
        } else {
            f.setLinkage(llvm::GlobalValue::InternalLinkage);
        }
    }
    drop_debug_information(module);
}

}  // namespace lt::emitter
