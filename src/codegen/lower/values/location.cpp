// Memory of the traced machine is read with helpers and relocations; the program's own memory is loaded directly.
#include "codegen/lower/values/location.h"

#include <linux/bpf.h>

#include <algorithm>

#include "codegen/ir/follow.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/source.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

bool is_dereference(const ast::ExprNode& node) {
    const auto* unary = std::get_if<ast::Unary>(&node);
    return unary && unary->op == ast::UnaryOp::dereference;
}

// The program's own memory, which the verifier only allows to read in aligned words; members of a packed structure may
// span two words.
ir::Value own_word(Builder& b, ir::Value base, uint32_t offset, uint8_t width, bool is_signed) {
    if (offset % width == 0) return b.load(base, offset, width, is_signed);
    const uint32_t before = offset % 8;
    ir::Value word = b.alu(ir::Alu::lshr, b.load(base, offset - before), b.constant(8 * before));
    if (before + width > 8) {
        const ir::Value next = b.load(base, offset - before + 8);
        word = b.alu(ir::Alu::bit_or, word, b.alu(ir::Alu::shl, next, b.constant(64 - 8 * before)));
    }
    return b.extend(word, width, is_signed);
}

// The structure that contains a member: the target of an address, or a structure in memory.
Location member_location(Lowering& l, ast::ExprId id, ast::ExprId base) {
    const Member& member = std::get<MemberUse>(l.use(id)).member;
    const Type* to = pointee(l.type(base));
    Location p = to ? Location{integer_of(l, base), l.type(base).user_memory} : location_of(l, base);
    const Type& owner = to ? *to : l.type(base);
    if (p.direct) {
        p.offset += member.offset;
        return p;
    }
    const bool moves = owner.shape && of_kernel(*owner.shape);
    const bool named = moves && !owner.shape->name.empty();
    if (moves && !named && p.root.empty()) l.unit.compiled_in();
    if (named && p.path.empty()) {
        p.root = owner.shape->name;
    } else if (p.root.empty()) {
        p.offset += member.offset;
        return p;
    }
    p.path.push_back(member);
    return p;
}

// Moves to an element of an array of `bytes` in the program's own memory. The array may itself be an element with a
// computed index. An index out of range leads to the limit. LLVM must not know the bounds of the number, or it would
// drop the check that the verifier needs.
void move_by(Lowering& l, Location& p, ir::Value index, uint32_t bytes, int64_t element) {
    const auto at_most = [&](ir::Value number, int64_t most) {
        return l.b.call(ir::Library::at_most, {number, l.b.constant(most)});
    };
    const int64_t elements = bytes / element;
    const ir::Value bounded = at_most(index, elements);
    const ir::Value distance = l.b.alu(ir::Alu::mul, bounded, l.b.constant(element));
    if (p.distance == ir::no_value) {
        p.distance = distance;
        p.limit = static_cast<uint32_t>(elements * element);
        return;
    }
    const ir::Value outside = l.b.alu(ir::Alu::uge, bounded, l.b.constant(elements));
    const ir::Value beyond = l.b.alu(ir::Alu::mul, outside, l.b.constant(p.limit));
    const ir::Value sum = l.b.alu(ir::Alu::add, p.distance, l.b.alu(ir::Alu::add, distance, beyond));
    p.distance = at_most(sum, p.limit);
}

Location element_location(Lowering& l, ast::ExprId id, const ast::Index& node) {
    if (const auto* part = std::get_if<MemberUse>(&l.use(id))) {
        Location p = location_of(l, node.base);
        p.offset += part->member.offset;
        return p;
    }
    const Type& base = l.type(node.base);
    const int64_t size = element_size(base);
    Location p = pointee(base) ? Location{integer_of(l, node.base), base.user_memory} : location_of(l, node.base);
    if (const auto* number = std::get_if<ast::Integer>(&l.program[node.index].node); number && p.direct) {
        p.offset += static_cast<uint32_t>(number->value * static_cast<uint64_t>(size));
        return p;
    }
    const ir::Value index = integer_of(l, node.index);
    if (p.direct) {
        move_by(l, p, index, base.size, size);
    } else {
        p = {l.b.alu(ir::Alu::add, address_of(l, p), l.b.alu(ir::Alu::mul, index, l.b.constant(size))), p.user};
    }
    return p;
}

