#include "codegen/emit/function.h"

#include <linux/bpf.h>
#include <llvm/IR/IntrinsicsBPF.h>

#include "arch/arch.h"
#include "codegen/emit/calls.h"
#include "codegen/emit/loop.h"
#include "codegen/emit/memory.h"
#include "codegen/ir/follow.h"
#include "codegen/ir/text_steps.h"
#include "codegen/ir/way_code.h"
#include "runtime/border/host_calls.h"
#include "runtime/border/run_words.h"

namespace lt::emitter {
namespace {

void alloca_slots(Code& code);
void either_end(Code& code);
void take_room(Code& code);
void claim_scratch(Code& code);
llvm::Value* session_call(Code& code, SessionCall called, llvm::Type* result);
void emit_operation(Code& code, const ir::Op& op);
llvm::Value* argument_value(Code& code, uint64_t n);
llvm::Value* emit_flow(Code& code, const ir::Op& op);
llvm::Value* place_of(Code& code, const ir::Op& op);
llvm::Value* place_of(Code& code);
llvm::Value* frame_address(Code& code);
llvm::Value* written_slot(Code& code, const ir::Op& op);
llvm::Value* fetch_memory(Code& code, const ir::Op& op);
llvm::Value* emit_alu(Code& code, const ir::Op& op);
llvm::Value* result_value(Code& code);
void dead_end(Code& code);
void emit_branch(Code& code, const ir::Op& op);
void emit_end(Code& code);
llvm::Value* of_trampoline(Code& code, int64_t number, uint64_t n);

}  // namespace

Code::Code(ModuleBuilder& module, const ir::Function& source_in)
    : m(module),
      source(source_in),
      b(module.context),
      values(source.values, nullptr),
      makers(source.values, nullptr),
      shared(ir::shared(source)),
      // before Linux 5.12 (like atomic instructions), a function that is verified separately cannot take memory
      calls_strings(ir::is_long(source) && module.program.abilities.atomics) {}

void build_function(Code& code) {
    llvm::FunctionType* type = llvm::FunctionType::get(code.b.getInt32Ty(), {code.b.getPtrTy()}, false);
    code.function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, code.source.name, *code.m.module);
    const bool both = !code.source.on_entry.empty();
    if (way_row(code.source.way).session && !both) {
        code.function->setLinkage(llvm::GlobalValue::InternalLinkage);
        code.function->addFnAttr(llvm::Attribute::AlwaysInline);
    } else {
        const WayCode& way = way_code(code.source.way);
        code.function->setSection(code.source.at_return ? way.at_return : way.entry);
    }
    code.function->addFnAttr(llvm::Attribute::NoUnwind);
    code.m.debug.function(*code.function);
    code.b.SetInsertPoint(llvm::BasicBlock::Create(code.m.context, "", code.function));
    code.b.SetCurrentDebugLocation(code.m.debug.line({}));
    alloca_slots(code);
    if (both) either_end(code);
    if (code.source.scratch) claim_scratch(code);
    if (code.source.way == Way::host) take_room(code);
    share_memory(code);
    emit_block(code, code.source.body);
    emit_leave(code);
}

namespace {

void either_end(Code& code) {
    auto* entry = llvm::BasicBlock::Create(code.m.context, "", code.function);
    auto* at_return = llvm::BasicBlock::Create(code.m.context, "", code.function);
    auto* after = llvm::BasicBlock::Create(code.m.context, "", code.function);
    code.b.CreateCondBr(session_call(code, SessionCall::is_return, code.b.getInt1Ty()), at_return, entry);
    for (const auto& [place, name] :
         {std::pair(entry, &code.source.on_entry), std::pair(at_return, &code.source.on_return)}) {
        code.b.SetInsertPoint(place);
        code.b.CreateCall(code.m.module->getFunction(*name), {code.function->getArg(0)});
        code.b.CreateBr(after);
    }
    code.b.SetInsertPoint(after);
}

llvm::Value* session_call(Code& code, SessionCall called, llvm::Type* result) {
    auto* type = llvm::FunctionType::get(result, {code.b.getPtrTy()}, false);
    llvm::Value* function = code.b.CreateIntToPtr(word(code, static_cast<int64_t>(called)), code.b.getPtrTy());
    return code.b.CreateCall(type, function, {context_of(code)});
}

// The slots of a loop's body are allocated where they are used.
void alloca_slots(Code& code) {
    code.slots.assign(code.source.slots, nullptr);
    if (code.shared.loops) return;
    for (llvm::AllocaInst*& slot : code.slots) {
        slot = code.b.CreateAlloca(code.b.getInt64Ty());
        code.b.CreateStore(word(code, 0), slot);
    }
}

}  // namespace

