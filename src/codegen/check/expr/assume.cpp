#include "codegen/check/expr/assume.h"

#include <algorithm>

namespace lt {

bool moves(const Type& type) { return type.shape && of_kernel(*type.shape); }

void assume_field(CheckContext& c, const Field& field) {
    const KernelFunction& f = kernel_function(c.place());
    const bool raw = std::holds_alternative<RawEventPlace>(c.place().there);
    if (!f.name.empty())
        return c.assume(
            {raw ? Assumed::raw_parameter : Assumed::parameter, f.name, field.name, field.type, field.offset});
    const Tracepoint& event = record(c.place());
    c.assume({Assumed::field, event.category + ":" + event.event, field.name, field.type, place_of(field)});
}

void assume_arguments(CheckContext& c, uint32_t last) {
    for (const Field& each : kernel_function(c.place()).parameters)
        if (each.offset <= last && each.type.kind != Kind::integer) assume_field(c, each);
}

void assume_result(CheckContext& c, const KernelFunction& function) {
    if (function.in_btf) return c.assume({Assumed::result, function.name, "", function.result, 0});
    const Tracepoint& exit = event_place(c.place()).exit;
    const auto ret = std::ranges::find(exit.fields, "ret", &Field::name);
    if (c.place().kind == ProbeKind::syscall && ret != exit.fields.end())
        c.assume({Assumed::field, exit.category + ":" + exit.event, ret->name, ret->type, place_of(*ret)});
}

void assume_size(CheckContext& c, const Type& type) {
    if (const Type* each = element(type)) return assume_size(c, *each);
    if (type.kind != Kind::structure || !moves(type)) return;
    if (type.shape->name.empty()) return c.assume({Assumed::release});
    c.assume({Assumed::size, type.shape->name, "", {}, type.size});
}

Type assume_layout(CheckContext& c, Type whole) {
    const Type* each = &whole;
    while (element(*each)) each = element(*each);
    if (!moves(*each)) return whole;
    if (each->shape->name.empty())
        c.assume({Assumed::release});
    else
        c.assume({Assumed::layout, each->shape->name, "", *each, 0});
    return whole;
}

}  // namespace lt
