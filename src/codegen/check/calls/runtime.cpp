// Functions that act on the session, on what is traced, or on the compilation (static_assert(), fail()).
#include <fmt/format.h>

#include <algorithm>

#include "codegen/check/calls/type_rules.h"
#include "codegen/providers/provider.h"
#include "codegen/resolve/type_names.h"
#include "codegen/typed/calls/facts.h"
#include "codegen/typed/decided.h"
#include "stdlib/format.h"

namespace lt {
namespace {

Type array_of_strings(CheckContext& c, ast::ExprId, const ast::Call& node) {
    if (c.type(node.arguments[0]).view != View::duration) return nothing();
    c.error(node.arguments[0], "`join()` takes an address").hint = "for example `join(args.argv)`";
    return nothing();
}

Type signal_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const Place place = probe_row(c.place().kind).place;
    if (place == Place::nothing || place == Place::period) {
        c.error(id, fmt::format("`{}` runs in lt itself: there is no other process to signal",
                                probe_row(c.place().kind).name));
    } else if (const auto* name = std::get_if<ast::String>(&c.expr(node.arguments[0]).node)) {
        if (signal_number(name->value) == 0)
            c.error(node.arguments[0], "there is no such signal").hint = "for example `\"SIGUSR1\"`";
    } else if (c.type(node.arguments[0]).kind != Kind::integer) {
        c.error(node.arguments[0], "a signal is a number or a name").hint = "for example `10` or `\"SIGUSR1\"`";
    }
    return nothing();
}

Type kernel_log(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (node.arguments.size() > 4) c.error(id, "`debugf()` takes up to 3 values");
    FormatReader reader(text_literal(c.expr(node.arguments[0])));
    size_t value = 0;
    while (const auto piece = reader.next()) {
        if (!piece->takes_value()) continue;
        value++;
        const bool text = value < node.arguments.size() && c.type(node.arguments[value]).kind == Kind::string;
        const bool fits =
            !kernel_log_conversion(piece->conversion).empty() && text == (piece->conversion == Conversion::string);
        if (fits && piece->width == 0 && !piece->precision) continue;
        c.error(node.arguments[0],
                "`debugf()` supports `%d`, `%u` and `%x` for integers and `%s` for strings, without a width");
        break;
    }
    return nothing();
}

Type delay_type(CheckContext& c, ast::ExprId id, const ast::Call&) {
    if (const Answer a = c.kernel.can(Feature::bpf_loop); !a.yes)
        c.error(id, "this kernel does not support loops in BPF programs, which a delay needs: " + a.why);
    c.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
    return nothing();
}

Type written_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    constexpr uint64_t most = 4096;
    const Type& from = c.type(node.arguments[1]);
    const auto* length = std::get_if<ast::Integer>(&c.expr(node.arguments[2]).node);
    if (!length || length->value == 0 || length->value > most) {
        c.error(node.arguments[2], fmt::format("the length must be a literal number from 1 to {}", most));
    } else if (from.kind == Kind::stack || (from.kind == Kind::integer && from.view != View::hex)) {
        c.error(node.arguments[1], fmt::format("`write_user()` writes bytes, not {}", type_name(from))).hint =
            "pass a string, a structure, an array, or the address of the bytes: `write_user(address, &$x, 8)`";
    } else {
        return c.truth();
    }
    return nothing();
}

Type option_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const bool names_descriptor = node.arguments.size() == with_descriptor;
    const bool at_socket = provider(c.place()).takes_options;
    if (at_socket && !names_descriptor) return integer_type(8, true);
    if (names_descriptor && !at_socket && !run_by_lt(probe_row(c.place().kind).place)) return nothing();
    c.error(id, names_descriptor ? "a descriptor belongs to the process that runs, and no process runs here"
                                 : "options can only be set on a socket that was just accepted")
        .hint =
        names_descriptor
            ? "`t:syscalls:sys_exit_accept4 /args.ret >= 0/ { setsockopt(args.ret, SOL_SOCKET, SO_KEEPALIVE, 1); }`"
            : "`socket:accepted /args.local_port == PORT/ { setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1); }`";
    return nothing();
}

