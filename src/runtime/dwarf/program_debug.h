// A program's debug information (DWARF): functions, variables, types and lines. It is in the file itself or in its
// debug file.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "runtime/border/program_scope.h"
#include "runtime/dwarf/line_places.h"
#include "runtime/dwarf/location.h"
#include "runtime/dwarf/types.h"
#include "runtime/programs/elf_file.h"

namespace lt {

class ProgramDebug {
  public:
    // `root` is prepended to the paths of programs; `path` is the file's name in answers, and the module of its types.
    static Result<std::unique_ptr<ProgramDebug>> open(const DebugPlaces& places, const std::string& path);
    ~ProgramDebug();

    Result<ProgramScope> scope(const UserFunction& place);
    // A global variable as the instruction sees it: its own unit's is preferred. The name is "x", or "x@a.c" with the
    // source file that has it.
    std::optional<ProgramVariable> global(uint64_t offset, const std::string& name);
    Dwarf* dwarf() const { return dwarf_.get(); }
    DwarfTypes& types() { return *types_; }
    // The type of this name as the code sees it.
    std::optional<Type> type(uint64_t offset, std::string_view name);

  private:
    struct Close {
        void operator()(Dwarf* dwarf) const;
        void operator()(Dwarf_CFI* table) const;
    };
    ProgramDebug(ElfFile file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

    void add_variables(Dwarf_Die& scope, const DwarfPoint& point, ProgramScope& out);
    void add_removed(Dwarf_Die& scope, ProgramScope& out);
    ProgramVariable variable(Dwarf_Die& die, const DwarfPoint& point);
    ProgramVariable described(Dwarf_Die& die);
    void arguments(Dwarf_Die& function, const DwarfPoint& point, ProgramScope& out);
    void result(Dwarf_Die& function, ProgramScope& out);
    bool changed_by_compiler(uint64_t address) const;
    Dwarf_Die* unit_at(uint64_t address);

    ElfFile file_;
    std::string path_;
    std::unique_ptr<Dwarf, Close> dwarf_;
    std::unique_ptr<Dwarf_CFI, Close> unwinds_;
    std::unique_ptr<DwarfTypes> types_;
    std::map<uint64_t, std::optional<Dwarf_Die>> units_;  // by an address in it
};

// The debug information of all programs, each opened when first needed. A program without any gives no answers.
class ProgramDebugs {
  public:
    explicit ProgramDebugs(DebugPlaces places) : places_(std::move(places)) {}

    const Result<ProgramScope>& scope(const UserFunction& place);
    std::optional<ProgramVariable> global(const std::string& path, uint64_t offset, const std::string& name);
    std::optional<Type> type(const std::string& path, uint64_t offset, std::string_view name);
    const std::vector<Member>& members(const Shape& shape);
    std::vector<Enumerator> enumerators(const Shape& shape);
    Result<std::vector<LinePlace>> lines(const std::string& path, const SourceQuery& query);

  private:
    Result<std::unique_ptr<ProgramDebug>>& opened(const std::string& path);

    DebugPlaces places_;  // with one root
    std::map<std::string, Result<std::unique_ptr<ProgramDebug>>> programs_;
    std::map<std::tuple<std::string, uint64_t, std::string>, Result<ProgramScope>> scopes_;
};

}  // namespace lt
