#include "function.h"

#include <llvm/IR/IntrinsicsBPF.h>

#include <array>

#include "helpers.h"
#include "runtime/host_calls.h"

namespace lt::emitter {
namespace {

// Offsets in struct pt_regs of x86-64 (arch/x86/include/asm/ptrace.h); the registers of arguments by the System V ABI.
constexpr std::array<uint64_t, 6> argument_registers{112, 104, 96, 88, 72, 64};  // di si dx cx r8 r9
constexpr uint64_t return_register = 80;                                         // ax
constexpr uint64_t stack_register = 152;                                         // sp

// Section names by which libbpf knows the kind of a program, for entries and for returns.
struct SectionRow {
    Way way;
    const char* entry;
    const char* at_return;
};
constexpr SectionRow sections[] = {
    {Way::run, "raw_tp", "raw_tp"},
    {Way::raw_tracepoint, "raw_tp", "raw_tp"},
    {Way::tracepoint, "tracepoint", "tracepoint"},
    {Way::fentry, "fentry", "fexit"},
    {Way::kprobe, "kprobe", "kretprobe"},
    {Way::kprobe_multi, "kprobe.multi", "kretprobe.multi"},
    {Way::kprobe_session, "kprobe", "kprobe"},
    {Way::uprobe_multi, "uprobe", "uretprobe"},
    {Way::uprobe_session, "uprobe", "uprobe"},
    {Way::uprobe, "uprobe", "uretprobe"},
    {Way::breakpoint, "perf_event", "perf_event"},
    {Way::walk, "iter/task", "iter/task"},
    {Way::iterator, "iter", "iter"},
    {Way::perf_event, "perf_event", "perf_event"},
    {Way::host, "lt_host", "lt_host"},  // none that libbpf knows
    {Way::sockets, "sockops", "sockops"},
    {Way::system_call, "tracepoint", "tracepoint"},
};

const char* section(Way way, bool at_return) {
    for (const SectionRow& row : sections) {
        if (row.way == way) return at_return ? row.at_return : row.entry;
    }
    return "";
}

}  // namespace

FunctionBuilder::FunctionBuilder(ModuleBuilder& module, const ir::Function& source)
    : m_(module),
      source_(source),
      b_(module.context_),
      values_(source.values, nullptr),
      makers_(source.values, nullptr),
      shared_(ir::shared(source)),
      calls_strings_(is_long(source)) {}

void FunctionBuilder::build() {
    llvm::FunctionType* type = llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy()}, false);
    function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, source_.name, *m_.module_);
    const bool both = !source_.on_entry.empty();
    if (way_row(source_.way).session && !both) {
        function_->setLinkage(llvm::GlobalValue::InternalLinkage);
        function_->addFnAttr(llvm::Attribute::AlwaysInline);
    } else {
        function_->setSection(section(source_.way, source_.at_return));
    }
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    m_.debug_.function(*function_);
    b_.SetInsertPoint(llvm::BasicBlock::Create(m_.context_, "", function_));
    b_.SetCurrentDebugLocation(m_.debug_.line({}));
    alloca_slots();
    if (both) either_end();
    if (source_.scratch) claim_scratch();
    if (source_.way == Way::host) take_room();
    share_memory();
    block(source_.body);
    leave();
}

