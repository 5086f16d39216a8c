#include "stp_call_names.h"

#include "base/text.h"
#include "stp_each.h"

namespace lt::stp {

ast::ExprId name_at_run_time(ast::Program& program, Span where, bool returns) {
    const std::string_view before = returns ? "tracepoint:syscalls:sys_exit_" : "syscall:";
    constexpr uint64_t longest = 40;
    const auto expr = [&](ast::ExprNode node) { return program.add(where, std::move(node)); };
    const ast::ExprId place = expr(ast::Call{"@lt", where, {expr(ast::String{"probe"})}});
    return expr(ast::Call{
        "@lt",
        where,
        {expr(ast::String{"substr"}), place, expr(ast::Integer{before.size()}), expr(ast::Integer{longest})}});
}

void name_kernel_function(ast::Program& program, const FunctionTable& functions, const ast::Block& body,
                          const std::string& name, bool returns) {
    const std::string before = "__x64_sys_";
    const auto replace = [&](ast::ExprId id) {
        const auto* call = std::get_if<ast::Call>(&program[id].node);
        const bool asks = call != nullptr && (call->name == "probefunc" || call->name == "ppfunc");
        if (!asks || !call->arguments.empty() || functions.has(call->name)) return;
        const Span where = program[id].span;
        ast::ExprNode whole = ast::String{before + name};
        if (is_glob(name))
            whole = ast::Binary{ast::BinaryOp::add, program.add(where, ast::String{before}),
                                name_at_run_time(program, where, returns)};
        program.exprs[static_cast<size_t>(id)].node = std::move(whole);
    };
    each_expr_in(program, body, replace);
}

}  // namespace lt::stp
