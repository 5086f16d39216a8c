#include "parser/chain/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lt {
namespace {

using Point = ast::Chain::Point;

class Planner {
  public:
    Planner(const ast::Program& program, const ast::Chain& chain, Diags& diags)
        : program_(program), chain_(chain), diags_(diags) {}

    ChainPlan run() {
        ChainStep next;
        for (size_t i = 0; i < chain_.points.size(); i++) {
            const Point& point = chain_.points[i];
            if (!point.stage.empty()) plan_.stages.push_back(i);
            if (point.how != Point::How::event) {
                next.earlier.push_back(i);
                continue;
            }
            next.point = i;
            plan_.steps.push_back(std::move(next));
            next = {};
            next.stages_before = plan_.stages.size();
        }
        const auto visit = [&](ast::ExprId id) { call(id); };
        if (chain_.threshold) ast::each_expr_in(program_, *chain_.threshold, visit);
        ast::each_expr_in(program_, chain_.body, visit);
        return std::move(plan_);
    }

  private:
    void call(ast::ExprId id) {
        const auto* node = program_.get<ast::Call>(id);
        if (node == nullptr) return;
        if (node->name == "entry" && node->arguments.size() == 1) keep(id, 0, node->arguments[0]);
        if (node->name == "at") at(id, *node);
        if (node->name == "latency") stage(*node, 1, "for example `latency(\"" + chain_.points[0].stage + "\")`");
    }

    void at(ast::ExprId id, const ast::Call& node) {
        const auto begins = stage(node, 2, "for example `at(\"" + chain_.points[0].stage + "\", tid)`");
        if (!begins) return;
        const size_t point = plan_.stages[*begins];
        const auto step = std::ranges::find_if(plan_.steps, [&](const ChainStep& s) { return s.point >= point; });
        keep(id, static_cast<size_t>(step - plan_.steps.begin()), node.arguments[1]);
    }

    // The stage that the first argument names.
    std::optional<size_t> stage(const ast::Call& node, size_t arguments, std::string hint) {
        const auto* name = node.arguments.empty() ? nullptr : program_.get<ast::String>(node.arguments[0]);
        if (name == nullptr || node.arguments.size() != arguments) {
            diags_
                .error(node.name_span, fmt::format("`{}()` in a chain takes the name of a stage{}", node.name,
                                                   arguments > 1 ? " and a value" : ""))
                .hint = std::move(hint);
            return std::nullopt;
        }
        const auto found = plan_.stage_named(chain_, name->value);
        if (found) return found;
        std::vector<std::string_view> names;
        for (const Point& p : chain_.points) {
            if (!p.stage.empty()) names.push_back(p.stage);
        }
        const auto near = closest(name->value, names);
        diags_
            .error(program_[node.arguments[0]].span, fmt::format("`{}` has no stage \"{}\"", chain_.name, name->value))
            .hint = near.empty() ? std::move(hint) : did_you_mean(near);
        return std::nullopt;
    }

    void keep(ast::ExprId call, size_t step, ast::ExprId value) {
        plan_.kept.emplace(call, plan_.values.size());
        plan_.values.push_back({step, value});
    }

    const ast::Program& program_;
    const ast::Chain& chain_;
    Diags& diags_;
    ChainPlan plan_;
};

}  // namespace

std::optional<size_t> ChainPlan::stage_of(size_t point) const {
    const auto found = std::ranges::find(stages, point);
    if (found == stages.end()) return std::nullopt;
    return static_cast<size_t>(found - stages.begin());
}

std::optional<size_t> ChainPlan::stage_named(const ast::Chain& chain, std::string_view name) const {
    const auto found = std::ranges::find_if(stages, [&](size_t point) { return chain.points[point].stage == name; });
    if (found == stages.end()) return std::nullopt;
    return static_cast<size_t>(found - stages.begin());
}

ChainPlan plan_of(const ast::Program& program, const ast::Chain& chain, Diags& diags) {
    return Planner(program, chain, diags).run();
}

}  // namespace lt
