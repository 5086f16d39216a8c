// Operations on long strings as functions that the verifier looks at once, by themselves. In line each of them leaves
// hundreds of branches to be followed later, and a program may leave 8192; so programs with many have them called.
//
// What the verifier checks alone it knows nothing about but the types of the arguments: an address is of so many bytes
// that can be read and written. What is constant, texts above all, is therefore no argument but part of the function.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "function.h"

namespace lt::emitter {
namespace {

constexpr uint64_t most_steps = 1024;  // of strings, in line, in one program
constexpr size_t most_apart = 200;     // the kernel takes 256 functions in one program, loops among them

// Where an argument of a library function lies in memory, which other one says how many bytes it has.
struct TextRow {
    ir::Library id;
    unsigned text;
    unsigned size;
};
constexpr std::array texts{
    TextRow{ir::Library::contains, 0, 1},      TextRow{ir::Library::contains, 2, 3},
    TextRow{ir::Library::find, 0, 1},          TextRow{ir::Library::find, 2, 3},
    TextRow{ir::Library::compare, 0, 2},       TextRow{ir::Library::compare, 1, 2},
    TextRow{ir::Library::bytes_compare, 0, 2}, TextRow{ir::Library::bytes_compare, 1, 2},
    TextRow{ir::Library::length, 0, 1},        TextRow{ir::Library::matches, 0, 1},
    TextRow{ir::Library::change_case, 0, 1},   TextRow{ir::Library::number, 0, 1},
    TextRow{ir::Library::quote, 0, 1},         TextRow{ir::Library::quote, 2, 3},
};

bool takes_text(ir::Library id) {
    return std::ranges::any_of(texts, [&](const TextRow& row) { return row.id == id; });
}

// How many bytes the calls of a function look at, one after the other.
class Steps {
  public:
    explicit Steps(const ir::Function& f) { block(f.body); }
    uint64_t count() const { return count_; }

  private:
    void block(const ir::Block& all) {
        for (const ir::Op& op : all) {
            if (op.code == ir::Code::constant) constants_[op.id] = static_cast<uint64_t>(op.number);
            if (op.code == ir::Code::call) call(op);
            for (const ir::Block& inner : op.blocks) block(inner);
        }
    }
    void call(const ir::Op& op) {
        for (const TextRow& row : texts) {
            if (row.id == static_cast<ir::Library>(op.symbol)) count_ += constants_[op.in[row.size]];
        }
    }
    std::map<ir::Value, uint64_t> constants_;
    uint64_t count_ = 0;
};

}  // namespace

bool FunctionBuilder::is_long(const ir::Function& source) { return Steps(source).count() > most_steps; }

// Null: it stays in line.
llvm::Value* FunctionBuilder::called_apart(ir::Library id, llvm::ArrayRef<llvm::Value*> arguments) {
    if (!calls_strings_ || !takes_text(id)) return nullptr;
    std::vector<llvm::Value*> given;
    std::vector<uint64_t> sizes;  // 0: a number
    std::string name(ir::library_row(id).name);
    for (unsigned i = 0; i < arguments.size(); i++) {
        if (llvm::isa<llvm::Constant>(arguments[i])) {
            name += fmt::format(" {}", static_cast<const void*>(arguments[i]));
            continue;
        }
        uint64_t size = 0;
        for (const TextRow& row : texts) {
            if (row.id == id && row.text == i)
                size = llvm::cast<llvm::ConstantInt>(arguments[row.size])->getZExtValue();
        }
        name += fmt::format(" {}:{}", i, size);
        given.push_back(arguments[i]);
        sizes.push_back(size);
    }
    if (!m_.apart_.contains(name)) {
        if (m_.apart_.size() >= most_apart) return nullptr;
        m_.apart_[name] = function_apart(id, arguments, sizes);
    }
    return b_.CreateCall(m_.apart_[name], given);
}

llvm::Function* FunctionBuilder::function_apart(ir::Library id, llvm::ArrayRef<llvm::Value*> arguments,
                                                const std::vector<uint64_t>& sizes) {
    std::vector<llvm::Type*> types;
    for (const uint64_t size : sizes)
        types.push_back(size == 0 ? b_.getInt64Ty() : static_cast<llvm::Type*>(b_.getPtrTy()));
    llvm::FunctionType* type = llvm::FunctionType::get(b_.getInt64Ty(), types, false);
    const std::string name = fmt::format("{}_{}", std::string_view(ir::library_row(id).name), m_.apart_.size());
    llvm::Function* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, *m_.module_);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    f->addFnAttr(llvm::Attribute::NoInline);

    const llvm::IRBuilderBase::InsertPoint outside = b_.saveIP();
    const llvm::DebugLoc place = b_.getCurrentDebugLocation();
    llvm::DISubprogram* const outer = m_.debug_.apart(*f, sizes);
    auto* none = llvm::BasicBlock::Create(m_.context_, "", f);
    auto* there = llvm::BasicBlock::Create(m_.context_, "", f);
    b_.SetInsertPoint(llvm::BasicBlock::Create(m_.context_, "", f, none));
    // What the verifier refuses in it is told at the first call.
    b_.SetCurrentDebugLocation(
        place ? llvm::DebugLoc(llvm::DILocation::get(m_.context_, place.getLine(), place.getCol(), f->getSubprogram()))
              : m_.debug_.line({}));
    llvm::Value* missing = b_.getFalse();
    for (llvm::Argument& a : f->args()) {
        if (a.getType()->isPointerTy()) missing = b_.CreateOr(missing, b_.CreateIsNull(&a));
    }
    b_.CreateCondBr(missing, none, there);
    b_.SetInsertPoint(none);
    b_.CreateRet(word(0));
    b_.SetInsertPoint(there);
    std::vector<llvm::Value*> inner;
    unsigned next = 0;
    for (llvm::Value* v : arguments) inner.push_back(llvm::isa<llvm::Constant>(v) ? v : f->getArg(next++));
    llvm::CallInst* call = library(id, inner);
    b_.CreateRet(call->getType()->isIntegerTy() ? b_.CreateIntCast(call, b_.getInt64Ty(), false) : word(0));
    m_.debug_.back_to(outer);
    b_.restoreIP(outside);
    b_.SetCurrentDebugLocation(place);
    return f;
}

}  // namespace lt::emitter
