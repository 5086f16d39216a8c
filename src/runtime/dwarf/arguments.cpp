#include "runtime/dwarf/arguments.h"

#include <dwarf.h>

#include <algorithm>
#include <string>

#include "arch/arch.h"
#include "arch/arguments.h"
#include "runtime/dwarf/location.h"
#include "runtime/dwarf/units.h"

namespace lt {
namespace {

using Op = LocationStep::Op;

constexpr int most_argument_depth = 16;
constexpr uint32_t word = 8;
using Scalars = std::vector<arch::Scalar>;

// Parts of the types of one function that are looked at. In damaged debug information a type can have the same part any
// number of times, on each level.
class Visits {
  public:
    bool next() {
        if (left_ > 0) left_--;
        return left_ > 0;
    }
    bool are_over() const { return left_ == 0; }

  private:
    int left_ = 1 << 16;
};

bool is_floating(Dwarf_Die& type) {
    const int64_t encoding = number_of(type, DW_AT_encoding, 0);
    return encoding == DW_ATE_float || encoding == DW_ATE_complex_float || encoding == DW_ATE_imaginary_float ||
           encoding == DW_ATE_decimal_float;
}

// Is it one that the compiler computes like __m128, and not long double?
bool is_quadruple(Dwarf_Die& type) {
    const std::string name = name_of(type);
    return name.find("128") != name.npos || name.find("kind=16") != name.npos;
}

bool is_vector(Dwarf_Die& type) { return dwarf_tag(&type) == DW_TAG_array_type && flag(type, DW_AT_GNU_vector); }

// No size is written for nullptr, and by some compilers for addresses of members; that of a function has two words.
uint64_t byte_size(Dwarf_Die& type) {
    Dwarf_Word size = 0;
    Dwarf_Die member{};
    if (dwarf_aggregate_size(&type, &size) == 0) return size;
    if (dwarf_tag(&type) == DW_TAG_unspecified_type) return word;
    if (dwarf_tag(&type) != DW_TAG_ptr_to_member_type) return 0;
    return bare_type(type, member) && dwarf_tag(&member) == DW_TAG_subroutine_type ? 2 * word : word;
}

// A complex number counts as its two parts.
void add_scalar(Dwarf_Die& type, uint64_t offset, Scalars& out) {
    constexpr uint64_t widest = 8;  // of floating point that vector registers compute with
    const bool floating = is_floating(type);
    const bool complex = floating && number_of(type, DW_AT_encoding, 0) == DW_ATE_complex_float;
    const uint64_t parts = complex ? 2 : 1, size = byte_size(type) / parts;
    const bool extended = floating && size > widest && !is_quadruple(type);
    for (uint64_t i = 0; i < parts; i++)
        out.push_back({offset + i * size, size, floating || is_vector(type), extended});
}

void add_scalars(Dwarf_Die& type, uint64_t offset, int depth, Visits& visits, Scalars& out);

// Of a bit field only the bytes count that it begins and ends in, which need no alignment.
void add_member(Dwarf_Die& member, uint64_t offset, int depth, Visits& visits, Scalars& out) {
    constexpr int64_t most_bits = 8 * arch::most_in_registers;
    Dwarf_Die type{};
    const int tag = dwarf_tag(&member);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || flag(member, DW_AT_external)) return;
    if (!bare_type(member, type)) return;
    const int64_t bits = number_of(member, DW_AT_bit_size, 0);
    const int64_t bit = bits > 0 && bits <= most_bits ? first_bit(member, static_cast<int64_t>(byte_size(type))) : -1;
    if (bit >= 0) {
        for (const int64_t at : {bit, bit + bits - 1})
            out.push_back({offset + static_cast<uint64_t>(at / 8), 1, false});
        return;
    }
    const int64_t at = number_of(member, DW_AT_data_member_location, 0);
    add_scalars(type, offset + static_cast<uint64_t>(at), depth - 1, visits, out);
}

void add_scalars(Dwarf_Die& type, uint64_t offset, int depth, Visits& visits, Scalars& out) {
    if (depth <= 0 || offset >= arch::most_in_registers || !visits.next()) return;
    const int tag = dwarf_tag(&type);
    Dwarf_Die element{};
    if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
        each_child(type, [&](Dwarf_Die& member) {
            add_member(member, offset, depth, visits, out);
            return !visits.next();
        });
    } else if (tag == DW_TAG_array_type && !is_vector(type) && bare_type(type, element)) {
        const uint64_t size = std::max<uint64_t>(byte_size(element), 1), all = byte_size(type);
        for (uint64_t at = 0; at < all && at < arch::most_in_registers; at += size)
            add_scalars(element, offset + at, depth - 1, visits, out);
    } else {
        add_scalar(type, offset, out);
    }
}

