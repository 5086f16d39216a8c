// Questions about types and about the kernel, whose answers are constants; error numbers in addresses; processes as
// numbered in a namespace.
#include <algorithm>
#include <array>

#include "calls.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_get_current_pid_tgid = 14;
constexpr int helper_get_ns_current_pid_tgid = 120;
constexpr int64_t most_errors = 4095;  // MAX_ERRNO

const std::string& literal(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }

bool is_address(const Type& t) { return t.kind == Kind::integer && (pointee(t) != nullptr || t.view == View::hex); }

// ---- what is known when the program is compiled

bool is_text(BodyChecker& c, ast::ExprId id) { return c.checked(id).kind == Kind::string; }
bool is_pointer(BodyChecker& c, ast::ExprId id) { return is_address(c.checked(id)); }
bool is_row(BodyChecker& c, ast::ExprId id) { return c.checked(id).kind == Kind::array; }
bool is_number(BodyChecker& c, ast::ExprId id) {
    return c.checked(id).kind == Kind::integer && !is_address(c.checked(id));
}
bool is_natural(BodyChecker& c, ast::ExprId id) { return is_number(c, id) && !c.checked(id).is_signed; }
bool stands_there(BodyChecker& c, ast::ExprId id) {
    const ast::ExprNode& node = c.expr(id).node;
    return std::holds_alternative<ast::Integer>(node) || std::holds_alternative<ast::String>(node) ||
           std::holds_alternative<ast::Boolean>(node) || std::holds_alternative<ast::Duration>(node);
}
bool is_described(BodyChecker& c, ast::ExprId id) {
    const auto function = c.kernel().function(literal(c.expr(id)));
    return function && function->in_btf;
}
bool is_callable(BodyChecker&, ast::ExprId) { return false; }  // no program of lt calls any

template <bool (*answer)(BodyChecker&, ast::ExprId)>
Type answered(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    c.say(id, ConstantUse{answer(c, node.arguments[0]) ? 1 : 0});
    return integer_type(8, true);
}

Type string_length(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    c.say(id, ConstantUse{c.longest_string()});
    return integer_type(8, false);
}

Type text_asserted(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (!is_text(c, node.arguments[0]))
        c.error(node.arguments[0], "this is no string, but " + type_name(c.checked(node.arguments[0])));
    return nothing();
}

ir::Value known_number(BodyLowering& l, ast::ExprId id, const ast::Call&) {
    return l.builder().constant(std::get<ConstantUse>(l.use_of(id)).value);
}

// ---- addresses

ir::Value is_error(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    return b.alu(ir::Alu::uge, l.number(node.arguments[0]), b.constant(-most_errors));
}

// ---- namespaces

constexpr std::array<std::string_view, 2> namespaces{"init", "curr_ns"};

const std::string& word(const ast::Expr& expr) { return std::get<ast::Name>(expr.node).name; }

Type namespace_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (std::ranges::find(namespaces, word(c.expr(node.arguments[0]))) == namespaces.end())
        c.error(node.arguments[0], "there is no namespace of this name").hint = "there are init and curr_ns";
    return integer_type(4, false);
}

// In the helper's struct bpf_pidns_info the thread comes first; it leaves zeros where it fails.
template <bool process>
ir::Value number_in_namespace(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const auto own_half = [&](ir::Value both) {
        return process ? b.alu(ir::Alu::lshr, both, b.constant(32)) : b.extend(both, 4, false);
    };
    const auto in_first = [&] { return own_half(b.helper(helper_get_current_pid_tgid)); };
    if (word(l.expr(node.arguments[0])) == namespaces[0]) return in_first();
    const uint32_t result = b.new_slot();
    const ir::Value device = l.session_value(SessionValue::pid_device);
    const auto in_own = [&] {
        const ir::Value room = b.buffer(8);
        b.store(room, 0, b.constant(0));
        b.helper(helper_get_ns_current_pid_tgid,
                 {device, l.session_value(SessionValue::pid_inode), room, b.constant(8)});
        b.write(result, own_half(b.load(room, 0)));
    };
    b.branch(device, in_own, [&] { b.write(result, in_first()); });
    return b.read(result);
}

// id, type, number
constexpr CallRule rules[] = {
    {Function::is_str, answered<is_text>, known_number},
    {Function::is_ptr, answered<is_pointer>, known_number},
    {Function::is_array, answered<is_row>, known_number},
    {Function::is_integer, answered<is_number>, known_number},
    {Function::is_unsigned_integer, answered<is_natural>, known_number},
    {Function::is_literal, answered<stands_there>, known_number},
    {Function::assert_str, text_asserted},
    {Function::default_str_length, string_length, known_number},
    {Function::kfunc_exist, answered<is_described>, known_number},
    {Function::kfunc_allowed, answered<is_callable>, known_number},
    {Function::is_err, nullptr, is_error},
    {Function::pid_in, namespace_type, number_in_namespace<true>},
    {Function::tid_in, namespace_type, number_in_namespace<false>},
};

}  // namespace

std::span<const CallRule> type_rules() { return rules; }

}  // namespace lt
