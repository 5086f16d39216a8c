#include "runtime/dwarf/program_debug.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>

#include "arch/arch.h"
#include "runtime/dwarf/arguments.h"
#include "runtime/dwarf/units.h"

namespace lt {
namespace {

bool is_parameter(Dwarf_Die& die) { return dwarf_tag(&die) == DW_TAG_formal_parameter; }
bool is_variable(Dwarf_Die& die) { return is_parameter(die) || dwarf_tag(&die) == DW_TAG_variable; }

bool is_function(Dwarf_Die& die) {
    return dwarf_tag(&die) == DW_TAG_subprogram || dwarf_tag(&die) == DW_TAG_inlined_subroutine;
}

bool knows(const ProgramScope& scope, const std::string& name) {
    return std::ranges::any_of(scope.variables, [&](const ProgramVariable& v) { return v.name == name; });
}

// Is there one location for the whole function? Otherwise a list has one for each range.
bool has_one_place(Dwarf_Die& variable) {
    Dwarf_Attribute where{};
    Dwarf_Block block{};
    return attribute(variable, DW_AT_location, where) && dwarf_formblock(&where, &block) == 0;
}

// Is the expression relative to the function's frame, which is only set up after the first instruction?
bool is_in_frame(Dwarf_Die& variable) {
    const auto frame_pointer = DW_OP_breg0 + arch::native.frame_pointer.dwarf;
    const auto stack_pointer = DW_OP_breg0 + arch::native.stack_pointer.dwarf;
    Dwarf_Attribute where{};
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (!attribute(variable, DW_AT_location, where) || dwarf_getlocation(&where, &ops, &count) != 0) return true;
    return std::any_of(ops, ops + count, [&](const Dwarf_Op& op) {
        return op.atom == DW_OP_fbreg || op.atom == DW_OP_call_frame_cfa || op.atom == frame_pointer ||
               op.atom == stack_pointer;
    });
}

bool has_fixed_address(Dwarf_Die& variable) {
    Dwarf_Attribute where{};
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    return attribute(variable, DW_AT_location, where) && dwarf_getlocation(&where, &ops, &count) == 0 && count > 0 &&
           (ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index);
}

bool has_place(Dwarf_Die& variable) {
    Dwarf_Attribute where{};
    return attribute(variable, DW_AT_location, where) || attribute(variable, DW_AT_const_value, where);
}

std::vector<Dwarf_Die> parameters_of(Dwarf_Die& function) {
    std::vector<Dwarf_Die> out;
    each_child(function, [&](Dwarf_Die& child) {
        if (is_parameter(child)) out.push_back(child);
        return false;
    });
    return out;
}

bool in_go(Dwarf_Die& die) { return language_of(die) == DW_LANG_Go; }

// Go describes results as parameters.
bool is_go_result(Dwarf_Die& parameter) { return flag(parameter, DW_AT_variable_parameter) && in_go(parameter); }

}  // namespace

void ProgramDebug::Close::operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
void ProgramDebug::Close::operator()(Dwarf_CFI* table) const { dwarf_cfi_end(table); }
ProgramDebug::~ProgramDebug() = default;

Result<std::unique_ptr<ProgramDebug>> ProgramDebug::open(const DebugPlaces& places, const std::string& path) {
    Result<ElfFile> file = ElfFile::open(places.roots.front() + path, path);
    if (!file) return file.error();
    file->add_debug_symbols(path, places);
    std::unique_ptr<ProgramDebug> out(new ProgramDebug(*std::move(file), path));
    for (Elf* elf : out->file_.handles()) {
        Dwarf_CU* unit = nullptr;
        out->dwarf_.reset(dwarf_begin_elf(elf, DWARF_C_READ, nullptr));
        const bool any =
            out->dwarf_ && dwarf_get_units(out->dwarf_.get(), nullptr, &unit, nullptr, nullptr, nullptr, nullptr) == 0;
        if (!any) continue;
        out->unwinds_.reset(dwarf_getcfi_elf(out->file_.handles().front()));
        out->types_ = std::make_unique<DwarfTypes>(out->dwarf_.get(), path);
        return out;
    }
    return Error{
        fmt::format("{} has no debug information", path),
        "compile it with -g, install the package with its debug information, or name the folder with `--debuginfo DIR`",
        0};
}

Result<ProgramScope> ProgramDebug::scope(const UserFunction& place) {
    const uint64_t address = file_.address_at_offset(place.offset).value_or(0);
    std::vector<Dwarf_Die> around;
    if (Dwarf_Die* unit = unit_at(address)) around = scopes_around(*unit, address);
    const auto is_frame = [](Dwarf_Die& die) { return dwarf_tag(&die) == DW_TAG_subprogram; };
    const auto function = std::ranges::find_if(around, is_frame);
    if (function == around.end())
        return Error{fmt::format("the debug information of {} does not describe this place", path_), "", 0};
    const bool at_entry = entry_of(*function) == address;
    const auto inlined = std::ranges::find_if(around, [&](Dwarf_Die& die) {
        return !place.inlined.empty() && dwarf_tag(&die) == DW_TAG_inlined_subroutine && name_of(die) == place.inlined;
    });
    const auto first = inlined != around.end() ? inlined : at_entry ? function : around.begin();
    const DwarfPoint point{address, at_entry, *function, dwarf_getcfi(dwarf_.get()), unwinds_.get()};
    ProgramScope out;
    out.at_entry = at_entry && first == function;
    result(*function, out);
    for (auto die = first; die != around.end(); ++die) {
        if (out.at_entry) arguments(*die, point, out);
        add_variables(*die, point, out);
        if (!is_function(*die)) continue;
        out.function = name_of(*die);
        add_removed(*die, out);
        break;
    }
    std::ranges::stable_partition(out.variables, &ProgramVariable::parameter);
    return out;
}

void ProgramDebug::add_variables(Dwarf_Die& scope, const DwarfPoint& point, ProgramScope& out) {
    each_child(scope, [&](Dwarf_Die& child) {
        const std::string name = is_variable(child) && !is_go_result(child) ? name_of(child) : "";
        if (!name.empty() && !knows(out, name)) out.variables.push_back(variable(child, point));
        return false;
    });
}

// Variables of the source that this copy of the function does not have.
void ProgramDebug::add_removed(Dwarf_Die& scope, ProgramScope& out) {
    Dwarf_Attribute a{};
    Dwarf_Die origin{};
    if (dwarf_attr(&scope, DW_AT_abstract_origin, &a) == nullptr || dwarf_formref_die(&a, &origin) == nullptr) return;
    each_child(origin, [&](Dwarf_Die& child) {
        const std::string name = is_variable(child) ? name_of(child) : "";
        if (name.empty() || knows(out, name)) return false;
        out.variables.push_back(described(child));
        out.variables.back().missing = "is optimized out at this location";
        return false;
    });
}

ProgramVariable ProgramDebug::described(Dwarf_Die& die) {
    ProgramVariable out;
    Dwarf_Die type{};
    out.name = name_of(die);
    out.parameter = is_parameter(die);
    if (!type_of(die, type)) return out;
    out.type = types_->type(type);
    out.c_type = types_->spelling(type);
    return out;
}

ProgramVariable ProgramDebug::variable(Dwarf_Die& die, const DwarfPoint& point) {
    ProgramVariable out = described(die);
    locate(die, point, out);
    if (point.at_entry && out.missing.empty() && has_one_place(die) && !has_fixed_address(die))
        out.missing = "has no value yet at the function's first instruction";
    return out;
}

// Location lists are exact, and so are registers; a single location in the frame is where a parameter is stored later.
// Go passes these arguments by its own convention, and lists its results among the parameters.
void ProgramDebug::arguments(Dwarf_Die& function, const DwarfPoint& point, ProgramScope& out) {
    const std::vector<Dwarf_Die> all = parameters_of(function);
    const std::vector<ProgramVariable> handed_over = arguments_at_entry(function, all);
    const bool as_written =
        !changed_by_compiler(point.address) && std::ranges::all_of(all, [](Dwarf_Die die) { return has_place(die); });
    for (size_t i = 0; i < all.size(); i++) {
        Dwarf_Die die = all[i];
        ProgramVariable v = described(die);
        if (v.name.empty() || is_go_result(die)) continue;
        if (!has_one_place(die) || !is_in_frame(die)) {
            locate(die, point, v);
        } else if (in_go(die)) {
            v.missing = only_stored;
        } else if (as_written) {
            v.steps = handed_over[i].steps;
            v.is_value = handed_over[i].is_value;
            v.words = handed_over[i].words;
            v.missing = handed_over[i].missing;
        } else {
            v.missing = "is passed in a way that the compiler chose for this function";
        }
        out.variables.push_back(std::move(v));
    }
}

// Copies of a function for known callers may take other arguments.
bool ProgramDebug::changed_by_compiler(uint64_t address) const {
    const Result<UserFunction> f = file_.at_address(address);
    return f && (f->name.find(".isra.") != f->name.npos || f->name.find(".constprop.") != f->name.npos ||
                 f->name.find(".part.") != f->name.npos);
}

void ProgramDebug::result(Dwarf_Die& function, ProgramScope& out) {
    Dwarf_Die type{}, source = function;
    out.c_result = in_go(function) ? "nothing" : "void";
    if (in_go(function)) {
        std::vector<Dwarf_Die> all = parameters_of(function);
        if (const auto first = std::ranges::find_if(all, is_go_result); first != all.end()) source = *first;
    }
    if (!type_of(source, type)) return;
    out.c_result = types_->spelling(type);
    out.result = types_->type(type);
}

// Its own unit's, or else one that all units can use, or else the only one.
std::optional<ProgramVariable> ProgramDebug::global(uint64_t offset, const std::string& name) {
    const uint64_t address = file_.address_at_offset(offset).value_or(0);
    const DwarfPoint point{address, true, {}, nullptr, nullptr};
    const size_t at = name.find('@');
    const std::string plain = name.substr(0, at), file = at == name.npos ? "" : name.substr(at + 1);
    Dwarf_Die* const own = unit_at(address);
    Dwarf_Die found{};
    int candidates = 0;
    bool is_certain = false;
    const auto look = [&](Dwarf_Die& unit) {
        if (!file.empty() && !is_end_of_path(name_of(unit), file)) return false;
        each_child(unit, [&](Dwarf_Die& child) {
            if (dwarf_tag(&child) != DW_TAG_variable || name_of(child) != plain || !has_place(child)) return false;
            candidates++;
            found = child;
            is_certain = (own != nullptr && unit.addr == own->addr) || flag(child, DW_AT_external);
            return is_certain;
        });
        return is_certain;
    };
    if (own == nullptr || !look(*own)) each_unit(dwarf_.get(), look);
    if (candidates == 0) return {};
    if (is_certain || candidates == 1) return variable(found, point);
    ProgramVariable out = described(found);
    out.missing = "is local to several source files, and the probe's is not one of them";
    return out;
}

std::optional<Type> ProgramDebug::type(uint64_t offset, std::string_view name) {
    return types_->named(name, unit_at(file_.address_at_offset(offset).value_or(0)));
}

// Null if it is in none.
Dwarf_Die* ProgramDebug::unit_at(uint64_t address) {
    const auto [at, is_new] = units_.try_emplace(address);
    Dwarf_Die unit{};
    if (is_new && find_unit(dwarf_.get(), address, unit)) at->second = unit;
    return at->second ? &*at->second : nullptr;
}

// ---- all programs

Result<std::unique_ptr<ProgramDebug>>& ProgramDebugs::opened(const std::string& path) {
    auto at = programs_.find(path);
    if (at == programs_.end()) at = programs_.emplace(path, ProgramDebug::open(places_, path)).first;
    return at->second;
}

const Result<ProgramScope>& ProgramDebugs::scope(const UserFunction& place) {
    const std::tuple key(place.path, place.offset, place.inlined);
    if (const auto known = scopes_.find(key); known != scopes_.end()) return known->second;
    Result<std::unique_ptr<ProgramDebug>>& program = opened(place.path);
    return scopes_.emplace(key, program ? (*program)->scope(place) : program.error()).first->second;
}

std::optional<ProgramVariable> ProgramDebugs::global(const std::string& path, uint64_t offset,
                                                     const std::string& name) {
    Result<std::unique_ptr<ProgramDebug>>& program = opened(path);
    return program ? (*program)->global(offset, name) : std::nullopt;
}

std::optional<Type> ProgramDebugs::type(const std::string& path, uint64_t offset, std::string_view name) {
    Result<std::unique_ptr<ProgramDebug>>& program = opened(path);
    return program ? (*program)->type(offset, name) : std::nullopt;
}

const std::vector<Member>& ProgramDebugs::members(const Shape& shape) {
    static const std::vector<Member> none;
    Result<std::unique_ptr<ProgramDebug>>& program = opened(shape.module);
    return program ? (*program)->types().members(shape.number) : none;
}

std::vector<Enumerator> ProgramDebugs::enumerators(const Shape& shape) {
    Result<std::unique_ptr<ProgramDebug>>& program = opened(shape.module);
    return program ? (*program)->types().enumerators(shape.number) : std::vector<Enumerator>{};
}

Result<std::vector<LinePlace>> ProgramDebugs::lines(const std::string& path, const SourceQuery& query) {
    Result<std::unique_ptr<ProgramDebug>>& program = opened(path);
    return program ? line_places((*program)->dwarf(), path, query) : program.error();
}

}  // namespace lt
