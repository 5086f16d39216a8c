// Calls of the kernel's helpers, of lt's own library in BPF C, and of a script's C functions.
#include "codegen/emit/calls.h"

#include <linux/bpf.h>

#include "codegen/emit/memory.h"
#include "codegen/emit/outline.h"
#include "runtime/border/host_calls.h"

namespace lt::emitter {
namespace {

llvm::SmallVector<llvm::Value*, 8> inputs(Code& code, const ir::Op& op) {
    llvm::SmallVector<llvm::Value*, 8> all;
    for (size_t i = 0; i < op.in.size(); i++) all.push_back(input(code, op, i));
    return all;
}

llvm::Value* host_call(Code& code, const ir::Op& op) {
    const HostCallRow& row = host_call_row(static_cast<HostCall>(op.symbol));
    return helper_call(code, host_helper(row.call), inputs(code, op), row.address);
}

llvm::Value* found(Code& code, const ir::Op& op) {
    llvm::Value* map = code.m.maps[op.symbol];
    return op.in.size() > 1
               ? helper_call(code, BPF_FUNC_map_lookup_percpu_elem, {map, input(code, op, 0), input(code, op, 1)}, true)
               : helper_call(code, BPF_FUNC_map_lookup_elem, {map, input(code, op, 0)}, true);
}

llvm::Value* reserved(Code& code, const ir::Op& op) {
    const uint32_t size = code.m.plan.events[op.symbol].size;
    return helper_call(code, BPF_FUNC_ringbuf_reserve,
                       {code.m.maps[static_cast<size_t>(op.number)], word(code, size), word(code, 0)}, true);
}

llvm::CallInst* call_of(Code& code, llvm::Function* f, llvm::ArrayRef<llvm::Value*> given) {
    std::vector<llvm::Value*> arguments;
    for (unsigned i = 0; i < given.size(); i++) {
        llvm::Value* v = given[i];
        llvm::Type* wanted = f->getFunctionType()->getParamType(i);
        if (wanted->isPointerTy() && v->getType()->isIntegerTy()) v = code.b.CreateIntToPtr(v, wanted);
        arguments.push_back(wanted->isIntegerTy() ? code.b.CreateIntCast(v, wanted, false) : v);
    }
    return code.b.CreateCall(f, arguments);
}

llvm::Value* c_call(Code& code, const ir::Op& op) {
    llvm::SmallVector<llvm::Value*, 8> arguments = inputs(code, op);
    arguments.push_back(word(code, op.number));
    return call_of(code, code.m.module->getFunction(code.m.program.c_functions[op.symbol]), arguments);
}

llvm::Value* library_call(Code& code, const ir::Op& op) {
    const ir::LibraryRow& row = ir::library_row(static_cast<ir::Library>(op.symbol));
    std::vector<llvm::Value*> arguments;
    for (unsigned i = 0; i < op.in.size(); i++) arguments.push_back(input(code, op, i));
    if (llvm::Value* apart = called_apart(code, row.id, arguments)) return apart;
    llvm::CallInst* call = library_call(code, row.id, arguments);
    return row.result && !row.address ? code.b.CreateIntCast(call, code.b.getInt64Ty(), false) : call;
}

}  // namespace

void count_loss(Code& code, uint32_t index) {
    llvm::Value* counter = address_at(code, code.m.lost, uint64_t{index} * 8);
    code.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, word(code, 1), llvm::MaybeAlign(8),
                           llvm::AtomicOrdering::Monotonic);
}

// A BPF helper's number is the address to call.
llvm::Value* helper_call(Code& code, int64_t number, llvm::ArrayRef<llvm::Value*> arguments, bool address) {
    std::vector<llvm::Type*> types;
    for (llvm::Value* v : arguments) types.push_back(v->getType());
    llvm::Type* result = address ? static_cast<llvm::Type*>(code.b.getPtrTy()) : code.b.getInt64Ty();
    llvm::FunctionType* type = llvm::FunctionType::get(result, types, false);
    return code.b.CreateCall(type, code.b.CreateIntToPtr(word(code, number), code.b.getPtrTy()), arguments);
}

llvm::CallInst* library_call(Code& code, ir::Library id, llvm::ArrayRef<llvm::Value*> given) {
    return call_of(code, code.m.library_function(ir::library_row(id)), given);
}

llvm::Value* emit_call(Code& code, const ir::Op& op) {
    switch (op.code) {
        case ir::Code::helper:
            return helper_call(code, op.number, inputs(code, op));
        case ir::Code::host:
            return host_call(code, op);
        case ir::Code::find:
            return found(code, op);
        case ir::Code::call:
            return library_call(code, op);
        case ir::Code::c_call:
            return c_call(code, op);
        case ir::Code::reserve:
            return reserved(code, op);
        case ir::Code::submit:
            return helper_call(code, BPF_FUNC_ringbuf_submit, {input(code, op, 0), input(code, op, 1)});
        case ir::Code::loss:
            return count_loss(code, op.symbol), nullptr;
        default:
            return nullptr;
    }
}

}  // namespace lt::emitter
