#include "runtime/dwarf/location.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "arch/arch.h"
#include "runtime/dwarf/units.h"

namespace lt {
namespace {

using Op = LocationStep::Op;
using Ops = std::span<const Dwarf_Op>;

constexpr int most_nested_expressions = 4;  // of nested expressions
constexpr size_t most_steps = 64;

constexpr std::string_view apart = "is in several pieces (DW_OP_piece), which lt does not combine";
constexpr std::string_view unknown_way = "is described in a way that lt does not support";
constexpr std::string_view optimized_out = "is optimized out at this location";

// Translates one expression into steps.
class Reader {
  public:
    Reader(const DwarfPoint& point, Dwarf_Attribute* attribute, int depth = 0)
        : point_(point), attribute_(attribute), depth_(depth) {}

    // Returns an empty text on success.
    std::string read(Ops ops);

    std::vector<LocationStep> steps;
    bool is_value = false;
    uint32_t words = 1;

  private:
    struct Row;
    static std::span<const Row> rows();

    void push(Op op, int64_t number = 0) { steps.push_back({op, number}); }
    void add_number(int64_t number) {
        if (number == 0) return;
        push(Op::constant, number);
        push(Op::add);
    }
    std::string pushed_register(const arch::Register* saved, int64_t offset);
    std::string pushed_register(uint64_t number, int64_t offset) {
        return pushed_register(arch::find_dwarf_register(static_cast<unsigned>(number)), offset);
    }
    std::string frame_base(int64_t offset);
    std::string frame_address();
    std::string nested(Ops ops);

    // One row for each; an empty text means success.
    std::string constant(const Dwarf_Op& op);
    std::string literal(const Dwarf_Op& op);
    std::string in_register(const Dwarf_Op& op);
    std::string in_numbered_register(const Dwarf_Op& op);
    std::string base_register(const Dwarf_Op& op);
    std::string numbered_base_register(const Dwarf_Op& op);
    std::string of_frame(const Dwarf_Op& op);
    std::string of_frame_address(const Dwarf_Op& op);
    std::string of_code(const Dwarf_Op& op);
    std::string listed(const Dwarf_Op& op);
    std::string fetched(const Dwarf_Op& op);
    std::string alu(const Dwarf_Op& op);
    std::string negated(const Dwarf_Op& op);
    std::string inverted(const Dwarf_Op& op);
    std::string increased(const Dwarf_Op& op);
    std::string moved(const Dwarf_Op& op);
    std::string picked(const Dwarf_Op& op);
    std::string ends_as_value(const Dwarf_Op& op);
    std::string implicit(const Dwarf_Op& op);
    std::string of_entry(const Dwarf_Op& op);
    std::string nothing_to_do(const Dwarf_Op& op);
    std::string in_pieces(const Dwarf_Op& op);
    std::string of_thread(const Dwarf_Op& op);