Type assert_now(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const auto value = known_value(c.program, c.body, node.arguments[0]);
    if (!value) {
        c.error(node.arguments[0], "this value is not known at compile time").hint =
            "`assert(condition, \"message\")` is checked at run time";
    } else if (*value == 0 && c.passed_over == 0) {
        c.error(id, text_literal(c.expr(node.arguments[1])));
    }
    return nothing();
}

std::string in_width(std::string text, const FormatPiece& piece) {
    const size_t missing = piece.width > text.size() ? piece.width - text.size() : 0;
    return piece.left ? text + std::string(missing, ' ') : std::string(missing, piece.zero ? '0' : ' ') + text;
}

struct NumberForm {
    Conversion conversion;
    std::string (*text)(uint64_t bits);
};
constexpr NumberForm number_forms[] = {
    // other conversions print a signed number
    {Conversion::unsigned_, [](uint64_t bits) { return fmt::format("{}", bits); }},
    {Conversion::hex, [](uint64_t bits) { return fmt::format("{:x}", bits); }},
    {Conversion::upper_hex, [](uint64_t bits) { return fmt::format("{:X}", bits); }},
    {Conversion::octal, [](uint64_t bits) { return fmt::format("{:o}", bits); }},
    {Conversion::address, [](uint64_t bits) { return fmt::format("{:#x}", bits); }},
    {Conversion::character, [](uint64_t bits) { return std::string(1, static_cast<char>(bits)); }},
};

// The text of a value in a compile-time message.
std::optional<std::string> value_text(CheckContext& c, ast::ExprId id, FormatPiece piece) {
    if (const auto text = known_text(c.program, c.body, id)) return in_width(std::string(*text), piece);
    const auto number = known_value(c.program, c.body, id);
    if (!number) return {};
    if (c.settings().conventions.c_integers) take_size_of_c(piece);
    const uint32_t unused = 64 - 8 * printed_bytes(piece, c.type(id));
    const uint64_t bits = static_cast<uint64_t>(*number) << unused;
    if (piece.conversion == Conversion::decimal)
        return in_width(std::to_string(static_cast<int64_t>(bits) >> unused), piece);
    const auto* form = std::ranges::find(number_forms, piece.conversion, &NumberForm::conversion);
    return in_width(form == std::end(number_forms) ? std::to_string(*number) : form->text(bits >> unused), piece);
}

Type refuse(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const std::string format =
        node.arguments.empty() ? "the script calls `fail()`" : text_literal(c.expr(node.arguments[0]));
    std::string message;
    size_t next = 1;
    FormatReader reader(format);
    while (const auto piece = reader.next()) {
        if (!piece->takes_value()) {
            message += std::string_view(format).substr(piece->span.begin, piece->span.end - piece->span.begin);
            continue;
        }
        if (next >= node.arguments.size()) return nothing();  // an error was reported
        const ast::ExprId value = node.arguments[next++];
        const auto text = value_text(c, value, *piece);
        if (!text) {
            c.error(value, "this value is not known at compile time").hint =
                "`errorf(\"format\", value)` prints it at run time";
            return nothing();
        }
        message += *text;
    }
    if (c.passed_over == 0) c.error(id, message);
    return nothing();
}

constexpr TypeRule runtime_rules[] = {
    {Function::join, array_of_strings}, {Function::signal, signal_type},        {Function::signal_thread, signal_type},
    {Function::delay, delay_type},      {Function::setsockopt, option_type},    {Function::write_user, written_type},
    {Function::debugf, kernel_log},     {Function::static_assert_, assert_now}, {Function::fail, refuse},
};

}  // namespace

std::span<const TypeRule> runtime_type_rules() { return runtime_rules; }

}  // namespace lt