// The kernel relocates its own programs, but not those that lt runs: these are only valid for the kernel that they were
// compiled for.
ir::Value asked_of_kernel(Lowering& l, const Location& p, ir::Ask ask, uint64_t value) {
    if (l.on_host() && l.body.only_host) {
        l.unit.compiled_in();
        return l.b.constant(static_cast<int64_t>(value));
    }
    return ir::relocation(l.b, l.unit.relocation({ask, p.root, p.path, value}));
}

// Same method as libbpf's BPF_CORE_READ_BITFIELD_PROBED: reads the bytes that contain the field, then shifts out the
// other bits.
ir::Value bit_field(Lowering& l, const Location& p, const Member& member, Span where) {
    const ir::Value room = l.b.buffer(8);
    const bool asks = !p.path.empty();
    const uint64_t left = 64U - (uint64_t{member.bit_offset} + member.bit_size), right = 64U - member.bit_size;
    const auto value = [&](ir::Ask ask, uint64_t n) {
        return asks ? asked_of_kernel(l, p, ask, n) : l.b.constant(static_cast<int64_t>(n));
    };
    const ir::Value at = address_of(l, p);
    if_unreadable(l,
                  l.b.helper(p.user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel,
                             {room, value(ir::Ask::size, member.type.size), at}),
                  at, where, "");
    const ir::Value high = l.b.alu(ir::Alu::shl, l.b.load(room, 0), value(ir::Ask::shift_left, left));
    return l.b.alu(member.type.is_signed ? ir::Alu::ashr : ir::Alu::lshr, high, value(ir::Ask::shift_right, right));
}

// Is it *uptr(address)?
bool is_lenient(const Lowering& l, ast::ExprId id) {
    const auto* unary = std::get_if<ast::Unary>(&l.program[id].node);
    const auto* call = unary ? std::get_if<ast::Call>(&l.program[unary->operand].node) : nullptr;
    return call != nullptr && call->lenient;
}

ir::Value own_number(Lowering& l, const Location& p, uint8_t width, bool is_signed) {
    if (p.distance == ir::no_value) return own_word(l.b, p.base, p.offset, width, is_signed);
    // the verifier need not know the index: a helper can also read the program's own memory
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    l.b.branch(l.b.alu(ir::Alu::ult, p.distance, l.b.constant(p.limit)), [&] {
        const ir::Value at = l.b.address_plus(l.b.address(p.base, p.offset), p.distance);
        l.b.write(result, l.b.fetch(at, width, is_signed, false, l.unit.loss(LossKind::failed_read, 0)));
    });
    return l.b.read(result);
}

}  // namespace

bool lies_in_memory(const Lowering& l, ast::ExprId id) {
    if (frozen_index(l, id)) return false;
    if (const auto* of_program = std::get_if<ProgramUse>(&l.use(id)))
        return !of_program->variable.is_value || in_memory(l.type(id));
    if (std::holds_alternative<MemberUse>(l.use(id)) || std::holds_alternative<FieldUse>(l.use(id))) return true;
    if (const auto* from = std::get_if<SourceUse>(&l.use(id))) return from->source.is_memory();
    const ast::ExprNode& node = l.program[id].node;
    return std::holds_alternative<ast::Index>(node) || is_dereference(node);
}

Location location_of(Lowering& l, ast::ExprId id) {
    const ast::ExprNode& node = l.program[id].node;
    if (lies_in_memory(l, id)) {
        if (const auto* field = std::get_if<FieldUse>(&l.use(id))) {
            // a number from here on: the verifier forbids loads through a modified context pointer
            Location record{l.b.alu(ir::Alu::add, ir::context(l.b), l.b.constant(field->field.offset))};
            return record;
        }
        if (const auto* from = std::get_if<SourceUse>(&l.use(id))) return source_location(l, from->source, id);
        if (const auto* of_program = std::get_if<ProgramUse>(&l.use(id)))
            return program_location(l, of_program->variable);
        if (const auto* member = std::get_if<ast::Member>(&node)) return member_location(l, id, member->base);
        if (const auto* index = std::get_if<ast::Index>(&node)) return element_location(l, id, *index);
        if (const auto* unary = std::get_if<ast::Unary>(&node))
            return {integer_of(l, unary->operand), l.type(unary->operand).user_memory};
    }
    Location own;
    own.base = text_of(l, id, padded_size(l.type(id).size));
    own.direct = true;
    return own;
}

