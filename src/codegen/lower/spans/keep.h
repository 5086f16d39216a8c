// The records that the programs of spans write into the flight recorder, if the script takes snapshots of it.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// The span opens now, at `time`.
void record_opening(Lowering& l, ir::Value time);
// Once its opening is known: remembers which thread opened it, for record_close().
void note_opener(Lowering& l, ir::Value opening);
// The span closes now; its latency is in its slot.
void record_close(Lowering& l);

// snapshot()
void take_snapshot(Lowering& l, const ast::Call& node);

}  // namespace lt
