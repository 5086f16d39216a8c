// Functions for addresses, names, clocks and frames. A program keeps a name as a number or a few bytes; the runtime
// looks up the text when it prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/arch.h"
#include "base/text.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/calls/words.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/providers/provider.h"
#include "codegen/providers/system_call.h"
#include "codegen/typed/calls/facts.h"

namespace lt {
namespace {

Type clock_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    if (find_clock(word(c.expr(node.arguments[0])))) return integer_type(8, false);
    c.error(node.arguments[0], "there is no such clock").hint = use_one(clock_names());
    return nothing();
}

Type time_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    Type type = named(integer_type(8, false), Naming::time);
    Shape shape;
    shape.name = text_literal(c.expr(node.arguments[0]));
    if (node.arguments.size() > 2) {
        if (std::get<ast::Name>(c.expr(node.arguments[2]).node).name != "utc")
            c.error(node.arguments[2], "there is no such time zone").hint =
                "use `utc`, or set the time zone of lt: `TZ=Asia/Tokyo lt ...`";
        type.naming = Naming::time_utc;
    }
    type.shape = std::move(shape);
    return type;
}

// The events of all system calls are also those of 32-bit programs, whose calls have other numbers.
bool is_at_any_call(const ResolvedPlace& place) {
    if (const auto* event = std::get_if<EventPlace>(&place.there)) return event->event.category == all_calls_category;
    const auto* raw = std::get_if<RawEventPlace>(&place.there);
    return raw != nullptr && (raw->event.name == all_calls_entry || raw->event.name == all_calls_exit);
}

Type call_name_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const bool is_known = std::holds_alternative<ast::Integer>(c.expr(node.arguments[0]).node);
    if (!is_known && c.region != Region::timeout && is_at_any_call(c.place()))
        std::get<CallUse>(c.use(id)).narrow = width_of_call(c.kernel);
    return c.of_row(function_row(Function::syscall_name).result);
}

Type user_symbol(CheckContext&, ast::ExprId, const ast::Call&) {
    const Type word = integer_type(8, false);
    return named(tuple_type({word, word}), Naming::user_symbol);
}

Type register_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const ProbeRow& probe = probe_row(c.place().kind);
    if (!provider(probe.place).registers) {
        c.error(id, fmt::format("`{}` probes have no registers", probe.name)).hint =
            "probes at functions and sampling probes have them: `k:vfs_read { print(reg(\"ip\")); }`";
        return nothing();
    }
    if (arch::find_register(text_literal(c.expr(node.arguments[0])))) {
        Type type = integer_type(8, false);
        type.user_memory = in_program(c.place());
        return type;
    }
    std::vector<std::string_view> names;
    for (const arch::Register& row : arch::native.registers) names.push_back(row.name);
    c.error(node.arguments[0], "there is no such register").hint =
        fmt::format("the registers are {}", join(names, ", "));
    return nothing();
}

Type internet_type() {
    return named(tuple_type({integer_type(8, false), array_type(integer_type(1, false), longest_internet_address)}),
                 Naming::internet);
}

Type internet_address(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const Type& address = c.type(node.arguments.back());
    const bool number = address.kind == Kind::integer && address.view != View::duration;
    const bool bytes = in_memory(address) && (address.size == 4 || address.size == longest_internet_address) &&
                       (address.kind == Kind::array || address.kind == Kind::string || address.kind == Kind::structure);
    if (node.arguments.size() > 1 && c.type(node.arguments[0]).kind != Kind::integer) {
        c.error(node.arguments[0], "an address family is a number: 2 for IPv4, 10 for IPv6");
        return nothing();
    }
    if (number || bytes) return internet_type();
    c.error(node.arguments.back(),
            fmt::format("an internet address has 4 or 16 bytes, or is an integer; this is {}", type_text(address)));
    return nothing();
}

Type internet_bytes_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const size_t size = internet_bytes(text_literal(c.expr(node.arguments[0]))).size();
    if (size != 0) return array_type(integer_type(1, false), static_cast<uint32_t>(size));
    c.error(node.arguments[0], "this is not an internet address").hint = "for example `\"127.0.0.1\"` or `\"::1\"`";
    return nothing();
}

Type hardware_address(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const Type& bytes = c.type(node.arguments[0]);
    if (bytes.kind == Kind::integer || (in_memory(bytes) && bytes.size >= hardware_bytes))
        return named(array_type(integer_type(1, false), hardware_bytes), Naming::hardware);
    c.error(node.arguments[0], fmt::format("a hardware address has 6 bytes; this is {}", type_text(bytes)));
    return nothing();
}

Type swapped_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    return integer_type(width_of(c, node.arguments[0]), false);
}

Type signal_number_type(CheckContext& c, ast::ExprId, const ast::Call&) {
    return named(integer_type(), c.settings().describes_signals ? Naming::signal_description : Naming::signal);
}

Type frame_type(CheckContext& c, ast::ExprId id, const ast::Call&) {
    const ProbeRow& probe = probe_row(c.place().kind);
    if (!run_by_lt(probe.place)) return integer_type(8, false);
    c.error(id, fmt::format("`{}` has no stack: lt itself runs it", probe.name)).hint =
        "stacks exist where the kernel or a program is traced: `k:vfs_read { print(kframe(1)); }`";
    return nothing();
}

constexpr std::array parts{symbol_object, symbol_place, symbol_file, symbol_line};

Type user_part(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const std::string& part = std::get<ast::String>(c.expr(node.arguments[1]).node).value;
    if (std::ranges::find(parts, part) == parts.end()) {
        c.error(node.arguments[1], "there is no such part of a symbol").hint =
            use_one(std::vector<std::string>(parts.begin(), parts.end()));
        return nothing();
    }
    const Type word = integer_type(8, false);
    Type type = named(tuple_type({word, word}), Naming::user_symbol);
    type.shape->name = part;
    return type;
}

constexpr TypeRule address_rules[] = {
    {Function::syscall_name, call_name_type},
    {Function::nsecs, clock_type},
    {Function::usym, user_symbol},
    {Function::reg, register_type},
    {Function::ntop, internet_address},
    {Function::pton, internet_bytes_type},
    {Function::macaddr, hardware_address},
    {Function::strftime, time_type},
    {Function::signal_name, signal_number_type},
    {Function::bswap, swapped_type},
    {Function::kframe, frame_type},
    {Function::uframe, frame_type},
    {Function::usym_part, user_part},
};

}  // namespace

std::span<const TypeRule> address_type_rules() { return address_rules; }

}  // namespace lt
