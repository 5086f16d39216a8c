#include "module.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include "function.h"

namespace lt::emitter {

ModuleBuilder::ModuleBuilder(llvm::LLVMContext& context, const ir::Program& program, const Source& source)
    : context_(context),
      program_(program),
      module_(std::make_unique<llvm::Module>("lt", context)),
      debug_(*module_, source) {}

Result<std::unique_ptr<llvm::Module>> ModuleBuilder::build() {
    module_->setTargetTriple("bpf");
    module_->setDataLayout("e-m:e-p:64:64-i64:64-i128:128-n32:64-S128");
    globals();
    if (Status linked = link_library(); !linked) return linked.error();
    for (const ir::Function& f : program_.functions) FunctionBuilder(*this, f).build();
    debug_.finish();
    std::string wrong;
    llvm::raw_string_ostream out(wrong);
    if (llvm::verifyModule(*module_, &out))
        return Error{"the emitter made a wrong module: " + wrong, "this is a mistake in lt: please report it", 0};
    return std::move(module_);
}

void ModuleBuilder::globals() {
    llvm::Type* word = llvm::Type::getInt64Ty(context_);
    for (const ir::MapDefinition& m : program_.maps) {
        llvm::Type* type = llvm::ArrayType::get(word, 5);  // as many words as debug.cpp's definition may have members
        auto* variable = new llvm::GlobalVariable(*module_, type, false, llvm::GlobalValue::ExternalLinkage,
                                                  llvm::Constant::getNullValue(type), m.symbol);
        variable->setSection(".maps");
        variable->setAlignment(llvm::Align(8));
        debug_.map(*variable, m);
        maps_.push_back(variable);
    }
    for (const std::string& text : program_.texts) {
        llvm::Constant* bytes = llvm::ConstantDataArray::getString(context_, text, false);
        auto* variable = new llvm::GlobalVariable(*module_, bytes->getType(), true, llvm::GlobalValue::InternalLinkage,
                                                  bytes, "lt_text");
        variable->setSection(".rodata");
        variable->setAlignment(llvm::Align(8));
        texts_.push_back(variable);
    }
    llvm::Type* counters = llvm::ArrayType::get(word, std::max<size_t>(program_.plan.losses.size(), 1));
    lost_ = new llvm::GlobalVariable(*module_, counters, false, llvm::GlobalValue::ExternalLinkage,
                                     llvm::Constant::getNullValue(counters), "lt_lost");
    lost_->setSection(".bss.lost");
    lost_->setAlignment(llvm::Align(8));
    if (!program_.plan.spans.empty()) {
        stop_ = new llvm::GlobalVariable(*module_, word, false, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantInt::get(word, 0), "lt_stop");
        stop_->setSection(".data.stop");
        stop_->setAlignment(llvm::Align(8));
    }
    const auto has_loops = [](const ir::Function& f) { return ir::shared(f).loops; };
    if (std::any_of(program_.functions.begin(), program_.functions.end(), has_loops)) {
        zero_ = new llvm::GlobalVariable(*module_, word, false, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantInt::get(word, 0), "lt_zero");
        zero_->setSection(".data.zero");
        zero_->setAlignment(llvm::Align(8));
    }
    const std::vector<uint8_t>& params = program_.plan.param_bytes;
    if (params.empty()) return;
    llvm::Constant* initial = llvm::ConstantDataArray::get(context_, llvm::ArrayRef<uint8_t>(params));
    params_ = new llvm::GlobalVariable(*module_, initial->getType(), false, llvm::GlobalValue::ExternalLinkage, initial,
                                       "lt_params");
    params_->setSection(".data.params");
    params_->setAlignment(llvm::Align(8));
}

// Linked before the functions are made, so that calls can name them; then only ours, so that what is not used goes
// away.
Status ModuleBuilder::link_library() {
    llvm::Expected<std::unique_ptr<llvm::Module>> library =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(library_bitcode(), "library"), context_);
    if (!library)
        return Error{"the library in this program cannot be read: " + llvm::toString(library.takeError()), "", 0};
    if (llvm::Linker::linkModules(*module_, std::move(*library)))
        return Error{"the library in this program does not fit", "", 0};
    for (const ir::LibraryRow& row : ir::library_rows()) {
        llvm::Function* f = module_->getFunction(row.name);
        if (!f) return Error{"the library in this program lacks " + std::string(row.name), "", 0};
        f->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    lost_ = module_->getGlobalVariable("lt_lost");
    return Done{};
}

}  // namespace lt::emitter
