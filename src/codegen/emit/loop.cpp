// Loops. The kernel's loops call a function back, so a body becomes a function of its own, which gets the frame of the
// program: buffers, shared slots and values, the context, and a word that says where to go on after a loop that was
// left by `return`.
#include "function.h"

namespace lt::emitter {
namespace {

constexpr int64_t helper_for_each_map_elem = 164;
constexpr int64_t helper_loop = 181;

// The targets outside of a loop that its body jumps to; 0: the end of the program.
class Escapes {
  public:
    explicit Escapes(const ir::Op& loop) { block(loop.blocks[0]); }
    std::vector<uint32_t> targets;

  private:
    void block(const ir::Block& b) {
        for (const ir::Op& op : b) operation(op);
    }
    void operation(const ir::Op& op) {
        if (op.code == ir::Code::scope) inside_.push_back(op.symbol);
        if (op.code == ir::Code::leave) add(0);
        if (op.code == ir::Code::quit && !has(inside_, op.symbol)) add(op.symbol);
        for (const ir::Block& b : op.blocks) block(b);
    }
    void add(uint32_t target) {
        if (!has(targets, target)) targets.push_back(target);
    }
    static bool has(const std::vector<uint32_t>& all, uint32_t one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    }
    std::vector<uint32_t> inside_;
};

}  // namespace

void FunctionBuilder::share_memory() {
    if (!shared_.loops) return;
    if (source_.scratch) {
        words_ = memory(uint64_t{8} * shared_.words);
        b_.CreateStore(frame_, word_at(shared_.room));
    } else {
        if (!frame_) frame_ = memory(source_.frame + uint64_t{8} * shared_.words);
        words_ = at(frame_, source_.frame);
    }
    b_.CreateStore(function_->getArg(0), word_at(shared_.context));
    b_.CreateStore(word(0), word_at(shared_.target));
    for (uint32_t home : shared_.slots) {
        if (home != ir::Shared::none) b_.CreateStore(word(0), word_at(home));
    }
}

// What a loop's body is handed: the one piece of the stack that holds all, or the words that say where the rest is.
llvm::Value* FunctionBuilder::on_stack() { return source_.scratch ? words_ : frame_; }

void FunctionBuilder::take_memory(llvm::Value* handed) {
    if (source_.scratch) {
        words_ = handed;
        frame_ = b_.CreateLoad(b_.getPtrTy(), word_at(shared_.room));
    } else {
        frame_ = handed;
        words_ = at(frame_, source_.frame);
    }
}

llvm::Value* FunctionBuilder::word_at(uint32_t word) { return at(words_, uint64_t{8} * word); }

llvm::Value* FunctionBuilder::context() {
    return loop_ == nullptr ? static_cast<llvm::Value*>(function_->getArg(0))
                            : b_.CreateLoad(b_.getPtrTy(), word_at(shared_.context));
}

// What the verifier cannot know it need not try for each turn: or it would run loops to their ends.
llvm::Value* FunctionBuilder::opaque(llvm::Value* v) {
    return b_.CreateAdd(v, b_.CreateLoad(b_.getInt64Ty(), m_.zero_, true));
}

llvm::Value* FunctionBuilder::slot(uint32_t number) {
    if (const uint32_t home = shared_.slots[number]; home != ir::Shared::none) return word_at(home);
    llvm::AllocaInst*& slot = slots_[number];
    if (slot == nullptr) {
        slot = memory(8);
        llvm::IRBuilder<> after(slot->getParent(), std::next(slot->getIterator()));
        after.CreateStore(word(0), slot);
    }
    return slot;
}

llvm::Value* FunctionBuilder::at_hand(ir::Value v) {
    if (shared_.homes[v] == loop_) return values_[v];
    const ir::Op& maker = *makers_[v];
    if (maker.code == ir::Code::buffer) return at(frame_, maker.offset);
    if (ir::is_remade(maker.code)) return value_of(maker);
    return b_.CreateLoad(values_[v]->getType(), word_at(shared_.values[v]));
}

void FunctionBuilder::loop(const ir::Op& op) {
    llvm::Function* body = body_of(op);
    if (op.code == ir::Code::loop) {
        // Of a loop that the verifier knows to have no turn it drops the body, and then does not find it.
        helper(helper_loop, {opaque(in(op, 0)), body, on_stack(), word(0)});
    } else {
        helper(helper_for_each_map_elem, {m_.maps_[op.symbol], body, on_stack(), word(0)});
    }
    after_loop(op);
}

// (turn, frame) of a loop; (map, key, value, frame) of a walk over a map.
llvm::Function* FunctionBuilder::body_of(const ir::Op& op) {
    const bool counts = op.code == ir::Code::loop;
    llvm::Type *number = b_.getInt64Ty(), *address = b_.getPtrTy();
    const std::vector<llvm::Type*> types =
        counts ? std::vector{number, address} : std::vector{address, address, address, address};
    llvm::FunctionType* type = llvm::FunctionType::get(number, types, false);
    const std::string name = source_.name + "_loop";
    llvm::Function* body = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, *m_.module_);
    body->addFnAttr(llvm::Attribute::NoUnwind);
    body->addFnAttr(llvm::Attribute::NoInline);

