// Operations on long strings as functions that the verifier checks separately. Inline, each of them adds hundreds of
// branches that the verifier must follow later, and its limit is 8192; so programs with many string operations call
// them.
//
// The verifier knows nothing about such a function but the types of its arguments: an address points to a given number
// of bytes that can be read and written. Constants, above all texts, are therefore part of the function and not
// arguments.
#include "codegen/emit/outline.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/calls.h"
#include "codegen/emit/memory.h"
#include "codegen/ir/text_steps.h"

namespace lt::emitter {
namespace {

constexpr size_t most_apart = 200;  // the kernel's limit is 256 functions in one program, including loops

bool takes_text(ir::Library id) {
    return std::ranges::any_of(ir::text_rows, [&](const ir::TextRow& row) { return row.id == id; });
}

llvm::Function* function_apart(Code& code, ir::Library id, llvm::ArrayRef<llvm::Value*> arguments,
                               const std::vector<uint64_t>& sizes);

}  // namespace

// Null: the operation stays inline.
llvm::Value* called_apart(Code& code, ir::Library id, llvm::ArrayRef<llvm::Value*> arguments) {
    if (!code.calls_strings || !takes_text(id)) return nullptr;
    std::vector<llvm::Value*> given;
    std::vector<uint64_t> sizes;  // 0: a number
    std::string name(ir::library_row(id).name);
    for (unsigned i = 0; i < arguments.size(); i++) {
        if (llvm::isa<llvm::Constant>(arguments[i])) {
            name += fmt::format(" {}", static_cast<const void*>(arguments[i]));
            continue;
        }
        uint64_t size = 0;
        for (const ir::TextRow& row : ir::text_rows) {
            if (row.id != id || row.text != i) continue;
            size = llvm::cast<llvm::ConstantInt>(arguments[row.size])->getZExtValue();
            if (size == 0) return nullptr;  // an empty string literal: there is nothing to examine
        }
        name += fmt::format(" {}:{}", i, size);
        given.push_back(arguments[i]);
        sizes.push_back(size);
    }
    if (!code.m.apart.contains(name)) {
        if (code.m.apart.size() >= most_apart) return nullptr;
        code.m.apart[name] = function_apart(code, id, arguments, sizes);
    }
    return code.b.CreateCall(code.m.apart[name], given);
}

namespace {

llvm::Function* function_apart(Code& code, ir::Library id, llvm::ArrayRef<llvm::Value*> arguments,
                               const std::vector<uint64_t>& sizes) {
    std::vector<llvm::Type*> types;
    for (const uint64_t size : sizes)
        types.push_back(size == 0 ? code.b.getInt64Ty() : static_cast<llvm::Type*>(code.b.getPtrTy()));
    llvm::FunctionType* type = llvm::FunctionType::get(code.b.getInt64Ty(), types, false);
    const std::string name = fmt::format("{}_{}", std::string_view(ir::library_row(id).name), code.m.apart.size());
    llvm::Function* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, *code.m.module);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    f->addFnAttr(llvm::Attribute::NoInline);

    const llvm::IRBuilderBase::InsertPoint outside = code.b.saveIP();
    const llvm::DebugLoc place = code.b.getCurrentDebugLocation();
    llvm::DISubprogram* const outer = code.m.debug.apart(*f, sizes);
    auto* none = llvm::BasicBlock::Create(code.m.context, "", f);
    auto* there = llvm::BasicBlock::Create(code.m.context, "", f);
    code.b.SetInsertPoint(llvm::BasicBlock::Create(code.m.context, "", f, none));
    // The verifier's errors in the function are reported at its first call.
    code.b.SetCurrentDebugLocation(place ? llvm::DebugLoc(llvm::DILocation::get(code.m.context, place.getLine(),
                                                                                place.getCol(), f->getSubprogram()))
                                         : code.m.debug.line({}));
    llvm::Value* missing = code.b.getFalse();
    for (llvm::Argument& a : f->args()) {
        if (a.getType()->isPointerTy()) missing = code.b.CreateOr(missing, code.b.CreateIsNull(&a));
    }
    code.b.CreateCondBr(missing, none, there);
    code.b.SetInsertPoint(none);
    code.b.CreateRet(word(code, 0));
    code.b.SetInsertPoint(there);
    std::vector<llvm::Value*> inner;
    unsigned next = 0;
    for (llvm::Value* v : arguments) inner.push_back(llvm::isa<llvm::Constant>(v) ? v : f->getArg(next++));
    llvm::CallInst* call = library_call(code, id, inner);
    code.b.CreateRet(call->getType()->isIntegerTy() ? code.b.CreateIntCast(call, code.b.getInt64Ty(), false)
                                                    : word(code, 0));
    code.m.debug.back_to(outer);
    code.b.restoreIP(outside);
    code.b.SetCurrentDebugLocation(place);
    return f;
}

}  // namespace

}  // namespace lt::emitter
