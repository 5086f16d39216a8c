// Where values lie that are no numbers yet: members of the kernel's structures, elements, what an address points to,
// parts of tuples. Memory of the traced machine is read by helpers and through relocations; the program's own is
// loaded.
#include <algorithm>
#include <functional>

#include "decided.h"
#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_probe_read_user = 112;
constexpr int helper_probe_read_kernel = 113;
constexpr int helper_probe_read_user_str = 114;
constexpr int helper_probe_read_kernel_str = 115;

bool is_dereference(const ast::ExprNode& node) {
    const auto* unary = std::get_if<ast::Unary>(&node);
    return unary && unary->op == ast::UnaryOp::dereference;
}

// Of the program's own memory, which the verifier lets it read in aligned words only; members of a packed structure may
// lie across two.
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

}  // namespace

uint32_t Unit::relocation(ir::Relocation r) {
    const auto same = [&](const ir::Relocation& known) {
        return known.ask == r.ask && known.root == r.root && known.path == r.path;
    };
    const auto known = std::find_if(out_.relocations.begin(), out_.relocations.end(), same);
    if (known != out_.relocations.end()) return static_cast<uint32_t>(known - out_.relocations.begin());
    out_.relocations.push_back(std::move(r));
    return static_cast<uint32_t>(out_.relocations.size() - 1);
}

// Is it read from where it lies, and not made by the program?
bool BodyLowering::lies_somewhere(ast::ExprId id) const {
    if (frozen(id)) return false;
    if (const auto* of_program = std::get_if<ProgramUse>(&use(id)))
        return !of_program->variable.is_value || in_memory(type(id));
    if (std::holds_alternative<MemberUse>(use(id)) || std::holds_alternative<FieldUse>(use(id))) return true;
    const ast::ExprNode& node = program_[id].node;
    return std::holds_alternative<ast::Index>(node) || is_dereference(node);
}

BodyLowering::Location BodyLowering::place(ast::ExprId id) {
    const ast::ExprNode& node = program_[id].node;
    if (lies_somewhere(id)) {
        if (const auto* field = std::get_if<FieldUse>(&use(id))) {
            // a number from here on: the verifier forbids loads through a context that was added to
            Location record{b_->alu(ir::Alu::add, b_->context(), b_->constant(field->field.offset))};
            return record;
        }
        if (const auto* of_program = std::get_if<ProgramUse>(&use(id))) return program_place(of_program->variable);
        if (const auto* member = std::get_if<ast::Member>(&node)) return member_place(id, member->base);
        if (const auto* index = std::get_if<ast::Index>(&node)) return index_place(id, *index);
        if (const auto* unary = std::get_if<ast::Unary>(&node))
            return {integer(unary->operand), type(unary->operand).user_memory};
    }
    Location own;
    own.base = string(id, padded(type(id).size));
    own.direct = true;
    return own;
}

// What a member's owner is: what an address points to, or a structure that lies somewhere itself.
BodyLowering::Location BodyLowering::member_place(ast::ExprId id, ast::ExprId base) {
    const Member& member = std::get<MemberUse>(use(id)).member;
    const Type* to = pointee(type(base));
    Location p = to ? Location{integer(base), type(base).user_memory} : place(base);
    const Type& owner = to ? *to : type(base);
    if (p.direct) {
        p.offset += member.offset;
        return p;
    }
    const bool moves = owner.shape && !owner.shape->declared && !of_program(*owner.shape);
    const bool named = moves && !owner.shape->name.empty();
    if (moves && !named && p.root.empty()) unit_.compiled_in();
    if (named && p.path.empty()) {
        p.root = owner.shape->name;
    } else if (p.root.empty()) {
        p.offset += member.offset;
        return p;
    }
    p.path.push_back(member);
    return p;
}

BodyLowering::Location BodyLowering::index_place(ast::ExprId id, const ast::Index& node) {
    if (const auto* part = std::get_if<MemberUse>(&use(id))) {
        Location p = place(node.base);
        p.offset += part->member.offset;
        return p;
    }
    const Type& base = type(node.base);
    const int64_t size = element_size(base);
    Location p = pointee(base) ? Location{integer(node.base), base.user_memory} : place(node.base);
    if (const auto* number = std::get_if<ast::Integer>(&program_[node.index].node); number && p.direct) {
        p.offset += static_cast<uint32_t>(number->value * static_cast<uint64_t>(size));
        return p;
    }
    const ir::Value distance = b_->alu(ir::Alu::mul, integer(node.index), b_->constant(size));
    if (p.direct) p.limit = base.size;
    if (p.direct)  // of what bounds the number LLVM knows nothing here, or it would drop the check that the verifier
                   // needs
        p.distance = b_->call(ir::Library::at_most, {distance, b_->constant(p.limit)});
    else
        p = {b_->alu(ir::Alu::add, address(p), distance), p.user};
    return p;
}

