// Functions about addresses, names and clocks. What stands for a name is a number or a few bytes: the runtime finds the
// text when it prints.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "calls.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_ktime_get_ns = 5;
constexpr int helper_ktime_get_boot_ns = 125;
constexpr int helper_ktime_get_tai_ns = 208;

constexpr uint32_t internet_bytes = 16, hardware_bytes = 6;

const std::string& literal(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }

// ---- clocks

struct ClockRow {
    std::string_view name;
    int helper;
    std::optional<SessionValue> ahead;  // with what it was ahead of the monotonic one at the start
};
constexpr std::array clocks{
    ClockRow{"monotonic", helper_ktime_get_ns, {}},
    ClockRow{"boot", helper_ktime_get_boot_ns, {}},
    ClockRow{"tai", helper_ktime_get_tai_ns, {}},
    ClockRow{"sw_tai", helper_ktime_get_ns, SessionValue::tai_offset},
    ClockRow{"realtime", helper_ktime_get_ns, SessionValue::day_offset},
};

const ClockRow* clock_of(const ast::Expr& expr) {
    const auto& name = std::get<ast::Name>(expr.node).name;
    const auto* row = std::ranges::find_if(clocks, [&](const ClockRow& r) { return r.name == name; });
    return row == clocks.end() ? nullptr : row;
}

Type clock_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (clock_of(c.expr(node.arguments[0]))) return integer_type(8, false);
    std::vector<std::string> names;
    for (const ClockRow& row : clocks) names.emplace_back(row.name);
    c.error(node.arguments[0], "there is no clock of this name").hint = "there are " + either(names);
    return nothing();
}

ir::Value clock_value(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    const ClockRow& row = *clock_of(l.expr(node.arguments[0]));
    const ir::Value now = l.builder().helper(row.helper);
    if (!row.ahead) return now;
    return l.builder().alu(ir::Alu::add, now, l.session_value(*row.ahead));
}

// ---- names

ir::Value first_number(BodyLowering& l, ast::ExprId, const ast::Call& node) { return l.number(node.arguments[0]); }

Type time_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    Type type = named(integer_type(8, false), Naming::time);
    Shape shape;
    shape.name = literal(c.expr(node.arguments[0]));
    if (node.arguments.size() > 2) {
        if (std::get<ast::Name>(c.expr(node.arguments[2]).node).name != "utc")
            c.error(node.arguments[2], "there is no time zone of this name").hint =
                "there is utc; without it, it is that of lt: TZ=Asia/Tokyo lt ...";
        type.naming = Naming::time_utc;
    }
    type.shape = std::move(shape);
    return type;
}

ir::Value second_number(BodyLowering& l, ast::ExprId, const ast::Call& node) { return l.number(node.arguments[1]); }

Type user_symbol(BodyChecker&, ast::ExprId, const ast::Call&) {
    const Type word = integer_type(8, false);
    return named(tuple_type({word, word}), Naming::user_symbol);
}

void user_symbol_into(BodyLowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    b.store(to, 0, l.number(node.arguments[0]));
    b.store(to, 8, l.own_process());
}

// ---- known when the program is compiled

Type kernel_address(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const std::string& name = literal(c.expr(node.arguments[0]));
    const auto address = c.kernel().symbol(name);
    if (!address) {
        c.error(node.arguments[0], fmt::format("this kernel has no symbol {}, or hides its address", name));
        return integer_type(8, false);  // what uses it is no mistake
    }
    c.say(id, ConstantUse{static_cast<int64_t>(*address)});
    c.assume_symbol(name, *address);
    return integer_type(8, false);
}

Type control_group(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const auto number = c.kernel().cgroup(literal(c.expr(node.arguments[0])));
    if (!number) {
        c.error(node.arguments[0], number.error().what).hint = "the folder of a control group of version 2";
        return integer_type(8, false);
    }
    c.say(id, ConstantUse{static_cast<int64_t>(*number)});
    c.assume({Assumed::cgroup, "", literal(c.expr(node.arguments[0])), {}, *number});
    return integer_type(8, false);
}

