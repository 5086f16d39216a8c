#include "codegen/lower/values/key_part.h"

#include <algorithm>

#include "codegen/lower/values/value.h"
#include "stdlib/real.h"

namespace lt {
namespace {

// The bits of a value that belong to its members: a word for each 8 bytes.
using MemberBits = std::vector<uint64_t>;

void set_bits(MemberBits& bits, uint64_t first, uint64_t count, bool value) {
    const uint64_t end = std::min<uint64_t>(first + count, 64 * bits.size());
    for (uint64_t bit = first; bit < end; bit++) {
        const uint64_t mask = uint64_t{1} << bit % 64;
        bits[bit / 64] = value ? bits[bit / 64] | mask : bits[bit / 64] & ~mask;
    }
}

// In C++ the virtual base classes of a class are not among its members; it has a pointer to its virtual functions.
bool lists_all_members(const Type& type) {
    if (type.kind != Kind::structure || !type.shape || type.shape->members.empty()) return false;
    return std::ranges::none_of(type.shape->members, [](const Member& m) { return m.name.starts_with("_vptr"); });
}

// Members of unions may lie in each other's padding, so this only adds bits.
void add_members(MemberBits& bits, const Type& type, uint32_t offset) {
    if (const Type* each = element(type); each && each->size != 0) {
        for (uint32_t at = 0; at + each->size <= type.size; at += each->size) add_members(bits, *each, offset + at);
        return;
    }
    if (!lists_all_members(type)) return set_bits(bits, 8 * uint64_t{offset}, 8 * uint64_t{type.size}, true);
    for (const Member& m : type.shape->members) {
        if (m.bit_size != 0) {
            set_bits(bits, 8 * uint64_t{offset + m.offset} + m.bit_offset, m.bit_size, true);
        } else if (m.offset < type.size && is_hidden(m.type)) {  // of unknown size
            set_bits(bits, 8 * uint64_t{offset + m.offset}, 8 * uint64_t{type.size - m.offset}, true);
        } else if (m.offset < type.size) {
            add_members(bits, m.type, offset + m.offset);
        }
    }
}

void leave_out_padding(MemberBits& bits, const Type& type, uint32_t offset) {
    if (type.kind == Kind::tuple && type.naming == Naming::none) {
        for (size_t i = 0; i < type.shape->parts.size(); i++)
            leave_out_padding(bits, type.shape->parts[i], offset + tuple_offset(type, i));
    } else if (type.kind == Kind::structure || type.kind == Kind::array) {
        set_bits(bits, 8 * uint64_t{offset}, 8 * uint64_t{type.size}, false);
        add_members(bits, type, offset);
    }
}

}  // namespace

void key_part_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t offset, const Type& target) {
    value_into(l, id, to, offset, target);
    clear_padding(l, to, offset, target);
}

void clear_padding(Lowering& l, ir::Value at, uint32_t offset, const Type& type) {
    MemberBits bits(padded_size(type.size) / 8, UINT64_MAX);
    leave_out_padding(bits, type, 0);
    for (size_t i = 0; i < bits.size(); i++) {
        if (bits[i] == UINT64_MAX) continue;
        const uint32_t word = offset + 8 * static_cast<uint32_t>(i);
        l.b.store(at, word, l.b.alu(ir::Alu::bit_and, l.b.load(at, word), l.b.constant(static_cast<int64_t>(bits[i]))));
    }
}

}  // namespace lt
