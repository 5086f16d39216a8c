// What a value of the language is (Kind: few, code generation switches on them) and how it is shown (View: many, only
// printers know them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lt {

enum class Kind : uint8_t {
    none,         // nothing: the value of print(...)
    integer,      // 1, 2, 4 or 8 bytes
    string,       // a fixed number of bytes, ended by a zero byte where shorter
    stack,        // 16 bytes that stand for a call stack, see runtime/plan.h
    record,       // the bundle of a probe's named arguments: only its fields have a value
    aggregation,  // what count(), hist() ... make: can only be assigned to a map
};

enum class View : uint8_t {
    plain,
    duration,  // nanoseconds
    hex,       // an address
    boolean,
};

// The functions whose result is collected in a map. The layout of each in memory is in runtime/plan.h.
enum class Aggregation : uint8_t { none, count, sum, min, max, avg, hist, stats, dist };

// How the frames of a stack are written.
enum class StackForm : uint8_t {
    names,  // function+0x12 (file), as bpftrace; perhaps with lines of source
    perf,   // as perf script: the address, the function, the file
    raw,    // addresses
};

struct Type {
    Kind kind = Kind::none;
    uint32_t size = 0;  // bytes
    bool is_signed = false;
    View view = View::plain;
    Aggregation aggregation = Aggregation::none;
    bool user_memory = false;  // an integer that is an address of user memory
    StackForm stack_form = StackForm::names;
    bool operator==(const Type&) const = default;
};

constexpr Type nothing() { return {}; }
constexpr Type integer_type(uint32_t size = 8, bool is_signed = true, View view = View::plain) {
    return {Kind::integer, size, is_signed, view, Aggregation::none, false};
}
constexpr Type duration_type() { return integer_type(8, true, View::duration); }
constexpr Type string_type(uint32_t size) { return {Kind::string, size, false, View::plain, Aggregation::none, false}; }
constexpr uint32_t stack_size = 16;
constexpr Type stack_type(StackForm form = StackForm::names) {
    return {Kind::stack, stack_size, false, View::plain, Aggregation::none, false, form};
}
constexpr Type record_type() { return {Kind::record, 0, false, View::plain, Aggregation::none, false}; }
// `view` is that of the values collected.
constexpr Type aggregation_type(Aggregation a, View view = View::plain) {
    return {Kind::aggregation, 8, true, view, a, false};
}

// Does a program keep it as bytes in memory, and not as a number in a register?
constexpr bool in_memory(const Type& type) { return type.kind == Kind::string || type.kind == Kind::stack; }

// For messages: "an integer", "a duration", "a string", "hist()".
std::string type_name(const Type& type);

// For dumps: "i64", "u32", "duration", "string[16]", "hist<duration>".
std::string type_text(const Type& type);

std::string_view aggregation_name(Aggregation a);
std::string_view view_name(View v);
std::string_view stack_form_name(StackForm f);  // as it is written in a script

}  // namespace lt
