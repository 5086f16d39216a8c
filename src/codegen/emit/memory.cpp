// Loads, stores and copies: of the context, of the block's own memory and of what an address leads to.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsBPF.h>

#include "function.h"
#include "helpers.h"

namespace lt::emitter {
namespace {

constexpr uint64_t most_words = 32;  // that are cleared or copied one by one

}  // namespace

// A number of which LLVM knows nothing. Where it knows that no bit is in both, it makes `base | distance` of a sum,
// which the verifier takes for no address.
llvm::Value* FunctionBuilder::hidden(llvm::Value* number) {
    if (llvm::isa<llvm::Constant>(number)) return number;
    llvm::Type* const word = number->getType();
    auto* const same = llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), "", "=r,0", false);
    return b_.CreateCall(same, {number});
}

llvm::Value* FunctionBuilder::at(llvm::Value* base, uint64_t offset) {
    return offset == 0 ? base : b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
}

llvm::Value* FunctionBuilder::as_address(llvm::Value* v) {
    return v->getType()->isIntegerTy() ? b_.CreateIntToPtr(v, b_.getPtrTy()) : v;
}

llvm::Value* FunctionBuilder::loaded(llvm::Value* base, uint64_t offset, unsigned width, bool is_signed) {
    return extended(b_.CreateLoad(b_.getIntNTy(width * 8), at(base, offset)), width, is_signed);
}

// The verifier takes an access to the context only as one instruction, with the offset in it. LLVM would share the
// access of two branches between two addresses; this intrinsic of its BPF target it leaves whole until instructions are
// made.
llvm::Value* FunctionBuilder::from_context(uint64_t offset, unsigned width, bool is_signed) {
    constexpr uint8_t not_atomic = 0, system_scope = 1;
    llvm::Function* access = llvm::Intrinsic::getDeclaration(
        m_.module_.get(), llvm::Intrinsic::bpf_getelementptr_and_load, {b_.getIntNTy(width * 8)});
    const auto alignment = static_cast<uint8_t>(llvm::Log2(llvm::Align(width)));
    llvm::CallInst* load =
        b_.CreateCall(access, {context(), b_.getFalse(), b_.getInt8(not_atomic), b_.getInt8(system_scope),
                               b_.getInt8(alignment), b_.getTrue(), b_.getInt64(offset)});
    load->addParamAttr(0, llvm::Attribute::get(m_.context_, llvm::Attribute::ElementType, b_.getInt8Ty()));
    return extended(load, width, is_signed);
}

// As many bytes of a number; an address whole.
llvm::Value* FunctionBuilder::stored(llvm::Value* v, unsigned width) {
    return v->getType()->isPointerTy() ? v : b_.CreateTrunc(v, b_.getIntNTy(width * 8));
}

llvm::Value* FunctionBuilder::extended(llvm::Value* v, unsigned width, bool is_signed) {
    llvm::Value* narrow = b_.CreateTrunc(v, b_.getIntNTy(width * 8));
    return is_signed ? b_.CreateSExt(narrow, b_.getInt64Ty()) : b_.CreateZExt(narrow, b_.getInt64Ty());
}

// On the stack, in the entry block wherever it is asked for.
llvm::AllocaInst* FunctionBuilder::memory(uint64_t bytes) {
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    llvm::AllocaInst* a = entry.CreateAlloca(llvm::ArrayType::get(b_.getInt64Ty(), bytes / 8));
    a->setAlignment(llvm::Align(8));
    return a;
}

llvm::Value* FunctionBuilder::buffer(uint64_t offset, uint64_t bytes) {
    if (!frame_) frame_ = memory(source_.frame);
    llvm::Value* a = at(frame_, offset);
    if (bytes > most_words * 8) return bulk(a, word(0), bytes), a;
    for (uint64_t i = 0; i < bytes; i += 8) b_.CreateStore(word(0), at(a, i));
    return a;
}

// One helper instead of a word by word copy. It leaves zeros where it cannot read, and nothing can be read at zero.
void FunctionBuilder::bulk(llvm::Value* to, llvm::Value* from, uint64_t bytes) {
    helper(helper_probe_read_kernel, {to, word(static_cast<int64_t>(bytes)), from});
}

void FunctionBuilder::copy(llvm::Value* to, llvm::Value* from, uint64_t bytes) {
    if (bytes > most_words * 8) return bulk(to, from, bytes);
    for (uint64_t i = 0; i < bytes; i += 8) b_.CreateStore(b_.CreateLoad(b_.getInt64Ty(), at(from, i)), at(to, i));
}

}  // namespace lt::emitter