void FunctionBuilder::either_end() {
    auto* entry = llvm::BasicBlock::Create(m_.context_, "", function_);
    auto* at_return = llvm::BasicBlock::Create(m_.context_, "", function_);
    auto* after = llvm::BasicBlock::Create(m_.context_, "", function_);
    b_.CreateCondBr(b_.CreateCall(m_.session_is_return()), at_return, entry);
    for (const auto& [place, name] : {std::pair(entry, &source_.on_entry), std::pair(at_return, &source_.on_return)}) {
        b_.SetInsertPoint(place);
        b_.CreateCall(m_.module_->getFunction(*name), {function_->getArg(0)});
        b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
}

// Those of a loop's body are made where they are used.
void FunctionBuilder::alloca_slots() {
    slots_.assign(source_.slots, nullptr);
    if (shared_.loops) return;
    for (llvm::AllocaInst*& slot : slots_) {
        slot = b_.CreateAlloca(b_.getInt64Ty());
        b_.CreateStore(word(0), slot);
    }
}

void FunctionBuilder::block(const ir::Block& block) {
    for (const ir::Op& op : block) {
        b_.SetCurrentDebugLocation(m_.debug_.line(op.span));
        operation(op);
    }
}

void FunctionBuilder::operation(const ir::Op& op) {
    llvm::Value* v = value_of(op);
    if (op.id == ir::no_value) return;
    values_[op.id] = v;
    makers_[op.id] = &op;
    if (const uint32_t home = shared_.values[op.id]; home != ir::Shared::none) b_.CreateStore(v, word_at(home));
}

llvm::Value* FunctionBuilder::value_of(const ir::Op& op) {
    switch (op.code) {
        case ir::Code::constant:
            return word(op.number);
        case ir::Code::text:
            return m_.texts_[op.symbol];
        case ir::Code::map:
            return m_.maps_[op.symbol];
        case ir::Code::context:
            return context();
        case ir::Code::param:
            return at(m_.params_, op.offset);
        case ir::Code::buffer:
            return buffer(op.offset, static_cast<uint64_t>(op.number));
        case ir::Code::at:
            return place(op);
        case ir::Code::alu:
            return alu(op);
        case ir::Code::extend:
            return extended(in(op, 0), op.width, op.is_signed);
        case ir::Code::slot_read:
            return b_.CreateLoad(b_.getInt64Ty(), slot(op.symbol));
        case ir::Code::slot_write:
            return written(op);
        case ir::Code::relocation:
            return b_.CreateLoad(b_.getInt64Ty(), m_.relocations_[op.symbol]);
        case ir::Code::fetch:
            return fetch(op);
        case ir::Code::load:
            return loaded(as_address(in(op, 0)), op.offset, op.width, op.is_signed);
        case ir::Code::store:
            return b_.CreateStore(stored(in(op, 1), op.width), at(in(op, 0), op.offset));
        case ir::Code::copy:
            return copy(at(in(op, 0), op.offset), in(op, 1), static_cast<uint64_t>(op.number)), nullptr;
        case ir::Code::argument:
            return argument(static_cast<uint64_t>(op.number));
        case ir::Code::stopping:
            return b_.CreateLoad(b_.getInt64Ty(), m_.stop_);
        case ir::Code::halt:
            return b_.CreateStore(b_.getInt64(1), m_.stop_);
        case ir::Code::frame:
            return frame();
        case ir::Code::result:
            return result();
        case ir::Code::field:
            return from_context(op.offset, op.width, op.is_signed);
        case ir::Code::helper:
            return helper(op.number, inputs(op));
        case ir::Code::host:
            return host_call(op);
        case ir::Code::find:
            return found(op);
        case ir::Code::call:
            return library(op);
        case ir::Code::c_call:
            return c_call(op);
        case ir::Code::reserve:
            return reserved(op);
        case ir::Code::submit:
            return helper(helper_ringbuf_submit, {in(op, 0), in(op, 1)});
        case ir::Code::loss:
            return count_loss(op.symbol), nullptr;
        case ir::Code::branch:
            return branch(op), nullptr;
        case ir::Code::loop:
        case ir::Code::each:
            return loop(op), nullptr;
        case ir::Code::turn:
            return turn(op);
        case ir::Code::stop:
            return end_turn(true), dead_end(), nullptr;
        case ir::Code::scope:
            return scope(op), nullptr;
        case ir::Code::quit:
            return go_to(op.symbol), dead_end(), nullptr;
        case ir::Code::leave:
            return go_to(0), dead_end(), nullptr;
    }
    return nullptr;
}

llvm::Value* FunctionBuilder::place(const ir::Op& op) {
    llvm::Value* base = at(in(op, 0), op.offset);
    return op.in.size() > 1 ? b_.CreateGEP(b_.getInt8Ty(), base, hidden(in(op, 1))) : base;
}

llvm::Value* FunctionBuilder::written(const ir::Op& op) {
    const bool alone = shared_.slots[op.symbol] == ir::Shared::none;
    return b_.CreateStore(alone ? in(op, 0) : opaque(in(op, 0)), slot(op.symbol));
}

llvm::SmallVector<llvm::Value*, 8> FunctionBuilder::inputs(const ir::Op& op) {
    llvm::SmallVector<llvm::Value*, 8> all;
    for (size_t i = 0; i < op.in.size(); i++) all.push_back(in(op, i));
    return all;
}

llvm::Value* FunctionBuilder::host_call(const ir::Op& op) {
    const HostCallRow& row = host_call_row(static_cast<HostCall>(op.symbol));
    return helper(host_helper(row.call), inputs(op), row.address);
}

llvm::Value* FunctionBuilder::found(const ir::Op& op) {
    llvm::Value* map = m_.maps_[op.symbol];
    return op.in.size() > 1 ? helper(helper_map_lookup_percpu_elem, {map, in(op, 0), in(op, 1)}, true)
                            : helper(helper_map_lookup_elem, {map, in(op, 0)}, true);
}

llvm::Value* FunctionBuilder::reserved(const ir::Op& op) {
    const uint32_t size = m_.program_.plan.events[op.symbol].size;
    return helper(helper_ringbuf_reserve, {m_.maps_[static_cast<size_t>(op.number)], word(size), word(0)}, true);
}

// What follows in this block can never run, but needs a place.
void FunctionBuilder::dead_end() { b_.SetInsertPoint(llvm::BasicBlock::Create(m_.context_, "", function_)); }

void FunctionBuilder::leave() {
    if (source_.scratch) library(ir::Library::release, {frame_});
    end();
}

// What a program of sockets gives is for the kernel: 1 leaves to other programs what they decide.
void FunctionBuilder::end() { b_.CreateRet(b_.getInt32(source_.way == Way::sockets ? 1 : 0)); }

// Beside the stack, which has 512 bytes wherever BPF runs.
void FunctionBuilder::take_room() {
    const uint64_t bytes = source_.frame + uint64_t{8} * shared_.words;
    if (bytes > 0) frame_ = helper(host_helper(HostCall::room), {word(static_cast<int64_t>(bytes))}, true);
}

// Without it nothing of the block can run.
void FunctionBuilder::claim_scratch() {
    constexpr uint64_t header = 8;
    const bool shared = m_.program_.maps[*source_.scratch].storage == ir::Storage::array;
    llvm::Value* room = library(ir::Library::claim, {m_.maps_[*source_.scratch], word(shared)});
    auto* busy = llvm::BasicBlock::Create(m_.context_, "", function_);
    auto* after = llvm::BasicBlock::Create(m_.context_, "", function_);
    b_.CreateCondBr(b_.CreateIsNull(room), busy, after);
    b_.SetInsertPoint(busy);
    count_loss(source_.scratch_loss);
    end();
    b_.SetInsertPoint(after);
    frame_ = at(room, header);
}

void FunctionBuilder::branch(const ir::Op& op) {
    llvm::Value* condition = b_.CreateIsNotNull(in(op, 0));
    auto* yes = llvm::BasicBlock::Create(m_.context_, "", function_);
    auto* no = llvm::BasicBlock::Create(m_.context_, "", function_);
    auto* after = llvm::BasicBlock::Create(m_.context_, "", function_);
    b_.CreateCondBr(condition, yes, no);
    b_.SetInsertPoint(yes);
    block(op.blocks[0]);
    b_.CreateBr(after);
    b_.SetInsertPoint(no);
    block(op.blocks[1]);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
}

llvm::Value* FunctionBuilder::alu(const ir::Op& op) {
    const auto number = [&](llvm::Value* v) {
        return v->getType()->isPointerTy() ? b_.CreatePtrToInt(v, b_.getInt64Ty()) : v;
    };
    llvm::Value *a = number(in(op, 0)), *c = number(in(op, 1));
    const auto truth = [&](llvm::CmpInst::Predicate p) {
        return b_.CreateZExt(b_.CreateICmp(p, a, c), b_.getInt64Ty());
    };
    // by zero gives zero, and LLVM must not learn that it cannot happen
    const auto divided = [&](bool remainder) {
        llvm::Value* zero = b_.CreateIsNull(c);
        llvm::Value* divisor = b_.CreateSelect(zero, word(1), c);
        return b_.CreateSelect(zero, word(0), remainder ? b_.CreateURem(a, divisor) : b_.CreateUDiv(a, divisor));
    };
    const auto distance = [&] { return b_.CreateAnd(c, word(63)); };  // as BPF does
    switch (op.alu) {
        case ir::Alu::add:
            return b_.CreateAdd(a, c);
        case ir::Alu::sub:
            return b_.CreateSub(a, c);
        case ir::Alu::mul:
            return b_.CreateMul(a, c);
        case ir::Alu::udiv:
            return divided(false);
        case ir::Alu::umod:
            return divided(true);
        case ir::Alu::sdiv:
        case ir::Alu::smod:
            llvm_unreachable("signed division is a library function");
        case ir::Alu::bit_and:
            return b_.CreateAnd(a, c);
        case ir::Alu::bit_or:
            return b_.CreateOr(a, c);
        case ir::Alu::bit_xor:
            return b_.CreateXor(a, c);
        case ir::Alu::shl:
            return b_.CreateShl(a, distance());
        case ir::Alu::lshr:
            return b_.CreateLShr(a, distance());
        case ir::Alu::ashr:
            return b_.CreateAShr(a, distance());
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

// A BPF helper is called by its number as if that were its address.
llvm::Value* FunctionBuilder::helper(int64_t number, llvm::ArrayRef<llvm::Value*> arguments, bool address) {
    std::vector<llvm::Type*> types;
    for (llvm::Value* v : arguments) types.push_back(v->getType());
    llvm::Type* result = address ? static_cast<llvm::Type*>(b_.getPtrTy()) : b_.getInt64Ty();
    llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
    return b_.CreateCall(type, b_.CreateIntToPtr(word(number), b_.getPtrTy()), arguments);
}

llvm::CallInst* FunctionBuilder::library(ir::Library id, llvm::ArrayRef<llvm::Value*> given) {
    return call(m_.module_->getFunction(ir::library_row(id).name), given);
}

llvm::Value* FunctionBuilder::c_call(const ir::Op& op) {
    llvm::SmallVector<llvm::Value*, 8> arguments = inputs(op);
    arguments.push_back(word(op.number));
    return call(m_.module_->getFunction(m_.program_.c_functions[op.symbol]), arguments);
}

llvm::CallInst* FunctionBuilder::call(llvm::Function* f, llvm::ArrayRef<llvm::Value*> given) {
    std::vector<llvm::Value*> arguments;
    for (unsigned i = 0; i < given.size(); i++) {
        llvm::Value* v = given[i];
        llvm::Type* wanted = f->getFunctionType()->getParamType(i);
        if (wanted->isPointerTy() && v->getType()->isIntegerTy()) v = b_.CreateIntToPtr(v, wanted);
        arguments.push_back(wanted->isIntegerTy() ? b_.CreateIntCast(v, wanted, false) : v);
    }
    return b_.CreateCall(f, arguments);
}

llvm::Value* FunctionBuilder::library(const ir::Op& op) {
    const ir::LibraryRow& row = ir::library_row(static_cast<ir::Library>(op.symbol));
    std::vector<llvm::Value*> arguments;
    for (unsigned i = 0; i < op.in.size(); i++) arguments.push_back(in(op, i));
    if (llvm::Value* apart = called_apart(row.id, arguments)) return apart;
    llvm::CallInst* call = library(row.id, arguments);
    return row.result && !row.address ? b_.CreateIntCast(call, b_.getInt64Ty(), false) : call;
}

// The helper leaves zeros where it fails.
llvm::Value* FunctionBuilder::fetch(const ir::Op& op) {
    llvm::Value* failed = helper(op.number != 0 ? helper_probe_read_user : helper_probe_read_kernel,
                                 {place(), word(op.width), in(op, 0)});
    auto* lost = llvm::BasicBlock::Create(m_.context_, "", function_);
    auto* after = llvm::BasicBlock::Create(m_.context_, "", function_);
    b_.CreateCondBr(b_.CreateIsNull(failed), after, lost);
    b_.SetInsertPoint(lost);
    count_loss(op.symbol);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    return loaded(place(), 0, op.width, op.is_signed);
}

// Eight bytes for a helper's result, which is read at once.
llvm::Value* FunctionBuilder::place() {
    if (!place_) place_ = memory(8);
    return place_;
}

llvm::Value* FunctionBuilder::argument(uint64_t n) {
    if (source_.way == Way::fentry) {
        helper(helper_get_func_arg, {context(), word(static_cast<int64_t>(n)), place()});
        return b_.CreateLoad(b_.getInt64Ty(), place());
    }
    if (source_.way == Way::raw_tracepoint) return from_context(8 * n, 8, false);
    if (n < argument_registers.size()) return from_context(argument_registers[n], 8, false);
    // the return address lies at the stack pointer, the seventh argument above it
    llvm::Value* stack = from_context(stack_register, 8, false);
    b_.CreateStore(word(0), place());
    llvm::Value* from = b_.CreateAdd(stack, word(static_cast<int64_t>(8 * (n - argument_registers.size() + 1))));
    helper(source_.user ? helper_probe_read_user : helper_probe_read_kernel, {place(), word(8), from});
    return b_.CreateLoad(b_.getInt64Ty(), place());
}

// A trampoline's array of arguments lies at one place for the entry and the return of a call. Elsewhere it is the stack
// pointer, which at the entry, and at the instruction that returns, points to the return address; the hooks on returns
// run when that has been taken off. A session hands the entry's over to the return.
llvm::Value* FunctionBuilder::frame() {
    if (source_.way == Way::fentry) return b_.CreatePtrToInt(context(), b_.getInt64Ty());
    if (source_.way == Way::tracepoint || source_.way == Way::system_call)
        return word(1);  // a system call: no other one of the thread is inside
    llvm::Value* stack = from_context(stack_register, 8, false);
    if (way_row(source_.way).session) {
        llvm::Value* cookie = b_.CreateCall(m_.session_cookie());
        if (source_.at_return) return b_.CreateLoad(b_.getInt64Ty(), cookie);
        b_.CreateStore(stack, cookie);
        return stack;
    }
    return source_.at_return && source_.way != Way::breakpoint ? b_.CreateSub(stack, word(8)) : stack;
}

llvm::Value* FunctionBuilder::result() {
    if (source_.way != Way::fentry) return from_context(return_register, 8, false);
    helper(helper_get_func_ret, {context(), place()});
    return b_.CreateLoad(b_.getInt64Ty(), place());
}

void FunctionBuilder::count_loss(uint32_t index) {
    llvm::Value* counter = at(m_.lost_, uint64_t{index} * 8);
    b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, word(1), llvm::MaybeAlign(8),
                       llvm::AtomicOrdering::Monotonic);
}

}  // namespace lt::emitter
