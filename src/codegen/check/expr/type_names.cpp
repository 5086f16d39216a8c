#include "codegen/check/expr/type_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/check/names/program.h"
#include "codegen/resolve/type_names.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

constexpr uint64_t most_declared = 1024;  // bytes of an array

// typeof(expression), with asterisks after it
std::optional<Type> type_like(CheckContext& c, const ast::TypeName& written) {
    const auto* given = std::get_if<ast::OffsetOf>(&c.expr(*written.like).node);  // passed to a macro as typeof(...)
    if (given && given->path.empty()) {
        ast::TypeName type = given->type;
        type.pointers += written.pointers;
        return type_named(c, type);
    }
    Type type = check_value(c, *written.like);
    if (type.kind == Kind::none) return {};
    if (type.kind == Kind::integer) type.size = width_of(c, *written.like);
    for (uint32_t i = 0; i < written.pointers; i++) type = pointer_type(std::move(type));
    return type;
}

// @cast(p, "name", "/path") of SystemTap, where that program's types are not known, or have no such name.
void no_type_of_sources(CheckContext& c, const ast::TypeName& written) {
    const std::string all = join(written.sources, ", ");
    if (std::ranges::any_of(written.sources, [&](const std::string& s) { return has_types_of(c, s); })) {
        c.error(written.span, fmt::format("there is no type `{}` in {}", written.name, all)).hint =
            "the traced program's types are those that its debug information describes";
        return;
    }
    c.error(written.span, fmt::format("a type of {} is not known here", all)).hint =
        "lt takes the types of a `@cast` from the kernel or the probe's own program: for the kernel's type write "
        "\"kernel\" as the third argument";
}

}  // namespace

std::optional<Type> type_named(CheckContext& c, const ast::TypeName& written) {
    if (written.like) return type_like(c, written);
    const auto type = written_type(written, type_lookup(c, written.sources));
    if (type) return type;
    if (std::ranges::any_of(written.sources, [](const std::string& s) { return s != ast::kernel_source; })) {
        no_type_of_sources(c, written);
        return std::nullopt;
    }
    ast::TypeName each = written;
    each.count.reset();
    if (written.count && written_type(each, type_lookup(c))) {
        c.error(written.span, fmt::format("this array is too large: the limit is {} bytes", most_array_bytes)).hint =
            fmt::format("for values at an address write `{} *`", written.name);
        return std::nullopt;
    }
    Diag& d = c.error(written.span, fmt::format("there is no type `{}`", written.name));
    d.hint = c.kernel.type("struct " + written.name) ? fmt::format("write `struct {}`", written.name)
             : c.kernel.can(Feature::btf).yes        ? "the types are those of this kernel, and `int8` to `uint64`"
                                              : "this kernel has no type information (BTF); use `int8` to `uint64`";
    return std::nullopt;
}

std::optional<Type> declared_type(CheckContext& c, const ast::TypeName& written) {
    if (written.like) return type_named(c, written);
    const bool is_plain = written.pointers == 0;
    if (const auto type = lt::type_named(written.name, written.count.value_or(0)); type && is_plain) return type;
    if (const auto each = lt::type_named(written.name, 0); written.count && each) {
        const uint64_t size = is_plain ? each->size : 8, count = *written.count;
        const bool is_number = each->kind == Kind::integer || !is_plain;
        if (is_number && size > 0 && count > 0 && count <= most_declared / size) return type_named(c, written);
        c.error(written.span,
                fmt::format("the size of a string is up to {} bytes, of an array of integers up to {} bytes",
                            most_string_bytes, most_declared))
            .hint = "for example `let $name : string[16]`";
        return {};
    }
    const auto near = closest(written.name, type_names());
    if (near.empty() || written_type(written, type_lookup(c))) return type_named(c, written);
    c.error(written.span, fmt::format("there is no type `{}`", written.name)).hint = did_you_mean(near);
    return {};
}

}  // namespace lt