ir::Value known_number(BodyLowering& l, ast::ExprId id, const ast::Call&) {
    return l.builder().constant(std::get<ConstantUse>(l.use_of(id)).value);
}

// ---- registers

struct RegisterRow {
    std::string_view name;
    uint32_t offset;
};
// struct pt_regs of x86-64 (arch/x86/include/asm/ptrace.h).
constexpr std::array registers{
    RegisterRow{"r15", 0},  RegisterRow{"r14", 8},  RegisterRow{"r13", 16}, RegisterRow{"r12", 24},
    RegisterRow{"bp", 32},  RegisterRow{"bx", 40},  RegisterRow{"r11", 48}, RegisterRow{"r10", 56},
    RegisterRow{"r9", 64},  RegisterRow{"r8", 72},  RegisterRow{"ax", 80},  RegisterRow{"cx", 88},
    RegisterRow{"dx", 96},  RegisterRow{"si", 104}, RegisterRow{"di", 112}, RegisterRow{"orig_ax", 120},
    RegisterRow{"ip", 128}, RegisterRow{"pc", 128}, RegisterRow{"cs", 136}, RegisterRow{"flags", 144},
    RegisterRow{"sp", 152}, RegisterRow{"ss", 160},
};

const RegisterRow* register_of(std::string_view name) {
    const auto* row = std::ranges::find_if(registers, [&](const RegisterRow& r) { return r.name == name; });
    return row == registers.end() ? nullptr : row;
}

Type register_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const ProbeRow& probe = probe_row(c.place().kind);
    constexpr std::array with_registers{Place::kernel_function, Place::binary_function, Place::clock, Place::counter,
                                        Place::address};
    if (std::ranges::find(with_registers, probe.place) == with_registers.end()) {
        c.error(id, fmt::format("`{}` probes see no registers", probe.name)).hint =
            "functions of the kernel and of programs do, and samples, as in k:vfs_read { print(reg(\"ip\")); }";
        return nothing();
    }
    if (register_of(literal(c.expr(node.arguments[0])))) {
        Type type = integer_type(8, false);
        type.user_memory = in_program(c.place());
        return type;
    }
    std::vector<std::string_view> names;
    for (const RegisterRow& row : registers) names.push_back(row.name);
    c.error(node.arguments[0], "there is no register of this name").hint =
        fmt::format("there are {}", fmt::join(names, ", "));
    return nothing();
}

ir::Value register_value(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    return l.builder().field(register_of(literal(l.expr(node.arguments[0])))->offset, 8, false);
}

// ---- addresses of networks

Type internet_type() {
    return named(tuple_type({integer_type(8, false), array_type(integer_type(1, false), internet_bytes)}),
                 Naming::internet);
}

Type internet_address(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const Type& address = c.checked(node.arguments.back());
    const bool number = address.kind == Kind::integer && address.view != View::duration;
    const bool bytes = in_memory(address) && (address.size == 4 || address.size == internet_bytes) &&
                       (address.kind == Kind::array || address.kind == Kind::string || address.kind == Kind::structure);
    if (node.arguments.size() > 1 && c.checked(node.arguments[0]).kind != Kind::integer) {
        c.error(node.arguments[0], "a family of addresses is a number, such as 2 for IPv4, 10 for IPv6");
        return nothing();
    }
    if (number || bytes) return internet_type();
    c.error(node.arguments.back(),
            fmt::format("an internet address has 4 or 16 bytes, or is an integer; this is {}", type_text(address)));
    return nothing();
}

void internet_into(BodyLowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const ast::ExprId address = node.arguments.back();
    const Type& t = l.type_of(address);
    const bool longer = in_memory(t) && t.size == internet_bytes;
    b.store(to, 0, node.arguments.size() > 1 ? l.number(node.arguments[0]) : b.constant(longer ? AF_INET6 : AF_INET));
    if (!in_memory(t)) return b.store(to, 8, l.number(address), 4);
    const uint32_t room = padded(t.size);
    b.copy(to, 8, l.bytes(address, room), room);
}

