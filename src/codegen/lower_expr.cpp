// Expressions: every integer is 64 bits wide, every string is memory padded with zeros to a multiple of 8 bytes.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>

#include "calls.h"
#include "decided.h"
#include "long_text.h"
#include "lower.h"
#include "operators.h"
#include "stacks.h"

namespace lt {
namespace {

constexpr int helper_get_current_comm = 16;
constexpr int helper_probe_read_kernel = 113;
constexpr int helper_probe_read_kernel_str = 115;

// The operation on unsigned integers, and the one on signed integers where it differs.
struct OperatorRow {
    ast::BinaryOp op;
    ir::Alu plain;
    ir::Alu when_signed;
};
constexpr std::array operators{
    OperatorRow{ast::BinaryOp::add, ir::Alu::add, ir::Alu::add},
    OperatorRow{ast::BinaryOp::subtract, ir::Alu::sub, ir::Alu::sub},
    OperatorRow{ast::BinaryOp::multiply, ir::Alu::mul, ir::Alu::mul},
    OperatorRow{ast::BinaryOp::divide, ir::Alu::udiv, ir::Alu::sdiv},
    OperatorRow{ast::BinaryOp::modulo, ir::Alu::umod, ir::Alu::smod},
    OperatorRow{ast::BinaryOp::shift_left, ir::Alu::shl, ir::Alu::shl},
    OperatorRow{ast::BinaryOp::shift_right, ir::Alu::lshr, ir::Alu::ashr},
    OperatorRow{ast::BinaryOp::bit_and, ir::Alu::bit_and, ir::Alu::bit_and},
    OperatorRow{ast::BinaryOp::bit_or, ir::Alu::bit_or, ir::Alu::bit_or},
    OperatorRow{ast::BinaryOp::bit_xor, ir::Alu::bit_xor, ir::Alu::bit_xor},
    OperatorRow{ast::BinaryOp::equal, ir::Alu::eq, ir::Alu::eq},
    OperatorRow{ast::BinaryOp::not_equal, ir::Alu::ne, ir::Alu::ne},
    OperatorRow{ast::BinaryOp::less, ir::Alu::ult, ir::Alu::slt},
    OperatorRow{ast::BinaryOp::less_equal, ir::Alu::ule, ir::Alu::sle},
    OperatorRow{ast::BinaryOp::greater, ir::Alu::ugt, ir::Alu::sgt},
    OperatorRow{ast::BinaryOp::greater_equal, ir::Alu::uge, ir::Alu::sge},
};

uint32_t result_offset(const Tracepoint& exit) {
    const auto ret =
        std::find_if(exit.fields.begin(), exit.fields.end(), [](const Field& f) { return f.name == "ret"; });
    return ret == exit.fields.end() ? 16 : ret->offset;
}

bool is_equality(ast::BinaryOp op) { return op == ast::BinaryOp::equal || op == ast::BinaryOp::not_equal; }

// Of what two addresses point to, whose difference counts in it as in C; 1 where that is not the same.
int64_t size_of_both(const Type& left, const Type& right) {
    const Type *a = pointee(left), *b = pointee(right);
    return a && b && a->size == b->size ? std::max<int64_t>(a->size, 1) : 1;
}

bool is_logical(ast::BinaryOp op) { return op == ast::BinaryOp::logical_and || op == ast::BinaryOp::logical_or; }

}  // namespace

ir::Value BodyLowering::integer(ast::ExprId id) {
    if (const auto i = frozen(id)) return b_->read(thawed_[*i].slot);
    return std::visit([&](const auto& node) { return integer_of(id, node); }, program_[id].node);
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Integer& node) {
    return b_->constant(static_cast<int64_t>(node.value));
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Duration& node) { return b_->constant(node.nanoseconds); }

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::String&) { return b_->constant(0); }

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Name&) {
    if (const auto* c = std::get_if<ConstantUse>(&use(id))) return b_->constant(c->value);
    if (const auto* p = std::get_if<ParamUse>(&use(id))) return b_->load(b_->param(unit_.param(p->index)), 0);
    return variable(std::get<VariableUse>(use(id)));
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Ellipsis&) { return b_->read(latency_slot_); }

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Local&) {
    return b_->read(local_slots_[std::get<LocalUse>(use(id)).index]);
}

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Map& node) {
    const uint32_t map = std::get<MapUse>(use(id)).index;
    const uint32_t result = b_->new_slot();
    const ir::Value key = key_of(map, node);
    if (unit_.map(map).value.kind == Kind::aggregation) return folded(map, key);
    b_->write(result, b_->constant(0));
    const ir::Value slot = stored(map, key);
    b_->branch(slot, [&] { b_->write(result, b_->load(slot, 0)); });
    return b_->read(result);
}

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Call& node) {
    if (const auto c = program_.c_function(node.name)) return c_called(node, *c, ir::no_value);
    const FunctionRow* row = find_function(node.name);
    if (const CallRule* rule = call_rule(row->id))
        return rule->integer != nullptr ? rule->integer(*this, id, node) : b_->constant(0);
    struct Own {
        Function id;
        ir::Value (BodyLowering::*integer)(ast::ExprId, const ast::Call&);
    };
    static constexpr Own own[] = {
        {Function::age, &BodyLowering::age},
        {Function::entry, &BodyLowering::first_argument},
        {Function::kptr, &BodyLowering::first_argument},
        {Function::uptr, &BodyLowering::first_argument},
        {Function::strlen, &BodyLowering::text_length},
        {Function::strncmp, &BodyLowering::beginnings_compared},
        {Function::strcontains, &BodyLowering::text_contains},
        {Function::size_of, &BodyLowering::known_size},
        {Function::remove, &BodyLowering::removed},
        {Function::has_key, &BodyLowering::has_key},
        {Function::length, &BodyLowering::length},
    };
    const auto* const known = std::ranges::find(own, row->id, &Own::id);
    return known == std::end(own) ? b_->constant(0) : (this->*known->integer)(id, node);
}

