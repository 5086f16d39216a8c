// Functions that take stacks and strings apart: single frames, single characters, strings with escapes in them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "calls.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_get_stack = 67;
constexpr int helper_probe_read_kernel_str = 115;
constexpr int helper_snprintf = 165;
constexpr int64_t user_stack = 1 << 8;  // BPF_F_USER_STACK
constexpr uint32_t escape = 10;         // \U0001f600
constexpr uint32_t most_quoted = 512;
constexpr uint32_t quotation_size = 56;  // as lt_quotation in stdlib/bpf/string.bpf.c

// ---- frames

Type frame_type(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    const ProbeRow& probe = probe_row(c.place().kind);
    if (!run_by_lt(probe.place)) return integer_type(8, false);
    c.error(id, fmt::format("`{}` has no stack: lt itself runs it", probe.name)).hint =
        "there is one wherever the kernel or a program is traced, as in k:vfs_read { print(kframe(1)); }";
    return nothing();
}

template <bool user>
ir::Value frame_address(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    if (!user && way_row(l.way()).user) return b.constant(0);  // the thread is in its program
    const ir::Value room = b.buffer(8);
    b.store(room, 0, b.constant(0));
    const ir::Value skipped = b.call(ir::Library::at_most, {l.number(node.arguments[0]), b.constant(250)});
    const ir::Value flags = b.alu(ir::Alu::add, skipped, b.constant(user ? user_stack : frames_on_top(l.way(), b)));
    b.helper(helper_get_stack, {b.context(), room, b.constant(8), flags});
    return b.load(room, 0);
}

void symbol_offset_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const ir::Value data = b.buffer(8);
    b.store(data, 0, l.number(node.arguments[0]));
    b.helper(helper_snprintf,
             {to, b.constant(l.type_of(id).size), b.text(l.unit().text("%pS", 4)), data, b.constant(8)});
}

constexpr std::array parts{symbol_object, symbol_place, symbol_file, symbol_line};

Type user_part(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const std::string& part = std::get<ast::String>(c.expr(node.arguments[1]).node).value;
    if (std::ranges::find(parts, part) == parts.end()) {
        c.error(node.arguments[1], "there is no such part").hint =
            "there are " + either(std::vector<std::string>(parts.begin(), parts.end()));
        return nothing();
    }
    const Type word = integer_type(8, false);
    Type type = named(tuple_type({word, word}), Naming::user_symbol);
    type.shape->name = part;
    return type;
}

void user_part_into(BodyLowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    b.store(to, 0, l.number(node.arguments[0]));
    b.store(to, 8, l.own_process());
}

// ---- characters

// What is read behind the end of a string is zero.
ir::Value character(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const uint32_t size = l.type_of(node.arguments[0]).size;
    const ir::Value text = l.text(node.arguments[0], padded(size) + 8);
    const ir::Value place = b.call(ir::Library::at_most, {l.number(node.arguments[1]), b.constant(size)});
    return b.load(b.address_plus(text, place), 0, 1);
}

// Four characters for each byte at most, but for those of UTF-8.
bool has_loops(BodyChecker& c, ast::ExprId id) {
    const Answer a = c.kernel().can(Feature::bpf_loop);
    if (!a.yes) c.error(id, "this kernel cannot search the text in a loop: " + a.why);
    c.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
    return a.yes;
}

Type quoted_string(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    if (!has_loops(c, id)) return nothing();
    const uint64_t all = uint64_t{5} * c.checked(node.arguments[0]).size + 8;
    return string_type(static_cast<uint32_t>(std::min<uint64_t>(all, most_quoted)));
}

Type quoted_memory(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    return has_loops(c, id) ? string_type(most_quoted) : nothing();
}

struct Quotation {
    ir::Value text;
    uint32_t size;
    ir::Value length;  // how much of it there is; zeros end it where `form` does not say otherwise
    int64_t form;      // 1: in quotes, 2: zeros included
};

void quote(BodyLowering& l, ast::ExprId id, const ast::Call& node, const Quotation& q, size_t limit, ir::Value to) {
    Builder& b = l.builder();
    const auto room = static_cast<int64_t>(l.type_of(id).size);
    const ir::Value most = node.arguments.size() > limit
                               ? b.call(ir::Library::at_most, {l.number(node.arguments[limit]), b.constant(room - 1)})
                               : b.constant(room - 1);
    const uint32_t bytes = static_cast<uint32_t>(room) + escape + 2;
    // More than the stack holds, so all of it is in a map: of that the verifier follows no values from turn to turn.
    constexpr uint32_t more_than_stack = 512;
    const ir::Value state = b.uncleared(quotation_size + more_than_stack), out = b.buffer(padded(bytes));
    const ir::Value form = b.constant(q.form);
    b.call(ir::Library::quote_begin, {state, out, q.length, most, form});
    b.loop(b.constant(q.size), [&] {
        const ir::Value ended =
            b.call(ir::Library::quote_step, {state, out, b.constant(bytes), q.text, b.constant(q.size + 4), form});
        b.branch(ended, [&] { b.stop(); });
    });
    b.call(ir::Library::quote_end, {state, out, b.constant(bytes), form});
    b.helper(helper_probe_read_kernel_str, {to, b.constant(room), out});
}

void quoted_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const uint32_t size = l.type_of(node.arguments[0]).size;
    const ast::Integer* given =
        node.arguments.size() > 2 ? std::get_if<ast::Integer>(&l.expr(node.arguments[2]).node) : nullptr;
    const ir::Value text = l.text(node.arguments[0], padded(size) + 8);
    quote(l, id, node, {text, size, l.builder().constant(size), given && given->value == 0 ? 0 : 1}, 1, to);
}

void quoted_bytes_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const ir::Value bytes = b.buffer(most_quoted + 8);
    b.copy(bytes, 0, b.text(l.unit().zeros(most_quoted + 8)), most_quoted + 8);
    const ir::Value length = b.call(ir::Library::at_most, {l.number(node.arguments[1]), b.constant(most_quoted - 1)});
    l.bytes_at(bytes, length, node.arguments[0], false, l.expr(id).span, node.lenient);
    quote(l, id, node, {bytes, most_quoted, length, 3}, 2, to);
}

// id, type, number, bytes
constexpr CallRule rules[] = {
    {Function::kframe, frame_type, frame_address<false>},
    {Function::uframe, frame_type, frame_address<true>},
    {Function::ksym_offset, nullptr, nullptr, symbol_offset_into},
    {Function::usym_part, user_part, nullptr, user_part_into},
    {Function::byte_at, nullptr, character},
    {Function::quoted, quoted_string, nullptr, quoted_into},
    {Function::quoted_bytes, quoted_memory, nullptr, quoted_bytes_into},
};

}  // namespace

std::span<const CallRule> part_rules() { return rules; }

}  // namespace lt
