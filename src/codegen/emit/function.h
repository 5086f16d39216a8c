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
    llvm::Value* place(const ir::Op& op);
    llvm::Value* written(const ir::Op& op);
    llvm::SmallVector<llvm::Value*, 8> inputs(const ir::Op& op);
    llvm::Value* host_call(const ir::Op& op);
    llvm::Value* found(const ir::Op& op);
    llvm::Value* reserved(const ir::Op& op);
    void alloca_slots();
    void branch(const ir::Op& op);
    void leave();
    void claim_scratch();
    void take_room();
    void end();
    llvm::CallInst* call(llvm::Function* f, llvm::ArrayRef<llvm::Value*> arguments);
    llvm::Value* c_call(const ir::Op& op);
    llvm::CallInst* library(ir::Library id, llvm::ArrayRef<llvm::Value*> arguments);

    // outline.cpp: functions that the verifier looks at by themselves
    static bool is_long(const ir::Function& source);
    llvm::Value* called_apart(ir::Library id, llvm::ArrayRef<llvm::Value*> arguments);
    llvm::Function* function_apart(ir::Library id, llvm::ArrayRef<llvm::Value*> arguments,
                                   const std::vector<uint64_t>& sizes);

    void bulk(llvm::Value* to, llvm::Value* from, uint64_t bytes);
    void dead_end();
    llvm::Value* in(const ir::Op& op, size_t i) { return at_hand(op.in[i]); }

    // loop.cpp: loops, and what their bodies share with what is around them
    void share_memory();
    llvm::Value* on_stack();
    void take_memory(llvm::Value* handed);
    void loop(const ir::Op& op);
    llvm::Function* body_of(const ir::Op& op);
    void after_loop(const ir::Op& op);
    void scope(const ir::Op& op);
    void go_to(uint32_t target);
    void end_turn(bool stop);
    llvm::Value* turn(const ir::Op& op);
    llvm::Value* at_hand(ir::Value v);
    llvm::Value* slot(uint32_t number);
    llvm::Value* word_at(uint32_t word);
    llvm::Value* opaque(llvm::Value* v);
    llvm::Value* hidden(llvm::Value* number);
    llvm::Value* stored(llvm::Value* v, unsigned width);
    llvm::Value* context();
    llvm::Value* word(int64_t n) { return b_.getInt64(static_cast<uint64_t>(n)); }
    llvm::Value* at(llvm::Value* base, uint64_t offset);
    // One that was computed, as the verifier knows it, or a pointer already.
    llvm::Value* as_address(llvm::Value* v);
    llvm::Value* loaded(llvm::Value* base, uint64_t offset, unsigned width, bool is_signed);
    llvm::Value* from_context(uint64_t offset, unsigned width, bool is_signed);
    llvm::Value* extended(llvm::Value* v, unsigned width, bool is_signed);
    llvm::AllocaInst* memory(uint64_t bytes);
    llvm::Value* buffer(uint64_t offset, uint64_t bytes);
    llvm::Value* place();
    void copy(llvm::Value* to, llvm::Value* from, uint64_t bytes);
    llvm::Value* alu(const ir::Op& op);
    llvm::Value* helper(int64_t number, llvm::ArrayRef<llvm::Value*> arguments, bool address = false);
    llvm::Value* library(const ir::Op& op);
    llvm::Value* fetch(const ir::Op& op);
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
    std::vector<const ir::Op*> makers_;  // by value
    ir::Shared shared_;
    bool calls_strings_;            // operations on strings are called, not put in line
    llvm::Value* frame_ = nullptr;  // the buffers
    llvm::Value* words_ = nullptr;  // that loops share
    llvm::Value* place_ = nullptr;

    // A scope that is open, and in which function.
    struct OpenScope {
        uint32_t number;
        const ir::Op* loop;
        llvm::BasicBlock* after;
    };
    std::vector<OpenScope> scopes_;
    const ir::Op* loop_ = nullptr;  // whose body is in the making; nullptr: the program itself
};

}  // namespace lt::emitter