ir::Value BodyLowering::first_argument(ast::ExprId, const ast::Call& node) { return integer(node.arguments[0]); }

ir::Value BodyLowering::known_size(ast::ExprId id, const ast::Call&) {
    return b_->constant(std::get<ConstantUse>(use(id)).value);
}

ir::Value BodyLowering::removed(ast::ExprId, const ast::Call& node) { return remove(node.arguments[0]); }

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Unary& node) {
    if (node.op == ast::UnaryOp::dereference) return fetched(id);
    if (node.op == ast::UnaryOp::address)
        return keeps_value(node.operand) ? own_address(node.operand) : address(place(node.operand));
    const ir::Value v = integer(node.operand);
    switch (node.op) {
        case ast::UnaryOp::minus:
            return b_->alu(ir::Alu::sub, b_->constant(0), v);
        case ast::UnaryOp::bit_not:
            return b_->alu(ir::Alu::bit_xor, v, b_->constant(-1));
        case ast::UnaryOp::logical_not:
            return b_->alu(ir::Alu::eq, v, b_->constant(0));
        case ast::UnaryOp::dereference:
        case ast::UnaryOp::address:
            break;
    }
    return v;
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Binary& node) {
    if (is_logical(node.op)) return logical(node);
    if (type(node.left).kind == Kind::string && !is_equality(node.op)) return compared(node);
    if (in_memory(type(node.left)) || in_memory(type(node.right))) return same_strings(node);
    ir::Value a = integer(node.left), b = integer(node.right);
    if (node.op == ast::BinaryOp::add || node.op == ast::BinaryOp::subtract) {
        a = scaled(a, type(node.right), type(node.left));
        b = scaled(b, type(node.left), type(node.right));
    }
    if_no_divisor(node.op, b, node.left, node.right, false);
    const ir::Value result = arithmetic(node.op, signed_operation(program_, body_, node), a, b);
    const int64_t each = node.op == ast::BinaryOp::subtract ? size_of_both(type(node.left), type(node.right)) : 1;
    return each == 1 ? result : b_->call(ir::Library::divide, {result, b_->constant(each)});
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Conditional& node) {
    if (const auto known = decided(program_, body_, node.condition)) return integer(*known ? node.yes : node.no);
    const uint32_t result = b_->new_slot();
    if (node.yes == node.condition) {  // a ?: b
        b_->write(result, integer(node.condition));
        b_->branch(b_->read(result), [] {}, [&] { b_->write(result, integer(node.no)); });
        return b_->read(result);
    }
    b_->branch(
        truth(integer(node.condition)), [&] { b_->write(result, integer(node.yes)); },
        [&] { b_->write(result, integer(node.no)); });
    return b_->read(result);
}

