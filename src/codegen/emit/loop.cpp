// Loops. The kernel's loop helpers call a function, so a loop's body becomes a separate function. It receives the
// program's frame: buffers, shared slots and values, the context, and a word that says where execution continues after
// a loop that was left by `return`.
#include <linux/bpf.h>

#include "codegen/emit/calls.h"
#include "codegen/emit/loop.h"
#include "codegen/emit/memory.h"

namespace lt::emitter {
namespace {

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

llvm::Function* body_of(Code& code, const ir::Op& op);
void after_loop(Code& code, const ir::Op& op);
void end_turn(Code& code, bool stop);

}  // namespace

void share_memory(Code& code) {
    if (!code.shared.loops) return;
    if (code.source.scratch) {
        code.words = stack_memory(code, uint64_t{8} * code.shared.words);
        code.b.CreateStore(code.frame, word_at(code, code.shared.room));
    } else {
        if (!code.frame) code.frame = stack_memory(code, code.source.frame + uint64_t{8} * code.shared.words);
        code.words = address_at(code, code.frame, code.source.frame);
    }
    code.b.CreateStore(code.function->getArg(0), word_at(code, code.shared.context));
    llvm::Value* const nothing = opaque(code, word(code, 0));
    code.b.CreateStore(nothing, word_at(code, code.shared.target));
    for (uint32_t home : code.shared.slots) {
        if (home != ir::Shared::none) code.b.CreateStore(nothing, word_at(code, home));
    }
}

namespace {

// The argument of a loop's body: the piece of the stack that contains everything, or the words that point to the rest.
llvm::Value* on_stack(Code& code) { return code.source.scratch ? code.words : code.frame; }

void take_memory(Code& code, llvm::Value* handed) {
    if (code.source.scratch) {
        code.words = handed;
        code.frame = code.b.CreateLoad(code.b.getPtrTy(), word_at(code, code.shared.room));
    } else {
        code.frame = handed;
        code.words = address_at(code, code.frame, code.source.frame);
    }
}

}  // namespace

llvm::Value* word_at(Code& code, uint32_t word) { return address_at(code, code.words, uint64_t{8} * word); }

llvm::Value* context_of(Code& code) {
    return code.loop == nullptr ? static_cast<llvm::Value*>(code.function->getArg(0))
                                : code.b.CreateLoad(code.b.getPtrTy(), word_at(code, code.shared.context));
}

// If the verifier knew the number of iterations, it would simulate each of them to the end of the loop. Nor may it know
// a word that a loop's body changes: before Linux 6.4 it takes two states with different known values for the same,
// since it does not follow a value through the stack of another frame, and then removes the branch that only the second
// takes.
llvm::Value* opaque(Code& code, llvm::Value* v) {
    return code.b.CreateAdd(v, code.b.CreateLoad(code.b.getInt64Ty(), code.m.zero, true));
}

llvm::Value* slot_address(Code& code, uint32_t number) {
    if (const uint32_t home = code.shared.slots[number]; home != ir::Shared::none) return word_at(code, home);
    llvm::AllocaInst*& slot = code.slots[number];
    if (slot == nullptr) {
        slot = stack_memory(code, 8);
        llvm::IRBuilder<> after(slot->getParent(), std::next(slot->getIterator()));
        after.CreateStore(word(code, 0), slot);
    }
    return slot;
}

llvm::Value* at_hand(Code& code, ir::Value v) {
    if (code.shared.homes[v] == code.loop) return code.values[v];
    const ir::Op& maker = *code.makers[v];
    if (maker.code == ir::Code::buffer) return address_at(code, code.frame, maker.offset);
    if (ir::is_remade(maker.code)) return value_of(code, maker);
    return code.b.CreateLoad(code.values[v]->getType(), word_at(code, code.shared.values[v]));
}

void emit_loop(Code& code, const ir::Op& op) {
    llvm::Function* body = body_of(code, op);
    if (op.code == ir::Code::loop) {
        // The verifier drops the body of a loop that it knows to run zero iterations, and then fails to find it.
        helper_call(code, BPF_FUNC_loop, {opaque(code, input(code, op, 0)), body, on_stack(code), word(code, 0)});
    } else {
        helper_call(code, BPF_FUNC_for_each_map_elem, {code.m.maps[op.symbol], body, on_stack(code), word(code, 0)});
    }
    after_loop(code, op);
}

// An inline loop, for kernels without bpf_loop. The verifier simulates each iteration, so there are few, and it must
// see how many are left: it knows the iteration's number. LLVM must not know it, or LLVM would count with something
// else.
void emit_own_loop(Code& code, const ir::Op& op) {
    llvm::Value* const times = input(code, op, 0);
    auto* const before = code.b.GetInsertBlock();
    const auto new_block = [&] { return llvm::BasicBlock::Create(code.m.context, "", code.function); };
    auto *const head = new_block(), *const more = new_block(), *const body = new_block(), *const next = new_block(),
                *const after = new_block();
    code.b.CreateBr(head);
    code.b.SetInsertPoint(head);
    llvm::PHINode* const turn = code.b.CreatePHI(code.b.getInt64Ty(), 2);
    turn->addIncoming(word(code, 0), before);
    if (op.symbol == 0) {
        code.b.CreateCondBr(code.b.CreateICmpULT(turn, word(code, op.number)), more, after);
    } else {
        auto *const cut = new_block(), *const lost = new_block();
        // the loader may change the limit, and the verifier knows it: so LLVM must read it each time
        llvm::Value* const limit = code.b.CreateLoad(code.b.getInt64Ty(), code.m.most_turns(), true);
        code.b.CreateCondBr(code.b.CreateICmpULT(turn, limit), more, cut);
        code.b.SetInsertPoint(cut);
        code.b.CreateCondBr(code.b.CreateICmpULT(turn, times), lost, after);
        code.b.SetInsertPoint(lost);
        count_loss(code, op.symbol - 1);
        code.b.CreateBr(after);
    }
    code.b.SetInsertPoint(more);
    code.b.CreateCondBr(code.b.CreateICmpULT(turn, times), body, after);
    code.b.SetInsertPoint(body);
    code.own_loops.push_back({turn, after});
    emit_block(code, op.blocks[0]);
    code.own_loops.pop_back();
    code.b.CreateBr(next);
    code.b.SetInsertPoint(next);
    turn->addIncoming(hidden(code, code.b.CreateAdd(turn, word(code, 1))), next);
    code.b.CreateBr(head);
    code.b.SetInsertPoint(after);
}

namespace {

// Arguments: (turn, frame) for a loop; (map, key, value, frame) for a walk over a map.
llvm::Function* body_of(Code& code, const ir::Op& op) {
    const bool counts = op.code == ir::Code::loop;
    llvm::Type *number = code.b.getInt64Ty(), *address = code.b.getPtrTy();
    const std::vector<llvm::Type*> types =
        counts ? std::vector{number, address} : std::vector{address, address, address, address};
    llvm::FunctionType* type = llvm::FunctionType::get(number, types, false);
    const std::string name = code.source.name + "_loop";
    llvm::Function* body = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, *code.m.module);
    body->addFnAttr(llvm::Attribute::NoUnwind);
    body->addFnAttr(llvm::Attribute::NoInline);

