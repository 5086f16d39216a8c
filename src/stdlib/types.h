// The types of values (Kind: few, code generation switches on them) and how it is printed (View: many, only
// printers know them).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lt {

enum class Kind : uint8_t {
    none,         // nothing: the value of print(...)
    integer,      // 1, 2, 4 or 8 bytes; also addresses and enumerations
    string,       // a fixed number of bytes, ended by a zero byte if shorter
    stack,        // 16 bytes that stand for a call stack, see runtime/border/plan.h
    record,       // the bundle of a probe's named arguments: only its fields have a value
    aggregation,  // the result of count(), hist() ...: can only be assigned to a map
    structure,    // a struct or union of C, as it is in memory
    array,        // consecutive elements; an array of char is a string
    tuple,        // consecutive parts, each padded to 8 bytes
    buffer,       // u64 length, then up to `size` - 8 bytes
};

enum class View : uint8_t {
    plain,
    duration,  // nanoseconds
    hex,       // an address
    boolean,
    enumeration,  // the name of its value
};

// The text printed for a value, looked up by the runtime when it prints.
enum class Naming : uint8_t {
    none,
    kernel_symbol,  // u64 address
    user_symbol,    // a tuple: u64 address, u64 process
    user,           // uid
    internet,       // a tuple: u64 address family, 16 bytes of which IPv4 has the first 4
    hardware,       // 6 bytes
    time,           // u64 nanoseconds of the monotonic clock; the shape's name is the format of strftime(3), with %f
    time_utc,       // the same, in UTC instead of lt's own time zone
    error,          // errno, of either sign: its message
    error_name,     // the same: its name, such as ENOENT
    signal,         // its name, such as SIGINT
    signal_description,  // its meaning, such as Interrupt
    syscall,
    cgroup,          // its id
    cgroup_unified,  // the same, with the name of the hierarchy before the path
    process,         // pid
    why,             // the record of stdlib/causes.h: the time by cause
};

// The functions whose result is collected in a map. Their layouts in memory are in runtime/border/plan.h.
enum class Aggregation : uint8_t { none, count, sum, min, max, avg, hist, stats, dist, lhist, samples, tseries, why };
constexpr bool is_extreme(Aggregation a) { return a == Aggregation::min || a == Aggregation::max; }

struct Type;
struct Shape;

// The parts of a type, if it has more than a size: owns a Shape or nothing, and copies it.
class ShapeBox {
  public:
    constexpr ShapeBox() = default;
    ShapeBox(Shape shape);
    constexpr ShapeBox(const ShapeBox& other) : shape_(other.shape_ == nullptr ? nullptr : copy(*other.shape_)) {}
    constexpr ShapeBox(ShapeBox&& other) noexcept : shape_(std::exchange(other.shape_, nullptr)) {}
    constexpr ShapeBox& operator=(ShapeBox other) noexcept {
        std::swap(shape_, other.shape_);
        return *this;
    }
    constexpr ~ShapeBox() {
        if (shape_ != nullptr) destroy(shape_);
    }
    constexpr explicit operator bool() const { return shape_ != nullptr; }
    const Shape& operator*() const { return *shape_; }
    const Shape* operator->() const { return shape_; }
    Shape* operator->() { return shape_; }
    bool operator==(const ShapeBox& other) const;

  private:
    static Shape* copy(const Shape& shape);
    static void destroy(Shape* shape);
    Shape* shape_ = nullptr;
};

// How the frames of a stack are written; the type's view says in whose style: hex lt's, plain bpftrace's.
enum class StackForm : uint8_t {
    names,  // function+0x12 (file); optionally with source lines
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
    Naming naming = Naming::none;
    // Of a typed address, an enumeration and all types with parts. Last, so that a type can become a part of itself:
    // assigning the shape frees that part.
    ShapeBox shape = {};
    bool operator==(const Type&) const = default;
};

// A member of a struct or union. For a bit field, bit_size is not zero and it begins bit_offset bits after `offset`.
struct Member {
    std::string name;
    Type type;
    uint32_t offset = 0;  // bytes
    uint8_t bit_offset = 0;
    uint8_t bit_size = 0;
    bool operator==(const Member&) const = default;
};

