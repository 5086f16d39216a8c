// all_args() and whole(): values that are made of many. All arguments are a tuple of integers with names; a structure
// is copied with all that it holds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "calls.h"
#include "operators.h"
#include "runtime/arguments.h"
#include "stdlib/stp.h"

namespace lt {
namespace {

// ---- all_args()

// What is asked for: arguments, local variables.
struct Which {
    std::string_view name;
    bool parameters, locals;
};
constexpr std::array sorts{Which{"vars", true, true}, Which{"parms", true, false}, Which{"locals", false, true}};

const Which* asked_for(BodyChecker& c, const ast::Call& node) {
    if (node.arguments.empty()) return sorts.data();
    const auto& name = std::get<ast::String>(c.expr(node.arguments[0]).node).value;
    const auto sort = std::ranges::find(sorts, name, &Which::name);
    if (sort != sorts.end()) return &*sort;
    c.error(node.arguments[0], fmt::format("all_args() knows nothing of the name {}", quoted(name))).hint =
        "there are \"vars\", \"parms\" and \"locals\"";
    return nullptr;
}

Type arguments_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const Which* which = asked_for(c, node);
    if (which == nullptr) return nothing();
    if (!has_debug_scope(c.place()) && !probe_row(c.place().kind).fields) {
        c.error(id, "there are no named arguments here").hint = "they are there at functions and tracepoints";
        return nothing();
    }
    std::optional<ArgumentsUse> all = c.readable_arguments(id, {which->parameters, which->locals, true});
    if (!all) return nothing();
    std::vector<Type> parts;
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, Type type) {
        type.size = 8;
        type.shape = {};
        parts.push_back(std::move(type));
        names.push_back(name);
    };
    for (const Field& field : all->fields) add(field.name, field.type);
    for (const ProgramVariable& v : all->variables) add(v.name, v.type);
    if (parts.empty() && which->parameters) {
        c.error(id, "nothing that stands here by name is a number or an address").hint = "";
        return nothing();
    }
    c.say(id, std::move(*all));
    Type type = tuple_type(std::move(parts), std::move(names));
    type.shape->name = std::string(arguments_shape);
    return type;
}

void arguments_into(BodyLowering& l, ast::ExprId id, const ast::Call&, ir::Value to) {
    const auto& all = std::get<ArgumentsUse>(l.use_of(id));
    uint32_t offset = 0;
    const auto store = [&](ir::Value value) {
        l.builder().store(to, offset, value);
        offset += 8;
    };
    for (const Field& field : all.fields) store(l.argument_value(field));
    for (const ProgramVariable& v : all.variables) store(l.variable_value(v));
}

// ---- whole()

bool is_letter(const Type& type) { return type.kind == Kind::integer && type.size == 1; }

Type whole_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    constexpr uint32_t most_copied = 4096;
    const Type type = c.checked(node.arguments[0]);
    const Type* to = pointee(type);
    if (to == nullptr) return type;
    if (is_letter(*to)) return string_type(c.longest_string());
    if (to->size == 0 || to->size > most_copied) {
        c.error(node.arguments[0], to->size == 0 ? "nothing says what this address points to"
                                                 : "what this address points to is too large to be copied")
            .hint = "name the members that you need";
        return nothing();
    }
    Type out = *to;
    if (out.kind == Kind::structure || out.kind == Kind::array || out.view == View::enumeration)
        out = c.kernel().whole(std::move(out));
    return out;
}

ir::Value whole_number(BodyLowering& l, ast::ExprId id, const ast::Call& node) {
    const ast::ExprId from = node.arguments[0];
    if (pointee(l.type_of(from)) == nullptr) return l.number(from);
    Builder& b = l.builder();
    const Type& type = l.type_of(id);
    const ir::Value room = b.buffer(8);
    l.bytes_at(room, b.constant(type.size), from, false);
    return b.load(room, 0, static_cast<uint8_t>(type.size), type.is_signed);
}

