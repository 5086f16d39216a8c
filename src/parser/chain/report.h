// The block of a chain, which runs at the end of a request, and the block after `else`.
#pragma once

#include <functional>

#include "parser/chain/build.h"
#include "parser/chain/steps.h"

namespace lt {

// The durations of the stages from the times in `times`, then the block, if the whole exceeds the threshold.
Statements chain_report(ChainBuilder& build, const ast::Chain& chain, const ChainPlan& plan,
                        const std::vector<std::function<ast::ExprId()>>& times);

// Counts a request that is left out, or runs the block after `else`.
Statements chain_left_out(ChainBuilder& build, const ast::Chain& chain, const std::function<ast::ExprId()>& reason);

}  // namespace lt