void emit_block(Code& code, const ir::Block& block) {
    for (const ir::Op& op : block) {
        code.b.SetCurrentDebugLocation(code.m.debug.line(op.span));
        emit_operation(code, op);
    }
}

namespace {

void emit_operation(Code& code, const ir::Op& op) {
    llvm::Value* v = value_of(code, op);
    if (op.id == ir::no_value) return;
    code.values[op.id] = v;
    code.makers[op.id] = &op;
    if (const uint32_t home = code.shared.values[op.id]; home != ir::Shared::none)
        code.b.CreateStore(v, word_at(code, home));
}

}  // namespace

llvm::Value* value_of(Code& code, const ir::Op& op) {
    switch (op.code) {
        case ir::Code::constant:
            return word(code, op.number);
        case ir::Code::text:
            return code.m.texts[op.symbol];
        case ir::Code::map:
            return code.m.maps[op.symbol];
        case ir::Code::context:
            return context_of(code);
        case ir::Code::param:
            return address_at(code, code.m.params, op.offset);
        case ir::Code::buffer:
            return buffer(code, op.offset, static_cast<uint64_t>(op.number));
        case ir::Code::at:
            return place_of(code, op);
        case ir::Code::alu:
            return emit_alu(code, op);
        case ir::Code::extend:
            return extended(code, input(code, op, 0), op.width, op.is_signed);
        case ir::Code::slot_read:
            return code.b.CreateLoad(code.b.getInt64Ty(), slot_address(code, op.symbol));
        case ir::Code::slot_write:
            return written_slot(code, op);
        case ir::Code::relocation:
            return code.b.CreateLoad(code.b.getInt64Ty(), code.m.relocations[op.symbol]);
        case ir::Code::fetch:
            return fetch_memory(code, op);
        case ir::Code::load:
            return loaded(code, as_address(code, input(code, op, 0)), op.offset, op.width, op.is_signed);
        case ir::Code::store:
            return code.b.CreateStore(stored(code, op), address_at(code, input(code, op, 0), op.offset));
        case ir::Code::copy:
            return copy_bytes(code, address_at(code, input(code, op, 0), op.offset), input(code, op, 1),
                              static_cast<uint64_t>(op.number)),
                   nullptr;
        case ir::Code::argument:
            return argument_value(code, static_cast<uint64_t>(op.number));
        case ir::Code::frame:
            return frame_address(code);
        case ir::Code::result:
            return result_value(code);
        case ir::Code::field:
            return from_context(code, op.offset, op.width, op.is_signed);
        case ir::Code::helper:
        case ir::Code::host:
        case ir::Code::find:
        case ir::Code::call:
        case ir::Code::c_call:
        case ir::Code::reserve:
        case ir::Code::submit:
        case ir::Code::loss:
            return emit_call(code, op);
        case ir::Code::stopping:
        case ir::Code::halt:
        case ir::Code::branch:
        case ir::Code::loop:
        case ir::Code::each:
        case ir::Code::turn:
        case ir::Code::stop:
        case ir::Code::scope:
        case ir::Code::quit:
        case ir::Code::leave:
            return emit_flow(code, op);
    }
    return nullptr;
}