    const DwarfPoint& point_;
    Dwarf_Attribute* attribute_;
    int depth_;
    uint32_t pieces_ = 0;
    bool last_piece_ = false;  // it does not fill its word
};

struct Reader::Row {
    uint8_t first, last;
    std::string (Reader::*read)(const Dwarf_Op&);
};

std::span<const Reader::Row> Reader::rows() {
    static constexpr std::array all{
        Row{DW_OP_addr, DW_OP_addr, &Reader::of_code},
        Row{DW_OP_deref, DW_OP_deref, &Reader::fetched},
        Row{DW_OP_const1u, DW_OP_consts, &Reader::constant},
        Row{DW_OP_dup, DW_OP_over, &Reader::moved},
        Row{DW_OP_pick, DW_OP_pick, &Reader::picked},
        Row{DW_OP_swap, DW_OP_swap, &Reader::moved},
        Row{DW_OP_and, DW_OP_and, &Reader::alu},
        Row{DW_OP_minus, DW_OP_minus, &Reader::alu},
        Row{DW_OP_mul, DW_OP_mul, &Reader::alu},
        Row{DW_OP_neg, DW_OP_neg, &Reader::negated},
        Row{DW_OP_not, DW_OP_not, &Reader::inverted},
        Row{DW_OP_or, DW_OP_plus, &Reader::alu},
        Row{DW_OP_plus_uconst, DW_OP_plus_uconst, &Reader::increased},
        Row{DW_OP_shl, DW_OP_xor, &Reader::alu},
        Row{DW_OP_lit0, DW_OP_lit31, &Reader::literal},
        Row{DW_OP_reg0, DW_OP_reg31, &Reader::in_register},
        Row{DW_OP_breg0, DW_OP_breg31, &Reader::base_register},
        Row{DW_OP_regx, DW_OP_regx, &Reader::in_numbered_register},
        Row{DW_OP_fbreg, DW_OP_fbreg, &Reader::of_frame},
        Row{DW_OP_bregx, DW_OP_bregx, &Reader::numbered_base_register},
        Row{DW_OP_piece, DW_OP_piece, &Reader::in_pieces},
        Row{DW_OP_deref_size, DW_OP_deref_size, &Reader::fetched},
        Row{DW_OP_nop, DW_OP_nop, &Reader::nothing_to_do},
        Row{DW_OP_form_tls_address, DW_OP_form_tls_address, &Reader::of_thread},
        Row{DW_OP_call_frame_cfa, DW_OP_call_frame_cfa, &Reader::of_frame_address},
        Row{DW_OP_bit_piece, DW_OP_bit_piece, &Reader::in_pieces},
        Row{DW_OP_addrx, DW_OP_constx, &Reader::listed},
        Row{DW_OP_implicit_value, DW_OP_implicit_value, &Reader::implicit},
        Row{DW_OP_stack_value, DW_OP_stack_value, &Reader::ends_as_value},
        Row{DW_OP_entry_value, DW_OP_entry_value, &Reader::of_entry},
        Row{DW_OP_GNU_push_tls_address, DW_OP_GNU_push_tls_address, &Reader::of_thread},
        Row{DW_OP_GNU_uninit, DW_OP_GNU_uninit, &Reader::nothing_to_do},
        Row{DW_OP_GNU_entry_value, DW_OP_GNU_entry_value, &Reader::of_entry},
        Row{DW_OP_GNU_addr_index, DW_OP_GNU_const_index, &Reader::listed},
    };
    return all;
}

std::string Reader::read(Ops ops) {
    for (const Dwarf_Op& op : ops) {
        const auto row =
            std::ranges::find_if(rows(), [&](const Row& r) { return op.atom >= r.first && op.atom <= r.last; });
        if (row == rows().end())
            return fmt::format("is described by an operation that lt does not support (DW_OP {:#x})", op.atom);
        const bool more = is_value && op.atom != DW_OP_stack_value && op.atom != DW_OP_GNU_uninit;
        if (more && op.atom != DW_OP_piece) return std::string(unknown_way);
        if (std::string why = (this->*row->read)(op); !why.empty()) return why;
        if (steps.size() > most_steps) return "is described by an expression that is too long";
    }
    if (pieces_ > 0 && (is_value || steps.empty())) return std::string(apart);
    if (pieces_ > 0) is_value = true, words = pieces_;
    return steps.empty() ? std::string(optimized_out) : "";
}

std::string Reader::nested(Ops ops) {
    if (depth_ >= most_nested_expressions) return "is described by an expression that is nested too deep";
    Reader inner(point_, nullptr, depth_ + 1);
    if (std::string why = inner.read(ops); !why.empty()) return why;
    steps.insert(steps.end(), inner.steps.begin(), inner.steps.end());
    return "";
}

std::string Reader::pushed_register(const arch::Register* saved, int64_t offset) {
    if (saved == nullptr) return "is in a floating-point or vector register, which the kernel does not show";
    push(Op::saved, saved->offset);
    add_number(offset);
    return "";
}

// The base of the function's own description.
std::string Reader::frame_base(int64_t offset) {
    Dwarf_Attribute base{};
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    Dwarf_Die function = point_.function;
    if (!attribute(function, DW_AT_frame_base, base) ||
        dwarf_getlocation_addr(&base, point_.address, &ops, &count, 1) != 1)
        return "is in a frame whose location is unknown";
    if (std::string why = nested({ops, count}); !why.empty()) return why;
    add_number(offset);
    return "";
}

// Above the return address. Inside a function only unwind tables know it.
std::string Reader::frame_address() {
    if (point_.at_entry) return pushed_register(&arch::native.stack_pointer, arch::native.return_address);
    for (Dwarf_CFI* table : {point_.unwinds, point_.frames}) {
        Dwarf_Frame* frame = nullptr;
        Dwarf_Op* ops = nullptr;
        size_t count = 0;
        if (table == nullptr || dwarf_cfi_addrframe(table, point_.address, &frame) != 0) continue;
        const bool known = dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0;
        const std::string why = known ? nested({ops, count}) : "is in a frame that cannot be unwound";
        std::free(frame);
        return why;
    }
    return "is in a frame that cannot be unwound";
}

std::string Reader::constant(const Dwarf_Op& op) {
    push(Op::constant, static_cast<int64_t>(op.number));
    return "";
}

std::string Reader::literal(const Dwarf_Op& op) {
    push(Op::constant, op.atom - DW_OP_lit0);
    return "";
}

std::string Reader::in_register(const Dwarf_Op& op) {
    is_value = true;
    return pushed_register(uint64_t{op.atom} - DW_OP_reg0, 0);
}

std::string Reader::in_numbered_register(const Dwarf_Op& op) {
    is_value = true;
    return pushed_register(op.number, 0);
}

std::string Reader::base_register(const Dwarf_Op& op) {
    return pushed_register(uint64_t{op.atom} - DW_OP_breg0, static_cast<int64_t>(op.number));
}

std::string Reader::numbered_base_register(const Dwarf_Op& op) {
    return pushed_register(op.number, static_cast<int64_t>(op.number2));
}

std::string Reader::of_frame(const Dwarf_Op& op) { return frame_base(static_cast<int64_t>(op.number)); }
std::string Reader::of_frame_address(const Dwarf_Op&) { return frame_address(); }

std::string Reader::of_code(const Dwarf_Op& op) {
    push(Op::code, static_cast<int64_t>(op.number - point_.address));
    return "";
}

// An address or a number from a table of the unit.
std::string Reader::listed(const Dwarf_Op& op) {
    Dwarf_Attribute value{};
    Dwarf_Addr address = 0;
    Dwarf_Word number = 0;
    const bool is_address = op.atom == DW_OP_addrx || op.atom == DW_OP_GNU_addr_index;
    if (attribute_ == nullptr || dwarf_getlocation_attr(attribute_, &op, &value) != 0) return std::string(unknown_way);
    if ((is_address ? dwarf_formaddr(&value, &address) : dwarf_formudata(&value, &number)) != 0)
        return std::string(unknown_way);
    is_address ? push(Op::code, static_cast<int64_t>(address - point_.address))
               : push(Op::constant, static_cast<int64_t>(number));
    return "";
}

std::string Reader::fetched(const Dwarf_Op& op) {
    constexpr int64_t address_size = 8;
    const int64_t size = op.atom == DW_OP_deref ? address_size : static_cast<int64_t>(op.number);
    if (size != 1 && size != 2 && size != 4 && size != address_size) return std::string(unknown_way);
    push(Op::fetch, size);
    return "";
}

std::string Reader::alu(const Dwarf_Op& op) {
    struct Operation {
        uint8_t atom;
        Op op;
    };
    static constexpr std::array operations{
        Operation{DW_OP_and, Op::bit_and},     Operation{DW_OP_minus, Op::subtract},
        Operation{DW_OP_mul, Op::multiply},    Operation{DW_OP_or, Op::bit_or},
        Operation{DW_OP_plus, Op::add},        Operation{DW_OP_shl, Op::shift_left},
        Operation{DW_OP_shr, Op::shift_right}, Operation{DW_OP_shra, Op::shift_right_signed},
        Operation{DW_OP_xor, Op::bit_xor},
    };
    push(std::ranges::find(operations, op.atom, &Operation::atom)->op);
    return "";
}

std::string Reader::negated(const Dwarf_Op&) {
    push(Op::constant, -1);
    push(Op::multiply);
    return "";
}

std::string Reader::inverted(const Dwarf_Op&) {
    push(Op::constant, -1);
    push(Op::bit_xor);
    return "";
}

std::string Reader::increased(const Dwarf_Op& op) {
    add_number(static_cast<int64_t>(op.number));
    return "";
}

std::string Reader::moved(const Dwarf_Op& op) {
    if (op.atom == DW_OP_dup) push(Op::copy, 0);
    if (op.atom == DW_OP_over) push(Op::copy, 1);
    if (op.atom == DW_OP_drop) push(Op::drop);
    if (op.atom == DW_OP_swap) push(Op::swap);
    return "";
}

std::string Reader::picked(const Dwarf_Op& op) {
    push(Op::copy, static_cast<int64_t>(op.number));
    return "";
}

std::string Reader::ends_as_value(const Dwarf_Op&) {
    is_value = true;
    return "";
}

std::string Reader::implicit(const Dwarf_Op& op) {
    Dwarf_Block block{};
    int64_t number = 0;
    const bool known = attribute_ != nullptr && dwarf_getlocation_implicit_value(attribute_, &op, &block) == 0;
    if (!known || block.length > sizeof number) return "is a constant of more than 8 bytes";
    std::memcpy(&number, block.data, block.length);
    is_value = true;
    push(Op::constant, number);
    return "";
}

// The value of a register at the function's entry: only known there.
std::string Reader::of_entry(const Dwarf_Op& op) {
    Dwarf_Attribute inner{};
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (!point_.at_entry)
        return "is lost at this location: only the caller knows what it was (DW_OP_entry_value); take it at the entry";
    if (attribute_ == nullptr || dwarf_getlocation_attr(attribute_, &op, &inner) != 0 ||
        dwarf_getlocation(&inner, &ops, &count) != 0)
        return std::string(unknown_way);
    return nested({ops, count});
}

std::string Reader::nothing_to_do(const Dwarf_Op&) { return ""; }

// Combines consecutive pieces that are whole registers.
std::string Reader::in_pieces(const Dwarf_Op& op) {
    constexpr uint64_t word = 8;
    if (op.atom != DW_OP_piece || !is_value || last_piece_ || op.number > word) return std::string(apart);
    last_piece_ = op.number < word;
    is_value = false;
    pieces_++;
    return "";
}

std::string Reader::of_thread(const Dwarf_Op&) { return "is thread-local"; }

// It has the same value everywhere.
bool is_constant(Dwarf_Die& variable, ProgramVariable& out) {
    Dwarf_Attribute value{};
    Dwarf_Word number = 0;
    if (!attribute(variable, DW_AT_const_value, value) || dwarf_formudata(&value, &number) != 0) return false;
    out.is_value = true;
    out.steps = {{Op::constant, static_cast<int64_t>(number)}};
    return true;
}

}  // namespace

bool is_sound(const std::vector<LocationStep>& steps, uint32_t words) {
    int64_t depth = 0;
    for (const LocationStep& step : steps) {
        const bool pushes =
            step.op == Op::constant || step.op == Op::saved || step.op == Op::code || step.op == Op::copy;
        const bool takes_one = step.op == Op::fetch || step.op == Op::drop;
        const int64_t needs = step.op == Op::copy ? step.number + 1 : pushes ? 0 : takes_one ? 1 : 2;
        if (needs < 0 || depth < needs) return false;
        depth += pushes ? 1 : step.op == Op::fetch || step.op == Op::swap ? 0 : -1;
    }
    return depth >= std::max(int64_t{words}, int64_t{1});
}

void locate(Dwarf_Die& variable, const DwarfPoint& point, ProgramVariable& out) {
    Dwarf_Attribute where{};
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (is_constant(variable, out)) return;
    if (!attribute(variable, DW_AT_location, where) ||
        dwarf_getlocation_addr(&where, point.address, &ops, &count, 1) != 1) {
        out.missing = optimized_out;
        return;
    }
    Reader reader(point, &where);
    out.missing = reader.read({ops, count});
    if (out.missing.empty() && !is_sound(reader.steps, reader.words))
        out.missing = "is described by a damaged expression";
    out.steps = std::move(reader.steps);
    out.is_value = reader.is_value;
    out.words = reader.words;
}

}  // namespace lt