bool by_reference(Dwarf_Die& type, Visits& visits, int depth = most_argument_depth);

// Does a member function make copies: a copy or move constructor?
bool is_copying(Dwarf_Die& member, const std::string& class_name) {
    if (name_of(member) != class_name.substr(0, class_name.find('<'))) return false;
    int others = 0, same = 0;
    each_child(member, [&](Dwarf_Die& parameter) {
        Dwarf_Die type{}, to{};
        if (dwarf_tag(&parameter) != DW_TAG_formal_parameter || flag(parameter, DW_AT_artificial)) return false;
        others++;
        const bool refers = bare_type(parameter, type) && (dwarf_tag(&type) == DW_TAG_reference_type ||
                                                           dwarf_tag(&type) == DW_TAG_rvalue_reference_type);
        same += refers && bare_type(type, to) && name_of(to) == class_name;
        return false;
    });
    return others == 1 && same == 1;
}

// How a class says that its objects are copied.
struct Copying {
    bool own = false;      // it has code for it: a destructor, or a constructor that is not deleted
    bool allowed = false;  // a constructor is not deleted
    bool deleted = false;  // a constructor is

    void add(Dwarf_Die& member, const std::string& class_name) {
        constexpr int64_t defaulted_in_class = 1;
        if (dwarf_tag(&member) != DW_TAG_subprogram) return;
        const bool is_deleted = flag(member, DW_AT_deleted);
        const bool written =
            !flag(member, DW_AT_artificial) && number_of(member, DW_AT_defaulted, 0) != defaulted_in_class;
        if (name_of(member).starts_with('~')) own = own || written;
        if (!is_copying(member, class_name)) return;
        (is_deleted ? deleted : allowed) = true;
        own = own || (written && !is_deleted);
    }
};

// C++ passes the address of a copy if a class has its own copy constructor or destructor, or if all its constructors
// for copies are deleted. Some compilers say so in DWARF.
bool by_reference(Dwarf_Die& type, Visits& visits, int depth) {
    const int tag = dwarf_tag(&type);
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || depth <= 0) return false;
    const int64_t known = number_of(type, DW_AT_calling_convention, 0);
    if (known != 0) return known == DW_CC_pass_by_reference;
    const std::string class_name = name_of(type);
    Copying copying;
    bool found = false;
    each_child(type, [&](Dwarf_Die& member) {
        Dwarf_Die part{};
        const bool is_part = dwarf_tag(&member) == DW_TAG_member || dwarf_tag(&member) == DW_TAG_inheritance;
        copying.add(member, class_name);
        found = copying.own || name_of(member).starts_with("_vptr") ||
                (is_part && !flag(member, DW_AT_external) && bare_type(member, part) &&
                 by_reference(part, visits, depth - 1));
        return found || !visits.next();
    });
    return found || (copying.deleted && !copying.allowed);
}

arch::Shape shape_of(Dwarf_Die& type, Visits& visits) {
    const uint64_t size = byte_size(type);
    Scalars scalars;
    if (size <= arch::most_in_registers) add_scalars(type, 0, most_argument_depth, visits, scalars);
    return arch::shape_of(size, scalars);
}

