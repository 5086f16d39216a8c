// Programs as their files describe them. Each file is read on first use and kept.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/border/programs.h"
#include "runtime/dwarf/program_debug.h"
#include "runtime/programs/debug_file.h"
#include "runtime/programs/elf_file.h"

namespace lt {

class FilePrograms final : public Programs {
  public:
    // Paths are below the root. `debug` must outlive it.
    FilePrograms(std::string root, const DebugPlaces& debug) : root_(std::move(root)), debug_(debug), debugs_(debug) {}

    Result<std::string> build(const std::string& path) override { return build_of(root_ + path); }
    Result<UserFunction> user_function(const std::string& path, std::string_view name) override;
    Result<UserFunction> user_address(const std::string& path, uint64_t address) override;
    Result<UserSymbol> user_symbol(const std::string& path, std::string_view name, uint64_t offset) override {
        const Result<ElfFile>& elf = file(path);
        return elf ? elf->symbol(name, offset) : elf.error();
    }
    std::optional<bool> begins_instruction(const std::string& path, uint64_t offset) override;
    Result<FunctionEnds> function_ends(const UserFunction& function, bool exits) override;
    std::vector<std::string> user_functions(const std::string& path, std::string_view pattern) override;
    std::vector<std::string> cpp_functions(const std::string& path, std::string_view pattern) override;
    Result<std::vector<SourcePlace>> source_places(const std::string& path, const SourceQuery& query) override;
    const Result<ProgramScope>& program_scope(const UserFunction& place) override { return debugs_.scope(place); }
    std::optional<ProgramVariable> program_global(const std::string& path, uint64_t offset,
                                                  const std::string& name) override {
        return debugs_.global(path, offset, name);
    }
    std::optional<Type> program_type(const std::string& path, uint64_t offset, std::string_view name) override {
        return debugs_.type(path, offset, name);
    }
    Result<std::vector<Marker>> markers(const std::string& path) override;

    ProgramDebugs& debugs() { return debugs_; }

  private:
    const Result<ElfFile>& file(const std::string& path);

    std::string root_;
    const DebugPlaces& debug_;
    ProgramDebugs debugs_;
    std::map<std::string, Result<ElfFile>> files_;
};

}  // namespace lt
