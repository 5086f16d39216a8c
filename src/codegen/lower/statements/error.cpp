#include "codegen/lower/statements/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/lower/plan/plan.h"
#include "codegen/lower/statements/record.h"
#include "codegen/lower/statements/statement.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

constexpr int64_t no_room = -7;  // -E2BIG: the map is full

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '@'; }

// "operator '/' at x.stp:3:14"
Near near_sign(const Lowering& l, const std::string& what, Span where) {
    const PlannedPosition p = position(l, where);
    return {fmt::format("{} at {}:{}:{}", what, p.file, p.line, p.column), p};
}

}  // namespace

PlannedPosition position(const Lowering& l, Span where) {
    const Position p = l.unit.source.position(where.begin);
    return {l.unit.source.name_at(where.begin), p.line, p.column};
}

Near near_word(const Lowering& l, Span where) {
    std::string_view text = l.unit.source.at(where);
    const size_t blank = text.find_first_not_of("(&* \t");
    const size_t begin = blank == text.npos ? 0 : blank;
    text.remove_prefix(begin);
    const auto end = std::ranges::find_if_not(text, is_word);
    const std::string word(text.begin(), end);
    return near_sign(l, fmt::format("{} '{}'", word.starts_with("@") ? "operator" : "identifier", word),
                     {where.begin + static_cast<uint32_t>(begin), where.end});
}

void raise_error(Lowering& l, const std::string& text, const Near& near, std::optional<ir::Value> address) {
    if (!l.attempts.empty()) {
        const AttemptAround& around = l.attempts.back();
        if (around.message) {
            const uint32_t room = padded_size(l.locals()[*around.message].type.size);
            l.b.copy(l.local_buffers[*around.message], 0, l.b.text(l.unit.text(text, room)), room);
        }
        return l.b.quit(around.handler);
    }
    if (!l.uncaught) l.uncaught = Uncaught{l.b.new_scope(), l.b.new_slot(), l.b.new_slot()};
    const uint32_t error = planned_error(l.unit, {text, near.text, address.has_value(), near.where});
    l.b.write(l.uncaught->error, l.b.constant(error));
    l.b.write(l.uncaught->address, address ? *address : l.b.constant(0));
    l.b.quit(l.uncaught->scope);
}

void close_errors(Lowering& l) {
    if (!l.uncaught) return;
    l.b.leave();
    l.b.wrap(l.uncaught->scope);
    PlannedEvent e;
    e.kind = EventKind::raised;
    e.fields = {{integer_type(), 0}, {integer_type(), 0}};
    emit_parts(l, std::move(e), {{l.b.read(l.uncaught->error)}, {l.b.read(l.uncaught->address)}}, true);
    l.uncaught.reset();
}

void statement(Lowering& l, const ast::Stmt& stmt, const ast::Attempt& node) {
    AttemptAround around{0, {}};
    if (!node.name.empty()) {
        around.message = l.declared(stmt);
        const uint32_t room = padded_size(l.locals()[*around.message].type.size);
        l.b.copy(l.local_buffers[*around.message], 0, l.b.text(l.unit.zeros(room)), room);
    }
    l.b.scope([&](uint32_t done) {
        l.b.scope([&](uint32_t handler) {
            around.handler = handler;
            l.attempts.push_back(around);
            lower_block(l, node.body);
            l.attempts.pop_back();
            l.b.quit(done);
        });
        l.printed_maps.clear();  // any statement of the body may have failed
        lower_block(l, node.handler);
    });
}

// error("text"); the text is made before the block exits.
void statement(Lowering& l, const ast::Stmt& stmt, const ast::Raise& node) {
    if (const auto* literal = std::get_if<ast::String>(&l.program[node.message].node))
        return raise_error(l, literal->value, near_word(l, stmt.span));
    if (!l.attempts.empty()) {
        const AttemptAround around = l.attempts.back();
        if (around.message) {
            const Type& type = l.locals()[*around.message].type;
            l.b.copy(l.local_buffers[*around.message], 0, value_as(l, node.message, type), padded_size(type.size));
        }
        return l.b.quit(around.handler);
    }
    PlannedEvent e;
    e.kind = EventKind::raised;
    const Near at = near_word(l, stmt.span);
    e.format = "%s near " + at.text;
    e.where = at.where;
    emit_values(l, std::move(e), {node.message}, true);
    l.b.leave();
}

void if_no_divisor(Lowering& l, ast::BinaryOp op, ir::Value by, ast::ExprId left, ast::ExprId right, bool assigns) {
    if (op != ast::BinaryOp::divide && op != ast::BinaryOp::modulo) return;
    if (number_as_it_stands(l.program, right).value_or(0) != 0) return;
    const LossKind loss = l.program.settings.one_for_zero ? LossKind::zero_divisor_one : LossKind::zero_divisor;
    if (!l.raises()) return l.b.branch(by, [] {}, [&] { l.b.loss(l.unit.loss(loss, 0)); });
    const Span between{l.program[left].span.end, l.program[right].span.begin};
    const size_t found = l.unit.source.at(between).find(spelling(op));
    const uint32_t begin = between.begin + static_cast<uint32_t>(found == std::string_view::npos ? 0 : found);
    const Near sign =
        near_sign(l, fmt::format("operator '{}{}'", spelling(op), assigns ? "=" : ""), {begin, begin + 1});
    l.b.branch(by, [] {}, [&] { raise_error(l, "division by 0", sign); });
}

void if_full(Lowering& l, ir::Value failed, uint32_t map, Span where) {
    const auto starved = [&] { l.b.loss(l.unit.loss(LossKind::map_no_memory, map)); };
    const auto full = [&] { l.raises() ? map_overflow(l, where) : l.b.loss(l.unit.loss(LossKind::map_full, map)); };
    l.b.branch(failed, [&] { l.b.branch(l.b.alu(ir::Alu::eq, failed, l.b.constant(no_room)), full, starved); });
}

void map_overflow(Lowering& l, Span where) {
    const bool is_systemtap = l.program.settings.systemtap_hints;
    raise_error(l, is_systemtap ? "Array overflow, check MAXMAPENTRIES" : "the map is full (see max_map_keys)",
                near_word(l, where));
}

}  // namespace lt
