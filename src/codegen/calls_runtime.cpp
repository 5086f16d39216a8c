// Functions that leave a record for the runtime to act on, and those that act on what is traced at once.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include "calls.h"
#include "operators.h"
#include "stdlib/format.h"

namespace lt {
namespace {

constexpr int helper_ktime_get_ns = 5;
constexpr int helper_trace_printk = 6;
constexpr int helper_send_signal = 109;
constexpr int helper_send_signal_thread = 117;
constexpr int helper_probe_read_user = 112;
constexpr int helper_probe_read_kernel = 113;
constexpr int helper_probe_read_user_str = 114;
constexpr int helper_probe_read_kernel_str = 115;

const ast::String* literal(const ast::Expr& expr) { return std::get_if<ast::String>(&expr.node); }

// ---- printing

template <EventKind kind>
void formatted(BodyLowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = kind;
    e.format = literal(l.expr(node.arguments[0]))->value;
    if (kind == EventKind::error || kind == EventKind::warning) e.where = l.position(node.name_span);
    l.emit_values(std::move(e), {node.arguments.begin() + 1, node.arguments.end()});
}

// The time of the hit, not that of printing.
void print_time(BodyLowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::time;
    e.format = "%s";
    Type type = named(integer_type(8, false), Naming::time);
    Shape shape;
    shape.name = node.arguments.empty() ? "%H:%M:%S\n" : literal(l.expr(node.arguments[0]))->value;
    type.shape = std::move(shape);
    e.fields.push_back({type, 0});
    l.emit_parts(std::move(e), {{l.builder().helper(helper_ktime_get_ns), 8, false}});
}

constexpr uint32_t most_strings = 16, string_room = 128;

Type array_of_strings(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (c.checked(node.arguments[0]).view != View::duration) return nothing();
    c.error(node.arguments[0], "join() takes an address").hint = "for example join(args.argv)";
    return nothing();
}

// Reads by the helper for whose memory it is: addresses of the kernel have their highest bit set.
void read_either(Builder& b, bool user, int of_user, int of_kernel, ir::Value to, uint32_t size, ir::Value from) {
    const auto read = [&](int helper) { b.helper(helper, {to, b.constant(size), from}); };
    if (user) return read(of_user);
    b.branch(b.alu(ir::Alu::slt, from, b.constant(0)), [&] { read(of_kernel); }, [&] { read(of_user); });
}

void print_strings(BodyLowering& l, const ast::Call& node) {
    Builder& b = l.builder();
    const bool user = l.type_of(node.arguments[0]).user_memory;
    const ir::Value base = l.number(node.arguments[0]), word = b.buffer(8);
    const uint32_t count = b.new_slot(), going = b.new_slot();
    b.write(count, b.constant(0));
    b.write(going, b.constant(1));
    PlannedEvent e;
    e.kind = EventKind::join;
    e.format = node.arguments.size() > 1 ? literal(l.expr(node.arguments[1]))->value : " ";
    e.fields.push_back({integer_type(8, false), 0});
    std::vector<RecordPart> parts{{}};
    for (uint32_t i = 0; i < most_strings; i++) {
        const ir::Value text = b.buffer(string_room);
        b.branch(b.read(going), [&] {
            const ir::Value at = b.alu(ir::Alu::add, base, b.constant(i * 8));
            read_either(b, user, helper_probe_read_user, helper_probe_read_kernel, word, 8, at);
            const ir::Value address = b.load(word, 0);
            b.branch(
                address,
                [&] {
                    read_either(b, user, helper_probe_read_user_str, helper_probe_read_kernel_str, text, string_room,
                                address);
                    b.write(count, b.constant(i + 1));
                },
                [&] { b.write(going, b.constant(0)); });
        });
        e.fields.push_back({string_type(string_room), 0});
        parts.push_back({text, string_room, true});
    }
    parts[0] = {b.read(count), 8, false};
    l.emit_parts(std::move(e), parts);
}

// ---- signals

// 0: no signal of this name.
int signal_number(std::string_view name) {
    if (name.starts_with("SIG")) name.remove_prefix(3);
    for (int number = 1; number < NSIG; number++) {
        const char* known = ::sigabbrev_np(number);
        if (known != nullptr && name == known) return number;
    }
    return 0;
}

Type signal_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const Place place = probe_row(c.place().kind).place;
    if (place == Place::nothing || place == Place::period) {
        c.error(id,
                fmt::format("`{}` runs in lt itself: there is nobody else to signal", probe_row(c.place().kind).name));
    } else if (const auto* name = literal(c.expr(node.arguments[0]))) {
        if (signal_number(name->value) == 0)
            c.error(node.arguments[0], "there is no signal of this name").hint = "for example \"SIGUSR1\"";
    } else if (c.checked(node.arguments[0]).kind != Kind::integer) {
        c.error(node.arguments[0], "a signal is a number or a name").hint = "for example 10 or \"SIGUSR1\"";
    }
    return nothing();
}

template <int helper>
void send_signal(BodyLowering& l, const ast::Call& node) {
    Builder& b = l.builder();
    const auto* name = literal(l.expr(node.arguments[0]));
    b.helper(helper, {name ? b.constant(signal_number(name->value)) : l.number(node.arguments[0])});
}

// ---- the kernel's own log

struct PrintkRow {
    Conversion conversion;
    std::string_view integer;
};
constexpr std::array printk{
    PrintkRow{Conversion::decimal, "%lld"},
    PrintkRow{Conversion::unsigned_, "%llu"},
    PrintkRow{Conversion::hex, "%llx"},
    PrintkRow{Conversion::string, "%s"},
};

std::string_view printk_text(Conversion conversion) {
    for (const PrintkRow& row : printk)
        if (row.conversion == conversion) return row.integer;
    return {};
}

Type kernel_log(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    if (node.arguments.size() > 4) c.error(id, "debugf() takes up to 3 values");
    FormatReader reader(literal(c.expr(node.arguments[0]))->value);
    size_t value = 0;
    while (const auto piece = reader.next()) {
        if (!piece->takes_value()) continue;
        value++;
        const bool text = value < node.arguments.size() && c.checked(node.arguments[value]).kind == Kind::string;
        const bool fits = !printk_text(piece->conversion).empty() && text == (piece->conversion == Conversion::string);
        if (fits && piece->width == 0 && !piece->precision) continue;
        c.error(node.arguments[0], "debugf() has %d, %u and %x for integers and %s for strings, without a width");
        break;
    }
    return nothing();
}

void print_to_kernel(BodyLowering& l, const ast::Call& node) {
    Builder& b = l.builder();
    const std::string& given = literal(l.expr(node.arguments[0]))->value;
    std::string format;
    FormatReader reader(given);
    while (const auto piece = reader.next()) {
        const std::string_view text =
            std::string_view(given).substr(piece->span.begin, piece->span.end - piece->span.begin);
        format += piece->takes_value() ? printk_text(piece->conversion) : text == "%" ? "%%" : text;
    }
    const auto size = static_cast<uint32_t>(format.size() + 1);
    std::array<ir::Value, 3> values{b.constant(0), b.constant(0), b.constant(0)};
    for (size_t i = 1; i < node.arguments.size(); i++) {
        const Type& t = l.type_of(node.arguments[i]);
        values[i - 1] =
            t.kind == Kind::string ? l.text(node.arguments[i], padded_size(t.size) + 8) : l.number(node.arguments[i]);
    }
    b.helper(helper_trace_printk,
             {b.text(l.unit().text(format, size)), b.constant(size), values[0], values[1], values[2]});
}

// ---- assertions

// The run ends here.
void assert_at_run(BodyLowering& l, const ast::Call& node) {
    l.builder().branch(
        l.number(node.arguments[0]), [] {},
        [&] {
            PlannedEvent said, end;
            said.kind = EventKind::error;
            said.where = l.position(node.name_span);
            for (char c : literal(l.expr(node.arguments[1]))->value) said.format += c == '%' ? "%%" : std::string(1, c);
            said.format += '\n';
            l.emit_parts(std::move(said), {});
            end.kind = EventKind::exit;
            l.emit_parts(std::move(end), {}, true);
            l.builder().leave();
        });
}

// ---- a wait that keeps the CPU busy, since a program cannot sleep where it traces

Type delay_type(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    if (const Answer a = c.kernel().can(Feature::bpf_loop); !a.yes)
        c.error(id, "this kernel has no loops for BPF programs, in which to wait: " + a.why);
    c.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
    return nothing();
}

// A loop has 2^23 turns at most, and a turn takes as long as reading the clock.
void wait_busily(BodyLowering& l, const ast::Call& node) {
    constexpr int64_t most_turns = 1 << 23, loops = 4;
    Builder& b = l.builder();
    const auto now = [&] { return b.helper(helper_ktime_get_ns); };
    const ir::Value from = now();
    const ir::Value wanted = l.number(node.arguments[0]);
    const ir::Value time = b.alu(ir::Alu::mul, wanted, b.alu(ir::Alu::sgt, wanted, b.constant(0)));
    const auto is_over = [&] { return b.alu(ir::Alu::uge, b.alu(ir::Alu::sub, now(), from), time); };
    for (int64_t i = 0; i < loops; i++) b.loop(b.constant(most_turns), [&] { b.branch(is_over(), [&] { b.stop(); }); });
    b.branch(is_over(), [] {}, [&] { b.loss(l.unit().loss(LossKind::loop_cut, 0)); });
}

// ---- the memory of programs

constexpr int helper_probe_write_user = 36;

Type written_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    constexpr uint64_t most = 4096;
    const Type& from = c.checked(node.arguments[1]);
    const auto* length = std::get_if<ast::Integer>(&c.expr(node.arguments[2]).node);
    if (!length || length->value == 0 || length->value > most) {
        c.error(node.arguments[2], fmt::format("the length is a number from 1 to {} as it stands", most));
    } else if (from.kind == Kind::stack || (from.kind == Kind::integer && from.view != View::hex)) {
        c.error(node.arguments[1], fmt::format("what is written is bytes, not {}", type_name(from))).hint =
            "a string, a structure, an array, or an address of the bytes: write_user(address, &$x, 8)";
    } else {
        return c.truth();
    }
    return nothing();
}

