#include "codegen/lower/spans/pair.h"

#include <linux/bpf.h>
#include "codegen/lower/conditions.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/system_calls.h"

#include "codegen/lower/spans/clock.h"
#include "codegen/lower/spans/keep.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/values/key_part.h"

namespace lt {
namespace {

ir::Value lost_again(Lowering& l) { return l.b.constant(l.unit.loss(LossKind::span_reopened, l.body.span)); }

// If the key is already open, returns its opening for reuse; its measurement has been counted as lost. `held` counts an
// opening that a program which this one has interrupted is deleting or writing.
ir::Value reopened(Lowering& l, ir::Value key, ir::Value held) {
    return l.b.call(ir::Library::pair_reopen, {l.b.map(l.unit.layout(l.body.span).map), key, lost_again(l), held});
}

void mark_thread(Lowering& l, ir::Value key) {
    const SpanLayout& layout = l.unit.layout(l.body.span);
    if (!layout.threads) return;
    const ir::Value threads = l.b.find(*layout.threads, l.b.text(l.unit.zeros(4)));
    const ir::Value thread = l.b.load(key, *layout.thread_at, 4);
    l.b.branch(threads, [&] { l.b.call(ir::Library::mark_thread, {threads, thread}); });
}

// The flight recorder has the kernel's own ids.
ir::Value opener(Lowering& l) {
    if (l.body.host || keeps_records(l.unit)) return l.b.helper(BPF_FUNC_get_current_pid_tgid);
    return l.b.call(ir::Library::opener, {});
}

void keep_opening(Lowering& l, ir::Value key) {
    const uint32_t size = l.unit.span(l.body.span).opening_size;
    const ir::Value made = l.b.buffer(size);
    freeze(l, made);
    l.b.store(made, frame_offset, opener(l));
    const ir::Value again = reopened(l, key, lost_again(l));
    mark_thread(l, key);
    const ir::Value time = opening_time(l, made);
    const auto reuse = [&] {
        l.b.copy(again, frame_offset, made, 8);
        l.b.copy(again, span_opening_header, l.b.address(made, span_opening_header), size - span_opening_header);
        l.b.store(again, time_offset, time);
    };
    const auto add = [&] {
        l.b.store(made, time_offset, time);
        l.b.call(ir::Library::pair_open,
                 {l.b.map(l.unit.layout(l.body.span).map), key, made,
                  l.b.constant(l.unit.loss(LossKind::span_no_room, l.body.span)), lost_again(l)});
    };
    l.b.branch(again, reuse, add);
    record_opening(l, time);
}

// For an event that does not open, because of its predicate or sampling. Any opening for its key is older: the next
// close belongs to this event, and must not be measured from that opening.
void drop_opening(Lowering& l, ir::Value key) {
    constexpr int64_t uncounted = UINT32_MAX;  // LT_NO_LOSS: this event has opened nothing
    l.b.branch(reopened(l, key, l.b.constant(uncounted)),
               [&] { l.b.helper(BPF_FUNC_map_delete_elem, {l.b.map(l.unit.layout(l.body.span).map), key}); });
}

void close_key(Lowering& l, const ast::SpanAction& node) {
    l.now = closing_time(l);
    const ir::Value map = l.b.map(l.unit.layout(l.body.span).map);
    const ir::Value key = span_key(l, l.body.span, node.closes[l.body.endpoint].key, 0);
    const Unmatched losses = unmatched_losses(l, node);
    const uint32_t opened = l.b.new_slot();
    l.b.write(opened, l.b.constant(0));
    const ir::Value opening = l.b.find(l.unit.layout(l.body.span).map, key);
    l.b.branch(opening, [&] {
        thaw(l, opening);  // before it can be reused
        l.b.write(opened, l.b.call(ir::Library::pair_claim, {opening}));
    });
    const auto closed = [&] {
        l.b.helper(BPF_FUNC_map_delete_elem, {map, key});
        finish_close(l, node, l.b.read(opened));
    };
    l.b.branch(l.b.read(opened), closed, [&] {
        l.b.call(ir::Library::unmatched, {losses.no_entry, losses.no_room, losses.unmeasured, losses.spares});
    });
}

}  // namespace

ir::Value span_key(Lowering& l, uint32_t span, const std::vector<ast::ExprId>& parts, size_t first) {
    const std::vector<Type>& types = l.unit.span(span).key;
    uint32_t size = 0;
    for (const Type& t : types) size += padded_size(t.size);
    const ir::Value key = l.b.buffer(size);
    if (parts.size() == first) {
        l.b.store(key, 0, l.b.extend(l.b.helper(BPF_FUNC_get_current_pid_tgid), 4, false));
        return key;
    }
    uint32_t offset = 0;
    for (size_t i = first; i < parts.size(); i++) {
        const Type& t = types[i - first];
        key_part_into(l, parts[i], key, offset, t);
        offset += padded_size(t.size);
    }
    return key;
}

void open_pair(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way) {
    Lowering l(c, name, way, probe_row(c.body.place.kind).result);
    make_locals(l);
    const auto key = [&] { return span_key(l, l.body.span, node.opens[l.body.endpoint].key, 0); };
    const auto opens = [&] {
        note_in_books(l, book_opened);
        through_gate(l, [&] { keep_opening(l, key()); }, [&] { drop_opening(l, key()); });
    };
    if_opens(l, node, opens, [&] { drop_opening(l, key()); });
    l.finish(l.body.place.span);
}

void close_pair(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way) {
    Lowering l(c, name, way, probe_row(c.body.place.kind).result);
    begin_close(l);
    where_called(l, [&] { close_key(l, node); });
    l.finish(l.body.place.span);
}

}  // namespace lt
