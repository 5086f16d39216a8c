#include "codegen/emit/module.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include <array>

#include "codegen/emit/function.h"
#include "runtime/border/run_words.h"

namespace lt::emitter {

ModuleBuilder::ModuleBuilder(llvm::LLVMContext& context_in, const ir::Program& program_in, const Plan& plan_in,
                             const Source& source_in)
    : context(context_in),
      program(program_in),
      plan(plan_in),
      source(source_in),
      module(std::make_unique<llvm::Module>("lt", context)),
      debug(*module, source) {}

Result<std::unique_ptr<llvm::Module>> ModuleBuilder::build(Diags& diags) {
    module->setTargetTriple("bpf");
    module->setDataLayout("e-m:e-p:64:64-i64:64-i128:128-n32:64-S128");
    add_globals();
    set_license();
    if (Status linked = link_c(diags); !linked) return linked.error();
    if (diags.has_errors()) return std::move(module);
    for (const ir::Function& f : program.functions) {
        Code code(*this, f);
        build_function(code);
    }
    if (Status linked = link_library(); !linked) return linked.error();
    debug.finish();
    std::string wrong;
    llvm::raw_string_ostream out(wrong);
    if (llvm::verifyModule(*module, &out))
        return Error{"the emitter made an invalid module: " + wrong, "this is a bug in lt: please report it", 0};
    return std::move(module);
}

void ModuleBuilder::add_globals() {
    llvm::Type* word = llvm::Type::getInt64Ty(context);
    for (const ir::MapDefinition& m : program.maps) {
        llvm::Type* type =
            llvm::ArrayType::get(word, 5);  // as many words as debug.cpp's map definition may have members
        auto* variable = new llvm::GlobalVariable(*module, type, false, llvm::GlobalValue::ExternalLinkage,
                                                  llvm::Constant::getNullValue(type), m.symbol);
        variable->setSection(".maps");
        variable->setAlignment(llvm::Align(8));
        debug.map(*variable, m);
        maps.push_back(variable);
    }
    for (const std::string& text : program.texts) {
        llvm::Constant* bytes = llvm::ConstantDataArray::getString(context, text, false);
        auto* variable = new llvm::GlobalVariable(*module, bytes->getType(), true, llvm::GlobalValue::InternalLinkage,
                                                  bytes, "lt_text");
        variable->setSection(".rodata");
        variable->setAlignment(llvm::Align(8));
        texts.push_back(variable);
    }
    add_relocations();
    llvm::Type* counters = llvm::ArrayType::get(word, std::max<size_t>(plan.losses.size(), 1));
    lost = new llvm::GlobalVariable(*module, counters, false, llvm::GlobalValue::ExternalLinkage,
                                    llvm::Constant::getNullValue(counters), "lt_lost");
    lost->setSection(".bss.lost");
    lost->setAlignment(llvm::Align(8));
    if (plan.has_run_words()) {
        llvm::Type* words = llvm::ArrayType::get(word, run_words);
        stop = new llvm::GlobalVariable(*module, words, false, llvm::GlobalValue::ExternalLinkage,
                                        llvm::Constant::getNullValue(words), "lt_run");
        stop->setSection(run_words_section);
        stop->setAlignment(llvm::Align(8));
    }
    const auto has_loops = [](const ir::Function& f) { return ir::shared(f).loops; };
    if (std::any_of(program.functions.begin(), program.functions.end(), has_loops)) {
        zero = new llvm::GlobalVariable(*module, word, false, llvm::GlobalValue::ExternalLinkage,
                                        llvm::ConstantInt::get(word, 0), "lt_zero");
        zero->setSection(".data.zero");
        zero->setAlignment(llvm::Align(8));
    }
    const std::vector<uint8_t>& bytes = plan.param_bytes;
    if (bytes.empty()) return;
    llvm::Constant* initial = llvm::ConstantDataArray::get(context, llvm::ArrayRef<uint8_t>(bytes));
    params = new llvm::GlobalVariable(*module, initial->getType(), false, llvm::GlobalValue::ExternalLinkage, initial,
                                      "lt_params");
    params->setSection(".data.params");
    params->setAlignment(llvm::Align(8));
}

// How often an inline loop of the script may run.
llvm::GlobalVariable* ModuleBuilder::most_turns() {
    if (turns) return turns;
    llvm::Type* word = llvm::Type::getInt64Ty(context);
    turns = new llvm::GlobalVariable(*module, word, true, llvm::GlobalValue::ExternalLinkage,
                                     llvm::ConstantInt::get(word, most_own_turns + 1), "lt_turns");
    turns->setSection(turns_section);
    turns->setAlignment(llvm::Align(8));
    return turns;
}

// Emits accesses the way clang passes an access to a structure marked preserve_access_index to the back end: as a load
// from a variable that does not exist. Its name contains the request (kind of relocation, value here, path by number)
// and its metadata is the type. It becomes an instruction with the value, and a record in .BTF.ext.
void ModuleBuilder::add_relocations() {
    constexpr std::array<int, 4> kinds{0, 1, 4, 5};  // BPF_CORE_FIELD_*, by ir::Ask
    llvm::Type* word = llvm::Type::getInt64Ty(context);
    for (const ir::Relocation& r : program.relocations) {
        std::string name = "llvm." + r.root + "_" + std::to_string(relocations.size()) + ":" +
                           std::to_string(kinds[static_cast<size_t>(r.ask)]) + ":" + std::to_string(r.value) + "$0";
        for (size_t i = 0; i < r.path.size(); i++) name += ":0";
        auto* variable =
            new llvm::GlobalVariable(*module, word, false, llvm::GlobalValue::ExternalLinkage, nullptr, name);
        variable->addAttribute("btf_ama");
        variable->setMetadata(llvm::LLVMContext::MD_preserve_access_index, debug.root(r));
        relocations.push_back(variable);
    }
}

// Reads only the names and types of the file's functions. Reading all files, or all their code, would take most of the
// time of a small program.
llvm::Module& ModuleBuilder::library_file(ir::LibraryFile file) {
    std::unique_ptr<llvm::Module>& opened = library[static_cast<size_t>(file)];
    if (opened) return *opened;
    const llvm::MemoryBufferRef bytes(library_bitcode(file, program.abilities.atomics), "library");
    opened = llvm::cantFail(llvm::getLazyBitcodeModule(bytes, context), "lt's BPF library cannot be read");
    for (const ir::LibraryRow& row : ir::library_rows())
        if (row.file == file && !opened->getFunction(row.name))
            llvm::report_fatal_error("lt's BPF library lacks " + llvm::Twine(row.name));
    return *opened;
}

llvm::Function* ModuleBuilder::library_function(const ir::LibraryRow& row) {
    const llvm::StringRef name(row.name.data(), row.name.size());
    if (llvm::Function* declared = module->getFunction(name)) return declared;
    return llvm::Function::Create(library_file(row.file).getFunction(name)->getFunctionType(),
                                  llvm::GlobalValue::ExternalLinkage, name, *module);
}

// Replaces the declarations of the functions that are called, and brings what they call in turn. They become internal,
// so that they disappear once they are inlined.
Status ModuleBuilder::link_library() {
    std::vector<std::string> called;
    for (const ir::LibraryRow& row : ir::library_rows())
        if (library[static_cast<size_t>(row.file)] && module->getFunction(row.name)) called.emplace_back(row.name);
    for (std::unique_ptr<llvm::Module>& file : library)
        if (file && llvm::Linker::linkModules(*module, std::move(file), llvm::Linker::LinkOnlyNeeded))
            return Error{"lt's BPF library cannot be linked", "", 0};
    for (const std::string& name : called) module->getFunction(name)->setLinkage(llvm::GlobalValue::InternalLinkage);
    return Done{};
}

void ModuleBuilder::set_license() {
    llvm::Constant* text = llvm::ConstantDataArray::getString(context, program.license);
    auto* variable = new llvm::GlobalVariable(*module, text->getType(), false, llvm::GlobalValue::ExternalLinkage, text,
                                              "lt_license");
    variable->setSection("license");
}

// The script's own C functions.
Status ModuleBuilder::link_c(Diags& diags) {
    if (program.c_code.empty()) return Done{};
    const llvm::StringRef bytes(reinterpret_cast<const char*>(program.c_code.data()), program.c_code.size());
    llvm::Expected<std::unique_ptr<llvm::Module>> code =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "script"), context);
    if (!code)
        return Error{"clang's output cannot be read: " + llvm::toString(code.takeError()),
                     "clang may be newer than lt supports: install clang-19", 0};
    fit_c(**code, source, diags);
    if (diags.has_errors()) return Done{};
    if (llvm::Linker::linkModules(*module, std::move(*code)))
        return Error{"the script's C functions cannot be linked", "", 0};
    for (const std::string& name : program.c_functions) {
        llvm::Function* f = module->getFunction(name);
        if (!f) return Error{"clang's output lacks " + name, "", 0};
        f->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    lost = module->getGlobalVariable("lt_lost");
    return Done{};
}

}  // namespace lt::emitter