ir::Value written(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const auto size = static_cast<uint32_t>(std::get<ast::Integer>(l.expr(node.arguments[2]).node).value);
    const ast::ExprId from = node.arguments[1];
    const Type& type = l.type_of(from);
    ir::Value bytes = ir::no_value;
    if (in_memory(type)) {
        bytes = l.text(from, padded(std::max(size, type.size)));
    } else {
        bytes = b.buffer(size);
        l.bytes_at(bytes, b.constant(size), from, false);
    }
    const ir::Value failed = b.helper(helper_probe_write_user, {l.number(node.arguments[0]), bytes, b.constant(size)});
    return b.alu(ir::Alu::eq, b.extend(failed, 4, true), b.constant(0));
}

void write_only(BodyLowering& l, const ast::Call& node) { written(l, {}, node); }

// ---- options of sockets

constexpr int helper_setsockopt = 49;

// Of the socket that was accepted, or of the descriptor that is the first of four.
constexpr size_t with_descriptor = 4;

Type option_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const bool names_descriptor = node.arguments.size() == with_descriptor;
    const bool at_socket = c.place().kind == ProbeKind::socket;
    if (at_socket && !names_descriptor) return integer_type(8, true);
    if (names_descriptor && !at_socket && !run_by_lt(probe_row(c.place().kind).place)) return nothing();
    c.error(id, names_descriptor ? "a descriptor is one of the process that runs, and here none does"
                                 : "only a socket that was just accepted can be given options")
        .hint =
        names_descriptor
            ? "t:syscalls:sys_exit_accept4 /args.ret >= 0/ { setsockopt(args.ret, SOL_SOCKET, SO_KEEPALIVE, 1); }"
            : "socket:accepted /args.local_port == PORT/ { setsockopt(SOL_SOCKET, SO_KEEPALIVE, 1); }";
    return nothing();
}

