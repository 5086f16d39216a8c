#include "codegen/check/names/args.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/check/expr/assume.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/names/program.h"
#include "codegen/resolve/type_names.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

// args.0: the arguments of a system call by number; they follow the field with the call's own number.
std::vector<Field>::const_iterator numbered(const std::vector<Field>& fields, std::string_view number) {
    const auto n = parse_number<size_t>(number);
    const auto first = std::ranges::find(fields, syscall_number, &Field::name);
    if (!n || first == fields.end()) return fields.end();
    return *n < static_cast<size_t>(fields.end() - first) - 1 ? first + 1 + static_cast<ptrdiff_t>(*n) : fields.end();
}

// The parameter's name in this kernel, if it was renamed.
std::vector<Field>::const_iterator renamed_parameter(CheckContext& c, const ast::Member& node) {
    const KernelFunction& f = kernel_function(c.place());
    for (const ParameterSuccessor& row : parameter_successors(f.name, node.field)) {
        const auto field = std::ranges::find(f.parameters, row.new_name, &Field::name);
        if (field == f.parameters.end()) continue;
        Diag& d = c.diags.note(node.field_span, fmt::format("this kernel's `{}` has no argument `{}`; lt uses `{}`",
                                                            f.name, node.field, field->name));
        if (!row.remark.empty()) d.notes.push_back({{}, std::string(row.remark)});
        return field;
    }
    return f.parameters.end();
}

bool can_be_read(const ProgramVariable& v) {
    if (!v.missing.empty() || v.type.kind == Kind::none || v.type.size == 0) return false;
    return !v.is_value || v.type.size <= v.words * 8;
}

bool is_wanted(CheckContext& c, const ProgramVariable& v, const ArgumentSort& sort) {
    if (!(v.parameter ? sort.parameters : sort.locals) || !can_be_read(v)) return false;
    return sort.numbers_only ? v.type.kind == Kind::integer : type_at_probe(c, v.type).kind != Kind::none;
}

Type type_of_field(CheckContext& c, const Field& field) {
    const bool untyped = field.type.kind == Kind::integer && field.type.view == View::hex && !field.type.shape;
    return untyped ? address_from_text(field, c.kernel) : field.type;
}

// A field of a tracepoint whose program reads the tracepoint's arguments.
Type from_arguments(CheckContext& c, ast::ExprId id, const FieldSource& source) {
    const std::string& event = event_place(c.place()).arguments_of;
    const Field& argument = source.argument;
    if (!source.of_task) c.assume({Assumed::raw_parameter, event, argument.name, argument.type, argument.offset});
    c.use(id) = SourceUse{source};
    return type_of_field(c, source.field);
}

void no_names(CheckContext& c, Span where, const std::string& function) {
    const auto* place = std::get_if<KernelPlace>(&c.place().there);
    if (place != nullptr && place->offset != 0)
        c.error(where,
                fmt::format("the arguments of `{}` have names at its entry, not at an instruction after it", function))
            .hint = fmt::format("write `kprobe:{}`, without an offset", function);
    else
        c.error(where, fmt::format("the kernel's type information (BTF) does not describe `{}`", function)).hint =
            "write " + arguments_by_number(c);
}

}  // namespace

std::string arguments_by_number(const CheckContext& c) {
    return c.settings().systemtap_hints ? "`pointer_arg(1)`, `int_arg(2)` ..." : "`arg0`, `arg1` ...";
}