namespace {

// Operations of control flow.
llvm::Value* emit_flow(Code& code, const ir::Op& op) {
    switch (op.code) {
        case ir::Code::stopping:
            return code.b.CreateLoad(code.b.getInt64Ty(), code.m.stop);
        case ir::Code::halt:
            return code.b.CreateStore(code.b.getInt64(1), code.m.stop);
        case ir::Code::branch:
            return emit_branch(code, op), nullptr;
        case ir::Code::loop:
            return op.number != 0 ? emit_own_loop(code, op) : emit_loop(code, op), nullptr;
        case ir::Code::each:
            return emit_loop(code, op), nullptr;
        case ir::Code::turn:
            return turn_number(code, op);
        case ir::Code::stop:
            return emit_stop(code), dead_end(code), nullptr;
        case ir::Code::scope:
            return emit_scope(code, op), nullptr;
        case ir::Code::quit:
            return go_to(code, op.symbol), dead_end(code), nullptr;
        case ir::Code::leave:
            return go_to(code, 0), dead_end(code), nullptr;
        default:
            return nullptr;
    }
}

llvm::Value* place_of(Code& code, const ir::Op& op) {
    llvm::Value* base = address_at(code, input(code, op, 0), op.offset);
    return op.in.size() > 1 ? code.b.CreateGEP(code.b.getInt8Ty(), base, hidden(code, input(code, op, 1))) : base;
}

llvm::Value* written_slot(Code& code, const ir::Op& op) {
    const bool alone = code.shared.slots[op.symbol] == ir::Shared::none;
    return code.b.CreateStore(alone ? input(code, op, 0) : opaque(code, input(code, op, 0)),
                              slot_address(code, op.symbol));
}

// The code that follows in this block can never run, but needs a block.
void dead_end(Code& code) { code.b.SetInsertPoint(llvm::BasicBlock::Create(code.m.context, "", code.function)); }

}  // namespace

void emit_leave(Code& code) {
    if (code.source.scratch) library_call(code, ir::Library::release, {code.frame});
    emit_end(code);
}

