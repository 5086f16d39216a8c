// A chain, seen as its events: each with the `last` and `in` points that are looked up there, and the stages that
// begin.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "parser/tree/ast.h"

namespace lt {

struct ChainStep {
    size_t point = 0;             // index of the event's point
    std::vector<size_t> earlier;  // indices of the points that are looked up here
    size_t stages_before = 0;     // number of stages that have begun at earlier steps
};

struct ChainPlan {
    std::vector<ChainStep> steps;
    std::vector<size_t> stages;  // the point of each stage
    // entry(value) and at("stage", value) in the block and the threshold: the value's number, by the call.
    std::map<ast::ExprId, size_t> kept;
    struct Kept {
        size_t step;
        ast::ExprId value;
    };
    std::vector<Kept> values;

    std::optional<size_t> stage_of(size_t point) const;  // that begins at a point
    std::optional<size_t> stage_named(const ast::Chain& chain, std::string_view name) const;
};

// Reports what the block asks for and the chain does not have.
ChainPlan plan_of(const ast::Program& program, const ast::Chain& chain, Diags& diags);

}  // namespace lt
