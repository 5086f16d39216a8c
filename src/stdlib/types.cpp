// How types are called: in messages to people and in dumps.
#include "stdlib/types.h"

#include <fmt/format.h>

namespace lt {
namespace {

std::string integer_name(View view) {
    switch (view) {
        case View::plain:
            return "an integer";
        case View::duration:
            return "a duration";
        case View::hex:
            return "an address";
        case View::boolean:
            return "a truth value";
    }
    return {};
}

std::string integer_text(const Type& type) {
    const std::string plain = fmt::format("{}{}", type.is_signed ? 'i' : 'u', type.size * 8);
    const bool usual = type == duration_type();
    if (usual) return std::string(view_name(type.view));
    return type.view == View::plain ? plain : fmt::format("{}<{}>", plain, view_name(type.view));
}

std::string aggregation_text(const Type& type) {
    if (type.view == View::plain) return std::string(aggregation_name(type.aggregation));
    return fmt::format("{}<{}>", aggregation_name(type.aggregation), view_name(type.view));
}

std::string value_text(const Type& type) {
    switch (type.kind) {
        case Kind::none:
            return "nothing";
        case Kind::integer:
            return integer_text(type);
        case Kind::string:
            return fmt::format("string[{}]", type.size);
        case Kind::stack:
            return type.stack_form == StackForm::names ? "stack"
                                                       : fmt::format("stack<{}>", stack_form_name(type.stack_form));
        case Kind::record:
            return "record";
        case Kind::aggregation:
            return aggregation_text(type);
    }
    return {};
}

}  // namespace

std::string_view aggregation_name(Aggregation a) {
    switch (a) {
        case Aggregation::none:
            return "none";
        case Aggregation::count:
            return "count";
        case Aggregation::sum:
            return "sum";
        case Aggregation::min:
            return "min";
        case Aggregation::max:
            return "max";
        case Aggregation::avg:
            return "avg";
        case Aggregation::hist:
            return "hist";
        case Aggregation::stats:
            return "stats";
        case Aggregation::dist:
            return "dist";
    }
    return {};
}

std::string_view view_name(View v) {
    switch (v) {
        case View::plain:
            return "plain";
        case View::duration:
            return "duration";
        case View::hex:
            return "hex";
        case View::boolean:
            return "boolean";
    }
    return {};
}

std::string_view stack_form_name(StackForm f) {
    switch (f) {
        case StackForm::names:
            return "bpftrace";
        case StackForm::perf:
            return "perf";
        case StackForm::raw:
            return "raw";
    }
    return {};
}

std::string type_name(const Type& type) {
    switch (type.kind) {
        case Kind::none:
            return "nothing";
        case Kind::integer:
            return integer_name(type.view);
        case Kind::string:
            return "a string";
        case Kind::stack:
            return "a stack";
        case Kind::record:
            return "the bundle of arguments";
        case Kind::aggregation:
            return fmt::format("{}()", aggregation_name(type.aggregation));
    }
    return {};
}

std::string type_text(const Type& type) { return value_text(type) + (type.user_memory ? " user" : ""); }

}  // namespace lt
