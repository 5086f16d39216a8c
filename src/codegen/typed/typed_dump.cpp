// The text of --dump=typed: every body with its place and the types of its names, then the maps.
#include <fmt/format.h>

#include "base/text.h"
#include "codegen/typed/typed.h"

namespace lt {
namespace {

struct UseText {
    const Typed& typed;
    const Body& body;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(const VariableUse& u) const {
        return u.id == Variable::arg ? fmt::format("argument {}", u.number) : std::string(variable_row(u.id).name);
    }
    std::string operator()(const FieldUse& u) const {
        return fmt::format("field {} at {}", u.field.name, u.field.offset);
    }
    std::string operator()(const SourceUse& u) const {
        return fmt::format("field {} from {}", u.source.field.name,
                           u.source.of_task ? "the current task" : "argument " + u.source.argument.name);
    }
    std::string operator()(const ProgramUse& u) const {
        return fmt::format("{} {}", u.variable.parameter ? "parameter" : "variable", u.variable.name);
    }
    std::string operator()(const MemberUse& u) const {
        return fmt::format("member {} at {}", u.member.name, u.member.offset);
    }
    std::string operator()(const ArgumentsUse& u) const {
        return fmt::format("{} arguments", u.fields.size() + u.variables.size());
    }
    std::string operator()(const TextsUse& u) const { return fmt::format("texts {}", join(u.texts, ", ")); }
    std::string operator()(const CounterUse& u) const {
        return fmt::format("counter of type {} config {:#x}", u.event.type, u.event.config);
    }
    std::string operator()(const ConstantUse& u) const { return fmt::format("constant {}", u.value); }
    std::string operator()(const MapUse& u) const { return fmt::format("map {}", typed.maps[u.index].name); }
    std::string operator()(const LocalUse& u) const { return fmt::format("local ${}", body.locals[u.index].name); }
    std::string operator()(const PairUse& u) const {
        return fmt::format("{} of ${}", u.is_value ? "value" : fmt::format("key {}", u.part),
                           body.locals[u.local].name);
    }
    std::string operator()(const SpanUse& u) const { return fmt::format("span {}", typed.spans[u.index].text); }
    std::string operator()(const ParamUse& u) const { return fmt::format("parameter {}", typed.params[u.index].name); }
    std::string operator()(const CallUse& u) const { return fmt::format("function {}", function_row(u.id).name); }
};

std::string rung_text(const Rung& r) {
    return r.refused.empty() ? fmt::format("  by {}\n", way_name(r.way))
                             : fmt::format("  not by {}: {}\n", way_name(r.way), r.refused);
}

}  // namespace

std::string dump(const ast::Program& program, const Typed& typed) {
    std::string out;
    for (const Body& body : typed.bodies) {
        out += fmt::format("body {}\n", body.place.text);
        for (const Rung& r : body.place.rungs) out += rung_text(r);
        for (size_t i = 0; i < body.types.size(); i++) {
            const std::string use = std::visit(UseText{typed, body}, body.uses[i]);
            if (body.types[i].kind == Kind::none && use.empty()) continue;
            const Span s = program.exprs[i].span;
            out += fmt::format("  expr {} [{}, {}): {}{}{}\n", i, s.begin, s.end, type_text(body.types[i]),
                               use.empty() ? "" : " ", use);
        }
    }
    for (const MapInfo& m : typed.maps) {
        out += fmt::format("map {}", m.name);
        for (size_t i = 0; i < m.key.size(); i++) out += fmt::format("{}{}", i == 0 ? "[" : ", ", type_text(m.key[i]));
        out += fmt::format("{}: {}\n", m.key.empty() ? "" : "]", type_text(m.value));
    }
    return out;
}

}  // namespace lt