void whole_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const ast::ExprId from = node.arguments[0];
    const Type& type = l.type_of(id);
    if (pointee(l.type_of(from)) == nullptr) return l.text_to(from, to, padded(type.size));
    l.bytes_at(to, l.builder().constant(type.size), from, type.kind == Kind::string);
}

// ---- syscall_args()

constexpr int helper_snprintf = 165;
constexpr int helper_probe_read_user_str = 114;
constexpr std::string_view entry_event = "sys_enter_";

// Of a system call that the table does not have, addresses and numbers are told apart by their types.
std::string letters_of(const Tracepoint& event, const std::vector<Field>& fields) {
    const StpSystemCall* call = find_stp_system_call(std::string_view(event.event).substr(entry_event.size()));
    std::string letters(call ? call->arguments : "");
    // What has names is a number here.
    constexpr std::string_view plain = "diuxs", with_sign = "ASWYN";
    for (char& letter : letters) {
        if (plain.find(letter) == plain.npos) letter = with_sign.find(letter) == with_sign.npos ? 'x' : 'i';
    }
    for (size_t i = letters.size(); i < fields.size(); i++)
        letters += pointee(fields[i].type) || fields[i].type.view == View::hex ? 'x' : 'd';
    return letters.substr(0, fields.size());
}

std::vector<Field> fields_of_call(const Tracepoint& event) {
    std::vector<Field> out;
    for (const Field& field : event.fields) {
        if (field.type.kind == Kind::integer && field.name != syscall_number) out.push_back(field);
    }
    return out;
}

Type syscall_type(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    if (c.place().kind != ProbeKind::syscall || !c.in_action()) {
        c.error(id, "the arguments of a system call are there where it begins").hint =
            "in an action of syscall:NAME, for example sc:openat { print(syscall_args()); }";
        return nothing();
    }
    return string_type(c.longest_string());
}

// One argument as the kernel formats it, and the value for that.
std::pair<std::string_view, ir::Value> shown_argument(BodyLowering& l, const Field& field, char letter, uint32_t size) {
    Builder& b = l.builder();
    const ir::Value value = l.argument_value(field);
    if (letter == 'x') return {"0x%llx", value};
    if (letter == 'u') return {"%llu", value};
    if (letter == 'd') return {"%lld", value};
    if (letter == 'i') return {"%lld", b.extend(value, 4, true)};
    const ir::Value room = b.buffer(padded(size));
    b.store(room, 0, b.constant(0));
    b.helper(helper_probe_read_user_str, {room, b.constant(size), value});
    return {"\"%s\"", room};
}

void syscall_into(BodyLowering& l, ast::ExprId id, const ast::Call&, ir::Value to) {
    Builder& b = l.builder();
    const Tracepoint& event = l.place().tracepoint;
    const std::vector<Field> fields = fields_of_call(event);
    const std::string letters = letters_of(event, fields);
    const uint32_t size = l.type_of(id).size;
    const auto bytes = static_cast<uint32_t>(8 * fields.size());
    const ir::Value data = bytes == 0 ? b.constant(0) : b.buffer(bytes);
    std::string format;
    for (size_t i = 0; i < fields.size(); i++) {
        const auto [text, value] = shown_argument(l, fields[i], letters[i], size);
        b.store(data, static_cast<uint32_t>(8 * i), value);
        format += (i > 0 ? ", " : "") + std::string(text);
    }
    const ir::Value kept = b.text(l.unit().text(format, static_cast<uint32_t>(format.size() + 1)));
    b.helper(helper_snprintf, {to, b.constant(size), kept, data, b.constant(bytes)});
}

constexpr CallRule rules[] = {
    {Function::all_args, arguments_type, nullptr, arguments_into},
    {Function::whole, whole_type, whole_number, whole_into},
    {Function::syscall_args, syscall_type, nullptr, syscall_into},
};

}  // namespace

std::span<const CallRule> whole_rules() { return rules; }

}  // namespace lt
