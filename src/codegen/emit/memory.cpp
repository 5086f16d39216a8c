// Loads, stores and copies: of the context, of the block's own memory and of memory at other addresses.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsBPF.h>

#include <linux/bpf.h>

#include "codegen/emit/calls.h"
#include "codegen/emit/loop.h"
#include "codegen/emit/memory.h"

namespace lt::emitter {
namespace {

constexpr uint64_t most_words = 32;  // cleared or copied one by one; more words use a helper

void copy_bulk(Code& code, llvm::Value* to, llvm::Value* from, uint64_t bytes);

}  // namespace

// A number that is opaque to LLVM. If LLVM knows that two numbers have no common bits, it turns a sum into `base |
// distance`, which the verifier does not accept as an address.
llvm::Value* hidden(Code& code, llvm::Value* number) {
    if (llvm::isa<llvm::Constant>(number)) return number;
    llvm::Type* const word = number->getType();
    auto* const same = llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), "", "=r,0", false);
    return code.b.CreateCall(same, {number});
}

llvm::Value* address_at(Code& code, llvm::Value* base, uint64_t offset) {
    return offset == 0 ? base : code.b.CreateConstInBoundsGEP1_64(code.b.getInt8Ty(), base, offset);
}

llvm::Value* as_address(Code& code, llvm::Value* v) {
    return v->getType()->isIntegerTy() ? code.b.CreateIntToPtr(v, code.b.getPtrTy()) : v;
}

llvm::Value* loaded(Code& code, llvm::Value* base, uint64_t offset, unsigned width, bool is_signed) {
    return extended(code, code.b.CreateLoad(code.b.getIntNTy(width * 8), address_at(code, base, offset)), width,
                    is_signed);
}

// The verifier accepts an access to the context only as one instruction that contains the offset. LLVM would merge the
// accesses of two branches into one with a computed address; it keeps this intrinsic of the BPF target whole until
// instruction selection.
llvm::Value* from_context(Code& code, uint64_t offset, unsigned width, bool is_signed) {
    constexpr uint8_t not_atomic = 0, system_scope = 1;
    llvm::Function* access = llvm::Intrinsic::getDeclaration(
        code.m.module.get(), llvm::Intrinsic::bpf_getelementptr_and_load, {code.b.getIntNTy(width * 8)});
    const auto alignment = static_cast<uint8_t>(llvm::Log2(llvm::Align(width)));
    llvm::CallInst* load = code.b.CreateCall(
        access, {context_of(code), code.b.getFalse(), code.b.getInt8(not_atomic), code.b.getInt8(system_scope),
                 code.b.getInt8(alignment), code.b.getTrue(), code.b.getInt64(offset)});
    load->addParamAttr(0, llvm::Attribute::get(code.m.context, llvm::Attribute::ElementType, code.b.getInt8Ty()));
    return extended(code, load, width, is_signed);
}

// Truncates a number to the operation's width; keeps an address. A number that a loop keeps for its next iteration must
// be opaque, like slots.
llvm::Value* stored(Code& code, const ir::Op& op) {
    llvm::Value* v = input(code, op, 1);
    if (v->getType()->isPointerTy()) return v;
    const bool is_kept = code.loop != nullptr && op.width == 8 && !llvm::isa<llvm::Constant>(v);
    return code.b.CreateTrunc(is_kept ? opaque(code, v) : v, code.b.getIntNTy(op.width * 8U));
}

llvm::Value* extended(Code& code, llvm::Value* v, unsigned width, bool is_signed) {
    llvm::Value* narrow = code.b.CreateTrunc(v, code.b.getIntNTy(width * 8));
    return is_signed ? code.b.CreateSExt(narrow, code.b.getInt64Ty()) : code.b.CreateZExt(narrow, code.b.getInt64Ty());
}

// On the stack, in the entry block wherever it is requested.
llvm::AllocaInst* stack_memory(Code& code, uint64_t bytes) {
    llvm::IRBuilder<> entry(&code.function->getEntryBlock(), code.function->getEntryBlock().begin());
    llvm::AllocaInst* a = entry.CreateAlloca(llvm::ArrayType::get(code.b.getInt64Ty(), bytes / 8));
    a->setAlignment(llvm::Align(8));
    return a;
}

llvm::Value* buffer(Code& code, uint64_t offset, uint64_t bytes) {
    if (!code.frame) code.frame = stack_memory(code, code.source.frame);
    llvm::Value* a = address_at(code, code.frame, offset);
    if (bytes > most_words * 8) return copy_bulk(code, a, word(code, 0), bytes), a;
    for (uint64_t i = 0; i < bytes; i += 8) code.b.CreateStore(word(code, 0), address_at(code, a, i));
    return a;
}

namespace {

// One helper call instead of a word-by-word copy. The helper leaves zeros if it cannot read, and nothing can be read at
// address zero.
void copy_bulk(Code& code, llvm::Value* to, llvm::Value* from, uint64_t bytes) {
    helper_call(code, BPF_FUNC_probe_read_kernel, {to, word(code, static_cast<int64_t>(bytes)), from});
}

}  // namespace

void copy_bytes(Code& code, llvm::Value* to, llvm::Value* from, uint64_t bytes) {
    if (bytes > most_words * 8) return copy_bulk(code, to, from, bytes);
    for (uint64_t i = 0; i < bytes; i += 8)
        code.b.CreateStore(code.b.CreateLoad(code.b.getInt64Ty(), address_at(code, from, i)), address_at(code, to, i));
}

llvm::Value* input(Code& code, const ir::Op& op, size_t i) { return at_hand(code, op.in[i]); }

llvm::Value* word(Code& code, int64_t n) { return code.b.getInt64(static_cast<uint64_t>(n)); }

}  // namespace lt::emitter
