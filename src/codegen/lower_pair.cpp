// Spans between two events: an opening for each key, in a hash that all their events share.
#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_map_delete_elem = 3;
constexpr int helper_ktime_get_ns = 5;
constexpr int helper_get_current_pid_tgid = 14;

}  // namespace

ir::Value BodyLowering::span_key(uint32_t span_index, const std::vector<ast::ExprId>& parts, size_t first) {
    const std::vector<Type>& types = unit_.span(span_index).key;
    uint32_t size = 0;
    for (const Type& t : types) size += padded(t.size);
    const ir::Value key = b_->buffer(size);
    if (parts.size() == first) {
        b_->store(key, 0, b_->extend(b_->helper(helper_get_current_pid_tgid), 4, false));
        return key;
    }
    uint32_t offset = 0;
    for (size_t i = first; i < parts.size(); i++) {
        const Type& t = types[i - first];
        value_into(parts[i], key, offset, t);
        offset += padded(t.size);
    }
    return key;
}

void BodyLowering::open_pair(const ast::SpanAction& node, const std::string& name, Way way) {
    begin(name, way, probe_row(body_.place.kind).result);
    closing_ = false;
    make_locals();
    const auto key = [&] { return span_key(body_.span, node.opens[body_.endpoint].key, 0); };
    const auto opens = [&] {
        book(0);
        gate([&] { keep_opening(key()); }, [&] { drop_opening(key()); });
    };
    if_opens(node, opens, [&] { drop_opening(key()); });
    finish(body_.place.span);
}

// Is the key open already? Then its opening, for what is used again; what it measured has been counted as lost.
ir::Value BodyLowering::reopened(ir::Value key) {
    return b_->call(ir::Library::pair_reopen, {b_->map(unit_.layout(body_.span).map), key,
                                               b_->constant(unit_.loss(LossKind::span_reopened, body_.span))});
}

void BodyLowering::keep_opening(ir::Value key) {
    const uint32_t size = unit_.span(body_.span).opening_size;
    const ir::Value made = b_->buffer(size);
    freeze(made);
    b_->store(made, frame_offset, b_->helper(helper_get_current_pid_tgid));
    const ir::Value again = reopened(key);
    const auto reuse = [&] {
        b_->copy(again, frame_offset, made, 8);
        b_->copy(again, span_opening_header, b_->address(made, span_opening_header), size - span_opening_header);
        b_->store(again, time_offset, b_->helper(helper_ktime_get_ns));
    };
    const auto add = [&] {
        b_->store(made, time_offset, b_->helper(helper_ktime_get_ns));
        b_->call(ir::Library::pair_open, {b_->map(unit_.layout(body_.span).map), key, made,
                                          b_->constant(unit_.loss(LossKind::span_no_room, body_.span))});
    };
    b_->branch(again, reuse, add);
}

// Of an event that does not open, by its predicate or by chance. What is open for its key was opened before it: the
// next close is this event's, and the time up to it would be nobody's latency.
void BodyLowering::drop_opening(ir::Value key) {
    b_->branch(reopened(key),
               [&] { b_->helper(helper_map_delete_elem, {b_->map(unit_.layout(body_.span).map), key}); });
}

void BodyLowering::close_pair(const ast::SpanAction& node, const std::string& name, Way way) {
    begin_close(name, way, probe_row(body_.place.kind).result);
    where_called([&] { close_key(node); });
    finish(body_.place.span);
}

void BodyLowering::close_key(const ast::SpanAction& node) {
    now_ = b_->helper(helper_ktime_get_ns);
    const ir::Value map = b_->map(unit_.layout(body_.span).map);
    const ir::Value key = span_key(body_.span, node.closes[body_.endpoint].key, 0);
    const Unmatched losses = unmatched(node);
    const uint32_t opened = b_->new_slot();
    b_->write(opened, b_->constant(0));
    const ir::Value opening = b_->find(unit_.layout(body_.span).map, key);
    b_->branch(opening, [&] {
        thaw(opening);  // before somebody else may use it again
        b_->write(opened, b_->call(ir::Library::pair_claim, {opening}));
    });
    const auto closed = [&] {
        b_->helper(helper_map_delete_elem, {map, key});
        close(node, b_->read(opened));
    };
    b_->branch(b_->read(opened), closed,
               [&] { b_->call(ir::Library::unmatched, {losses.no_entry, losses.no_room, losses.unmeasured}); });
}

}  // namespace lt