    const llvm::IRBuilderBase::InsertPoint outside = b_.saveIP();
    llvm::Function* const outer = std::exchange(function_, body);
    llvm::Value *const outer_frame = frame_, *const outer_words = words_;
    llvm::Value* const outer_place = std::exchange(place_, nullptr);
    const ir::Op* const outer_loop = std::exchange(loop_, &op);
    auto* const outer_lines = m_.debug_.callback(*body);
    b_.SetInsertPoint(llvm::BasicBlock::Create(m_.context_, "", body));
    b_.SetCurrentDebugLocation(m_.debug_.line(op.span));
    take_memory(body->getArg(counts ? 1 : 3));
    block(op.blocks[0]);
    end_turn(false);
    m_.debug_.back_to(outer_lines);
    loop_ = outer_loop;
    place_ = outer_place;
    frame_ = outer_frame;
    words_ = outer_words;
    function_ = outer;
    b_.restoreIP(outside);
    b_.SetCurrentDebugLocation(m_.debug_.line(op.span));
    return body;
}

void FunctionBuilder::after_loop(const ir::Op& op) {
    for (uint32_t target : Escapes(op).targets) {
        llvm::Value* chosen = b_.CreateLoad(b_.getInt64Ty(), word_at(shared_.target));
        auto* yes = llvm::BasicBlock::Create(m_.context_, "", function_);
        auto* no = llvm::BasicBlock::Create(m_.context_, "", function_);
        b_.CreateCondBr(b_.CreateICmpEQ(chosen, word(int64_t{target} + 1)), yes, no);
        b_.SetInsertPoint(yes);
        if (loop_ == nullptr || target != 0) b_.CreateStore(word(0), word_at(shared_.target));
        go_to(target);
        b_.SetInsertPoint(no);
    }
}

void FunctionBuilder::scope(const ir::Op& op) {
    auto* after = llvm::BasicBlock::Create(m_.context_, "", function_);
    scopes_.push_back({op.symbol, loop_, after});
    block(op.blocks[0]);
    scopes_.pop_back();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
}

// To the end of a scope, or of the program: directly, or by leaving the loop that is around this.
void FunctionBuilder::go_to(uint32_t target) {
    for (const OpenScope& scope : scopes_) {
        if (scope.number != target || scope.loop != loop_) continue;
        b_.CreateBr(scope.after);
        return;
    }
    if (target == 0 && loop_ == nullptr) return leave();
    b_.CreateStore(word(int64_t{target} + 1), word_at(shared_.target));
    end_turn(true);
}

void FunctionBuilder::end_turn(bool stop) { b_.CreateRet(word(stop ? 1 : 0)); }

llvm::Value* FunctionBuilder::turn(const ir::Op& op) {
    return loop_->code == ir::Code::loop ? function_->getArg(0)
                                         : function_->getArg(1 + static_cast<unsigned>(op.number));
}

}  // namespace lt::emitter