// The kernel patches its programs, but not what lt runs, which is therefore for the kernel that it was compiled for.
ir::Value BodyLowering::asked(const Location& p, ir::Ask ask, uint64_t value) {
    if (on_host() && body_.only_host) {
        unit_.compiled_in();
        return b_->constant(static_cast<int64_t>(value));
    }
    return b_->relocation(unit_.relocation({ask, p.root, p.path, value}));
}

// Of memory of the traced machine; a number.
ir::Value BodyLowering::address(const Location& p) {
    ir::Value out = p.base;
    if (!p.path.empty()) {
        uint64_t offset = 0;
        for (const Member& m : p.path) offset += m.offset;
        out = b_->alu(ir::Alu::add, out, asked(p, ir::Ask::offset, offset));
    }
    return p.offset == 0 ? out : b_->alu(ir::Alu::add, out, b_->constant(p.offset));
}

void BodyLowering::count_failure(ir::Value result) {
    b_->branch(b_->alu(ir::Alu::slt, result, b_->constant(0)), [&] { b_->loss(unit_.loss(LossKind::failed_read, 0)); });
}

// As libbpf's BPF_CORE_READ_BITFIELD_PROBED does: the bytes that hold it, then all around it shifted out.
ir::Value BodyLowering::bit_field(const Location& p, const Member& member, Span where) {
    const ir::Value room = b_->buffer(8);
    const bool asks = !p.path.empty();
    const uint64_t left = 64U - (uint64_t{member.bit_offset} + member.bit_size), right = 64U - member.bit_size;
    const auto value = [&](ir::Ask ask, uint64_t n) {
        return asks ? asked(p, ask, n) : b_->constant(static_cast<int64_t>(n));
    };
    const ir::Value at = address(p);
    if_unreadable(b_->helper(p.user ? helper_probe_read_user : helper_probe_read_kernel,
                             {room, value(ir::Ask::size, member.type.size), at}),
                  at, where, "");
    const ir::Value high = b_->alu(ir::Alu::shl, b_->load(room, 0), value(ir::Ask::shift_left, left));
    return b_->alu(member.type.is_signed ? ir::Alu::ashr : ir::Alu::lshr, high, value(ir::Ask::shift_right, right));
}

// *uptr(address), where that is said.
bool BodyLowering::is_lenient(ast::ExprId id) const {
    const auto* unary = std::get_if<ast::Unary>(&program_[id].node);
    const auto* call = unary ? std::get_if<ast::Call>(&program_[unary->operand].node) : nullptr;
    return call != nullptr && call->lenient;
}

ir::Value BodyLowering::fetched(ast::ExprId id) {
    const Location p = place(id);
    const Type& t = type(id);
    const auto* member = std::get_if<MemberUse>(&use(id));
    const auto width = static_cast<uint8_t>(t.size);
    if (!p.direct && member && member->member.bit_size != 0) return bit_field(p, member->member, program_[id].span);
    if (!p.direct) return read_word(address(p), width, t.is_signed, p.user, program_[id].span, is_lenient(id));
    if (member && member->member.bit_size != 0) return own_bit_field(p, member->member);
    if (p.distance == ir::no_value) return own_word(*b_, p.base, p.offset, width, t.is_signed);
    // the verifier need not know the index: a helper reads the program's own memory as well
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    b_->branch(b_->alu(ir::Alu::ult, p.distance, b_->constant(p.limit)), [&] {
        const ir::Value at = b_->address_plus(b_->address(p.base, p.offset), p.distance);
        b_->write(result, b_->fetch(at, width, t.is_signed, false, unit_.loss(LossKind::failed_read, 0)));
    });
    return b_->read(result);
}

ir::Value BodyLowering::own_bit_field(const Location& p, const Member& member) {
    const ir::Value all = own_word(*b_, p.base, p.offset, static_cast<uint8_t>(member.type.size), false);
    const ir::Value high = b_->alu(ir::Alu::shl, all, b_->constant(64 - (member.bit_offset + member.bit_size)));
    return b_->alu(member.type.is_signed ? ir::Alu::ashr : ir::Alu::lshr, high, b_->constant(64 - member.bit_size));
}