// Turns a member of an integer's type into a bit field of `bits` bits that begins `bit` bits after the start of its
// structure. A field that lies in nine bytes gets no type.
void place_bit_field(Member& member, uint32_t bit, uint32_t bits);

struct Enumerator {
    std::string name;
    int64_t value = 0;
    bool operator==(const Enumerator&) const = default;
};

struct Shape {
    std::string name;         // as in C: "struct file", "enum pid_type"; empty if it has none
    std::string module;       // of the type information; empty: the kernel's; a path: a program's; bpf:ID: likewise
    uint32_t number = 0;      // of the type there; 0: not from type information
    bool declared = false;    // by the script: `number` is an index into Declared::shapes, which says where members are
    std::vector<Type> parts;  // the target of an address, the element of an array, the parts of a tuple
    std::vector<std::string> names;       // of the parts of a tuple that is a record; else empty
    std::vector<Member> members;          // of a structure whose values are printed; otherwise the kernel is asked
    std::vector<Enumerator> enumerators;  // of an enumeration
    std::vector<int64_t> buckets;         // of lhist(): least, most, step; of hist(x, bits): bits; of tseries(): see
                                          // runtime/border/layouts/series.h
    bool operator==(const Shape&) const = default;
};

inline bool of_program(const Shape& shape) { return shape.module.starts_with('/'); }
constexpr Type nothing() { return {}; }
constexpr Type integer_type(uint32_t size = 8, bool is_signed = true, View view = View::plain) {
    return {Kind::integer, size, is_signed, view};
}
constexpr Type truth_type() { return integer_type(1, false, View::boolean); }  // true or false
constexpr Type duration_type() { return integer_type(8, true, View::duration); }
constexpr Type string_type(uint32_t size) { return {Kind::string, size}; }
constexpr uint32_t stack_size = 16;
constexpr Type stack_type(StackForm form = StackForm::names) {
    return {Kind::stack, stack_size, false, View::plain, Aggregation::none, false, form};
}
constexpr Type record_type() { return {Kind::record}; }
// `view` is that of the values collected.
constexpr Type aggregation_type(Aggregation a, View view = View::plain) {
    return {Kind::aggregation, 8, true, view, a};
}
constexpr Type named(Type type, Naming naming) {
    type.naming = naming;
    return type;
}
Type pointer_type(Type to, bool user_memory = false);
Type array_type(Type element, uint32_t count);
Type tuple_type(std::vector<Type> parts, std::vector<std::string> names = {});
constexpr uint32_t buffer_header = 8;
constexpr Type buffer_type(uint32_t bytes) { return {Kind::buffer, buffer_header + bytes}; }

// The target type of an address; nullptr if unknown (void *) or not an address.
const Type* pointee(const Type& type);
// The element type of an array; nullptr if it is not an array.
const Type* element(const Type& type);

constexpr uint32_t padded_size(uint32_t size) { return (size + 7) / 8 * 8; }

// The offset of a tuple's part.
uint32_t tuple_offset(const Type& tuple, size_t part);

// Do programs keep it as bytes in memory, and not as a number in a register?
constexpr bool in_memory(const Type& type) {
    switch (type.kind) {
        case Kind::string:
        case Kind::stack:
        case Kind::structure:
        case Kind::array:
        case Kind::tuple:
        case Kind::buffer:
            return true;
        case Kind::none:
        case Kind::integer:
        case Kind::record:
        case Kind::aggregation:
            return false;
    }
    return false;
}

// For messages: "an integer", "a duration", "a string", "hist()".
std::string type_name(const Type& type);

// For dumps: "i64", "u32", "duration", "string[16]", "hist<duration>".
std::string type_text(const Type& type);

// The type of a name as written in `let $x : uint64`, `string[16]` (count 16); empty if there is none.
std::optional<Type> type_named(std::string_view name, uint64_t count);
std::span<const std::string_view> type_names();

std::string_view aggregation_name(Aggregation a);
std::string_view view_name(View v);
std::string_view stack_form_name(StackForm f);  // as written in a script
std::string_view naming_name(Naming n);

}  // namespace lt
