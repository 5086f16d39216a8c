// Errors of the run, where the program's settings ask for them: a division by zero, memory that cannot be read, a map
// that is full, what the program raises itself. An error goes on at the handler of the innermost `try` around it; one
// that nothing catches leaves the function through one place, which tells the runtime which it was.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_probe_read_user = 112;
constexpr int helper_probe_read_kernel = 113;
constexpr int64_t no_room = -7;  // -E2BIG: the map has all the keys that it may have

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '@'; }

}  // namespace

uint32_t Unit::error(PlannedError error) {
    std::vector<PlannedError>& all = out_.plan.errors;
    const auto known = std::ranges::find(all, error);
    if (known != all.end()) return static_cast<uint32_t>(known - all.begin());
    all.push_back(std::move(error));
    return static_cast<uint32_t>(all.size() - 1);
}

PlannedPosition BodyLowering::position(Span where) const {
    const Position p = unit_.source.position(where.begin);
    return {unit_.source.name_at(where.begin), p.line, p.column};
}

// "operator '/' at x.stp:3:14"
BodyLowering::Near BodyLowering::beside(const std::string& what, Span where) const {
    const PlannedPosition p = position(where);
    return {fmt::format("{} at {}:{}:{}", what, p.file, p.line, p.column), p};
}

// "identifier '$p' at x.stp:3:14": the word with which the text there begins.
BodyLowering::Near BodyLowering::token_at(Span where) const {
    std::string_view text = unit_.source.at(where);
    const size_t blank = text.find_first_not_of("(&* \t");
    const size_t begin = blank == text.npos ? 0 : blank;
    text.remove_prefix(begin);
    const auto end = std::ranges::find_if_not(text, is_word);
    const std::string word(text.begin(), end);
    return beside(fmt::format("{} '{}'", word.starts_with("@") ? "operator" : "identifier", word),
                  {where.begin + static_cast<uint32_t>(begin), where.end});
}

void BodyLowering::raise(const std::string& text, const Near& near, std::optional<ir::Value> address) {
    if (!attempts_.empty()) {
        const AttemptAround& around = attempts_.back();
        if (around.message) {
            const uint32_t room = padded(locals()[*around.message].type.size);
            b_->copy(local_buffers_[*around.message], 0, b_->text(unit_.text(text, room)), room);
        }
        return b_->quit(around.handler);
    }
    if (!uncaught_) uncaught_ = Uncaught{b_->new_scope(), b_->new_slot(), b_->new_slot()};
    const uint32_t error = unit_.error({text, near.text, address.has_value(), near.where});
    b_->write(uncaught_->error, b_->constant(error));
    b_->write(uncaught_->address, address ? *address : b_->constant(0));
    b_->quit(uncaught_->scope);
}

// The end of a function in which something may fail. The rest of it is left without having been done.
void BodyLowering::raise_uncaught() {
    if (!uncaught_) return;
    b_->leave();
    b_->wrap(uncaught_->scope);
    PlannedEvent e;
    e.kind = EventKind::raised;
    e.fields = {{integer_type(), 0}, {integer_type(), 0}};
    emit_parts(std::move(e), {{b_->read(uncaught_->error)}, {b_->read(uncaught_->address)}}, true);
    uncaught_.reset();
}

void BodyLowering::statement(const ast::Stmt& stmt, const ast::Attempt& node) {
    AttemptAround around{0, {}};
    if (!node.name.empty()) {
        around.message = declared(stmt);
        const uint32_t room = padded(locals()[*around.message].type.size);
        b_->copy(local_buffers_[*around.message], 0, b_->text(unit_.zeros(room)), room);
    }
    b_->scope([&](uint32_t done) {
        b_->scope([&](uint32_t handler) {
            around.handler = handler;
            attempts_.push_back(around);
            block(node.body);
            attempts_.pop_back();
            b_->quit(done);
        });
        block(node.handler);
    });
}

// error("text"); the text is made before the block is left.
void BodyLowering::statement(const ast::Stmt& stmt, const ast::Raise& node) {
    if (const auto* literal = std::get_if<ast::String>(&program_[node.message].node))
        return raise(literal->value, token_at(stmt.span));
    if (!attempts_.empty()) {
        const AttemptAround around = attempts_.back();
        if (around.message) {
            const Type& kept = locals()[*around.message].type;
            b_->copy(local_buffers_[*around.message], 0, value_as(node.message, kept), padded(kept.size));
        }
        return b_->quit(around.handler);
    }
    PlannedEvent e;
    e.kind = EventKind::raised;
    const Near at = token_at(stmt.span);
    e.format = "%s near " + at.text;
    e.where = at.where;
    emit_event(std::move(e), {node.message}, true);
    b_->leave();
}

void BodyLowering::if_no_divisor(ast::BinaryOp op, ir::Value by, ast::ExprId left, ast::ExprId right, bool assigns) {
    if (op != ast::BinaryOp::divide && op != ast::BinaryOp::modulo) return;
    if (number_as_it_stands(program_, right).value_or(0) != 0) return;
    const LossKind loss = program_.settings.one_for_zero ? LossKind::zero_divisor_one : LossKind::zero_divisor;
    if (!raises()) return b_->branch(by, [] {}, [&] { b_->loss(unit_.loss(loss, 0)); });
    const Span between{program_[left].span.end, program_[right].span.begin};
    const size_t found = unit_.source.at(between).find(spelling(op));
    const uint32_t begin = between.begin + static_cast<uint32_t>(found == std::string_view::npos ? 0 : found);
    const Near sign = beside(fmt::format("operator '{}{}'", spelling(op), assigns ? "=" : ""), {begin, begin + 1});
    b_->branch(by, [] {}, [&] { raise("division by 0", sign); });
}

// What a helper gives that reads: below zero where it could not. `what` is empty for members and elements.
void BodyLowering::if_unreadable(ir::Value result, ir::Value address, Span where, std::string_view what, bool lenient) {
    if (!raises() || lenient || (unit_.source.is_library(where.begin) && attempts_.empty()))
        return count_failure(result);
    std::string text = what.empty() ? "read fault" : fmt::format("{} copy fault", what);
    if (unit_.source.at(where).starts_with("kernel_string")) text = "kernel string copy fault";
    b_->branch(b_->alu(ir::Alu::slt, result, b_->constant(0)),
               [&] { raise(text + " [man error::fault]", token_at(where), address); });
}

void BodyLowering::if_full(ir::Value failed, uint32_t map, Span where) {
    const auto starved = [&] { b_->loss(unit_.loss(LossKind::map_no_memory, map)); };
    const auto full = [&] {
        raises() ? raise("Array overflow, check MAXMAPENTRIES", token_at(where))
                 : b_->loss(unit_.loss(LossKind::map_full, map));
    };
    b_->branch(failed, [&] { b_->branch(b_->alu(ir::Alu::eq, failed, b_->constant(no_room)), full, starved); });
}

ir::Value BodyLowering::read_word(ir::Value address, uint8_t width, bool is_signed, bool user, Span where,
                                  bool lenient) {
    if (!raises() || lenient || (unit_.source.is_library(where.begin) && attempts_.empty()))
        return b_->fetch(address, width, is_signed, user, unit_.loss(LossKind::failed_read, 0));
    const ir::Value room = b_->buffer(8);
    const int helper = user ? helper_probe_read_user : helper_probe_read_kernel;
    const ir::Value result = b_->extend(b_->helper(helper, {room, b_->constant(width), address}), 4, true);
    if_unreadable(result, address, where, "");
    return b_->load(room, 0, width, is_signed);
}

}  // namespace lt