namespace {

// The kernel interprets the result of socket programs: 1 leaves the decision to other programs.
void emit_end(Code& code) {
    code.b.CreateRet(code.b.getInt32(static_cast<uint32_t>(way_code(code.source.way).returns)));
}

// Allocated outside the stack, which is 512 bytes wherever BPF runs.
void take_room(Code& code) {
    const uint64_t bytes = code.source.frame + uint64_t{8} * code.shared.words;
    if (bytes > 0)
        code.frame = helper_call(code, host_helper(HostCall::room), {word(code, static_cast<int64_t>(bytes))}, true);
}

// Without scratch memory the block cannot run.
void claim_scratch(Code& code) {
    constexpr uint64_t header = 8;
    const bool shared = code.m.program.maps[*code.source.scratch].storage == ir::Storage::array;
    llvm::Value* room = library_call(code, ir::Library::claim, {code.m.maps[*code.source.scratch], word(code, shared)});
    auto* busy = llvm::BasicBlock::Create(code.m.context, "", code.function);
    auto* after = llvm::BasicBlock::Create(code.m.context, "", code.function);
    code.b.CreateCondBr(code.b.CreateIsNull(room), busy, after);
    code.b.SetInsertPoint(busy);
    count_loss(code, code.source.scratch_loss);
    emit_end(code);
    code.b.SetInsertPoint(after);
    code.frame = address_at(code, room, header);
}

void emit_branch(Code& code, const ir::Op& op) {
    llvm::Value* condition = code.b.CreateIsNotNull(input(code, op, 0));
    auto* yes = llvm::BasicBlock::Create(code.m.context, "", code.function);
    auto* no = llvm::BasicBlock::Create(code.m.context, "", code.function);
    auto* after = llvm::BasicBlock::Create(code.m.context, "", code.function);
    code.b.CreateCondBr(condition, yes, no);
    code.b.SetInsertPoint(yes);
    emit_block(code, op.blocks[0]);
    code.b.CreateBr(after);
    code.b.SetInsertPoint(no);
    emit_block(code, op.blocks[1]);
    code.b.CreateBr(after);
    code.b.SetInsertPoint(after);
}

llvm::Value* emit_alu(Code& code, const ir::Op& op) {
    const auto number = [&](llvm::Value* v) {
        return v->getType()->isPointerTy() ? code.b.CreatePtrToInt(v, code.b.getInt64Ty()) : v;
    };
    llvm::Value *a = number(input(code, op, 0)), *c = number(input(code, op, 1));
    const auto truth = [&](llvm::CmpInst::Predicate p) {
        return code.b.CreateZExt(code.b.CreateICmp(p, a, c), code.b.getInt64Ty());
    };
    // division by zero gives zero, and LLVM must not assume that it cannot happen
    const auto divided = [&](bool remainder) {
        llvm::Value* zero = code.b.CreateIsNull(c);
        llvm::Value* divisor = code.b.CreateSelect(zero, word(code, 1), c);
        return code.b.CreateSelect(zero, word(code, 0),
                                   remainder ? code.b.CreateURem(a, divisor) : code.b.CreateUDiv(a, divisor));
    };
    const auto distance = [&] { return code.b.CreateAnd(c, word(code, 63)); };  // as BPF does
    switch (op.alu) {
        case ir::Alu::add:
            return code.b.CreateAdd(a, c);
        case ir::Alu::sub:
            return code.b.CreateSub(a, c);
        case ir::Alu::mul:
            return code.b.CreateMul(a, c);
        case ir::Alu::udiv:
            return divided(false);
        case ir::Alu::umod:
            return divided(true);
        case ir::Alu::sdiv:
        case ir::Alu::smod:
            llvm_unreachable("signed division is a library function");
        case ir::Alu::bit_and:
            return code.b.CreateAnd(a, c);
        case ir::Alu::bit_or:
            return code.b.CreateOr(a, c);
        case ir::Alu::bit_xor:
            return code.b.CreateXor(a, c);
        case ir::Alu::shl:
            return code.b.CreateShl(a, distance());
        case ir::Alu::lshr:
            return code.b.CreateLShr(a, distance());
        case ir::Alu::ashr:
            return code.b.CreateAShr(a, distance());
        case ir::Alu::eq:
            return truth(llvm::CmpInst::ICMP_EQ);
        case ir::Alu::ne:
            return truth(llvm::CmpInst::ICMP_NE);
        case ir::Alu::ult:
            return truth(llvm::CmpInst::ICMP_ULT);
        case ir::Alu::ule:
            return truth(llvm::CmpInst::ICMP_ULE);
        case ir::Alu::ugt:
            return truth(llvm::CmpInst::ICMP_UGT);
        case ir::Alu::uge:
            return truth(llvm::CmpInst::ICMP_UGE);
        case ir::Alu::slt:
            return truth(llvm::CmpInst::ICMP_SLT);
        case ir::Alu::sle:
            return truth(llvm::CmpInst::ICMP_SLE);
        case ir::Alu::sgt:
            return truth(llvm::CmpInst::ICMP_SGT);
        case ir::Alu::sge:
            return truth(llvm::CmpInst::ICMP_SGE);
    }
    return nullptr;
}

}  // namespace