ir::Value address_of(Lowering& l, const Location& p) {
    ir::Value out = p.base;
    if (!p.path.empty()) {
        uint64_t offset = 0;
        for (const Member& m : p.path) offset += m.offset;
        out = l.b.alu(ir::Alu::add, out, asked_of_kernel(l, p, ir::Ask::offset, offset));
    }
    return p.offset == 0 ? out : l.b.alu(ir::Alu::add, out, l.b.constant(p.offset));
}

ir::Value fetched(Lowering& l, ast::ExprId id) {
    const Location p = location_of(l, id);
    const Type& t = l.type(id);
    const auto* member = std::get_if<MemberUse>(&l.use(id));
    const auto width = static_cast<uint8_t>(t.size);
    if (!p.direct && member && member->member.bit_size != 0) return bit_field(l, p, member->member, l.program[id].span);
    const auto* from = std::get_if<SourceUse>(&l.use(id));
    if (from && has_known_type(l, from->source)) return ir::follow(l.b, address_of(l, p), width, t.is_signed);
    if (!p.direct)
        return read_word(l, address_of(l, p), width, t.is_signed, p.user, l.program[id].span, is_lenient(l, id));
    if (!member || member->member.bit_size == 0) return own_number(l, p, width, t.is_signed);
    const Member& bits = member->member;
    const ir::Value all = own_number(l, p, static_cast<uint8_t>(bits.type.size), false);
    const ir::Value high = l.b.alu(ir::Alu::shl, all, l.b.constant(64 - (bits.bit_offset + bits.bit_size)));
    return l.b.alu(bits.type.is_signed ? ir::Alu::ashr : ir::Alu::lshr, high, l.b.constant(64 - bits.bit_size));
}

bool in_tuple(const Lowering& l, ast::ExprId id) {
    const ast::ExprNode& node = l.program[id].node;
    if (const auto* member = std::get_if<ast::Member>(&node)) return l.type(member->base).kind == Kind::tuple;
    const auto* index = std::get_if<ast::Index>(&node);
    return index && l.type(index->base).kind == Kind::tuple;
}

void bytes_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t room, bool text) {
    const Location p = location_of(l, id);
    const Type& t = l.type(id);
    const uint32_t size = std::min(t.size, room);
    // the bytes after the value in a structure, or after the end of a string, are not part of it
    const bool whole_words = in_tuple(l, id) || (!text && size % 8 == 0);
    if (p.direct && p.distance == ir::no_value && p.offset % 8 == 0 && whole_words) {
        return l.b.copy(to, 0, l.b.address(p.base, p.offset), padded_size(size));
    }
    if (p.direct) {
        const ir::Value from = l.b.address(p.base, p.offset);
        const auto copy = [&](ir::Value begin) {
            const auto at = [&](uint32_t more) {
                return more == 0 ? begin : l.b.address_plus(begin, l.b.constant(more));
            };
            count_failure(l, text ? read_letters(l, to, size, false, at)
                                  : l.b.helper(BPF_FUNC_probe_read_kernel, {to, l.b.constant(size), begin}));
        };
        if (p.distance == ir::no_value) return copy(from);
        return l.b.branch(l.b.alu(ir::Alu::ult, p.distance, l.b.constant(p.limit)),
                          [&] { copy(l.b.address_plus(from, p.distance)); });
    }
    const ir::Value begin = address_of(l, p);
    const auto at = [&](uint32_t more) { return more == 0 ? begin : l.b.alu(ir::Alu::add, begin, l.b.constant(more)); };
    const int helper = p.user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel;
    const ir::Value read =
        text ? read_letters(l, to, size, p.user, at) : l.b.helper(helper, {to, l.b.constant(size), begin});
    if_unreadable(l, read, begin, l.program[id].span, "");
}

}  // namespace lt
