#include "parser/chain/build.h"

#include "parser/tree/rewrite.h"

namespace lt {

ast::ExprId ChainBuilder::number(uint64_t value) {
    const ast::ExprId plain = add(ast::Integer{value});
    return add(ast::Cast{{span_, "uint64", 0, {}}, plain});
}

ast::ExprId ChainBuilder::clone(ast::ExprId id) { return ast::clone(program_, id); }

}  // namespace lt
