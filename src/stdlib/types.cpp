// The names of types, in messages and in dumps.
#include "stdlib/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

constexpr auto aggregation_names = std::to_array<std::string_view>(
    {"none", "count", "sum", "min", "max", "avg", "hist", "stats", "dist", "lhist", "samples", "tseries", "why"});
static_assert(aggregation_names.size() == static_cast<size_t>(Aggregation::why) + 1);

constexpr auto view_names = std::to_array<std::string_view>({"plain", "duration", "hex", "boolean", "enumeration"});
static_assert(view_names.size() == static_cast<size_t>(View::enumeration) + 1);

constexpr auto stack_form_names = std::to_array<std::string_view>({"bpftrace", "perf", "raw"});
static_assert(stack_form_names.size() == static_cast<size_t>(StackForm::raw) + 1);

struct NamingName {
    Naming naming;
    std::string_view name;
};
constexpr std::array naming_names{
    NamingName{Naming::none, "none"},
    NamingName{Naming::kernel_symbol, "kernel symbol"},
    NamingName{Naming::user_symbol, "symbol"},
    NamingName{Naming::user, "user"},
    NamingName{Naming::internet, "internet address"},
    NamingName{Naming::hardware, "hardware address"},
    NamingName{Naming::time, "time"},
    NamingName{Naming::time_utc, "time"},
    NamingName{Naming::error, "error"},
    NamingName{Naming::error_name, "numbered error"},
    NamingName{Naming::signal, "signal"},
    NamingName{Naming::signal_description, "signal"},
    NamingName{Naming::syscall, "system call"},
    NamingName{Naming::cgroup, "control group"},
    NamingName{Naming::cgroup_unified, "control group"},
    NamingName{Naming::process, "process"},
    NamingName{Naming::why, "why"},
};
static_assert(in_enum_order(naming_names, &NamingName::naming, static_cast<size_t>(Naming::why) + 1));

std::string name_or(const Type& type, std::string_view otherwise) {
    return type.shape && !type.shape->name.empty() ? type.shape->name : std::string(otherwise);
}

std::string pointer_text(const Type& to) {
    const std::string inner = to.kind == Kind::integer && !to.shape ? type_text(to) : name_or(to, type_text(to));
    return inner + (inner.ends_with('*') ? "*" : " *");
}

std::string integer_name(const Type& type) {
    if (const Type* to = pointee(type)) return fmt::format("an address of type {}", pointer_text(*to));
    switch (type.view) {
        case View::plain:
            return "an integer";
        case View::duration:
            return "a duration";
        case View::hex:
            return "an address";
        case View::boolean:
            return "a truth value";
        case View::enumeration:
            return fmt::format("a value of {}", name_or(type, "an enumeration"));
    }
    return {};
}

std::string integer_text(const Type& type) {
    if (const Type* to = pointee(type)) return pointer_text(*to);
    const std::string plain = fmt::format("{}{}", type.is_signed ? 'i' : 'u', type.size * 8);
    const bool usual = type == duration_type();
    if (usual) return std::string(view_name(type.view));
    return type.view == View::plain ? plain : fmt::format("{}<{}>", plain, view_name(type.view));
}

std::string aggregation_text(const Type& type) {
    if (type.view == View::plain) return std::string(aggregation_name(type.aggregation));
    return fmt::format("{}<{}>", aggregation_name(type.aggregation), view_name(type.view));
}

std::string tuple_text(const Type& type) {
    std::string out;
    for (size_t i = 0; i < type.shape->parts.size(); i++) {
        out += out.empty() ? "(" : ", ";
        if (i < type.shape->names.size()) out += type.shape->names[i] + " = ";
        out += type_text(type.shape->parts[i]);
    }
    return out + ")";
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
        case Kind::structure:
            return name_or(type, "struct {...}");
        case Kind::array:
            return fmt::format("{}[{}]", type_text(*element(type)), type.size / element(type)->size);
        case Kind::tuple:
            return tuple_text(type);
        case Kind::buffer:
            return fmt::format("buffer[{}]", type.size - buffer_header);
    }
    return {};
}

}  // namespace

ShapeBox::ShapeBox(Shape shape) : shape_(new Shape(std::move(shape))) {}
Shape* ShapeBox::copy(const Shape& shape) { return new Shape(shape); }
void ShapeBox::destroy(Shape* shape) { delete shape; }

bool ShapeBox::operator==(const ShapeBox& other) const {
    if (shape_ == nullptr || other.shape_ == nullptr) return shape_ == other.shape_;
    return *shape_ == *other.shape_;
}

Type pointer_type(Type to, bool user_memory) {
    Type type = integer_type(8, false, View::hex);
    type.user_memory = user_memory;
    if (to.kind == Kind::none) return type;
    Shape shape;
    shape.parts.push_back(std::move(to));
    type.shape = std::move(shape);
    return type;
}

Type array_type(Type element_type, uint32_t count) {
    if (uint64_t{element_type.size} * count > most_array_bytes) return nothing();
    Type type{Kind::array, element_type.size * count};
    Shape shape;
    shape.parts.push_back(std::move(element_type));
    type.shape = std::move(shape);
    return type;
}

