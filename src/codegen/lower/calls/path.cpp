// path(). The verifier accepts an argument's kernel address exactly as the program received it, optionally plus the
// offset of a member. It does not accept an address that was read from memory.
#include <linux/bpf.h>

#include <functional>

#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/memory.h"
#include "codegen/typed/calls/facts.h"

namespace lt {
namespace {

// An address, and the members that lead from its target to the value.
struct MemberPath {
    std::vector<Member> path;
    ast::ExprId base;
};

MemberPath member_path(Lowering& l, ast::ExprId id) {
    MemberPath out{{}, id};
    do {
        out.path.insert(out.path.begin(), std::get<MemberUse>(l.use(out.base)).member);
        out.base = std::get<ast::Member>(l.expr(out.base).node).base;
    } while (!pointee(l.type(out.base)));
    return out;
}

using WithAddress = std::function<void(ir::Value)>;

void with_pointer(Lowering& l, ast::ExprId id, const WithAddress& work);

// Runs `work` with a member's address as the verifier knows it: each address on the way is loaded and is not null.
void with_member(Lowering& l, ast::ExprId id, const WithAddress& work) {
    const MemberPath at = member_path(l, id);
    with_pointer(l, at.base, [&](ir::Value base) {
        uint64_t offset = 0;
        for (const Member& m : at.path) offset += m.offset;
        const std::string& root = pointee(l.type(at.base))->shape->name;
        Builder& b = l.b;
        work(b.alu(ir::Alu::add, base, ir::relocation(b, l.unit.relocation({ir::Ask::offset, root, at.path, offset}))));
    });
}

void with_pointer(Lowering& l, ast::ExprId id, const WithAddress& work) {
    Builder& b = l.b;
    const auto guarded = [&](ir::Value address) { b.branch(address, [&] { work(address); }); };
    const MemberPath at = member_path(l, id);
    if (std::holds_alternative<VariableUse>(l.use(at.base)))
        return guarded(ir::field(b, at.path.front().offset, 8, false));
    with_member(l, id, [&](ir::Value member) { guarded(b.load(member, 0)); });
}

// The kernel writes the path at the end of the buffer and moves it to the start, so the bytes after it are not zero.
void path_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const ast::ExprId from = node.arguments[0];
    const uint32_t size = l.type(id).size;
    const auto write = [&](ir::Value address) {
        const ir::Value room = b.buffer(padded_size(size));
        const ir::Value length = b.helper(BPF_FUNC_d_path, {address, room, b.constant(size)});
        count_failure(l, length);
        b.branch(b.alu(ir::Alu::sgt, length, b.constant(0)),
                 [&] { b.helper(BPF_FUNC_probe_read_kernel_str, {to, b.constant(size), room}); });
    };
    if (objects(l.body.place).context.empty()) return write(handed_address(l, from));
    const ast::ExprId* taken = address_taken(l.expr(from));
    with_member(l, taken ? *taken : from, write);
}

// function, number, bytes, statement
constexpr CodeRule path_rules[] = {
    {Function::path, nullptr, path_into},
};

}  // namespace

std::span<const CodeRule> path_code() { return path_rules; }

}  // namespace lt
