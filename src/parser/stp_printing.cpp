// What prints, in whatever form: all becomes printf(), sprintf() or print().
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "stp_clone.h"
#include "stp_names.h"

namespace lt::stp {

bool is_sprinting(StpForm form) {
    return form == StpForm::sprint || form == StpForm::sprintln || form == StpForm::sprintd ||
           form == StpForm::sprintdln || form == StpForm::sprintf;
}

// What a format and its values have come to so far.
struct Printed {
    std::string format;
    std::vector<ast::ExprId> values;
};

void NameResolver::add_text(Printed& out, std::string_view text) {
    for (char c : text) out.format += c == '%' ? "%%" : std::string(1, c);
}

// A value as print() shows it. What is made for printing only becomes part of the format.
void NameResolver::add_value(Printed& out, ast::ExprId value) {
    if (const auto* text = std::get_if<ast::String>(&node(value))) return add_text(out, text->value);
    if (add_sprint(out, value)) return;
    if (const auto* joined = std::get_if<ast::Binary>(&node(value)); joined && prints_all(value)) {
        const ast::Binary both = *joined;
        add_value(out, both.left);
        return add_value(out, both.right);
    }
    out.format += "%s";
    out.values.push_back(value);
}

// "text" . $$parms: how many arguments these are is not known here.
bool NameResolver::joins_all(ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&node(id));
    const bool all = name != nullptr && is_all_arguments(name->name);
    if (all)
        diags_.error(span(id), fmt::format("lt does not join {} with a string that is kept", name->name)).hint =
            fmt::format("print it: printf(\"text %s\\n\", {})", name->name);
    return all;
}

// "text" . $$parms: printed one behind the other.
bool NameResolver::prints_all(ast::ExprId id) const {
    const auto* name = std::get_if<ast::Name>(&node(id));
    if (name != nullptr) return is_all_arguments(name->name);
    const auto* joined = std::get_if<ast::Binary>(&node(id));
    return joined != nullptr && joined->op == ast::BinaryOp::add &&
           (prints_all(joined->left) || prints_all(joined->right));
}

bool NameResolver::add_sprint(Printed& out, ast::ExprId value) {
    const auto* returned = std::get_if<ast::Name>(&node(value));
    const bool returns = around_->at_return || (around_->row != nullptr && !around_->row->result.empty());
    if (returned != nullptr && returned->name == "$$return" && returns) {
        out.format += "return=0x%x";
        out.values.push_back(add(value, ast::Name{"$return"}));
        return true;
    }
    const auto* inner = std::get_if<ast::Call>(&node(value));
    const StpFunction* row = inner && !functions_.has(inner->name) ? find_stp_function(inner->name) : nullptr;
    if (row == nullptr || !is_sprinting(row->form)) return false;
    const ast::Call called = *inner;
    if (row->form == StpForm::sprintf) {
        add_format(out, value, called.arguments);
    } else {
        add_joined(out, called.arguments, row->form);
    }
    return true;
}

// Values one behind the other, with what stands between them first where the form has that.
void NameResolver::add_joined(Printed& out, const std::vector<ast::ExprId>& arguments, StpForm form) {
    const bool has_delimiter =
        form == StpForm::printd || form == StpForm::printdln || form == StpForm::sprintd || form == StpForm::sprintdln;
    const auto* between = has_delimiter ? std::get_if<ast::String>(&node(arguments[0])) : nullptr;
    if (has_delimiter && between == nullptr) {
        diags_.error(span(arguments[0]), "a delimiter is a string in quotes");
        return;
    }
    const std::string delimiter = between ? between->value : "";
    for (size_t i = has_delimiter; i < arguments.size(); i++) {
        if (i > has_delimiter) add_text(out, delimiter);
        add_value(out, arguments[i]);
    }
    const bool ends = form == StpForm::println || form == StpForm::printdln || form == StpForm::sprintln ||
                      form == StpForm::sprintdln || form == StpForm::error;
    if (ends) out.format += "\n";
}

// The first argument is a format, the others its values; those of `*` are written out.
void NameResolver::add_format(Printed& out, ast::ExprId where, const std::vector<ast::ExprId>& arguments) {
    const auto* text = arguments.empty() ? nullptr : std::get_if<ast::String>(&node(arguments[0]));
    if (text == nullptr) {
        diags_.error(span(where), "a format is a string in quotes");
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
        std::optional<ast::ExprId> wide;
        const size_t letter_at = std::min(format.find_first_not_of("-+ #0123456789.*l", at), format.size());
        const char letter = letter_at < format.size() ? format[letter_at] : '%';
        if (letter == 'm' || letter == 'M') {
            add_memory(out, where, format.substr(at, letter_at - at), letter, take);
            at = letter_at + 1;
            continue;
        }
        for (; at < letter_at; at++) {
            if (format[at] == '*')
                take_width(where, format.substr(at + 1, 1) == "s", take(), piece, wide);
            else if (format[at] != 'l')
                piece += format[at];
        }
        at++;
        piece += letter;
        if (letter == 'n')
            diags_.error(span(where), "%n is no conversion here").hint = "%1b to %8b write a number's bytes";
        const auto value = letter == '%' ? std::nullopt : take();
        if (value && piece == "%s" && add_sprint(out, *value)) continue;
        if (value && piece == "%s" && prints_all(*value)) {
            add_value(out, *value);
            continue;
        }
        if (value && wide) {
            add_padded(out, *value, *wide, piece == "%-s");
            continue;
        }
        out.format += piece;
        if (value) out.values.push_back(*value);
    }
    while (const auto value = take()) out.values.push_back(*value);
}

