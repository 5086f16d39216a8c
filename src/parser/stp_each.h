// Every expression in a block, the inner ones after those around them.
#pragma once

#include <functional>

#include "parser/rewrite.h"

namespace lt::stp {

inline void each_expr_in(const ast::Program& program, const ast::Block& block,
                         const std::function<void(ast::ExprId)>& work) {
    const std::function<void(const ast::Block&)> in_block = [&](const ast::Block& b) {
        const std::function<void(ast::ExprId)> in_expr = [&](ast::ExprId id) {
            work(id);
            const ast::Expr e = program[id];
            ast::each_child(e, in_expr);
            ast::each_block(e, in_block);
        };
        for (ast::StmtId id : b.statements) {
            const ast::Stmt stmt = program[id];
            ast::each_expr(stmt, in_expr);
            ast::each_block(stmt, in_block);
        }
    };
    in_block(block);
}

}  // namespace lt::stp
