#include "parser/chain/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "parser/chain/names.h"
#include "parser/tree/rewrite.h"

namespace lt {
namespace {

using Replace = std::function<std::optional<ast::ExprId>(ast::ExprId)>;

// Copies a part of the tree; where `replace` gives an expression, that one is put instead.
class ChainCopy {
  public:
    ChainCopy(ast::Program& program, const Replace& replace) : program_(program), replace_(replace) {}

    ast::ExprId operator()(ast::ExprId id) const {
        if (const auto other = replace_(id)) return *other;
        const Span span = program_[id].span;
        ast::ExprNode node = program_[id].node;
        ast::each_slot(node, [&](ast::ExprId& child) { child = (*this)(child); });
        ast::each_block_slot(node, [&](ast::Block& block) { block = {(*this)(block.statements)}; });
        return program_.add(span, std::move(node));
    }

    Statements operator()(const Statements& statements) const {
        Statements out;
        for (ast::StmtId id : statements) {
            const Span span = program_[id].span;
            ast::StmtNode node = program_[id].node;
            ast::each_slot(node, [&](ast::ExprId& child) { child = (*this)(child); });
            ast::each_block_slot(node, [&](ast::Block& block) { block = {(*this)(block.statements)}; });
            out.push_back(program_.add(span, std::move(node)));
        }
        return out;
    }

  private:
    ast::Program& program_;
    const Replace& replace_;
};

class ChainReport {
  public:
    ChainReport(ChainBuilder& build, const ast::Chain& chain, const ChainPlan& plan)
        : build_(build), chain_(chain), plan_(plan) {}

    // Statements that name a stage or its latency, one after another, are repeated for each stage.
    Statements block() {
        Statements out;
        const Statements all = chain_.body.statements;
        for (size_t i = 0; i < all.size();) {
            size_t end = i;
            while (end < all.size() && is_of_stage(all[end])) end++;
            if (end == i) {
                append(out, {all[i++]}, std::nullopt);
                continue;
            }
            const Statements together(all.begin() + static_cast<ptrdiff_t>(i),
                                      all.begin() + static_cast<ptrdiff_t>(end));
            repeat(out, together);
            i = end;
        }
        return out;
    }

    ast::ExprId threshold() { return copy(*chain_.threshold); }

    static std::string duration(size_t stage) { return fmt::format("stage{}", stage); }

  private:
    bool is_of_stage(ast::StmtId id) const {
        const ast::Program& program = build_.program();
        return ast::any_expr_in(program, ast::Block{{id}}, [&](ast::ExprId e) {
            return program.get<ast::Ellipsis>(e) != nullptr || program.is<ast::Name>(e, "stage") ||
                   program.is<ast::Name>(e, "latency");
        });
    }

    // Each stage has its own variables. With a single one, the statements after these may use them.
    void repeat(Statements& out, const Statements& together) {
        const auto declares = [&](ast::StmtId id) { return build_.program().get<ast::Let>(id) != nullptr; };
        const bool apart = plan_.stages.size() > 1 && std::ranges::any_of(together, declares);
        for (size_t stage = 0; stage < plan_.stages.size(); stage++) {
            Statements copied;
            append(apart ? copied : out, together, stage);
            if (apart) out.push_back(build_.scope(std::move(copied)));
        }
    }

    Replace replace(std::optional<size_t> stage) {
        return [this, stage](ast::ExprId id) -> std::optional<ast::ExprId> {
            const ast::Program& program = build_.program();
            build_.at(program[id].span);
            if (const auto kept = plan_.kept.find(id); kept != plan_.kept.end())
                return build_.map(kept_map(chain_, kept->second), build_.local("id"));
            if (program.is<ast::Name>(id, "total")) return build_.local("total");
            const auto* call = program.get<ast::Call>(id);
            if (call != nullptr && call->name == "latency" && call->arguments.size() == 1) {
                const auto* name = program.get<ast::String>(call->arguments[0]);
                return build_.local(duration(*plan_.stage_named(chain_, name->value)));
            }
            if (!stage) return std::nullopt;
            if (program.is<ast::Name>(id, "stage")) return build_.text(chain_.points[plan_.stages[*stage]].stage);
            if (program.is<ast::Name>(id, "latency") || program.get<ast::Ellipsis>(id) != nullptr)
                return build_.local(duration(*stage));
            return std::nullopt;
        };
    }

    ast::ExprId copy(ast::ExprId id) {
        const Replace change = replace(std::nullopt);
        return ChainCopy(build_.program(), change)(id);
    }
    void append(Statements& out, const Statements& statements, std::optional<size_t> stage) {
        const Replace change = replace(stage);
        const Statements copied = ChainCopy(build_.program(), change)(statements);
        out.insert(out.end(), copied.begin(), copied.end());
    }

    ChainBuilder& build_;
    const ast::Chain& chain_;
    const ChainPlan& plan_;
};

}  // namespace

Statements chain_report(ChainBuilder& build, const ast::Chain& chain, const ChainPlan& plan,
                        const std::vector<std::function<ast::ExprId()>>& times) {
    using ast::BinaryOp;
    Statements out;
    const auto between = [&](size_t from, size_t to) {
        return build.binary(BinaryOp::multiply, build.binary(BinaryOp::subtract, times[to](), times[from]()),
                            build.duration(1));
    };
    for (size_t i = 0; i + 1 < times.size(); i++) out.push_back(build.let(ChainReport::duration(i), between(i, i + 1)));
    out.push_back(build.let("total", between(0, times.size() - 1)));
    ChainReport report(build, chain, plan);
    Statements block = report.block();
    if (chain.threshold) {
        const ast::ExprId limit = report.threshold();
        build.at(build.program()[*chain.threshold].span);
        const ast::ExprId exceeds = build.binary(BinaryOp::greater, build.local("total"), limit);
        block = {build.when(exceeds, std::move(block))};
    }
    out.insert(out.end(), block.begin(), block.end());
    return out;
}

Statements chain_left_out(ChainBuilder& build, const ast::Chain& chain, const std::function<ast::ExprId()>& reason) {
    if (!chain.left_out) return {build.assign(build.map(unsplit_map(chain), reason()), build.call("count", {}))};
    const Replace change = [&](ast::ExprId id) -> std::optional<ast::ExprId> {
        if (!build.program().is<ast::Name>(id, "reason")) return std::nullopt;
        build.at(build.program()[id].span);
        return reason();
    };
    return ChainCopy(build.program(), change)(chain.left_out->statements);
}

}  // namespace lt
