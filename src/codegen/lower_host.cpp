// Blocks that lt itself runs: maps as a report sees them, loops over copies of them, and additions to what programs in
// the kernel count up, too.
#include <fmt/format.h>

#include "host.h"
#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr uint32_t handed_key = 16;  // in the map lt_handed, behind u64 n, u64 the value before

}  // namespace

// The value of a key, to be read only; an address or null.
ir::Value BodyLowering::stored(uint32_t map, ir::Value key) {
    if (!on_host()) return b_->find(map, key);
    read_maps_.insert(map);
    return b_->host(HostCall::read, {b_->map(map), key});
}

// One number of what a map collects, from what read or entry have folded.
ir::Value BodyLowering::folded_at(uint32_t map, ir::Value value) {
    const Type& type = unit_.map(map).value;
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    b_->branch(value, [&] { b_->write(result, folded_there(type, value)); });
    return b_->read(result);
}

ir::Value BodyLowering::folded_there(const Type& type, ir::Value value) {
    switch (type.aggregation) {
        case Aggregation::min:
        case Aggregation::max: {
            const uint32_t result = b_->new_slot();
            const auto flip = static_cast<int64_t>(order_flip(type.aggregation, type.is_signed));
            b_->write(result, b_->constant(0));
            b_->branch(b_->load(value, 8),
                       [&] { b_->write(result, b_->alu(ir::Alu::bit_xor, b_->load(value, 0), b_->constant(flip))); });
            return b_->read(result);
        }
        case Aggregation::avg:
            return b_->call(ir::Library::divide, {b_->load(value, 0), b_->load(value, 8)});
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::tseries:
        case Aggregation::stats:
        case Aggregation::dist:
        case Aggregation::samples:
            return b_->load(value, 0);
    }
    return b_->constant(0);
}

// The order, the most entries, and the parts of the key that are given: what `walk` takes behind the map.
ir::Value BodyLowering::begin_walk(const ast::ForMap& node, uint32_t map) {
    constexpr int64_t no_limit = -1;
    WalkOrder order;
    order.by = static_cast<uint8_t>(ast::MapOrder::By::key);
    if (node.order) {
        order.by = static_cast<uint8_t>(node.order->by);
        order.part = static_cast<uint8_t>(node.order->part ? *node.order->part + 1 : 0);
        order.descending = node.order->descending;
    }
    order.as_they_came = !node.order && unit_.map(map).keeps_order;
    ir::Value limit = node.limit ? integer(*node.limit) : b_->constant(no_limit);
    if (node.limit) limit = b_->alu(ir::Alu::mul, limit, b_->alu(ir::Alu::sgt, limit, b_->constant(0)));
    const std::vector<ast::ExprId>& given = std::get<ast::Map>(program_[node.map].node).key;
    const PlannedMap& m = unit_.map(map);
    int64_t parts = 0;
    uint32_t offset = 0;
    const ir::Value key = given.empty() ? b_->constant(0) : b_->buffer(padded(m.key_size));
    for (size_t i = 0; i < given.size(); i++) {
        if (!std::holds_alternative<ast::AnyPart>(program_[given[i]].node)) {
            parts |= int64_t{1} << i;
            value_into(given[i], key, offset, m.key[i]);
        }
        offset += padded(m.key[i].size);
    }
    return b_->host(HostCall::walk, {b_->map(map), b_->constant(order.packed()), limit, key, b_->constant(parts)});
}

void BodyLowering::walk(const ast::Stmt& stmt, const ast::ForMap& node) {
    const uint32_t map = std::get<MapUse>(use(node.map)).index, local = declared(stmt);
    const ir::Value walk = begin_walk(node, map);
    read_maps_.insert(map);
    b_->loop(b_->host(HostCall::count, {walk}), [&] {
        const ir::Value entry = b_->host(HostCall::entry, {walk, b_->turn()});
        pairs_[local] = {entry, b_->address(entry, unit_.map(map).key_size)};
        turn(node.body);
    });
    b_->host(HostCall::drop, {walk});
}

ir::Value BodyLowering::walk_length(uint32_t map) {
    const int64_t order = WalkOrder{static_cast<uint8_t>(ast::MapOrder::By::key), 0, false, true}.packed();
    const ir::Value walk = b_->host(
        HostCall::walk, {b_->map(map), b_->constant(order), b_->constant(-1), b_->constant(0), b_->constant(0)});
    const ir::Value count = b_->host(HostCall::count, {walk});
    b_->host(HostCall::drop, {walk});
    return count;
}

void BodyLowering::refuse_kernel(Span where) {
    const auto asked = asks_kernel(b_->body());
    if (!asked) return;
    if (!body_.only_host) return unit_.leave_to_kernel(number());
    unit_.diags
        .error(asked->begin == asked->end ? where : *asked,
               "lt itself runs this block, and only the kernel knows what this asks")
        .hint = "a loop in an order is why: ask in a probe of its own, and keep the answer in a map";
}

uint32_t Unit::handed(uint32_t key_size) {
    if (!handed_) {
        handed_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({std::string(handed_symbol), ir::Storage::array, 4, 0, 1, false});
    }
    ir::MapDefinition& map = out_.maps[*handed_];
    map.value_size = std::max(map.value_size, handed_key + key_size);
    return *handed_;
}

// lt writes into lt_handed what is to be added to which key, and runs the program of the map.
void additions(Unit& unit) {
    const std::vector<bool> both = counted_by_both(unit.program, unit.typed);
    for (uint32_t i = 0; i < both.size(); i++) {
        if (!both[i]) continue;
        PlannedMap& map = unit.map(i);
        map.adder = fmt::format("add_{}", i);
        Attachment a;
        a.program = map.adder;
        unit.internal_probe("an addition to " + map.name).rungs = {{Way::run, "", {a}}};
        const uint32_t handed = unit.handed(padded(map.key_size));
        const uint32_t zero = unit.zeros(map.value_size), first = unit.zeros(4);
        const uint32_t full = unit.loss(LossKind::map_full, i), starved = unit.loss(LossKind::map_no_memory, i);
        Builder b(unit.function(map.adder));
        const ir::Value record = b.find(handed, b.text(first));
        b.branch(record, [&] {
            const ir::Value slot = b.call(ir::Library::slot, {b.map(i), b.address(record, handed_key), b.text(zero),
                                                              b.constant(full), b.constant(starved)});
            if (map.keeps_order) b.branch(slot, [&] { note_arrival(b, map, slot); });
            b.branch(slot, [&] { b.store(record, 8, b.call(ir::Library::add_after, {slot, b.load(record, 0)})); });
        });
    }
}

}  // namespace lt
