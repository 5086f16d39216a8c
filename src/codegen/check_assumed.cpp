// What the checker takes from the machine as it is there, and what a plan that was saved therefore needs to find again:
// where fields lie, sizes and layouts of types. Members that are found by relocation are not noted here.
#include <algorithm>

#include "check.h"

namespace lt {

bool moves(const Type& type) { return type.shape && !type.shape->declared && !of_program(*type.shape); }

void BodyChecker::assume_field(const Field& field) {
    const KernelFunction& f = body_.place.function;
    const bool raw = probe_row(body_.place.kind).place == Place::raw_event;
    if (!f.name.empty())
        return assume(
            {raw ? Assumed::raw_parameter : Assumed::parameter, f.name, field.name, field.type, field.offset});
    const Tracepoint& event = body_.place.tracepoint;
    assume({Assumed::field, event.category + ":" + event.event, field.name, field.type, place_of(field)});
}

// Those by number are words whatever they hold, but what takes more than one moves those behind it.
void BodyChecker::assume_arguments(uint32_t last) {
    for (const Field& each : body_.place.function.parameters)
        if (each.offset <= last && each.type.kind != Kind::integer) assume_field(each);
}

void BodyChecker::assume_result(const KernelFunction& function) {
    if (function.in_btf) return assume({Assumed::result, function.name, "", function.result, 0});
    const Tracepoint& exit = body_.place.exit;
    const auto ret = std::ranges::find(exit.fields, "ret", &Field::name);
    if (body_.place.kind == ProbeKind::syscall && ret != exit.fields.end())
        assume({Assumed::field, exit.category + ":" + exit.event, ret->name, ret->type, place_of(*ret)});
}

// How far an array's elements are apart, how much is copied.
void BodyChecker::assume_size(const Type& type) {
    if (const Type* each = element(type)) return assume_size(*each);
    if (type.kind != Kind::structure || !moves(type)) return;
    if (type.shape->name.empty()) return assume({Assumed::release});
    assume({Assumed::size, type.shape->name, "", {}, type.size});
}

Type BodyChecker::assume_layout(Type whole) {
    const Type* each = &whole;
    while (element(*each)) each = element(*each);
    if (!moves(*each)) return whole;
    if (each->shape->name.empty())
        assume({Assumed::release});
    else
        assume({Assumed::layout, each->shape->name, "", *each, 0});
    return whole;
}

}  // namespace lt
