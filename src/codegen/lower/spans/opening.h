// The common parts of the functions that open and close spans.
#pragma once

#include <functional>

#include "codegen/lower/context.h"

namespace lt {

// The losses that count a close without an opening.
struct Unmatched {
    ir::Value no_entry, no_room, unmeasured;  // indexes of losses, as constants
    ir::Value spares;                         // 1: those of lt's own process are not counted, because they never open
};

constexpr uint32_t book_opened = 0, book_closed = 8;  // offsets in the books of a span

// Runs the work if the span opens: its predicates hold and the process is traced. Runs `refused` if a predicate does
// not hold and, between two events, if the process is not traced.
void if_opens(Lowering& l, const ast::SpanAction& node, const std::function<void()>& work,
              const std::function<void()>& refused = {});
// Increments a counter in the books of this span.
void note_in_books(Lowering& l, uint32_t offset);
// Writes the frozen values into an opening.
void freeze(Lowering& l, ir::Value opening);
// Begins the function of a close: allocates locals and frozen values.
void begin_close(Lowering& l);
// Copies the frozen values out of an opening.
void thaw(Lowering& l, ir::Value opening);
// The index of the frozen value that an expression at the close refers to.
std::optional<size_t> frozen_index(const Lowering& l, ast::ExprId id);
Unmatched unmatched_losses(Lowering& l, const ast::SpanAction& node);
// Runs the script's block at the close of a span that was opened at this time, if the span is slow enough.
void finish_close(Lowering& l, const ast::SpanAction& node, ir::Value opened);

}  // namespace lt
