#include "dwarf_arguments.h"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <string>

#include "dwarf_location.h"
#include "dwarf_units.h"

namespace lt {
namespace {

using Op = LocationStep::Op;

constexpr int most_depth = 16;
constexpr uint32_t word = 8;
constexpr uint32_t most_in_registers = 2 * word;
constexpr std::array<unsigned, 6> argument_registers{5, 4, 1, 2, 8, 9};  // rdi rsi rdx rcx r8 r9, as DWARF counts
constexpr unsigned stack_pointer = 7;

// Who carries each word of a value.
struct Words {
    std::array<bool, 2> general{};
    std::array<bool, 2> vector{};  // where it is not general, too
    uint32_t count = 0;
    bool memory = false;   // all of it lies on the stack
    bool aligned = false;  // there, to two words
};

bool is_floating(Dwarf_Die& type) {
    const int64_t encoding = number_of(type, DW_AT_encoding, 0);
    return encoding == DW_ATE_float || encoding == DW_ATE_complex_float || encoding == DW_ATE_imaginary_float ||
           encoding == DW_ATE_decimal_float;
}

bool is_vector(Dwarf_Die& type) { return dwarf_tag(&type) == DW_TAG_array_type && flag(type, DW_AT_GNU_vector); }

uint64_t size_of(Dwarf_Die& type) {
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

void classify(Dwarf_Die& type, uint64_t offset, int depth, Words& out);

void classify_member(Dwarf_Die& member, uint64_t offset, int depth, Words& out) {
    Dwarf_Die type{};
    const int tag = dwarf_tag(&member);
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || flag(member, DW_AT_external)) return;
    const int64_t bit = number_of(member, DW_AT_data_bit_offset, -1);
    const int64_t at = number_of(member, DW_AT_data_member_location, std::max<int64_t>(bit, 0) / 8);
    if (bare_type(member, type)) classify(type, offset + static_cast<uint64_t>(at), depth - 1, out);
}

// A word that has anything but floating point in it goes to a general register.
void classify(Dwarf_Die& type, uint64_t offset, int depth, Words& out) {
    constexpr uint64_t widest_float = 8;
    if (depth <= 0 || out.memory || offset >= most_in_registers) return;
    const int tag = dwarf_tag(&type);
    Dwarf_Die element{};
    if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
        each_child(type, [&](Dwarf_Die& member) {
            classify_member(member, offset, depth, out);
            return false;
        });
    } else if (tag == DW_TAG_array_type && !is_vector(type) && bare_type(type, element)) {
        const uint64_t size = std::max<uint64_t>(size_of(element), 1), all = size_of(type);
        for (uint64_t at = 0; at < all && at < most_in_registers; at += size)
            classify(element, offset + at, depth - 1, out);
    } else {
        const bool vector = is_floating(type) || is_vector(type);
        const uint64_t size = size_of(type);
        out.aligned = out.aligned || size >= most_in_registers;
        out.memory = vector && size > widest_float;  // of two words: long double, which goes to the stack
        for (uint64_t at = offset; at < offset + size && at < most_in_registers; at += word)
            (vector ? out.vector : out.general)[at / word] = true;
    }
}

bool by_reference(Dwarf_Die& type, int depth = most_depth);

// A destructor, or a constructor from another object of the class, that somebody has written.
bool is_own_copying(Dwarf_Die& member, const std::string& class_name) {
    constexpr int64_t defaulted_in_class = 1;
    const std::string name = name_of(member);
    const bool written = !flag(member, DW_AT_artificial) && number_of(member, DW_AT_defaulted, 0) != defaulted_in_class;
    if (dwarf_tag(&member) != DW_TAG_subprogram || !written) return false;
    if (name.starts_with('~')) return true;
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
    return name == class_name.substr(0, class_name.find('<')) && others == 1 && same == 1;
}

// C++ hands over the address of a copy where a class has functions of its own that copy or destroy it. Some compilers
// tell.
bool by_reference(Dwarf_Die& type, int depth) {
    const int tag = dwarf_tag(&type);
    if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || depth <= 0) return false;
    const int64_t told = number_of(type, DW_AT_calling_convention, 0);
    if (told != 0) return told == DW_CC_pass_by_reference;
    const std::string class_name = name_of(type);
    bool found = false;
    each_child(type, [&](Dwarf_Die& member) {
        Dwarf_Die part{};
        const bool is_part = dwarf_tag(&member) == DW_TAG_member || dwarf_tag(&member) == DW_TAG_inheritance;
        found = is_own_copying(member, class_name) || name_of(member).starts_with("_vptr") ||
                (is_part && !flag(member, DW_AT_external) && bare_type(member, part) && by_reference(part, depth - 1));
        return found;
    });
    return found;
}

Words words_of(Dwarf_Die& type) {
    Words out;
    const uint64_t size = size_of(type);
    out.count = static_cast<uint32_t>((size + word - 1) / word);
    out.memory = size > most_in_registers;
    if (!out.memory) classify(type, 0, most_depth, out);
    return out;
}

class Convention {
  public:
    explicit Convention(Dwarf_Die& function) {
        Dwarf_Die result{};
        const bool hidden = bare_type(function, result) && (by_reference(result) || words_of(result).memory);
        if (hidden) general_++;  // where the result goes to
    }

    void place(Dwarf_Die& parameter, ProgramVariable& out) {
        Dwarf_Die type{};
        if (!bare_type(parameter, type)) return;
        if (by_reference(type)) return at_address(out);
        const Words words = words_of(type);
        uint32_t general = 0, vector = 0;
        for (size_t i = 0; i < words.general.size(); i++) words.general[i] ? general++ : vector += words.vector[i];
        const bool fits = general_ + general <= argument_registers.size() && vector_ + vector <= most_vector;
        if (words.memory || !fits) return on_stack(words, out);
        vector_ += vector;
        if (vector > 0) out.missing = "is handed over in a register of floating point, which the kernel does not show";
        if (vector == 0 && general == words.count) return in_registers(general, out);
        general_ += general;
    }

  private:
    static constexpr uint32_t most_vector = 8;

    void in_registers(uint32_t words, ProgramVariable& out) {
        out.is_value = true;
        out.words = words;
        for (uint32_t i = 0; i < words; i++) out.steps.push_back(next());
    }
    LocationStep next() { return {Op::saved, saved_offset(argument_registers[general_++])}; }
    void at_address(ProgramVariable& out) {
        if (general_ < argument_registers.size()) {
            out.steps = {next()};
        } else {
            on_stack({.count = 1}, out);
            out.steps.push_back({Op::fetch, word});
        }
    }
    // Above the return address.
    void on_stack(const Words& words, ProgramVariable& out) {
        constexpr int64_t two = 2 * word;
        out.is_value = false;
        if (words.aligned) stack_ = (stack_ - word + two - 1) / two * two + word;
        out.steps = {{Op::saved, saved_offset(stack_pointer)}, {Op::constant, stack_}, {Op::add, 0}};
        stack_ += int64_t{words.count} * word;
    }

    uint32_t general_ = 0;
    uint32_t vector_ = 0;
    int64_t stack_ = word;
};

}  // namespace

std::vector<ProgramVariable> arguments_at_entry(Dwarf_Die& function, const std::vector<Dwarf_Die>& parameters) {
    std::vector<ProgramVariable> out(parameters.size());
    Convention convention(function);
    for (size_t i = 0; i < parameters.size(); i++) {
        Dwarf_Die parameter = parameters[i];
        convention.place(parameter, out[i]);
    }
    return out;
}

}  // namespace lt