Type args_member(CheckContext& c, ast::ExprId id, const ast::Member& node) {
    if (has_debug_scope(c.place())) return program_variable(c, id, node);
    const std::vector<FieldSource>& sources = event_place(c.place()).sources;
    const auto source = std::ranges::find(sources, node.field, [](const FieldSource& s) { return s.field.name; });
    if (source != sources.end()) return from_arguments(c, id, *source);
    const bool function = !kernel_function(c.place()).name.empty();
    const std::vector<Field>& fields = function ? kernel_function(c.place()).parameters : record(c.place()).fields;
    const std::string& owner = function ? kernel_function(c.place()).name : record(c.place()).event;
    if (function && !kernel_function(c.place()).in_btf) {
        no_names(c, node.field_span, owner);
        return nothing();
    }
    auto field = std::ranges::find(fields, node.field, &Field::name);
    if (field == fields.end() && c.place().kind == ProbeKind::syscall) field = numbered(fields, node.field);
    if (field == fields.end() && function) field = renamed_parameter(c, node);
    if (field == fields.end()) {
        std::vector<std::string_view> names;
        std::vector<std::string> all;
        for (const Field& f : fields)
            if (!f.name.empty()) names.push_back(f.name), all.push_back(f.name);
        const auto near = closest(node.field, names);
        Diag& d = c.error(node.field_span,
                          fmt::format("`{}` has no {} `{}`", owner, function ? "argument" : "field", node.field));
        if (all.empty() && !fields.empty()) {
            d.message =
                fmt::format("the kernel's type information (BTF) has no names for the arguments of `{}`", owner);
            d.hint = "write " + arguments_by_number(c);
            return nothing();
        }
        d.hint = near.empty() ? (all.empty() ? "it has none" : use_one(all)) : did_you_mean(near);
        return nothing();
    }
    if (field->type.kind == Kind::none) {
        c.error(node.field_span,
                fmt::format("`{}` has the type `{}`, which cannot be read yet", field->name, field->c_type));
        return nothing();
    }
    c.use(id) = FieldUse{*field};
    assume_field(c, *field);
    return function ? field->type : type_of_field(c, *field);
}

std::optional<ArgumentsUse> readable_arguments(CheckContext& c, ast::ExprId id, const ArgumentSort& sort) {
    ArgumentsUse all;
    if (has_debug_scope(c.place())) {
        const Result<ProgramScope>& scope = c.kernel.programs().program_scope(user_function(c.place()));
        if (!scope) {
            c.error(id, scope.error().what).hint = "write " + arguments_by_number(c);
            return {};
        }
        for (const ProgramVariable& v : scope->variables)
            if (is_wanted(c, v, sort)) all.variables.push_back(v);
        return all;
    }
    if (!sort.parameters) return all;
    const KernelFunction& function = kernel_function(c.place());
    if (!function.name.empty() && !function.in_btf) {
        no_names(c, c.span(id), function.name);
        return {};
    }
    for (const Field& field : function.name.empty() ? record(c.place()).fields : function.parameters) {
        if (field.type.kind == Kind::none || field.name.empty()) continue;
        if (sort.numbers_only && (field.type.kind != Kind::integer || field.name == syscall_number)) continue;
        assume_field(c, field);
        all.fields.push_back(field);
    }
    return all;
}

Type whole_args(CheckContext& c, ast::ExprId id) {
    std::optional<ArgumentsUse> all = readable_arguments(c, id, {});
    if (!all) return nothing();
    std::vector<Type> parts;
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, Type type) {
        names.push_back(name);
        parts.push_back(kept_type(c, id, std::move(type)));
    };
    for (const Field& field : all->fields) add(field.name, field.type);
    for (const ProgramVariable& v : all->variables) add(v.name, type_at_probe(c, v.type));
    if (std::ranges::find(parts, Kind::none, &Type::kind) != parts.end()) return nothing();
    if (parts.empty()) {
        c.error(id, "this probe has no named arguments that can be read").hint =
            fmt::format("`lt -lv PROBE` lists the arguments; {} read them by number", arguments_by_number(c));
        return nothing();
    }
    Type record = tuple_type(std::move(parts), std::move(names));
    if (record.size > most_copied) {
        c.error(id, fmt::format("the arguments have {} bytes, which is too large to copy", record.size)).hint =
            fmt::format("write `args.NAME`; the limit is {} bytes", most_copied);
        return nothing();
    }
    c.use(id) = std::move(*all);
    return record;
}

}  // namespace lt