Type tuple_type(std::vector<Type> parts, std::vector<std::string> names) {
    Type type{Kind::tuple};
    for (const Type& part : parts) type.size += padded_size(part.size);
    type.size = std::max(type.size, padded_size(1));  // () takes room, too
    Shape shape;
    shape.parts = std::move(parts);
    shape.names = std::move(names);
    type.shape = std::move(shape);
    return type;
}

// As libbpf reads a bit field when it adapts a program to another kernel: the smallest integer that holds all of it, at
// an offset that is a multiple of its size.
void place_bit_field(Member& member, uint32_t bit, uint32_t bits) {
    uint32_t size = member.type.size;
    uint32_t from = bit / 8 / size * size;
    while (bit + bits > (from + size) * 8 && size < 8) {
        size *= 2;
        from = bit / 8 / size * size;
    }
    if (bit + bits > (from + size) * 8) {  // in a packed structure it may cross two words
        from = (bit + bits + 7) / 8 - size;
        if (bit < from * 8) {  // it lies in nine bytes: no integer holds them
            member.type = nothing();
            return;
        }
    }
    member.type.size = size;
    member.offset = from;
    member.bit_offset = static_cast<uint8_t>(bit - from * 8);
    member.bit_size = static_cast<uint8_t>(bits);
}

const Type* pointee(const Type& type) {
    if (type.kind != Kind::integer || type.view != View::hex || !type.shape) return nullptr;
    return type.shape->parts.data();
}

const Type* element(const Type& type) { return type.kind == Kind::array ? type.shape->parts.data() : nullptr; }

uint32_t tuple_offset(const Type& tuple, size_t part) {
    uint32_t offset = 0;
    for (size_t i = 0; i < part; i++) offset += padded_size(tuple.shape->parts[i].size);
    return offset;
}

std::string_view aggregation_name(Aggregation a) { return aggregation_names[static_cast<size_t>(a)]; }
std::string_view view_name(View v) { return view_names[static_cast<size_t>(v)]; }
std::string_view stack_form_name(StackForm f) { return stack_form_names[static_cast<size_t>(f)]; }
std::string_view naming_name(Naming n) { return naming_names[static_cast<size_t>(n)].name; }

std::string type_name(const Type& type) {
    if (type.naming == Naming::why) return "the causes of a span";
    if (type.naming == Naming::time || type.naming == Naming::time_utc) return "a time in a format of strftime()";
    if (type.naming == Naming::error_name) return "the name of an error";
    if (type.naming == Naming::error) return "the message of an error";
    if (type.naming != Naming::none) {
        const std::string_view name = naming_name(type.naming);
        const bool vowel = std::string_view("aeiou").find(name[0]) != std::string_view::npos && !name.starts_with("us");
        return fmt::format("the name of {} {}", vowel ? "an" : "a", name);
    }
    switch (type.kind) {
        case Kind::none:
            return "nothing";
        case Kind::integer:
            return integer_name(type);
        case Kind::string:
            return "a string";
        case Kind::stack:
            return "a stack";
        case Kind::record:
            return "the bundle of arguments";
        case Kind::aggregation:
            return fmt::format("{}()", aggregation_name(type.aggregation));
        case Kind::structure:
            return name_or(type, "a structure without a name");
        case Kind::array:
            return fmt::format("an array {}", value_text(type));
        case Kind::tuple:
            return fmt::format("a tuple {}", value_text(type));
        case Kind::buffer:
            return "a buffer";
    }
    return {};
}

std::string type_text(const Type& type) {
    const std::string name = type.naming == Naming::none ? "" : fmt::format(" as {}", naming_name(type.naming));
    return value_text(type) + (type.user_memory ? " user" : "") + name;
}

namespace {

struct NamedType {
    std::string_view name;
    Type type;
};
constexpr std::array named_types{
    NamedType{"int8", integer_type(1, true)},
    NamedType{"int16", integer_type(2, true)},
    NamedType{"int32", integer_type(4, true)},
    NamedType{"int64", integer_type(8, true)},
    NamedType{"uint8", integer_type(1, false)},
    NamedType{"uint16", integer_type(2, false)},
    NamedType{"uint32", integer_type(4, false)},
    NamedType{"uint64", integer_type(8, false)},
    NamedType{"int8_t", integer_type(1, true)},
    NamedType{"int16_t", integer_type(2, true)},
    NamedType{"int32_t", integer_type(4, true)},
    NamedType{"int64_t", integer_type(8, true)},
    NamedType{"uint8_t", integer_type(1, false)},
    NamedType{"uint16_t", integer_type(2, false)},
    NamedType{"uint32_t", integer_type(4, false)},
    NamedType{"uint64_t", integer_type(8, false)},
    NamedType{"bool", truth_type()},
    NamedType{"duration", duration_type()},
    NamedType{"string", string_type(64)},
};
constexpr auto type_words = [] {
    std::array<std::string_view, named_types.size()> out;
    for (size_t i = 0; i < out.size(); i++) out[i] = named_types[i].name;
    return out;
}();

}  // namespace

std::optional<Type> type_named(std::string_view name, uint64_t count) {
    for (const NamedType& row : named_types) {
        if (row.name != name) continue;
        if (count == 0) return row.type;
        if (row.type.kind != Kind::string || count > most_string_bytes) return std::nullopt;
        return string_type(static_cast<uint32_t>(count));
    }
    return std::nullopt;
}

std::span<const std::string_view> type_names() { return type_words; }

}  // namespace lt
