// One function of the IR to one LLVM function.
#pragma once

#include "module.h"

namespace lt::emitter {

class FunctionBuilder {
  public:
    FunctionBuilder(ModuleBuilder& module, const ir::Function& source);
    void build();

  private:
    void either_end();
    void block(const ir::Block& block);
    void operation(const ir::Op& op);
    llvm::Value* value_of(const ir::Op& op);
    void alloca_slots();
    void branch(const ir::Op& op);
    void leave();
    llvm::Value* in(const ir::Op& op, size_t i) { return values_[op.in[i]]; }
    llvm::Value* word(int64_t n) { return b_.getInt64(static_cast<uint64_t>(n)); }
    llvm::Value* at(llvm::Value* base, uint64_t offset);
    llvm::Value* loaded(llvm::Value* base, uint64_t offset, unsigned width, bool is_signed);
    llvm::Value* extended(llvm::Value* v, unsigned width, bool is_signed);
    llvm::AllocaInst* memory(uint64_t bytes);
    llvm::Value* buffer(uint64_t offset, uint64_t bytes);
    llvm::Value* place();
    void copy(llvm::Value* to, llvm::Value* from, uint64_t bytes);
    llvm::Value* alu(const ir::Op& op);
    llvm::Value* helper(int64_t number, llvm::ArrayRef<llvm::Value*> arguments, bool address = false);
    llvm::Value* library(const ir::Op& op);
    llvm::Value* argument(uint64_t n);
    llvm::Value* frame();
    llvm::Value* result();
    void count_loss(uint32_t index);

    ModuleBuilder& m_;
    const ir::Function& source_;
    llvm::IRBuilder<> b_;
    llvm::Function* function_ = nullptr;
    std::vector<llvm::Value*> values_;
    std::vector<llvm::AllocaInst*> slots_;
    llvm::Value* frame_ = nullptr;
    llvm::Value* place_ = nullptr;
};

}  // namespace lt::emitter