// By the number in lt's own namespace. In the helper's struct bpf_pidns_info the thread comes first; it leaves zeros
// where it fails, as for what is not in there.
ir::Value BodyLowering::renumbered(bool process) {
    constexpr int helper_get_ns_current_pid_tgid = 120;
    const auto own_half = [&](ir::Value both) {
        return process ? b_->alu(ir::Alu::lshr, both, b_->constant(32)) : b_->extend(both, 4, false);
    };
    const uint32_t result = b_->new_slot();
    const ir::Value device = session(SessionValue::pid_device);
    const auto in_own = [&] {
        const ir::Value room = b_->buffer(8);
        b_->store(room, 0, b_->constant(0));
        b_->helper(helper_get_ns_current_pid_tgid, {device, session(SessionValue::pid_inode), room, b_->constant(8)});
        b_->write(result, own_half(b_->load(room, 0)));
    };
    const auto in_first = [&] { b_->write(result, own_half(b_->helper(variable_row(Variable::pid).helper))); };
    b_->branch(device, in_own, in_first);
    return b_->read(result);
}

ir::Value BodyLowering::own_process() {
    if (unit_.typed.renumbered && !body_.host) return renumbered(true);
    const VariableRow& row = variable_row(Variable::pid);
    return b_->alu(ir::Alu::lshr, b_->helper(row.helper), b_->constant(row.shift));
}

ir::Value BodyLowering::variable(const VariableUse& v) {
    const VariableRow& row = variable_row(v.id);
    if (stuck_ != ir::no_value && (v.id == Variable::pid || v.id == Variable::tid)) {
        const ir::Value who = b_->load(stuck_, 0);
        return b_->extend(b_->alu(ir::Alu::lshr, who, b_->constant(row.shift)), 4, false);
    }
    const bool is_number = v.id == Variable::pid || v.id == Variable::tid;
    if (unit_.typed.renumbered && !body_.host && is_number) return renumbered(v.id == Variable::pid);
    if (row.helper != 0) {
        ir::Value value = b_->helper(row.helper);
        if (row.shift != 0) value = b_->alu(ir::Alu::lshr, value, b_->constant(row.shift));
        return b_->extend(value, static_cast<uint8_t>(row.type.size), false);
    }
    if (v.id == Variable::latency) return b_->read(latency_slot_);
    if (v.id == Variable::ctx) return b_->alu(ir::Alu::add, b_->context(), b_->constant(0));
    if (v.id == Variable::arg && !body_.place.arguments.empty())
        return marker_argument(body_.place.arguments[v.number]);
    if (v.id == Variable::arg) return b_->argument(v.number);
    if (v.id == Variable::ncpus) return session(SessionValue::cpus);
    if (v.id == Variable::cpid) return session(SessionValue::command);
    if (v.id == Variable::has_cpid) return session(SessionValue::has_command);
    if (v.id == Variable::usermode) return user_mode();
    if (v.id == Variable::elapsed) {
        return b_->alu(ir::Alu::sub, b_->helper(variable_row(Variable::nsecs).helper), session(SessionValue::start));
    }
    if (serves_system_calls(body_.place)) return b_->argument(1);
    if (body_.place.kind == ProbeKind::syscall) return b_->field(result_offset(body_.place.exit), 8, true);
    const bool of_program = body_.place.result.kind == Kind::integer;
    const Type& t = of_program                    ? body_.place.result
                    : body_.place.function.in_btf ? body_.place.function.result
                                                  : integer_type();
    return b_->extend(b_->result(), static_cast<uint8_t>(t.size), t.is_signed);
}

// Events that are counted come at any time; all others have a side to which they belong.
ir::Value BodyLowering::user_mode() {
    constexpr uint32_t code_segment = 136;  // of struct pt_regs: its lowest bits are the privilege level
    switch (probe_row(body_.place.kind).place) {
        case Place::clock:
        case Place::counter:
        case Place::address: {
            const ir::Value level = b_->alu(ir::Alu::bit_and, b_->field(code_segment, 8, false), b_->constant(3));
            return b_->alu(ir::Alu::eq, level, b_->constant(3));
        }
        case Place::binary_function:
        case Place::marker:
            return b_->constant(1);
        case Place::nothing:
        case Place::signal:
            return b_->constant(body_.place.special ? 1 : 0);
        case Place::period:
        case Place::event:
        case Place::raw_event:
        case Place::kernel_function:
        case Place::system_call:
        case Place::kernel_objects:
        case Place::socket_event:
            break;
    }
    return b_->constant(0);
}

