#include "driver/agent/late_program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parser/tree/rewrite.h"

namespace lt::agent {
namespace {

bool is_histogram(std::string_view call) { return call == "dist" || call == "hist" || call == "lhist"; }

// Writes the statements that report. All get the place of the span in the script.
class LateReports {
  public:
    LateReports(ast::Program& program, int64_t longer_than, Span place)
        : program_(program), longer_than_(longer_than), place_(place) {}

    // The report of the call comes first: the block may end early, and values refer to it.
    void amend(ast::Block& body) {
        add_values(body);
        body.statements.insert(body.statements.begin(), if_late(call_report()));
    }

  private:
    struct Part {
        std::string_view name;
        ast::ExprId value;
    };

    ast::ExprId name(std::string_view word) { return program_.add(place_, ast::Name{std::string(word)}); }

    ast::StmtId print(const std::vector<Part>& parts) {
        ast::Tuple record;
        for (const Part& part : parts) {
            record.names.emplace_back(part.name);
            record.parts.push_back(part.value);
        }
        const ast::ExprId value = program_.add(place_, std::move(record));
        return program_.add(place_, ast::Evaluate{program_.add(place_, ast::Call{"print", place_, {value}})});
    }

    ast::StmtId if_late(ast::StmtId report) {
        const ast::ExprId limit = program_.add(place_, ast::Duration{longer_than_});
        const ast::ExprId late = program_.add(place_, ast::Binary{ast::BinaryOp::greater, name("latency"), limit});
        return program_.add(place_, ast::If{late, {{report}}, {}});
    }

    std::vector<Part> call_parts() {
        std::vector<Part> out{{late_call_mark, name("probe")}};
        for (const std::string_view word : {"pid", "tid", "comm", "latency", "nsecs"})
            out.push_back({word, name(word)});
        return out;
    }

    // With its causes, if they are known for this span.
    ast::StmtId call_report() {
        std::vector<Part> with_causes = call_parts();
        with_causes.push_back({"why", name("why")});
        const ast::ExprId known = program_.add(place_, ast::Defined{name("why")});
        const ast::StmtId whole = print(with_causes), plain = print(call_parts());
        return program_.add(place_, ast::If{known, {{whole}}, {{plain}}});
    }

    // Computing it again changes nothing.
    bool is_repeatable(ast::ExprId id) {
        return !ast::any_expr_in(program_, id, [&](ast::ExprId inner) {
            return program_.get<ast::Step>(inner) || program_.get<ast::BlockValue>(inner) ||
                   program_.get<ast::AnyPart>(inner);
        });
    }

    // The report of a statement like `@[key] = dist(value)`.
    std::optional<ast::StmtId> value_report(ast::StmtId id) {
        const auto* assign = program_.get<ast::Assign>(id);
        const auto* map = program_.target<ast::Map>(id);
        const auto* call = assign && !assign->op ? program_.get<ast::Call>(assign->value) : nullptr;
        if (!map || !call || !is_histogram(call->name) || call->arguments.empty()) return {};
        const std::vector<ast::ExprId> key = map->key;
        const ast::ExprId value = call->arguments.front();
        if (!is_repeatable(value) || !std::ranges::all_of(key, [&](ast::ExprId k) { return is_repeatable(k); }))
            return {};
        std::vector<Part> parts{{late_value_mark, program_.add(place_, ast::String{"@" + map->name})},
                                {"tid", name("tid")},
                                {"value", ast::clone(program_, value)}};
        ast::Tuple whole_key;
        for (const ast::ExprId part : key) whole_key.parts.push_back(ast::clone(program_, part));
        if (whole_key.parts.size() == 1)
            parts.push_back({"key", whole_key.parts.front()});
        else if (!key.empty())
            parts.push_back({"key", program_.add(place_, std::move(whole_key))});
        return if_late(print(parts));
    }

    // Not in loops: their maps have many values of one call.
    void add_values(ast::Block& block) {
        std::vector<ast::StmtId> out;
        for (const ast::StmtId id : block.statements) {
            out.push_back(id);
            if (const std::optional<ast::StmtId> report = value_report(id)) out.push_back(*report);
            ast::StmtNode node = program_[id].node;
            if (auto* branch = std::get_if<ast::If>(&node)) {
                add_values(branch->yes);
                add_values(branch->no);
            } else if (auto* scope = std::get_if<ast::Scope>(&node)) {
                add_values(scope->body);
            } else {
                continue;
            }
            program_.put(id, std::move(node));
        }
        block.statements = std::move(out);
    }

    ast::Program& program_;
    const int64_t longer_than_;
    const Span place_;
};

const std::vector<std::string>* names_of(const PlannedEvent& event) {
    if (event.kind != EventKind::value || event.fields.size() != 1) return nullptr;
    const Type& type = event.fields.front().type;
    return type.kind == Kind::tuple && type.shape && !type.shape->names.empty() ? &type.shape->names : nullptr;
}

}  // namespace

void report_late_calls(ast::Program& program, int64_t longer_than) {
    for (ast::Item& item : program.items)
        if (auto* span = std::get_if<ast::SpanAction>(&item.node))
            LateReports(program, longer_than, item.span).amend(span->body);
}

bool is_late_report(const PlannedEvent& event) {
    const std::vector<std::string>* names = names_of(event);
    return names && (names->front() == late_call_mark || names->front() == late_value_mark);
}

bool reports_causes(const PlannedEvent& event) {
    const std::vector<std::string>* names = names_of(event);
    return names && names->front() == late_call_mark && names->back() == "why";
}

bool has_spans(const ast::Program& program) {
    return std::ranges::any_of(
        program.items, [](const ast::Item& item) { return std::holds_alternative<ast::SpanAction>(item.node); });
}

}  // namespace lt::agent
