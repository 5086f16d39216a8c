// Functions that take stacks and strings apart: single frames, single characters, and escaped strings.
#include <linux/bpf.h>

#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/stack.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

constexpr uint32_t escape = 10;          // \U0001f600
constexpr uint32_t quotation_size = 56;  // as lt_quotation in stdlib/bpf/string.bpf.c

template <bool user>
ir::Value frame_address(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    if (!user && way_row(l.way).user) return b.constant(0);  // the thread is in user mode
    const ir::Value room = b.buffer(8);
    b.store(room, 0, b.constant(0));
    const ir::Value skipped = b.call(ir::Library::at_most, {integer_of(l, node.arguments[0]), b.constant(250)});
    const ir::Value flags = b.alu(ir::Alu::add, skipped, b.constant(user ? user_stack : frames_on_top(l.way, b)));
    b.helper(BPF_FUNC_get_stack, {ir::context(b), room, b.constant(8), flags});
    return b.load(room, 0);
}

void symbol_offset_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const ir::Value data = b.buffer(8);
    b.store(data, 0, integer_of(l, node.arguments[0]));
    b.helper(BPF_FUNC_snprintf, {to, b.constant(l.type(id).size), b.text(l.unit.text("%pS", 4)), data, b.constant(8)});
}

// Bytes after the end of a string are zero.
ir::Value character(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    const uint32_t size = l.type(node.arguments[0]).size;
    const ir::Value text = text_of(l, node.arguments[0], padded_size(size) + 8);
    const ir::Value place = b.call(ir::Library::at_most, {integer_of(l, node.arguments[1]), b.constant(size)});
    return b.load(b.address_plus(text, place), 0, 1);
}

struct Quotation {
    ir::Value text;
    uint32_t size;
    ir::Value length;  // bytes of content; a zero ends it unless `form` says otherwise
    int64_t form;      // 1: in quotes, 2: with zeros
};

void quote(Lowering& l, ast::ExprId id, const ast::Call& node, const Quotation& q, size_t limit, ir::Value to) {
    Builder& b = l.b;
    const auto room = static_cast<int64_t>(l.type(id).size);
    const ir::Value most =
        node.arguments.size() > limit
            ? b.call(ir::Library::at_most, {integer_of(l, node.arguments[limit]), b.constant(room - 1)})
            : b.constant(room - 1);
    const uint32_t bytes = static_cast<uint32_t>(room) + escape + 2;
    // Exceeds the stack, so that all buffers are in a map: the verifier does not track values there across iterations.
    constexpr uint32_t more_than_stack = 512;
    const ir::Value state = b.uncleared(quotation_size + more_than_stack), out = b.buffer(padded_size(bytes));
    const ir::Value form = b.constant(q.form);
    b.call(ir::Library::quote_begin, {state, out, q.length, most, form});
    b.loop(b.constant(q.size), [&] {
        const ir::Value ended =
            b.call(ir::Library::quote_step, {state, out, b.constant(bytes), q.text, b.constant(q.size + 4), form});
        b.branch(ended, [&] { b.stop(); });
    });
    b.call(ir::Library::quote_end, {state, out, b.constant(bytes), form});
    b.helper(BPF_FUNC_probe_read_kernel_str, {to, b.constant(room), out});
}

void quoted_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const uint32_t size = l.type(node.arguments[0]).size;
    const ast::Integer* given =
        node.arguments.size() > 2 ? std::get_if<ast::Integer>(&l.expr(node.arguments[2]).node) : nullptr;
    const ir::Value text = text_of(l, node.arguments[0], padded_size(size) + 8);
    quote(l, id, node, {text, size, l.b.constant(size), given && given->value == 0 ? 0 : 1}, 1, to);
}

void quoted_bytes_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const uint32_t most = l.type(id).size;
    const ir::Value bytes = b.buffer(most + 8);
    b.copy(bytes, 0, b.text(l.unit.zeros(most + 8)), most + 8);
    const ir::Value length = b.call(ir::Library::at_most, {length_given(l, node.arguments[1]), b.constant(most - 1)});
    read_bytes(l, bytes, length, node.arguments[0], false, l.expr(id).span, node.lenient);
    quote(l, id, node, {bytes, most, length, 3}, 2, to);
}

// function, number, bytes, statement
constexpr CodeRule part_rules[] = {
    {Function::kframe, frame_address<false>},
    {Function::uframe, frame_address<true>},
    {Function::ksym_offset, nullptr, symbol_offset_into},
    {Function::byte_at, character},
    {Function::quoted, nullptr, quoted_into},
    {Function::quoted_bytes, nullptr, quoted_bytes_into},
};

}  // namespace

std::span<const CodeRule> part_code() { return part_rules; }

}  // namespace lt