// The context is the registers, where the note says that it is.
ir::Value BodyLowering::marker_argument(const MarkerArgument& a) {
    const auto width = static_cast<uint8_t>(a.size);
    const auto saved = [&](const SavedRegister& r) { return b_->field(r.offset, 8, false); };
    switch (a.where) {
        case MarkerArgument::Where::constant:
            return b_->extend(b_->constant(a.number), width, a.is_signed);
        case MarkerArgument::Where::in_register:
            return b_->field(a.base->offset, width, a.is_signed);
        case MarkerArgument::Where::memory: {
            ir::Value at = b_->constant(a.number);
            if (a.base) at = b_->alu(ir::Alu::add, saved(*a.base), at);
            if (a.index) at = b_->alu(ir::Alu::add, b_->alu(ir::Alu::mul, saved(*a.index), b_->constant(a.scale)), at);
            return b_->fetch(at, width, a.is_signed, true, unit_.loss(LossKind::failed_read, 0));
        }
        case MarkerArgument::Where::unknown:
            break;
    }
    return b_->constant(0);
}

ir::Value BodyLowering::truth(ir::Value v) { return b_->alu(ir::Alu::ne, v, b_->constant(0)); }

ir::Value BodyLowering::logical(const ast::Binary& node) {
    const bool both = node.op == ast::BinaryOp::logical_and;
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(both ? 0 : 1));
    const auto second = [&] { b_->write(result, truth(integer(node.right))); };
    const ir::Value first = truth(integer(node.left));
    both ? b_->branch(first, second) : b_->branch(first, [] {}, second);
    return b_->read(result);
}

// What is divided by zero is 0, or 1 where the program's settings say so.
ir::Value BodyLowering::arithmetic(ast::BinaryOp op, bool is_signed, ir::Value a, ir::Value b) {
    const auto* row = std::ranges::find(operators, op, &OperatorRow::op);
    if (row == operators.end()) return a;
    const ir::Alu alu = is_signed ? row->when_signed : row->plain;
    const bool divides = op == ast::BinaryOp::divide || op == ast::BinaryOp::modulo;
    if (!divides) return b_->alu(alu, a, b);
    const ir::Value result = alu == ir::Alu::sdiv   ? b_->call(ir::Library::divide, {a, b})
                             : alu == ir::Alu::smod ? b_->call(ir::Library::modulo, {a, b})
                                                    : b_->alu(alu, a, b);
    if (!program_.settings.one_for_zero) return result;
    return b_->alu(ir::Alu::add, result, b_->alu(ir::Alu::eq, b, b_->constant(0)));
}

// The bytes of a string, or of the text that a name stands for.
static uint32_t text_size(const Type& type) { return in_memory(type) ? type.size : name_size(type); }

// Word by word while it is short: with a literal each word becomes one comparison.
ir::Value BodyLowering::same_strings(const ast::Binary& node) {
    constexpr uint32_t longest_unrolled = 64;
    const Type &l = type(node.left), &r = type(node.right);
    const bool tuples = l.kind == Kind::tuple;
    const Type both = tuples ? joined(l, r) : l;
    const uint32_t room = padded(tuples ? both.size : std::max(text_size(l), text_size(r)));
    // what follows the shorter one, a zero at least, follows the other one too if they are the same
    const uint32_t compared = tuples ? room : std::min(room, padded(std::min(text_size(l), text_size(r)) + 1));
    const auto side = [&](ast::ExprId id) {
        if (tuples) return value_as(id, both);
        if (in_memory(type(id))) return string(id, room);
        const ir::Value out = b_->buffer(room);  // a name that stands for a text
        name_into(*this, id, out);
        return out;
    };
    const ir::Value a = side(node.left), b = side(node.right);
    ir::Value same;
    if (compared > most_compared_in_line) {
        same = b_->alu(ir::Alu::eq, text_order(*b_, a, b, compared), b_->constant(0));
    } else if (compared > longest_unrolled) {
        same = b_->call(ir::Library::same, {a, b, b_->constant(compared)});
    } else {
        ir::Value apart = b_->constant(0);
        for (uint32_t at = 0; at < compared; at += 8) {
            const ir::Value word = b_->alu(ir::Alu::bit_xor, b_->load(a, at), b_->load(b, at));
            apart = b_->alu(ir::Alu::bit_or, apart, word);
        }
        same = b_->alu(ir::Alu::eq, apart, b_->constant(0));
    }
    return node.op == ast::BinaryOp::equal ? same : b_->alu(ir::Alu::eq, same, b_->constant(0));
}