// lt takes the descriptor from the process and sets it, as soon as it reads this.
void set_option_of_descriptor(BodyLowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::option;
    std::vector<RecordPart> parts{{l.own_process(), 8, false}};
    for (ast::ExprId id : node.arguments) parts.push_back({l.number(id), 8, false});
    e.fields.assign(parts.size(), {integer_type(8, true)});
    l.emit_parts(std::move(e), std::move(parts), true);
}

ir::Value set_option(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const ir::Value level = l.number(node.arguments[0]), option = l.number(node.arguments[1]);
    const ir::Value value = b.buffer(8);
    b.store(value, 0, l.number(node.arguments[2]), 4);
    return b.extend(b.helper(helper_setsockopt, {b.context(), level, option, value, b.constant(4)}), 4, true);
}

void set_option_only(BodyLowering& l, const ast::Call& node) {
    if (node.arguments.size() == with_descriptor) return set_option_of_descriptor(l, node);
    set_option(l, {}, node);
}

Type assert_now(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const auto value = c.known(node.arguments[0]);
    if (!value) {
        c.error(node.arguments[0], "this is not known when the program is compiled").hint =
            "assert(condition, \"message\") is asked when the program runs";
    } else if (*value == 0 && !c.passed_over()) {
        c.error(id, literal(c.expr(node.arguments[1]))->value);
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
    // others are shown with their sign
    {Conversion::unsigned_, [](uint64_t bits) { return fmt::format("{}", bits); }},
    {Conversion::hex, [](uint64_t bits) { return fmt::format("{:x}", bits); }},
    {Conversion::upper_hex, [](uint64_t bits) { return fmt::format("{:X}", bits); }},
    {Conversion::octal, [](uint64_t bits) { return fmt::format("{:o}", bits); }},
    {Conversion::address, [](uint64_t bits) { return fmt::format("{:#x}", bits); }},
    {Conversion::character, [](uint64_t bits) { return std::string(1, static_cast<char>(bits)); }},
};

// A value of a message that is made when the program is compiled.
std::optional<std::string> value_text(BodyChecker& c, ast::ExprId id, const FormatPiece& piece) {
    if (const auto text = c.known_text(id)) return in_width(std::string(*text), piece);
    const auto number = c.known(id);
    if (!number) return {};
    const auto* form = std::ranges::find(number_forms, piece.conversion, &NumberForm::conversion);
    return in_width(
        form == std::end(number_forms) ? std::to_string(*number) : form->text(static_cast<uint64_t>(*number)), piece);
}

Type refuse(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const std::string format =
        node.arguments.empty() ? "the program says that it cannot go on" : literal(c.expr(node.arguments[0]))->value;
    std::string message;
    size_t next = 1;
    FormatReader reader(format);
    while (const auto piece = reader.next()) {
        if (!piece->takes_value()) {
            message += std::string_view(format).substr(piece->span.begin, piece->span.end - piece->span.begin);
            continue;
        }
        if (next >= node.arguments.size()) return nothing();  // told
        const ast::ExprId value = node.arguments[next++];
        const auto text = value_text(c, value, *piece);
        if (!text) {
            c.error(value, "this is not known when the program is compiled").hint =
                "errorf(\"format\", value) tells it when the program runs";
            return nothing();
        }
        message += *text;
    }
    if (!c.passed_over()) c.error(id, message);
    return nothing();
}

// id, type, number, bytes, statement
constexpr CallRule rules[] = {
    {Function::time, nullptr, nullptr, nullptr, print_time},
    {Function::join, array_of_strings, nullptr, nullptr, print_strings},
    {Function::cat, nullptr, nullptr, nullptr, formatted<EventKind::cat>},
    {Function::system, nullptr, nullptr, nullptr, formatted<EventKind::system>},
    {Function::signal, signal_type, nullptr, nullptr, send_signal<helper_send_signal>},
    {Function::signal_thread, signal_type, nullptr, nullptr, send_signal<helper_send_signal_thread>},
    {Function::delay, delay_type, nullptr, nullptr, wait_busily},
    {Function::setsockopt, option_type, set_option, nullptr, set_option_only},
    {Function::write_user, written_type, written, nullptr, write_only},
    {Function::errorf, nullptr, nullptr, nullptr, formatted<EventKind::error>},
    {Function::warnf, nullptr, nullptr, nullptr, formatted<EventKind::warning>},
    {Function::debugf, kernel_log, nullptr, nullptr, print_to_kernel},
    {Function::assert_, nullptr, nullptr, nullptr, assert_at_run},
    {Function::static_assert_, assert_now},
    {Function::fail, refuse},
};

}  // namespace

std::span<const CallRule> runtime_rules() { return rules; }

}  // namespace lt
