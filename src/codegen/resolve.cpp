// Goes through the items of a program and adds a body for each place that their probes stand for.
#include <algorithm>

#include "codegen/compile.h"
#include "params.h"
#include "resolver.h"

namespace lt {
namespace {

using Part = ast::ProbeSpec::Part;

std::string text_of(const std::vector<ast::Endpoint>& endpoints) {
    std::string out;
    for (const ast::Endpoint& e : endpoints) {
        if (!out.empty()) out += ", ";
        for (const Part& p : e.probe.parts) out += (&p == &e.probe.parts.front() ? "" : ":") + p.text;
    }
    return out;
}

bool uses_args(const ast::Program& program, ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&program[id].node);
    if (name && name->name == variable_row(Variable::args).name) return true;
    bool found = false;
    ast::each_child(program[id], [&](ast::ExprId child) { found = found || uses_args(program, child); });
    return found;
}

bool uses_args(const ast::Program& program, const ast::Block& block) {
    bool found = false;
    for (ast::StmtId id : block.statements) {
        ast::each_expr(program[id], [&](ast::ExprId child) { found = found || uses_args(program, child); });
        ast::each_block(program[id], [&](const ast::Block& inner) { found = found || uses_args(program, inner); });
    }
    return found;
}

bool uses_args(const ast::Program& program, const ast::Action& node) {
    return (node.predicate && uses_args(program, *node.predicate)) || uses_args(program, node.body);
}

bool uses_args(const ast::Program& program, const ast::SpanAction& node) {
    const auto uses = [&](const std::optional<ast::ExprId>& id) { return id && uses_args(program, *id); };
    const auto any_key = [&](const std::vector<ast::Endpoint>& ends) {
        return std::ranges::any_of(ends, [&](const ast::Endpoint& e) {
            return std::ranges::any_of(e.key, [&](auto id) { return uses(id); });
        });
    };
    return uses(node.predicate) || uses(node.threshold) || uses_args(program, node.body) || any_key(node.opens) ||
           any_key(node.closes) || (node.timeout && uses_args(program, node.timeout->body));
}

// Adds a body for each place that an item's probes stand for.
class ItemResolver {
  public:
    ItemResolver(Resolver& resolver, Kernel& kernel, const ast::Program& program, Typed& typed, uint32_t item)
        : resolver_(resolver), kernel_(kernel), program_(program), typed_(typed), item_(item) {}
    void operator()(const ast::Parameter&) {}

    void operator()(const ast::Action& action) {
        by_fields_ = uses_args(program_, action);
        for (const ast::ProbeSpec& spec : action.probes) add(spec, Role::action, no_span, 0);
    }
    void operator()(const ast::SpanAction& node) {
        by_fields_ = uses_args(program_, node);
        const auto span = static_cast<uint32_t>(typed_.spans.size());
        SpanInfo info;
        info.item = item_;
        info.name = node.name;
        info.between_events = !node.closes.empty();
        info.text = text_of(node.opens) + (info.between_events ? " -> " + text_of(node.closes) : "");
        info.task_storage = !info.between_events && kernel_.can(Feature::task_storage).yes;
        if (node.worst) info.worst = worst_of(typed_, node);
        info.opening = static_cast<uint32_t>(typed_.bodies.size());
        typed_.spans.push_back(std::move(info));
        for (uint32_t i = 0; i < node.opens.size(); i++)
            add(node.opens[i].probe, node.closes.empty() ? Role::call : Role::open, span, i);
        for (uint32_t i = 0; i < node.closes.size(); i++) add(node.closes[i].probe, Role::close, span, i);
    }

  private:
    void add(const ast::ProbeSpec& spec, Role role, uint32_t span, uint32_t endpoint) {
        for (ResolvedPlace& place : resolver_.places(spec, {role, by_fields_}))
            typed_.bodies.push_back({item_, role, span, endpoint, std::move(place), {}, {}, {}, {}});
    }

    Resolver& resolver_;
    Kernel& kernel_;
    const ast::Program& program_;
    Typed& typed_;
    uint32_t item_;
    bool by_fields_ = false;
};

}  // namespace

Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& options, Diags& diags) {
    Typed typed;
    read_params(program, options, typed, diags);
    typed.accounts = options.accounts;
    typed.process = options.process;
    typed.max_keys = options.max_keys;
    Resolver resolver(kernel, options, diags);
    for (uint32_t i = 0; i < program.items.size(); i++)
        std::visit(ItemResolver(resolver, kernel, program, typed, i), program.items[i].node);
    if (program.items.empty() && !diags.has_errors()) {
        diags.error({}, "the program is empty").hint = "try: lt -e 'k:vfs_read < @ns = hist(...) >'";
    }
    return typed;
}

}  // namespace lt