ir::Value BodyLowering::string(ast::ExprId id, uint32_t room) {
    if (const auto* literal = std::get_if<ast::String>(&program_[id].node))
        return b_->text(unit_.text(literal->value, room));
    if (const auto* local = std::get_if<LocalUse>(&use(id));
        local && padded(locals()[local->index].type.size) >= room) {
        return local_buffers_[local->index];
    }
    const ir::Value out = b_->buffer(room);
    string_into(id, out, 0, room);
    return out;
}

// Of many places each has a row in one table, whose length is a power of two, so that the verifier sees that no cookie
// leads out of it.
ir::Value BodyLowering::of_places(const std::vector<std::string>& texts, uint32_t room) {
    if (texts.size() == 1) return b_->text(unit_.text(texts.front().substr(0, room - 1), room));
    const size_t rows = std::bit_ceil(texts.size());
    std::string table;
    for (const std::string& text : texts) {
        table += text.substr(0, room - 1);
        table.resize((table.size() / room + 1) * room);
    }
    const auto size = static_cast<uint32_t>(rows * room);
    const ir::Value row = b_->alu(ir::Alu::bit_and, place_index(), b_->constant(static_cast<int64_t>(rows - 1)));
    return b_->address_plus(b_->text(unit_.text(std::move(table), size)),
                            b_->alu(ir::Alu::mul, row, b_->constant(room)));
}

// Of the variables that are texts of the place.
ir::Value BodyLowering::variable_text(Variable id, uint32_t room) {
    if (stuck_ != ir::no_value && id == Variable::probe)
        return of_places({pattern_text(body_.place)}, room);  // nobody knows which it was
    return of_places(id == Variable::func ? function_names(body_.place) : place_texts(body_.place), room);
}

ir::Value BodyLowering::session(SessionValue what) { return b_->load(b_->param(unit_.session(what)), 0); }

void BodyLowering::variable_into(Variable id, const Type& type, ir::Value to) {
    const uint32_t own = padded(type.size);
    if (type.kind == Kind::stack) {
        stack_into(id, stack_frames, to);
    } else if (id == Variable::probetype) {
        b_->copy(to, 0, b_->text(unit_.text(std::string(type_of_probe(body_.place)), own)), own);
    } else if (id == Variable::probe || id == Variable::func) {
        b_->copy(to, 0, variable_text(id, own), own);
    } else if (stuck_ != ir::no_value) {
        b_->copy(to, 0, b_->address(stuck_, offsetof(StuckSpan, comm)), sizeof(StuckSpan::comm));
    } else {
        b_->helper(helper_get_current_comm, {to, b_->constant(own)});
    }
}

// A string of another size, or the bytes of a number.
void BodyLowering::cast_into(ast::ExprId value, const Type& type, ir::Value to) {
    if (type.kind == Kind::string) return resized(value, type.size, to);
    if (this->type(value).kind == Kind::string) {
        const uint32_t room = padded(std::max(this->type(value).size, type.size));
        b_->helper(helper_probe_read_kernel, {to, b_->constant(type.size), bytes(value, room)});
        return;
    }
    const ir::Value unused = b_->constant(64 - 8 * static_cast<int64_t>(type.size));
    const ir::Value high = b_->alu(ir::Alu::shl, integer(value), unused);
    b_->store(to, 0, b_->alu(ir::Alu::lshr, high, unused));
}