namespace {

// Volatile, so that LLVM does not make one load of this one and another branch's: the verifier refuses a load whose
// address is a kernel structure's on one way and the program's own on another.
llvm::Value* followed(Code& code, const ir::Op& op) {
    llvm::Value* address = as_address(code, input(code, op, 0));
    llvm::Value* value = code.b.CreateLoad(code.b.getIntNTy(op.width * 8), address, true);
    return extended(code, value, op.width, op.is_signed);
}

// The helper leaves zeros if it fails.
llvm::Value* fetch_memory(Code& code, const ir::Op& op) {
    if (op.symbol == ir::cannot_fail) return followed(code, op);
    llvm::Value* failed = helper_call(code, op.number != 0 ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel,
                                      {place_of(code), word(code, op.width), input(code, op, 0)});
    auto* lost = llvm::BasicBlock::Create(code.m.context, "", code.function);
    auto* after = llvm::BasicBlock::Create(code.m.context, "", code.function);
    code.b.CreateCondBr(code.b.CreateIsNull(failed), after, lost);
    code.b.SetInsertPoint(lost);
    count_loss(code, op.symbol);
    code.b.CreateBr(after);
    code.b.SetInsertPoint(after);
    return loaded(code, place_of(code), 0, op.width, op.is_signed);
}

// Eight bytes for a helper's result, which is read immediately.
llvm::Value* place_of(Code& code) {
    if (!code.place) code.place = stack_memory(code, 8);
    return code.place;
}

llvm::Value* argument_value(Code& code, uint64_t n) {
    const Context context = way_code(code.source.way).context;
    if (context == Context::trampoline) return of_trampoline(code, BPF_FUNC_get_func_arg, n);
    if (context == Context::words) return from_context(code, 8 * n, 8, false);
    const std::span<const arch::Register> registers = argument_registers(code.source.convention);
    if (n < registers.size()) return from_context(code, registers[n].offset, 8, false);
    llvm::Value* stack = from_context(code, arch::native.stack_pointer.offset, 8, false);
    code.b.CreateStore(word(code, 0), place_of(code));
    llvm::Value* from = code.b.CreateAdd(
        stack, word(code, arch::native.return_address + static_cast<int64_t>(8 * (n - registers.size()))));
    helper_call(code, code.source.user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel,
                {place_of(code), word(code, 8), from});
    return code.b.CreateLoad(code.b.getInt64Ty(), place_of(code));
}

// A trampoline's array of arguments has the same address at the entry and the return of a call. Otherwise this is the
// stack pointer, which points to the return address at the entry and at the return instruction; return hooks run after
// the return address has been popped. A session passes the entry's value to the return.
llvm::Value* frame_address(Code& code) {
    const Context context = way_code(code.source.way).context;
    if (context == Context::trampoline) return code.b.CreatePtrToInt(context_of(code), code.b.getInt64Ty());
    const bool system_call = context == Context::record || context == Context::words;
    if (system_call) return word(code, 1);  // a thread cannot be in two
    llvm::Value* stack = from_context(code, arch::native.stack_pointer.offset, 8, false);
    if (way_row(code.source.way).session) {
        llvm::Value* cookie = session_call(code, SessionCall::cookie, code.b.getPtrTy());
        if (code.source.at_return) return code.b.CreateLoad(code.b.getInt64Ty(), cookie);
        code.b.CreateStore(stack, cookie);
        return stack;
    }
    return code.source.at_return && !way_row(code.source.way).decoded
               ? code.b.CreateSub(stack, word(code, arch::native.return_address))
               : stack;
}

llvm::Value* result_value(Code& code) {
    if (way_code(code.source.way).context == Context::trampoline)
        return of_trampoline(code, BPF_FUNC_get_func_ret, code.source.words);
    return from_context(code, arch::native.result.offset, 8, false);
}

// A word that the trampoline provides: the arguments, then the result. A load would yield a value that the verifier
// treats as an address, and forbids arithmetic on it.
llvm::Value* of_trampoline(Code& code, int64_t number, uint64_t n) {
    if (!code.m.program.abilities.function_values)
        helper_call(code, BPF_FUNC_probe_read_kernel,
                    {place_of(code), word(code, 8), address_at(code, context_of(code), 8 * n)});
    else if (number == BPF_FUNC_get_func_arg)
        helper_call(code, number, {context_of(code), word(code, static_cast<int64_t>(n)), place_of(code)});
    else
        helper_call(code, number, {context_of(code), place_of(code)});
    return code.b.CreateLoad(code.b.getInt64Ty(), place_of(code));
}

}  // namespace

}  // namespace lt::emitter