// Floating point has registers for results of any size: also for _Complex long double, but not for _Complex __float128.
bool has_hidden_result(Dwarf_Die& function, Visits& visits) {
    Dwarf_Die result{};
    if (!bare_type(function, result) || (is_floating(result) && !is_quadruple(result))) return false;
    return by_reference(result, visits) || shape_of(result, visits).in_memory;
}

LocationStep saved_argument(uint32_t number) { return {Op::saved, arch::native.arguments[number].offset}; }

// Its address.
std::vector<LocationStep> on_stack(const arch::Position& at) {
    const int64_t distance = arch::native.return_address + int64_t{at.first} * word;
    return {{Op::saved, arch::native.stack_pointer.offset}, {Op::constant, distance}, {Op::add, 0}};
}

void locate_argument(Dwarf_Die& parameter, arch::ArgumentPositions& positions, Visits& visits, ProgramVariable& out) {
    Dwarf_Die type{};
    bare_type(parameter, type);
    const bool is_address = by_reference(type, visits);
    const arch::Shape shape = is_address ? arch::Shape{} : shape_of(type, visits);
    const arch::Position at = positions.next(shape);
    if (!at.in_registers) {
        out.steps = on_stack(at);
        if (is_address) out.steps.push_back({Op::fetch, word});
    } else if (is_address) {
        out.steps = {saved_argument(at.first)};
    } else if (shape.vector > 0) {
        out.missing = "is passed in a floating-point register, which the kernel does not show";
    } else if (shape.general > 0 && shape.general == shape.words) {
        out.is_value = true;
        out.words = shape.words;
        for (uint32_t i = 0; i < shape.words; i++) out.steps.push_back(saved_argument(at.first + i));
    } else {
        out.missing = shape.general == 0 ? "is empty, so that nothing is passed" : "is passed without its padding";
    }
    if (out.missing.empty() && !is_sound(out.steps, out.words)) out.missing = "has a damaged type";
}

// Rust only promises C's convention for functions that are declared so, which debug information does not say. It keeps
// to it for numbers and addresses, as long as no structure comes before them or is the result.
bool is_same_in_rust(Dwarf_Die& type) {
    const int tag = dwarf_tag(&type);
    const bool is_scalar = tag == DW_TAG_base_type || tag == DW_TAG_pointer_type || tag == DW_TAG_enumeration_type;
    return is_scalar && byte_size(type) <= word;
}

// Why the convention does not say where arguments are from a parameter, or after a result, of this type on; empty: it
// does.
std::string_view obstacle(Dwarf_Die& declared, bool in_rust) {
    Dwarf_Die type{};
    if (!bare_type(declared, type))
        return dwarf_tag(&declared) == DW_TAG_formal_parameter ? "is passed with or after a value of unknown type" : "";
    if (dwarf_hasattr(&type, DW_AT_declaration) != 0 && byte_size(type) == 0)
        return "is passed in a way that depends on a type that is only declared";
    if (is_vector(type) && byte_size(type) > arch::most_in_registers)
        return "is passed in a way that depends on the compiler's options for vectors";
    return in_rust && !is_same_in_rust(type) ? only_stored : "";
}

}  // namespace

std::vector<ProgramVariable> arguments_at_entry(Dwarf_Die& function, const std::vector<Dwarf_Die>& parameters) {
    std::vector<ProgramVariable> out(parameters.size());
    const bool in_rust = language_of(function) == DW_LANG_Rust;
    Visits visits;
    std::string_view missing = obstacle(function, in_rust);
    arch::ArgumentPositions positions(has_hidden_result(function, visits));
    for (size_t i = 0; i < parameters.size(); i++) {
        Dwarf_Die parameter = parameters[i];
        if (missing.empty()) missing = obstacle(parameter, in_rust);
        if (missing.empty()) locate_argument(parameter, positions, visits, out[i]);
        if (missing.empty() && visits.are_over()) missing = "is passed with or after a value with too many parts";
        if (!missing.empty()) out[i].missing = missing;
    }
    return out;
}

}  // namespace lt
