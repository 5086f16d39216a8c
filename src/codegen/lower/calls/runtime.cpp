// Functions that send a record for the runtime to act on, and functions that act on the traced process at once.
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/spans/keep.h"
#include "codegen/lower/statements/error.h"
#include "codegen/lower/statements/record.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/lower/values/variable.h"
#include "codegen/typed/calls/facts.h"
#include "stdlib/format.h"

namespace lt {
namespace {

template <EventKind kind>
void formatted(Lowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = kind;
    e.format = text_literal(l.expr(node.arguments[0]));
    if (kind == EventKind::error || kind == EventKind::warning) e.where = position(l, node.name_span);
    emit_values(l, std::move(e), {node.arguments.begin() + 1, node.arguments.end()});
}

// Prints the time of the event, not the time of printing.
void print_time(Lowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::time;
    e.format = "%s";
    Type type = named(integer_type(8, false), Naming::time);
    Shape shape;
    shape.name = node.arguments.empty() ? "%H:%M:%S\n" : text_literal(l.expr(node.arguments[0]));
    type.shape = std::move(shape);
    e.fields.push_back({type, 0});
    emit_parts(l, std::move(e), {{l.b.helper(BPF_FUNC_ktime_get_ns), 8, false}});
}

constexpr uint32_t most_strings = 16, string_room = 1024;

// Uses the helper for user or kernel memory: kernel addresses have their highest bit set.
void read_either(Builder& b, bool user, int of_user, int of_kernel, ir::Value to, uint32_t size, ir::Value from) {
    const auto read = [&](int helper) { b.helper(helper, {to, b.constant(size), from}); };
    if (user) return read(of_user);
    b.branch(b.alu(ir::Alu::slt, from, b.constant(0)), [&] { read(of_kernel); }, [&] { read(of_user); });
}

void print_strings(Lowering& l, const ast::Call& node) {
    Builder& b = l.b;
    const bool user = l.type(node.arguments[0]).user_memory;
    const ir::Value base = integer_of(l, node.arguments[0]), word = b.buffer(8);
    const uint32_t count = b.new_slot(), more = b.new_slot();
    b.write(count, b.constant(0));
    b.write(more, b.constant(1));
    PlannedEvent e;
    e.kind = EventKind::join;
    e.format = node.arguments.size() > 1 ? text_literal(l.expr(node.arguments[1])) : " ";
    e.fields.push_back({integer_type(8, false), 0});
    std::vector<RecordPart> parts{{}};
    for (uint32_t i = 0; i < most_strings; i++) {
        const ir::Value text = b.uncleared(string_room);
        b.store(text, 0, b.constant(0), 1);
        b.branch(b.read(more), [&] {
            const ir::Value at = b.alu(ir::Alu::add, base, b.constant(i * 8));
            read_either(b, user, BPF_FUNC_probe_read_user, BPF_FUNC_probe_read_kernel, word, 8, at);
            const ir::Value address = b.load(word, 0);
            b.branch(
                address,
                [&] {
                    read_either(b, user, BPF_FUNC_probe_read_user_str, BPF_FUNC_probe_read_kernel_str, text,
                                string_room, address);
                    b.write(count, b.constant(i + 1));
                },
                [&] { b.write(more, b.constant(0)); });
        });
        e.fields.push_back({string_type(string_room), 0});
        parts.push_back({text, string_room, true});
    }
    parts[0] = {b.read(count), 8, false};
    emit_parts(l, std::move(e), parts);
}

template <int helper>
void send_signal(Lowering& l, const ast::Call& node) {
    Builder& b = l.b;
    const auto* name = std::get_if<ast::String>(&l.expr(node.arguments[0]).node);
    b.helper(helper, {name ? b.constant(signal_number(name->value)) : integer_of(l, node.arguments[0])});
}

void print_to_kernel(Lowering& l, const ast::Call& node) {
    Builder& b = l.b;
    const std::string& given = text_literal(l.expr(node.arguments[0]));
    std::string format;
    std::vector<FormatPiece> conversions;
    FormatReader reader(given);
    while (auto piece = reader.next()) {
        if (l.program.settings.conventions.c_integers) take_size_of_c(*piece);
        if (piece->takes_value()) conversions.push_back(*piece);
        const std::string_view text =
            std::string_view(given).substr(piece->span.begin, piece->span.end - piece->span.begin);
        format += piece->takes_value() ? kernel_log_conversion(piece->conversion) : text == "%" ? "%%" : text;
    }
    const auto size = static_cast<uint32_t>(format.size() + 1);
    std::array<ir::Value, 3> values{b.constant(0), b.constant(0), b.constant(0)};
    for (size_t i = 1; i < node.arguments.size(); i++) {
        const Type& t = l.type(node.arguments[i]);
        const FormatPiece& piece = conversions[i - 1];
        values[i - 1] = t.kind == Kind::string
                            ? text_of(l, node.arguments[i], padded_size(t.size) + 8)
                            : b.extend(integer_of(l, node.arguments[i]), static_cast<uint8_t>(printed_bytes(piece, t)),
                                       piece.conversion == Conversion::decimal);
    }
    b.helper(BPF_FUNC_trace_printk,
             {b.text(l.unit.text(format, size)), b.constant(size), values[0], values[1], values[2]});
}

// The run ends at this point.
void assert_at_run(Lowering& l, const ast::Call& node) {
    l.b.branch(
        integer_of(l, node.arguments[0]), [] {},
        [&] {
            PlannedEvent message, end;
            message.kind = EventKind::error;
            message.where = position(l, node.name_span);
            for (char c : text_literal(l.expr(node.arguments[1])))
                message.format += c == '%' ? "%%" : std::string(1, c);
            message.format += '\n';
            emit_parts(l, std::move(message), {});
            end.kind = EventKind::exit;
            emit_parts(l, std::move(end), {}, true);
            l.b.leave();
        });
}

// A loop has at most 2^23 iterations, and one iteration takes as long as reading the clock.
void wait_busily(Lowering& l, const ast::Call& node) {
    constexpr int64_t most_turns = 1 << 23, loops = 4;
    Builder& b = l.b;
    const auto now = [&] { return b.helper(BPF_FUNC_ktime_get_ns); };
    const ir::Value from = now();
    const ir::Value duration = integer_of(l, node.arguments[0]);
    const ir::Value time = b.alu(ir::Alu::mul, duration, b.alu(ir::Alu::sgt, duration, b.constant(0)));
    const auto is_over = [&] { return b.alu(ir::Alu::uge, b.alu(ir::Alu::sub, now(), from), time); };
    for (int64_t i = 0; i < loops; i++) b.loop(b.constant(most_turns), [&] { b.branch(is_over(), [&] { b.stop(); }); });
    b.branch(is_over(), [] {}, [&] { b.loss(l.unit.loss(LossKind::loop_cut, 0)); });
}

ir::Value written(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    const auto size = static_cast<uint32_t>(std::get<ast::Integer>(l.expr(node.arguments[2]).node).value);
    const ast::ExprId from = node.arguments[1];
    const Type& type = l.type(from);
    ir::Value bytes = ir::no_value;
    if (in_memory(type)) {
        bytes = text_of(l, from, padded_size(std::max(size, type.size)));
    } else {
        bytes = b.buffer(size);
        read_bytes(l, bytes, b.constant(size), from, false);
    }
    const ir::Value failed =
        b.helper(BPF_FUNC_probe_write_user, {integer_of(l, node.arguments[0]), bytes, b.constant(size)});
    return b.alu(ir::Alu::eq, b.extend(failed, 4, true), b.constant(0));
}

void write_only(Lowering& l, const ast::Call& node) { written(l, {}, node); }

// lt takes the descriptor from the process and sets the option as soon as it reads this record.
void set_option_of_descriptor(Lowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::option;
    std::vector<RecordPart> parts{{own_process(l), 8, false}};
    for (ast::ExprId id : node.arguments) parts.push_back({integer_of(l, id), 8, false});
    e.fields.assign(parts.size(), {integer_type(8, true)});
    emit_parts(l, std::move(e), std::move(parts), true);
}

ir::Value set_option(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    const ir::Value level = integer_of(l, node.arguments[0]), option = integer_of(l, node.arguments[1]);
    const ir::Value value = b.buffer(8);
    b.store(value, 0, integer_of(l, node.arguments[2]), 4);
    return b.extend(b.helper(BPF_FUNC_setsockopt, {ir::context(b), level, option, value, b.constant(4)}), 4, true);
}

void set_option_only(Lowering& l, const ast::Call& node) {
    if (node.arguments.size() == with_descriptor) return set_option_of_descriptor(l, node);
    set_option(l, {}, node);
}

void exit_run(Lowering& l, const ast::Call& node) {
    PlannedEvent e;
    e.kind = EventKind::exit;
    if (l.program.settings.stops_at_exit)
        return l.b.branch(ir::stopping(l.b), [] {}, [&] { emit_values(l, std::move(e), node.arguments, true); });
    emit_values(l, std::move(e), node.arguments, true);
    l.b.leave();
}

// function, number, bytes, statement
constexpr CodeRule runtime_rules[] = {
    {Function::printf, nullptr, nullptr, formatted<EventKind::text>},
    {Function::cat, nullptr, nullptr, formatted<EventKind::cat>},
    {Function::system, nullptr, nullptr, formatted<EventKind::system>},
    {Function::errorf, nullptr, nullptr, formatted<EventKind::error>},
    {Function::warnf, nullptr, nullptr, formatted<EventKind::warning>},
    {Function::debugf, nullptr, nullptr, print_to_kernel},
    {Function::time, nullptr, nullptr, print_time},
    {Function::join, nullptr, nullptr, print_strings},
    {Function::signal, nullptr, nullptr, send_signal<BPF_FUNC_send_signal>},
    {Function::signal_thread, nullptr, nullptr, send_signal<BPF_FUNC_send_signal_thread>},
    {Function::delay, nullptr, nullptr, wait_busily},
    {Function::setsockopt, set_option, nullptr, set_option_only},
    {Function::write_user, written, nullptr, write_only},
    {Function::assert_, nullptr, nullptr, assert_at_run},
    {Function::exit, nullptr, nullptr, exit_run},
    {Function::snapshot, nullptr, nullptr, take_snapshot},
};

}  // namespace

std::span<const CodeRule> runtime_code() { return runtime_rules; }

}  // namespace lt
