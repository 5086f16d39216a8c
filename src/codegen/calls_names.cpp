// name_text(): the text of a name that is kept as a number, for where it must be a string. All names of a kind lie in
// one table of the program, a row each.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "calls.h"
#include "operators.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

std::string error_name(int64_t number) {
    const char* name = ::strerrorname_np(static_cast<int>(number));
    return number > 0 && name != nullptr ? name : "";
}

std::string named_error(int64_t number) {
    const char* text = ::strerrordesc_np(static_cast<int>(number));
    return text != nullptr ? text : "";
}

std::string signal_name(int64_t number) {
    const char* name = ::sigabbrev_np(static_cast<int>(number));
    return name != nullptr ? fmt::format("SIG{}", name) : "";
}

std::string described_signal(int64_t number) {
    const char* text = ::sigdescr_np(static_cast<int>(number));
    return text != nullptr ? text : "";
}

std::string call_name(int64_t number) { return std::string(system_call_name(number)); }

struct NameRow {
    Naming naming;
    int64_t count;  // numbers from 0
    std::string (*name)(int64_t number);
    bool any_sign;
};
constexpr NameRow name_rows[] = {
    {Naming::error, 134, named_error, true},
    {Naming::error_name, 134, error_name, true},
    {Naming::signal, 65, signal_name, false},
    {Naming::signal_description, 65, described_signal, false},
    {Naming::syscall, system_call_numbers, call_name, false},
};

const NameRow* row_of(const Type& type) {
    const auto* row = std::ranges::find(name_rows, type.naming, &NameRow::naming);
    return row == std::end(name_rows) ? nullptr : row;
}

uint32_t longest_name(const NameRow& row) {
    size_t longest = 0;
    for (int64_t i = 0; i < row.count; i++) longest = std::max(longest, row.name(i).size());
    return static_cast<uint32_t>(longest + 1);
}

Type text_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const Type& type = c.checked(node.arguments[0]);
    if (type.kind == Kind::string) return type;
    if (const NameRow* row = row_of(type)) return string_type(longest_name(*row));
    if (type.kind == Kind::stack && c.on_host()) return string_type(c.longest_string());
    c.error(id, "name_text() takes the name or text of an error, the name of a signal or of a system call").hint =
        "for example name_text(errno_name(retval))";
    return nothing();
}

// The first row is empty: of numbers that have no name. There are as many rows as a power of two, so that the verifier
// sees that none lies beyond.
void row_into(BodyLowering& l, ast::ExprId value, const NameRow* row, uint32_t room, ir::Value to) {
    Builder& b = l.builder();
    const size_t rows = std::bit_ceil(static_cast<size_t>(row->count) + 1);
    std::string table(room, '\0');
    for (int64_t i = 0; i < row->count; i++) {
        table += row->name(i);
        table.resize((static_cast<size_t>(i) + 2) * room);
    }
    ir::Value number = l.number(value);
    if (row->any_sign) {
        const ir::Value sign = b.alu(ir::Alu::ashr, number, b.constant(63));
        number = b.alu(ir::Alu::sub, b.alu(ir::Alu::bit_xor, number, sign), sign);
    }
    const ir::Value known = b.alu(ir::Alu::ult, number, b.constant(row->count));
    const ir::Value next = b.alu(ir::Alu::mul, known, b.alu(ir::Alu::add, number, b.constant(1)));
    const ir::Value at = b.alu(ir::Alu::bit_and, next, b.constant(static_cast<int64_t>(rows - 1)));
    const ir::Value text = b.text(l.unit().text(std::move(table), static_cast<uint32_t>(rows * room)));
    b.copy(to, 0, b.address_plus(text, b.alu(ir::Alu::mul, at, b.constant(room))), room);
}

void text_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const uint32_t room = padded(l.type_of(id).size);
    const Type& named = l.type_of(node.arguments[0]);
    Builder& b = l.builder();
    if (named.kind == Kind::stack) {
        b.host(HostCall::frames, {l.text(node.arguments[0], named.size), to, b.constant(room)});
        return;
    }
    const NameRow* row = row_of(named);
    if (row == nullptr) return b.copy(to, 0, l.text(node.arguments[0], room), room);
    row_into(l, node.arguments[0], row, room, to);
}

constexpr CallRule rules[] = {
    {Function::name_text, text_type, nullptr, text_into},
};

}  // namespace

uint32_t name_size(const Type& named) {
    const NameRow* row = named.kind == Kind::integer ? row_of(named) : nullptr;
    return row == nullptr ? 0 : longest_name(*row);
}

void name_into(BodyLowering& l, ast::ExprId value, ir::Value to) {
    const Type& named = l.type_of(value);
    row_into(l, value, row_of(named), padded(name_size(named)), to);
}

std::span<const CallRule> name_rules() { return rules; }

}  // namespace lt