void BodyLowering::string_into(ast::ExprId id, ir::Value to, uint32_t offset, uint32_t room) {
    const ir::Value at = offset == 0 ? to : b_->address(to, offset);
    if (const auto i = frozen(id))
        return b_->copy(at, 0, thawed_[*i].buffer, std::min(room, unit_.layout(body_.span).frozen[*i].room));
    const uint32_t own = padded(type(id).size);
    const ast::ExprNode& node = program_[id].node;
    const Use& u = use(id);
    if (const auto* choice = std::get_if<ast::Conditional>(&node)) {
        if (const auto known = decided(program_, body_, choice->condition))
            return string_into(*known ? choice->yes : choice->no, to, offset, room);
        if (type(id).kind == Kind::tuple) return value_into(id, to, offset, type(id));
        b_->branch(
            truth(integer(choice->condition)), [&] { string_into(choice->yes, to, offset, room); },
            [&] { string_into(choice->no, to, offset, room); });
    } else if (const auto* cast = std::get_if<ast::Cast>(&node)) {
        cast_into(cast->value, type(id), at);
    } else if (const auto* literal = std::get_if<ast::String>(&node)) {
        b_->copy(at, 0, b_->text(unit_.text(literal->value, own)), own);
    } else if (const auto* p = std::get_if<ParamUse>(&u)) {
        b_->copy(at, 0, b_->param(unit_.param(p->index)), own);
    } else if (const auto* variable_use = std::get_if<VariableUse>(&u)) {
        variable_into(variable_use->id, type(id), at);
    } else if (const auto* inner = std::get_if<ast::BlockValue>(&node)) {
        run_block(*inner);
        string_into(*inner->value, to, offset, room);
    } else if (const auto* pair = std::get_if<PairUse>(&u)) {
        pair_into(*pair, at, own);
    } else if (const auto* field = std::get_if<FieldUse>(&u); field && type(id).kind == Kind::string) {
        field_string(field->field, at, type(id).size);
    } else if (lies_somewhere(id)) {
        bytes_into(id, at, room, type(id).kind == Kind::string);
    } else if (std::holds_alternative<ast::Tuple>(node)) {
        value_into(id, to, offset, type(id));
    } else if (const auto* local = std::get_if<LocalUse>(&u)) {
        b_->copy(at, 0, local_buffers_[local->index], own);
    } else if (const auto* map = std::get_if<MapUse>(&u)) {
        const ir::Value slot = stored(map->index, key_of(map->index, std::get<ast::Map>(node)));
        b_->branch(slot, [&] { b_->copy(at, 0, slot, own); });
    } else if (const auto* called = std::get_if<CallUse>(&u); called && called->id == Function::entry) {
        string_into(std::get<ast::Call>(node).arguments[0], to, offset, room);
    } else if (const auto which = called ? stack_variable(called->id) : std::nullopt) {
        stack_into(*which, stack_request(program_, std::get<ast::Call>(node)).frames, at);
    } else if (const CallRule* rule = called ? call_rule(called->id) : nullptr; rule && rule->bytes) {
        rule->bytes(*this, id, std::get<ast::Call>(node), at);
    } else if (const auto* call = std::get_if<ast::Call>(&node); call && program_.c_function(call->name)) {
        c_called(*call, *program_.c_function(call->name), at);
    } else if (std::holds_alternative<ArgumentsUse>(u) && std::holds_alternative<ast::Name>(node)) {
        arguments_into(id, at);
    } else if (std::holds_alternative<TextsUse>(u)) {
        call_rule(Function::type_info)->bytes(*this, id, std::get<ast::Call>(node), at);
    } else if (std::holds_alternative<ArgumentsUse>(u)) {
        call_rule(Function::all_args)->bytes(*this, id, std::get<ast::Call>(node), at);
    } else if (const auto* sum = std::get_if<ast::Binary>(&node)) {
        concat(sum->left, sum->right, type(id).size, at);
    } else if (called) {
        called->id == Function::buf ? buffer_into(id, std::get<ast::Call>(node), at)
                                    : text_into(id, std::get<ast::Call>(node), at);
    }
}

// A string as one of another size, which is cut where it is longer.
void BodyLowering::resized(ast::ExprId value, uint32_t size, ir::Value to) {
    const uint32_t own = type(value).size;
    if (own <= size) return string_into(value, to, 0, padded(own));
    b_->helper(helper_probe_read_kernel_str, {to, b_->constant(size), string(value, padded(own))});
}

// What is recorded by its length need not end with a zero either: a helper that reads one byte more puts it there.
void BodyLowering::field_string(const Field& field, ir::Value to, uint32_t size) {
    const ir::Value record = b_->context();
    if (!field.data_location) {
        letters_into(to, size, false, [&](uint32_t more) { return b_->address(record, field.offset + more); });
        return;
    }
    const ir::Value location = b_->field(field.offset, 4, false);
    const ir::Value from = b_->address_plus(record, b_->alu(ir::Alu::bit_and, location, b_->constant(0xffff)));
    const ir::Value length = b_->alu(ir::Alu::lshr, location, b_->constant(16));
    const ir::Value with_end = b_->alu(ir::Alu::add, length, b_->constant(1));
    const ir::Value most = b_->call(ir::Library::at_most, {with_end, b_->constant(padded(size))});
    b_->helper(helper_probe_read_kernel_str, {to, most, from});
}

}  // namespace lt