std::string bytes_of_text(const std::string& text) {
    std::array<char, internet_bytes> bytes{};
    if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
    if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), internet_bytes};
    return {};
}

Type internet_bytes_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const size_t size = bytes_of_text(literal(c.expr(node.arguments[0]))).size();
    if (size != 0) return array_type(integer_type(1, false), static_cast<uint32_t>(size));
    c.error(node.arguments[0], "this is no internet address").hint = "for example \"127.0.0.1\" or \"::1\"";
    return nothing();
}

void known_bytes_into(BodyLowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    const std::string bytes = bytes_of_text(literal(l.expr(node.arguments[0])));
    const uint32_t room = padded(static_cast<uint32_t>(bytes.size()));
    l.builder().copy(to, 0, l.builder().text(l.unit().text(bytes, room)), room);
}

Type hardware_address(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const Type& bytes = c.checked(node.arguments[0]);
    if (bytes.kind == Kind::integer || (in_memory(bytes) && bytes.size >= hardware_bytes))
        return named(array_type(integer_type(1, false), hardware_bytes), Naming::hardware);
    c.error(node.arguments[0], fmt::format("a hardware address has 6 bytes; this is {}", type_text(bytes)));
    return nothing();
}

void hardware_into(BodyLowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    constexpr int helper_probe_read_kernel = 113;
    Builder& b = l.builder();
    const ast::ExprId from = node.arguments[0];
    if (!in_memory(l.type_of(from))) return l.bytes_at(to, b.constant(hardware_bytes), from, false);
    b.helper(helper_probe_read_kernel, {to, b.constant(hardware_bytes), l.bytes(from, padded(l.type_of(from).size))});
}

// ---- bytes

Type swapped_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    return integer_type(c.width(node.arguments[0]), false);
}

ir::Value swapped(BodyLowering& l, ast::ExprId id, const ast::Call& node) {
    Builder& b = l.builder();
    return b.call(ir::Library::swap, {l.number(node.arguments[0]), b.constant(l.type_of(id).size)});
}

Type signal_type(BodyChecker& c, ast::ExprId, const ast::Call&) {
    return named(integer_type(), c.settings().describes_signals ? Naming::signal_description : Naming::signal);
}

Type path_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    constexpr std::string_view hierarchy = "unified";  // bpftrace's name of version 2
    const auto* wanted =
        node.arguments.size() > 1 ? std::get_if<ast::String>(&c.expr(node.arguments[1]).node) : nullptr;
    if (wanted != nullptr && !glob_match(wanted->value, hierarchy)) {
        c.error(node.arguments[1], fmt::format("there is no cgroup hierarchy '{}'", wanted->value)).hint =
            "lt reads version 2, which is called \"unified\"";
        return nothing();
    }
    return named(integer_type(8, false), c.settings().names_hierarchies ? Naming::cgroup_unified : Naming::cgroup);
}

// id, type, number, bytes
constexpr CallRule rules[] = {
    {Function::nsecs, clock_type, clock_value},
    {Function::ksym, nullptr, first_number},
    {Function::usym, user_symbol, nullptr, user_symbol_into},
    {Function::kaddr, kernel_address, known_number},
    {Function::reg, register_type, register_value},
    {Function::ntop, internet_address, nullptr, internet_into},
    {Function::pton, internet_bytes_type, nullptr, known_bytes_into},
    {Function::macaddr, hardware_address, nullptr, hardware_into},
    {Function::strftime, time_type, second_number},
    {Function::strerror, nullptr, first_number},
    {Function::errno_name, nullptr, first_number},
    {Function::signal_name, signal_type, first_number},
    {Function::syscall_name, nullptr, first_number},
    {Function::cgroup_path, path_type, first_number},
    {Function::cgroupid, control_group, known_number},
    {Function::bswap, swapped_type, swapped},
};

}  // namespace

std::span<const CallRule> address_rules() { return rules; }

}  // namespace lt