// Parts of a tuple are padded with zeros.
bool BodyLowering::in_tuple(ast::ExprId id) const {
    const ast::ExprNode& node = program_[id].node;
    if (const auto* member = std::get_if<ast::Member>(&node)) return type(member->base).kind == Kind::tuple;
    const auto* index = std::get_if<ast::Index>(&node);
    return index && type(index->base).kind == Kind::tuple;
}

// The helper puts a zero in the place of the last byte, which is then read by itself.
ir::Value BodyLowering::letters_into(ir::Value to, uint32_t size, bool user,
                                     const std::function<ir::Value(uint32_t)>& at) {
    const ir::Value all = b_->constant(size);
    const ir::Value read =
        b_->helper(user ? helper_probe_read_user_str : helper_probe_read_kernel_str, {to, all, at(0)});
    b_->branch(b_->alu(ir::Alu::eq, read, all), [&] {
        const ir::Value last = size == 1 ? to : b_->address(to, size - 1);
        b_->helper(user ? helper_probe_read_user : helper_probe_read_kernel, {last, b_->constant(1), at(size - 1)});
    });
    return read;
}

ir::Value BodyLowering::bytes(ast::ExprId id, uint32_t room) {
    const auto* field = std::get_if<FieldUse>(&use(id));
    const bool elsewhere = lies_somewhere(id) && !in_tuple(id) && !(field && field->field.data_location);
    if (!elsewhere || type(id).kind != Kind::string) return string(id, room);
    const ir::Value out = b_->buffer(room);
    bytes_into(id, out, room, false);
    return out;
}

// The bytes of a string, a structure or an array that lies somewhere, to memory of the program. Of a string (`text`)
// those up to its end.
void BodyLowering::bytes_into(ast::ExprId id, ir::Value to, uint32_t room, bool text) {
    const Location p = place(id);
    const Type& t = type(id);
    const uint32_t size = std::min(t.size, room);
    // what follows in a structure is no part of it, nor is what stands behind the end of a string there
    const bool whole_words = in_tuple(id) || (!text && size % 8 == 0);
    if (p.direct && p.distance == ir::no_value && p.offset % 8 == 0 && whole_words) {
        return b_->copy(to, 0, b_->address(p.base, p.offset), padded(size));
    }
    if (p.direct) {
        const ir::Value from = b_->address(p.base, p.offset);
        const auto copy = [&](ir::Value begin) {
            const auto at = [&](uint32_t more) {
                return more == 0 ? begin : b_->address_plus(begin, b_->constant(more));
            };
            count_failure(text ? letters_into(to, size, false, at)
                               : b_->helper(helper_probe_read_kernel, {to, b_->constant(size), begin}));
        };
        if (p.distance == ir::no_value) return copy(from);
        return b_->branch(b_->alu(ir::Alu::ult, p.distance, b_->constant(p.limit)),
                          [&] { copy(b_->address_plus(from, p.distance)); });
    }
    const ir::Value begin = address(p);
    const auto at = [&](uint32_t more) { return more == 0 ? begin : b_->alu(ir::Alu::add, begin, b_->constant(more)); };
    const int helper = p.user ? helper_probe_read_user : helper_probe_read_kernel;
    const ir::Value read =
        text ? letters_into(to, size, p.user, at) : b_->helper(helper, {to, b_->constant(size), begin});
    if_unreadable(read, begin, program_[id].span, "");
}

// Parts of one tuple into the layout of another, whose strings may be longer.
void BodyLowering::tuple_parts(const Type& from, ir::Value source, uint32_t source_offset, const Type& target,
                               ir::Value to, uint32_t offset) {
    for (size_t i = 0; i < target.shape->parts.size(); i++) {
        const size_t own = same_part(from, target, i);
        const Type &a = from.shape->parts[own], &b = target.shape->parts[i];
        const uint32_t at = source_offset + tuple_offset(from, own), there = offset + tuple_offset(target, i);
        if (a.kind == Kind::tuple) {
            tuple_parts(a, source, at, b, to, there);
        } else {
            b_->copy(to, there, b_->address(source, at), std::min(padded(a.size), padded(b.size)));
        }
    }
}

