// Printing in all forms: everything becomes printf(), sprintf() or print().
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>
#include <utility>

#include "parser/tree/rewrite.h"
#include "systemtap/names/effects.h"
#include "systemtap/names/names.h"
#include "systemtap/names/printing.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/statistics.h"

namespace lt::stp {
namespace {

// The format and its values so far.
struct Printed {
    std::string format;
    std::vector<ast::ExprId> values;
    ast::Block before;  // locals for what the format uses several times
};

void add_value(Names& scope, Printed& out, ast::ExprId value);
bool add_sprint(Names& scope, Printed& out, ast::ExprId value);

void add_text(Printed& out, std::string_view text) {
    for (char c : text) out.format += c == '%' ? "%%" : std::string(1, c);
}

// "text" . $$parms: printed one after the other.
bool prints_all(const Names& scope, ast::ExprId id) {
    const auto* name = scope.get<ast::Name>(id);
    if (name != nullptr) return is_all_arguments(name->name);
    const auto* joined = scope.get<ast::Binary>(id);
    return joined != nullptr && joined->op == ast::BinaryOp::add &&
           (prints_all(scope, joined->left) || prints_all(scope, joined->right));
}

// Values one after the other; forms with a delimiter have it first.
void add_joined(Names& scope, Printed& out, const std::vector<ast::ExprId>& arguments, StpForm form) {
    const bool has_delimiter =
        form == StpForm::printd || form == StpForm::printdln || form == StpForm::sprintd || form == StpForm::sprintdln;
    std::optional<ast::ExprId> delimiter;
    if (has_delimiter) delimiter = evaluated_once(scope, arguments[0], out.before);
    for (size_t i = has_delimiter; i < arguments.size(); i++) {
        if (i > has_delimiter && delimiter) add_value(scope, out, ast::clone(scope.program, *delimiter));
        add_value(scope, out, arguments[i]);
    }
    const bool ends = form == StpForm::println || form == StpForm::printdln || form == StpForm::sprintln ||
                      form == StpForm::sprintdln || form == StpForm::error;
    if (ends) out.format += "\n";
}

// A width or a precision that is not a literal: `wide`, if the conversion can have one.
void take_width(Names& scope, ast::ExprId where, bool can_vary, std::optional<ast::ExprId> value, std::string& piece,
                std::optional<ast::ExprId>& wide) {
    const auto known = value ? constant_of(scope, *value) : std::nullopt;
    if (value && !known && can_vary) {
        wide = value;
        return;
    }
    if (known) {
        piece += std::to_string(*known);
        return;
    }
    scope.diags.error(value ? scope.span(*value) : scope.span(where), "the width of a number must be a literal").hint =
        "only %s, %d, %u and %x take one that is known at run time, and only %u and %x one with zeros before the "
        "number";
}

// %.16m: raw bytes at an address or, with M, hexadecimal digits; one byte without a precision. A `#` marks user memory,
// which lt knows from the address.
void add_memory(Names& scope, Printed& out, ast::ExprId where, const std::string& modifiers, char letter,
                const std::function<std::optional<ast::ExprId>()>& take) {
    std::string piece = "%";
    std::optional<ast::ExprId> length, wide;
    const size_t dot = std::min(modifiers.find('.'), modifiers.size());
    for (char c : modifiers.substr(0, dot)) {
        if (c == '*') take_width(scope, where, false, take(), piece, wide);
        if (c == '-' || (c >= '0' && c <= '9')) piece += c;
    }
    const std::string precision = modifiers.substr(std::min(dot + 1, modifiers.size()));
    uint64_t bytes = 1;
    std::from_chars(precision.data(), precision.data() + precision.size(), bytes);
    if (precision == "*") length = take();
    const auto address = take();
    if (!address) return;
    if (!length) length = scope.add(*address, ast::Integer{bytes});
    out.format += piece + (letter == 'm' ? "rb" : "rd");
    out.values.push_back(scope.add(*address, ast::Call{"__memory", scope.span(*address), {*address, *length}}));
}

// The precision of a string, if that or the width is only known at run time: leaves it out of the conversion.
ast::ExprId cut(Names& scope, ast::ExprId value, std::optional<ast::ExprId> most, std::string& piece) {
    const size_t dot = piece.find('.');
    if (dot == piece.npos) return value;
    if (!most) {
        uint64_t bytes = 0;
        std::from_chars(piece.data() + dot + 1, piece.data() + piece.size(), bytes);
        most = scope.add(value, ast::Integer{bytes});
    }
    piece = piece.substr(0, dot) + "s";
    keep_time(scope, value);
    const ast::ExprId begin = scope.add(value, ast::Integer{0});
    return scope.add(value, ast::Call{"substr", scope.span(value), {value, begin, *most}});
}

// A string with a width that is only known at run time: pads with `fill` after it, or before it.
void add_padded(Names& scope, Printed& out, ast::ExprId value, ast::ExprId wide, bool left, char fill) {
    keep_time(scope, value);
    value = evaluated_once(scope, value, out.before);
    wide = evaluated_once(scope, wide, out.before);
    const ast::ExprId length =
        scope.add(value, ast::Call{"strlen", scope.span(value), {ast::clone(scope.program, value)}});
    const ast::ExprId more =
        scope.add(wide, ast::Binary{ast::BinaryOp::subtract, ast::clone(scope.program, wide), length});
    const ast::ExprId fits = scope.add(
        wide, ast::Binary{ast::BinaryOp::greater, ast::clone(scope.program, more), scope.add(wide, ast::Integer{0})});
    const ast::ExprId filling = scope.add(wide, ast::String{std::string(120, fill)});
    const ast::ExprId count = scope.add(wide, ast::Conditional{fits, more, scope.add(wide, ast::Integer{0})});
    const ast::ExprId padding =
        scope.add(wide, ast::Call{"substr", scope.span(wide), {filling, scope.add(wide, ast::Integer{0}), count}});
    out.format += "%s%s";
    out.values.push_back(left ? value : padding);
    out.values.push_back(left ? padding : value);
}

// Can the conversion of a number have a width that is only known at run time? It then becomes a string with that width.
bool pads_number(const std::string& piece, char letter) {
    const bool has_sign = letter == 'd' || letter == 'i', has_zeros = piece.find('0') != piece.npos;
    if (has_zeros && (has_sign || piece.find('#') != piece.npos)) return false;  // they stand after the sign or the 0x
    return (has_sign || letter == 'u' || letter == 'x') && piece.find_first_of(".+ ") == piece.npos;
}

// The number as such a string; the conversion becomes that of a string.
ast::ExprId number_as_text(Names& scope, ast::ExprId value, std::string& piece) {
    const bool is_left = piece.find('-') != piece.npos;
    std::erase(piece, '-');
    if (piece.find('.') == piece.npos) std::erase(piece, '0');
    if (piece.back() == 'i') piece.back() = 'd';
    const ast::ExprId format = scope.add(value, ast::String{std::exchange(piece, is_left ? "%-s" : "%s")});
    return scope.add(value, ast::Call{"sprintf", scope.span(value), {format, value}});
}

// The first argument is a format, the others its values; literal values of `*` become part of it.
void add_format(Names& scope, Printed& out, ast::ExprId where, const std::vector<ast::ExprId>& arguments) {
    const auto* text = arguments.empty() ? nullptr : scope.get<ast::String>(arguments[0]);
    if (text == nullptr) {
        scope.diags.error(scope.span(where), "the format must be a literal string");
        return;
    }
    const std::string format = text->value;
    size_t next = 1;
    const auto take = [&] { return next < arguments.size() ? std::optional(arguments[next++]) : std::nullopt; };
    for (size_t at = 0; at < format.size();) {
        if (format[at] != '%') {
            out.format += format[at++];
            continue;
        }
        std::string piece(1, format[at++]);
        std::optional<ast::ExprId> wide, most;
        const size_t letter_at = std::min(format.find_first_not_of(before_letter, at), format.size());
        const char letter = letter_at < format.size() ? format[letter_at] : '%';
        if (letter == 'm' || letter == 'M') {
            add_memory(scope, out, where, format.substr(at, letter_at - at), letter, take);
            at = letter_at + 1;
            continue;
        }
        for (; at < letter_at; at++) {
            if (format[at] == '*')
                take_width(scope, where, letter == 's' || pads_number(piece, letter), take(), piece,
                           piece.find('.') == piece.npos ? wide : most);
            else if (format[at] != 'l')
                piece += format[at];
        }
        at++;
        piece += letter;
        if (letter == 'n')
            scope.diags.error(scope.span(where), "`%n` is not supported").hint =
                "`%1b` to `%8b` write a number's bytes";
        const bool zeros = letter != 's' && piece.find('0') != piece.npos && piece.find_first_of("-.") == piece.npos;
        auto value = letter == '%' ? std::nullopt : take();
        if (value && wide && letter != 's') value = number_as_text(scope, *value, piece);
        if (value && (wide || most)) value = cut(scope, *value, most, piece);
        if (value && !wide && piece == "%s" && add_sprint(scope, out, *value)) continue;
        if (value && !wide && piece == "%s" && prints_all(scope, *value)) {
            add_value(scope, out, *value);
            continue;
        }
        if (value && wide) {
            add_padded(scope, out, *value, *wide, piece == "%-s", zeros ? '0' : ' ');
            continue;
        }
        out.format += piece;
        if (value) out.values.push_back(*value);
    }
    while (const auto value = take()) out.values.push_back(*value);
}

bool add_sprint(Names& scope, Printed& out, ast::ExprId value) {
    const auto* returned = scope.get<ast::Name>(value);
    const bool returns =
        scope.around->at_return || (scope.around->row != nullptr && !scope.around->row->result.empty());
    if (returned != nullptr && returned->name == "$$return" && returns) {
        out.format += "return=0x%x";
        out.values.push_back(scope.add(value, ast::Name{"$return"}));
        return true;
    }
    const auto* inner = scope.get<ast::Call>(value);
    const StpFunction* row = inner && !scope.functions.has(inner->name) ? find_stp_function(inner->name) : nullptr;
    if (row == nullptr || !is_sprinting(row->form)) return false;
    const ast::Call called = *inner;
    if (row->form == StpForm::sprintf) {
        add_format(scope, out, value, called.arguments);
    } else {
        add_joined(scope, out, called.arguments, row->form);
    }
    return true;
}

// A value as print() prints it. Literal text becomes part of the format.
void add_value(Names& scope, Printed& out, ast::ExprId value) {
    if (const auto* text = scope.get<ast::String>(value)) return add_text(out, text->value);
    if (add_sprint(scope, out, value)) return;
    if (const auto* joined = scope.get<ast::Binary>(value); joined && prints_all(scope, value)) {
        const ast::Binary both = *joined;
        add_value(scope, out, both.left);
        return add_value(scope, out, both.right);
    }
    out.format += "%s";
    out.values.push_back(value);
}

// The call, after the declarations of its locals.
void finish(Names& scope, ast::ExprId id, ast::Call call, ast::Block before, bool has_value) {
    if (before.statements.empty()) return scope.put(id, std::move(call));
    const ast::ExprId last = scope.add(id, std::move(call));
    ast::BlockValue all;
    all.block = std::move(before);
    if (has_value)
        all.value = last;
    else
        all.block.statements.push_back(scope.add(id, ast::Evaluate{last}));
    scope.put(id, std::move(all));
}

}  // namespace

bool is_sprinting(StpForm form) {
    return form == StpForm::sprint || form == StpForm::sprintln || form == StpForm::sprintd ||
           form == StpForm::sprintdln || form == StpForm::sprintf;
}

bool gives_text(StpForm form) {
    return form == StpForm::text || form == StpForm::text_call || form == StpForm::symbol || is_sprinting(form) ||
           form == StpForm::memory || form == StpForm::bytes || form == StpForm::memory_or_nothing ||
           form == StpForm::bytes_or_nothing;
}

// A character is a raw byte; lt's %c escapes bytes that are not printable.
std::string with_bytes(const std::string& format) {
    std::string out;
    for (size_t i = 0; i < format.size(); i++) {
        out += format[i];
        if (format[i] != '%' || i + 1 == format.size()) continue;
        i++;
        out += format[i] == 'c' ? "1b" : std::string(1, format[i]);
    }
    return out;
}

// "text" . $$parms: the number of arguments is not known here.
bool joins_all(Names& scope, ast::ExprId id) {
    const auto* name = scope.get<ast::Name>(id);
    const bool all = name != nullptr && is_all_arguments(name->name);
    if (all)
        scope.diags.error(scope.span(id), fmt::format("lt cannot join {} with a string that is stored", name->name))
            .hint = fmt::format("print it: `printf(\"text %s\\n\", {})`", name->name);
    return all;
}

// A literal, or a global that nothing writes.
std::optional<uint64_t> constant_of(const Names& scope, ast::ExprId id) {
    const auto* name = scope.get<ast::Name>(id);
    const auto global = name ? scope.globals.find(name->name) : scope.globals.end();
    if (global != scope.globals.end() && !global->second.is_written && global->second.global->value)
        id = *global->second.global->value;
    const auto* number = scope.get<ast::Integer>(id);
    return number ? std::optional(number->value) : std::nullopt;
}

// ctime(seconds) as a text, not a number that is printed as one; tz_ctime() uses lt's current time zone.
void keep_time(Names& scope, ast::ExprId id) {
    const auto* call = scope.get<ast::Call>(id);
    if (call == nullptr || (call->name != "ctime" && call->name != "tz_ctime") || call->arguments.size() != 1) return;
    if (!scope.functions.has("__ctime_text")) return;
    const time_t now = std::time(nullptr);
    tm here{};
    if (::localtime_r(&now, &here) == nullptr) return;
    const ast::Call copy = *call;
    const long ahead = copy.name == "ctime" ? 0 : here.tm_gmtoff;
    if (ahead == 0) return scope.put(id, ast::Call{"__ctime_text", copy.name_span, copy.arguments});
    const ast::ExprId offset = scope.add(id, ast::Integer{static_cast<uint64_t>(ahead)});
    const ast::ExprId seconds = scope.add(id, ast::Binary{ast::BinaryOp::add, copy.arguments[0], offset});
    scope.put(id, ast::Call{"__ctime_text", copy.name_span, {seconds}});
}

// A text that is stored. A single value needs no format.
void resolve_sprint(Names& scope, ast::ExprId id) {
    Printed out;
    add_sprint(scope, out, id);
    resolve_block(scope, out.before);
    for (ast::ExprId value : out.values) {
        keep_time(scope, value);
        resolve_expr(scope, value);
    }
    const Span where = scope.span(id);
    out.values.insert(out.values.begin(), scope.add(id, ast::String{out.format}));
    finish(scope, id, ast::Call{"sprintf", where, out.values}, std::move(out.before), true);
}

void resolve_print(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    if (print_histogram(scope, id, n, row.form == StpForm::println)) return;
    Printed out;
    if (row.form == StpForm::printf) {
        add_format(scope, out, id, n.arguments);
    } else {
        add_joined(scope, out, n.arguments, row.form);
    }
    resolve_block(scope, out.before);
    for (ast::ExprId value : out.values) {
        scope.printed = value;
        resolve_expr(scope, value);
        scope.printed.reset();
    }
    out.values.insert(out.values.begin(), scope.add(id, ast::String{with_bytes(out.format)}));
    ast::Call print{row.lt.empty() ? "printf" : std::string(row.lt), n.name_span, out.values};
    finish(scope, id, std::move(print), std::move(out.before), false);
}

}  // namespace lt::stp