    const llvm::IRBuilderBase::InsertPoint outside = code.b.saveIP();
    llvm::Function* const outer = std::exchange(code.function, body);
    llvm::Value *const outer_frame = code.frame, *const outer_words = code.words;
    llvm::Value* const outer_place = std::exchange(code.place, nullptr);
    const ir::Op* const outer_loop = std::exchange(code.loop, &op);
    const std::vector<Code::OwnLoop> outer_own = std::exchange(code.own_loops, {});
    auto* const outer_lines = code.m.debug.callback(*body);
    code.b.SetInsertPoint(llvm::BasicBlock::Create(code.m.context, "", body));
    code.b.SetCurrentDebugLocation(code.m.debug.line(op.span));
    take_memory(code, body->getArg(counts ? 1 : 3));
    emit_block(code, op.blocks[0]);
    end_turn(code, false);
    code.m.debug.back_to(outer_lines);
    code.loop = outer_loop;
    code.own_loops = outer_own;
    code.place = outer_place;
    code.frame = outer_frame;
    code.words = outer_words;
    code.function = outer;
    code.b.restoreIP(outside);
    code.b.SetCurrentDebugLocation(code.m.debug.line(op.span));
    return body;
}

void after_loop(Code& code, const ir::Op& op) {
    for (uint32_t target : Escapes(op).targets) {
        llvm::Value* chosen = code.b.CreateLoad(code.b.getInt64Ty(), word_at(code, code.shared.target));
        auto* yes = llvm::BasicBlock::Create(code.m.context, "", code.function);
        auto* no = llvm::BasicBlock::Create(code.m.context, "", code.function);
        code.b.CreateCondBr(code.b.CreateICmpEQ(chosen, word(code, int64_t{target} + 1)), yes, no);
        code.b.SetInsertPoint(yes);
        if (code.loop == nullptr || target != 0)
            code.b.CreateStore(opaque(code, word(code, 0)), word_at(code, code.shared.target));
        go_to(code, target);
        code.b.SetInsertPoint(no);
    }
}

}  // namespace

void emit_scope(Code& code, const ir::Op& op) {
    auto* after = llvm::BasicBlock::Create(code.m.context, "", code.function);
    code.scopes.push_back({op.symbol, code.loop, after});
    emit_block(code, op.blocks[0]);
    code.scopes.pop_back();
    code.b.CreateBr(after);
    code.b.SetInsertPoint(after);
}

// Jumps to the end of a scope, or of the program: directly, or by leaving the surrounding loop.
void go_to(Code& code, uint32_t target) {
    for (const Code::OpenScope& scope : code.scopes) {
        if (scope.number != target || scope.loop != code.loop) continue;
        code.b.CreateBr(scope.after);
        return;
    }
    if (target == 0 && code.loop == nullptr) return emit_leave(code);
    code.b.CreateStore(opaque(code, word(code, int64_t{target} + 1)), word_at(code, code.shared.target));
    end_turn(code, true);
}

namespace {

void end_turn(Code& code, bool stop) { code.b.CreateRet(word(code, stop ? 1 : 0)); }

}  // namespace

void emit_stop(Code& code) {
    if (code.own_loops.empty()) return end_turn(code, true);
    code.b.CreateBr(code.own_loops.back().after);
}

llvm::Value* turn_number(Code& code, const ir::Op& op) {
    if (!code.own_loops.empty()) return code.own_loops.back().turn;
    return code.loop->code == ir::Code::loop ? code.function->getArg(0)
                                             : code.function->getArg(1 + static_cast<unsigned>(op.number));
}

}  // namespace lt::emitter