// As the target lies, to memory that is zero.
void BodyLowering::value_into(ast::ExprId id, ir::Value to, uint32_t offset, const Type& target) {
    if (!in_memory(target)) return b_->store(to, offset, integer(id));
    if (target.kind != Kind::tuple) return string_into(id, to, offset, padded(target.size));
    const auto* literal = std::get_if<ast::Tuple>(&program_[id].node);
    if (literal && !frozen(id)) {
        for (size_t i = 0; i < literal->parts.size(); i++) {  // in the order in which they are written
            const size_t at = same_part(target, type(id), i);
            value_into(literal->parts[i], to, offset + tuple_offset(target, at), target.shape->parts[at]);
        }
        return;
    }
    if (const auto* choice = std::get_if<ast::Conditional>(&program_[id].node); choice && !frozen(id)) {
        if (const auto known = decided(program_, body_, choice->condition))
            return value_into(*known ? choice->yes : choice->no, to, offset, target);
        return b_->branch(
            truth(integer(choice->condition)), [&] { value_into(choice->yes, to, offset, target); },
            [&] { value_into(choice->no, to, offset, target); });
    }
    if (type(id) == target) return string_into(id, to, offset, padded(target.size));
    tuple_parts(type(id), string(id, padded(type(id).size)), 0, target, to, offset);
}

// The address of a value as the target lies.
ir::Value BodyLowering::value_as(ast::ExprId id, const Type& target) {
    if (target.kind != Kind::tuple || type(id) == target) return string(id, padded(target.size));
    const ir::Value out = b_->buffer(padded(target.size));
    value_into(id, out, 0, target);
    return out;
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Boolean& node) { return b_->constant(node.value); }

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Member&) {
    if (const auto* pair = std::get_if<PairUse>(&use(id))) return pair_integer(*pair);
    if (const auto* of_program = std::get_if<ProgramUse>(&use(id)); of_program && of_program->variable.is_value)
        return b_->extend(located(of_program->variable).back(), static_cast<uint8_t>(type(id).size),
                          type(id).is_signed);
    if (!std::holds_alternative<FieldUse>(use(id))) return fetched(id);
    return argument_value(std::get<FieldUse>(use(id)).field);
}

ir::Value BodyLowering::variable_value(const ProgramVariable& variable) {
    const auto width = static_cast<uint8_t>(variable.type.size);
    if (variable.is_value) return b_->extend(located(variable).back(), width, variable.type.is_signed);
    return read_word(address(program_place(variable)), width, variable.type.is_signed, in_program(body_.place),
                     b_->where());
}

ir::Value BodyLowering::argument_value(const Field& field) {
    const auto width = static_cast<uint8_t>(field.type.size);
    if (serves_system_calls(body_.place)) return b_->extend(call_field(field), width, field.type.is_signed);
    if (in_record()) return b_->field(field.offset, width, field.type.is_signed);
    if (as_handed_) return b_->field(field.offset * 8, 8, false);
    return b_->extend(b_->argument(field.offset), width, field.type.is_signed);
}

ir::Value BodyLowering::known_address(ast::ExprId id) {
    as_handed_ = true;
    const ir::Value at = in_memory(type(id)) ? address(place(id)) : integer(id);
    as_handed_ = false;
    return at;
}

// An element of an array in a tracepoint's record is loaded from there where its index is known.
ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Index& node) {
    if (type(node.base).aggregation == Aggregation::samples) return bucket(node);
    const auto* field = std::get_if<FieldUse>(&use(node.base));
    const auto* number = std::get_if<ast::Integer>(&program_[node.index].node);
    const bool in_place = field && number && !frozen(node.base) && element(type(node.base)) && in_record();
    if (!in_place) return fetched(id);
    const Type& t = type(id);
    return b_->field(field->field.offset + static_cast<uint32_t>(number->value) * t.size, static_cast<uint8_t>(t.size),
                     t.is_signed);
}
ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Tuple&) { return b_->constant(0); }

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Cast& node) {
    const Type& t = type(id);
    if (node.decays && in_memory(type(node.value)) && lies_somewhere(node.value)) return address(place(node.value));
    if (type(node.value).kind == Kind::array)
        return b_->load(string(node.value, 8), 0, static_cast<uint8_t>(t.size), t.is_signed);
    if (type(node.value).kind == Kind::string)
        return truth(b_->load(string(node.value, padded(type(node.value).size)), 0, 1));
    const ir::Value v = integer(node.value);
    if (t.view == View::boolean) return truth(v);
    return b_->extend(v, static_cast<uint8_t>(t.size), t.is_signed);
}

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::SizeOf&) {
    return b_->constant(std::get<ConstantUse>(use(id)).value);
}
ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::OffsetOf&) {
    return b_->constant(std::get<ConstantUse>(use(id)).value);
}

// The number of an addition to an address counts what it points to.
ir::Value BodyLowering::scaled(ir::Value v, const Type& other, const Type& own) {
    if (!pointee(other) || pointee(own)) return v;
    return b_->alu(ir::Alu::mul, v, b_->constant(element_size(other)));
}

}  // namespace lt
