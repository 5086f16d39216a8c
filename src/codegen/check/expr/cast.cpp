#include "codegen/check/expr/type_of.h"

#include <fmt/format.h>

#include "codegen/check/expr/address.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/check/expr/type_names.h"
#include "codegen/check/names/program.h"
#include "codegen/resolve/type_names.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

// As in C, an array is its address, except where an element is read.
Type array_as_address(CheckContext& c, const ast::Cast& node) {
    Type type = type_named(c, node.type).value_or(nothing());
    type.user_memory = *memory_of(c, node.value);
    return type;
}

// Casts a string: to bool (true if it is not empty), to its bytes, or to another size.
Type text_cast(CheckContext& c, const ast::Cast& node, const Type& from) {
    constexpr uint64_t longest = most_string_bytes;
    const ast::TypeName& written = node.type;
    const bool is_plain = written.pointers == 0 && !written.like;
    if (is_plain && written.name == "bool" && !written.count) return truth_type();
    const auto each = is_plain && written.count ? named_type(written.name, type_lookup(c)) : std::nullopt;
    if (each && each->kind == Kind::integer && each->size == 1 && *written.count <= longest)  // as bytes
        return array_type(*each, *written.count == 0 ? from.size : static_cast<uint32_t>(*written.count));
    const bool fits = written.count && *written.count >= 1 && *written.count <= longest;
    if (is_plain && written.name == "string" && fits) return string_type(static_cast<uint32_t>(*written.count));
    c.error(node.value, fmt::format("only an integer or an address can be cast, not {}", type_name(from))).hint =
        fmt::format("a string can be cast to `(bool)`, or to `(string[N])` of 1 to {} bytes", longest);
    return nothing();
}

// (uint32)bytes: the number that the bytes hold.
Type bytes_as_number(CheckContext& c, const ast::Cast& node, const Type& from, const Type& wanted) {
    const Type* each = element(from);
    if (each->kind == Kind::integer && !pointee(*each) && from.size == wanted.size) return wanted;
    c.error(node.value, fmt::format("{} of {} bytes cannot be cast to an integer of {} bytes", type_name(from),
                                    from.size, wanted.size))
        .hint = "an array and the integer that it is cast to must have the same size";
    return nothing();
}

}  // namespace

Type type_of(CheckContext& c, ast::ExprId, const ast::Cast& node) {
    const Type from = check_value(c, node.value);
    if (from.kind == Kind::none) return nothing();
    const bool decays = node.decays || node.type.pointers > 0;
    if (decays && (from.kind == Kind::string || from.kind == Kind::array) && memory_of(c, node.value))
        return array_as_address(c, node);
    if (from.kind == Kind::string) return text_cast(c, node, from);
    ast::TypeName written = node.type;
    if (written.count == 0U) {  // (uint8[])x: as many elements as fit
        written.count.reset();
        const auto each = type_named(c, written);
        if (!each) return nothing();
        written.count = each->size == 0 ? 0 : width_of(c, node.value) / each->size;
    }
    const auto wanted = type_named(c, written);
    if (!wanted) return nothing();
    if (from.kind == Kind::array && wanted->kind == Kind::integer && !pointee(*wanted))
        return bytes_as_number(c, node, from, *wanted);
    if (from.kind != Kind::integer) {
        c.error(node.value, fmt::format("only an integer or an address can be cast, not {}", type_name(from)));
        return nothing();
    }
    // as its bytes, the lowest first
    const bool as_bytes = wanted->kind == Kind::array && wanted->size <= 8 && element(*wanted)->kind == Kind::integer;
    if (as_bytes && !pointee(from)) return *wanted;
    if (wanted->kind != Kind::integer) {
        c.error(node.type.span, fmt::format("an integer cannot be cast to {}",
                                            wanted->kind == Kind::none ? "void" : type_name(*wanted)))
            .hint = fmt::format("for a value at an address write `({} *)`", node.type.name);
        return nothing();
    }
    Type type = *wanted;
    const bool of_kernel = written.sources == std::vector<std::string>{std::string(ast::kernel_source)};
    type.user_memory = from.user_memory || type.user_memory ||
                       (!of_kernel && pointee(type) && is_supposed_of_user(c, node.value, *pointee(type)));
    return type;
}

}  // namespace lt
