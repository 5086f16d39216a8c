#include "codegen/check/expr/address.h"

#include <fmt/format.h>

#include "codegen/check/expr/assume.h"

namespace lt {
namespace {

bool is_kernel_address(CheckContext& c, ast::ExprId address) {
    const ast::ExprNode& node = c.expr(address).node;
    if (const auto* sum = std::get_if<ast::Binary>(&node))
        return is_kernel_address(c, sum->left) || is_kernel_address(c, sum->right);
    if (const auto* number = std::get_if<ast::Integer>(&node)) return number->value > INT64_MAX;
    if (const auto* constant = std::get_if<ConstantUse>(&c.use(address))) return constant->value < 0;  // kaddr()
    const auto* called = std::get_if<CallUse>(&c.use(address));
    const bool by_function = called && (called->id == Function::kptr || called->id == Function::percpu_kaddr);
    return by_function || (pointee(c.type(address)) && !c.type(address).user_memory);
}

}  // namespace

Type reached(Type type, bool user) {
    const bool address = type.kind == Kind::integer && type.view == View::hex;
    if (user && (address || in_memory(type))) type.user_memory = true;
    return type;
}

bool is_readable(CheckContext& c, ast::ExprId id, bool user) {
    if (!user || c.region != Region::timeout) return true;
    c.error(id, "a timeout's block does not run in the thread that is stuck: it cannot read that thread's memory")
        .hint = "read it when the span opens: write `entry(...)` around it";
    return false;
}

bool is_supposed_of_user(CheckContext& c, ast::ExprId address, const Type& to) {
    if (!runs_in_program(c.place()) || (to.kind == Kind::structure && moves(to))) return false;
    return !is_kernel_address(c, address);
}

Type dereferenced(CheckContext& c, ast::ExprId id, const Type& operand) {
    if (const Type* to = pointee(operand); to && to->size != 0)
        return is_readable(c, id, operand.user_memory) ? reached(*to, operand.user_memory) : nothing();
    if (operand.kind == Kind::integer && operand.view == View::plain) {  // as in bpftrace
        const ast::ExprId address = std::get<ast::Unary>(c.expr(id).node).operand;
        if (is_supposed_of_user(c, address, integer_type())) c.type(address).user_memory = true;
        return is_readable(c, id, c.type(address).user_memory) ? integer_type(8, false) : nothing();
    }
    c.error(id, fmt::format("`*` takes an address of a known type, not {}", type_name(operand))).hint =
        "give the type that it points to: `*(uint64 *)arg0`";
    return nothing();
}

std::optional<bool> memory_of(CheckContext& c, ast::ExprId id) {
    const ast::ExprNode& node = c.expr(id).node;
    if (const auto* unary = std::get_if<ast::Unary>(&node); unary && unary->op == ast::UnaryOp::dereference)
        return c.type(unary->operand).user_memory;
    if (const auto* of_program = std::get_if<ProgramUse>(&c.use(id)))
        return of_program->variable.is_value ? std::nullopt : std::optional(in_program(c.place()));
    const auto* member = std::get_if<ast::Member>(&node);
    const auto* index = std::get_if<ast::Index>(&node);
    if (!member && !index) return {};
    const ast::ExprId base = member ? member->base : index->base;
    if (pointee(c.type(base))) return c.type(base).user_memory;
    return memory_of(c, base);
}

Type address_of(CheckContext& c, ast::ExprId id, ast::ExprId operand, Type type) {
    const auto* member = std::get_if<MemberUse>(&c.use(operand));
    const auto user = memory_of(c, operand);
    const bool is_map = std::holds_alternative<ast::Map>(c.expr(operand).node);
    if (is_map || std::holds_alternative<ast::Local>(c.expr(operand).node)) {
        const auto* map = std::get_if<MapUse>(&c.use(operand));
        if (map && c.typed.maps[map->index].value.kind == Kind::aggregation) type = c.typed.maps[map->index].value;
        if (type.kind == Kind::integer || type.kind == Kind::string || type.kind == Kind::structure)
            return pointer_type(std::move(type), false);
        c.error(id,
                fmt::format("{} has no address: it holds {}", is_map ? "this map" : "this variable", type_name(type)))
            .hint = "numbers, strings and structures have an address";
        return nothing();
    }
    if (!user || (member && member->member.bit_size != 0)) {
        c.error(id, user ? "a bit field has no address" : "this value has no address in the traced code").hint =
            "`&` takes a member of a structure in memory, an element of an array there, or the value at an address, as "
            "in `&args.file->f_path`";
        return nothing();
    }
    return pointer_type(std::move(type), *user);
}

}  // namespace lt
