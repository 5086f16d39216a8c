#include "module.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include <array>

#include "function.h"

namespace lt::emitter {

ModuleBuilder::ModuleBuilder(llvm::LLVMContext& context, const ir::Program& program, const Source& source)
    : context_(context),
      program_(program),
      source_(source),
      module_(std::make_unique<llvm::Module>("lt", context)),
      debug_(*module_, source) {}

Result<std::unique_ptr<llvm::Module>> ModuleBuilder::build(Diags& diags) {
    module_->setTargetTriple("bpf");
    module_->setDataLayout("e-m:e-p:64:64-i64:64-i128:128-n32:64-S128");
    globals();
    if (Status linked = link_library(); !linked) return linked.error();
    if (Status linked = link_c(diags); !linked) return linked.error();
    if (diags.has_errors()) return std::move(module_);
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
    relocations();
    llvm::Type* counters = llvm::ArrayType::get(word, std::max<size_t>(program_.plan.losses.size(), 1));
    lost_ = new llvm::GlobalVariable(*module_, counters, false, llvm::GlobalValue::ExternalLinkage,
                                     llvm::Constant::getNullValue(counters), "lt_lost");
    lost_->setSection(".bss.lost");
    lost_->setAlignment(llvm::Align(8));
    if (program_.plan.can_stop()) {
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

llvm::Function* ModuleBuilder::kernel_function(const char* name, llvm::Type* result, llvm::DIType* described) {
    if (llvm::Function* known = module_->getFunction(name)) return known;
    auto* type = llvm::FunctionType::get(result, false);
    auto* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, *module_);
    f->setSection(".ksyms");
    debug_.kernel_function(*f, described);
    return f;
}

// Of Linux 6.10 and later (kernel/trace/bpf_trace.c).
llvm::Function* ModuleBuilder::session_is_return() {
    return kernel_function("bpf_session_is_return", llvm::Type::getInt1Ty(context_), debug_.truth());
}

// Eight bytes that the entry and the return of one call have in common.
llvm::Function* ModuleBuilder::session_cookie() {
    return kernel_function("bpf_session_cookie", llvm::PointerType::get(context_, 0), debug_.pointer_to_word());
}

// As clang leaves an access to a structure marked preserve_access_index to the back end: a load from a variable that is
// nowhere, whose name says what is asked for (kind of relocation, value here, path by number) and whose metadata is the
// type. It becomes an instruction with the value and a record in .BTF.ext.
void ModuleBuilder::relocations() {
    constexpr std::array<int, 4> kinds{0, 1, 4, 5};  // BPF_CORE_FIELD_*, by ir::Ask
    llvm::Type* word = llvm::Type::getInt64Ty(context_);
    for (const ir::Relocation& r : program_.relocations) {
        std::string name = "llvm." + r.root + "_" + std::to_string(relocations_.size()) + ":" +
                           std::to_string(kinds[static_cast<size_t>(r.ask)]) + ":" + std::to_string(r.value) + "$0";
        for (size_t i = 0; i < r.path.size(); i++) name += ":0";
        auto* variable =
            new llvm::GlobalVariable(*module_, word, false, llvm::GlobalValue::ExternalLinkage, nullptr, name);
        variable->addAttribute("btf_ama");
        variable->setMetadata(llvm::LLVMContext::MD_preserve_access_index, debug_.root(r));
        relocations_.push_back(variable);
    }
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
    stop_ = module_->getGlobalVariable("lt_stop");
    set_license();
    return Done{};
}

// In the place of the library's.
void ModuleBuilder::set_license() {
    llvm::GlobalVariable* old = module_->getGlobalVariable("lt_license");
    llvm::Constant* text = llvm::ConstantDataArray::getString(context_, program_.license);
    auto* variable = new llvm::GlobalVariable(*module_, text->getType(), false, old->getLinkage(), text, "");
    variable->takeName(old);
    variable->copyAttributesFrom(old);
    old->replaceAllUsesWith(variable);
    old->eraseFromParent();
}

// The script's own functions in C.
Status ModuleBuilder::link_c(Diags& diags) {
    if (program_.c_code.empty()) return Done{};
    const llvm::StringRef bytes(reinterpret_cast<const char*>(program_.c_code.data()), program_.c_code.size());
    llvm::Expected<std::unique_ptr<llvm::Module>> code =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "script"), context_);
    if (!code)
        return Error{"what clang makes cannot be read: " + llvm::toString(code.takeError()),
                     "it may be newer than lt: install clang-19", 0};
    fit_c(**code, source_, diags);
    if (diags.has_errors()) return Done{};
    if (llvm::Linker::linkModules(*module_, std::move(*code)))
        return Error{"the program's C does not fit into the rest", "", 0};
    for (const std::string& name : program_.c_functions) {
        llvm::Function* f = module_->getFunction(name);
        if (!f) return Error{"what clang makes lacks " + name, "", 0};
        f->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    lost_ = module_->getGlobalVariable("lt_lost");
    return Done{};
}

}  // namespace lt::emitter