// %.16m: so many bytes at an address, as they are, or (M) as hexadecimal digits; one of a precision that is not said. A
// `#` says that they are the program's, which lt sees from the address.
void NameResolver::add_memory(Printed& out, ast::ExprId where, const std::string& modifiers, char letter,
                              const std::function<std::optional<ast::ExprId>()>& take) {
    std::string piece = "%";
    std::optional<ast::ExprId> length, wide;
    const size_t dot = std::min(modifiers.find('.'), modifiers.size());
    for (char c : modifiers.substr(0, dot)) {
        if (c == '*') take_width(where, false, take(), piece, wide);
        if (c == '-' || (c >= '0' && c <= '9')) piece += c;
    }
    const std::string precision = modifiers.substr(std::min(dot + 1, modifiers.size()));
    uint64_t bytes = 1;
    std::from_chars(precision.data(), precision.data() + precision.size(), bytes);
    if (precision == "*") length = take();
    const auto address = take();
    if (!address) return;
    if (!length) length = add(*address, ast::Integer{bytes});
    out.format += piece + (letter == 'm' ? "rb" : "rd");
    out.values.push_back(add(*address, ast::Call{"__memory", span(*address), {*address, *length}}));
}

// A string as wide as is known when the program runs: blanks stand behind it, or before it.
void NameResolver::add_padded(Printed& out, ast::ExprId value, ast::ExprId wide, bool left) {
    const ast::ExprId length = add(value, ast::Call{"strlen", span(value), {clone(program_, value)}});
    const ast::ExprId more = add(wide, ast::Binary{ast::BinaryOp::subtract, clone(program_, wide), length});
    const ast::ExprId fits =
        add(wide, ast::Binary{ast::BinaryOp::greater, clone(program_, more), add(wide, ast::Integer{0})});
    const ast::ExprId blanks = add(wide, ast::String{std::string(120, ' ')});
    const ast::ExprId count = add(wide, ast::Conditional{fits, more, add(wide, ast::Integer{0})});
    const ast::ExprId padding = add(wide, ast::Call{"substr", span(wide), {blanks, add(wide, ast::Integer{0}), count}});
    out.format += "%s%s";
    out.values.push_back(left ? value : padding);
    out.values.push_back(left ? padding : value);
}

// A width that is no number as it stands can only be that of a string.
void NameResolver::take_width(ast::ExprId where, bool of_string, std::optional<ast::ExprId> value, std::string& piece,
                              std::optional<ast::ExprId>& wide) {
    const auto known = value ? constant(*value) : std::nullopt;
    if (value && !known && of_string) {
        wide = value;
        return;
    }
    if (known) {
        piece += std::to_string(*known);
        return;
    }
    diags_.error(value ? span(*value) : span(where), "the width of a number is a number as it stands");
}

// A literal, or a global that nothing writes.
std::optional<uint64_t> NameResolver::constant(ast::ExprId id) const {
    const auto* name = std::get_if<ast::Name>(&node(id));
    const auto global = name ? globals_.find(name->name) : globals_.end();
    if (global != globals_.end() && !global->second.is_written && global->second.global->value)
        id = *global->second.global->value;
    const auto* number = std::get_if<ast::Integer>(&node(id));
    return number ? std::optional(number->value) : std::nullopt;
}

// ctime(seconds) as a text, not a number that is shown as one; tz_ctime() is in the time zone of here and now.
void NameResolver::keep_time(ast::ExprId id) {
    const auto* call = std::get_if<ast::Call>(&node(id));
    if (call == nullptr || (call->name != "ctime" && call->name != "tz_ctime") || call->arguments.size() != 1) return;
    if (!functions_.has("__ctime_text")) return;
    const time_t now = std::time(nullptr);
    tm here{};
    if (::localtime_r(&now, &here) == nullptr) return;
    const ast::Call copy = *call;
    const long ahead = copy.name == "ctime" ? 0 : here.tm_gmtoff;
    if (ahead == 0) return put(id, ast::Call{"__ctime_text", copy.name_span, copy.arguments});
    const ast::ExprId offset = add(id, ast::Integer{static_cast<uint64_t>(ahead)});
    const ast::ExprId seconds = add(id, ast::Binary{ast::BinaryOp::add, copy.arguments[0], offset});
    put(id, ast::Call{"__ctime_text", copy.name_span, {seconds}});
}

// A text that is kept. A value that stands alone needs no format.
void NameResolver::sprinted(ast::ExprId id) {
    Printed out;
    add_sprint(out, id);
    for (ast::ExprId value : out.values) {
        keep_time(value);
        expr(value);
    }
    const Span where = span(id);
    out.values.insert(out.values.begin(), add(id, ast::String{out.format}));
    put(id, ast::Call{"sprintf", where, out.values});
}

void NameResolver::printing(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    if (print_histogram(id, n, row.form == StpForm::println)) return;
    Printed out;
    if (row.form == StpForm::printf) {
        add_format(out, id, n.arguments);
    } else {
        add_joined(out, n.arguments, row.form);
    }
    for (ast::ExprId value : out.values) {
        printed_ = value;
        expr(value);
        printed_.reset();
    }
    out.values.insert(out.values.begin(), add(id, ast::String{out.format}));
    put(id, ast::Call{row.lt.empty() ? "printf" : std::string(row.lt), n.name_span, out.values});
}

}  // namespace lt::stp
