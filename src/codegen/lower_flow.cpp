// Loops and blocks. Every loop has an end that the kernel can see: bpf_loop takes a number of turns. A `while` gets
// as many as a program may reasonably run; what is cut off there is counted and told.
#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int64_t most_turns = 1 << 20;    // of a `while`: some 10 ms
constexpr int64_t most_counted = 1 << 23;  // that bpf_loop takes
constexpr int64_t most_on_host = UINT32_MAX;
constexpr int64_t most_cpus = 8192;

}  // namespace

void BodyLowering::statement(const ast::Stmt&, const ast::Return& node) {
    if (calls_.empty()) {
        if (node.value && type(*node.value).kind == Kind::integer) integer(*node.value);
        return b_->leave();
    }
    const CallAround around = calls_.back();
    if (node.value && around.result) set_local(*around.result, *node.value);
    b_->quit(around.scope);
}

void BodyLowering::statement(const ast::Stmt& stmt, const ast::Let& node) {
    const uint32_t local = declared(stmt);
    if (node.value) return set_local(local, *node.value);
    const Type& kept = locals()[local].type;
    if (!in_memory(kept)) return set_local(local, b_->constant(0));
    b_->copy(local_buffers_[local], 0, b_->text(unit_.zeros(kept.size)), padded(kept.size));
}

void BodyLowering::statement(const ast::Stmt&, const ast::Scope& node) { block(node.body); }

void BodyLowering::statement(const ast::Stmt&, const ast::Jump& node) {
    const LoopAround& around = loops_.back();
    if (node.again) return b_->quit(around.next);
    around.leave ? b_->quit(*around.leave) : b_->stop();
}

// The body, with an end to which `continue` goes.
void BodyLowering::turn(const ast::Block& body) {
    b_->scope([&](uint32_t next) {
        loops_.push_back({std::nullopt, next});
        block(body);
        loops_.pop_back();
    });
}

void BodyLowering::statement(const ast::Stmt&, const ast::While& node) {
    const uint32_t cut = unit_.loss(LossKind::loop_cut, 0);
    const int64_t most = on_host() ? most_on_host - 1 : most_turns;
    b_->loop(b_->constant(most + 1), [&] {
        b_->with_buffers([&] { b_->branch(truth(integer(node.condition)), [] {}, [&] { b_->stop(); }); });
        b_->branch(b_->alu(ir::Alu::eq, b_->turn(), b_->constant(most)), [&] {
            b_->loss(cut);
            b_->stop();
        });
        turn(node.body);
    });
}

void BodyLowering::statement(const ast::Stmt& stmt, const ast::ForRange& node) {
    const ir::Value from = integer(node.from), to = integer(node.to);
    const uint32_t count = b_->new_slot();
    b_->write(count, b_->constant(0));
    b_->branch(b_->alu(ir::Alu::slt, from, to), [&] { b_->write(count, b_->alu(ir::Alu::sub, to, from)); });
    const ir::Value most = b_->constant(on_host() ? most_on_host : most_counted);
    b_->branch(b_->alu(ir::Alu::ugt, b_->read(count), most), [&] {
        b_->loss(unit_.loss(LossKind::loop_cut, 0));
        b_->write(count, most);
    });
    const uint32_t local = declared(stmt);
    b_->loop(b_->read(count), [&] {
        set_local(local, b_->alu(ir::Alu::add, from, b_->turn()));
        turn(node.body);
    });
}

void BodyLowering::statement(const ast::Stmt& stmt, const ast::ForMap& node) {
    if (on_host()) return walk(stmt, node);
    const uint32_t local = declared(stmt);
    b_->each(std::get<MapUse>(use(node.map)).index, [&] {
        pairs_[local] = {b_->turn(0), b_->turn(1)};
        turn(node.body);
    });
}

void BodyLowering::statement(const ast::Stmt&, const ast::Unroll& node) {
    const uint64_t count = std::get<ast::Integer>(program_[node.count].node).value;
    b_->scope([&](uint32_t leave) {
        for (uint64_t i = 0; i < count; i++) {
            b_->scope([&](uint32_t next) {
                loops_.push_back({leave, next});
                block(node.body);
                loops_.pop_back();
            });
        }
    });
}

void BodyLowering::run_block(const ast::BlockValue& node) {
    if (!node.is_call) return block(node.block);
    b_->scope([&](uint32_t scope) {
        const auto* result = node.value ? std::get_if<LocalUse>(&use(*node.value)) : nullptr;
        calls_.push_back({scope, result ? std::optional(result->index) : std::nullopt});
        const std::vector<LoopAround> around = std::exchange(loops_, {});
        block(node.block);
        loops_ = around;
        calls_.pop_back();
    });
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::BlockValue& node) {
    run_block(node);
    return node.value ? integer(*node.value) : b_->constant(0);
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::Positional&) { return b_->constant(0); }
ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Defined&) {
    return b_->constant(std::get<ConstantUse>(use(id)).value);
}

ir::Value BodyLowering::integer_of(ast::ExprId, const ast::AnyPart&) { return b_->constant(0); }

ir::Value BodyLowering::integer_of(ast::ExprId id, const ast::Step& node) {
    if (const auto* map = std::get_if<MapUse>(&use(node.target))) return step_map(id, node, map->index);
    const uint32_t local = std::get<LocalUse>(use(node.target)).index;
    const ir::Value before = b_->read(local_slots_[local]);
    set_local(local, arithmetic(node.op, locals()[local].type.is_signed, before, b_->constant(1)));
    return node.before ? b_->read(local_slots_[local]) : before;
}

// In one go with other CPUs: no two get the same value.
ir::Value BodyLowering::step_map(ast::ExprId, const ast::Step& node, uint32_t map) {
    const ir::Value change = b_->constant(node.op == ast::BinaryOp::add ? 1 : -1);
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    const ir::Value key = key_of(map, std::get<ast::Map>(program_[node.target].node));
    if (on_host() && !unit_.map(map).adder.empty()) {
        const ir::Value before = b_->host(HostCall::add, {b_->map(map), key, change});
        return node.before ? b_->alu(ir::Alu::add, before, change) : before;
    }
    with_slot(map, key, program_[node.target].span, [&](ir::Value slot) {
        const ir::Value before = b_->call(ir::Library::add_after, {slot, change});
        b_->write(result, node.before ? b_->alu(ir::Alu::add, before, change) : before);
    });
    return b_->read(result);
}

ir::Value BodyLowering::pair_bytes(const PairUse& pair) {
    const Pair& at = pairs_.at(pair.local);
    if (pair.is_value) return at.value;
    uint32_t offset = 0;
    for (uint32_t i = 0; i < pair.part; i++) offset += padded(unit_.map(pair.map).key[i].size);
    return offset == 0 ? at.key : b_->address(at.key, offset);
}

// The value stands behind the key, as in a tuple of the two.
void BodyLowering::pair_into(const PairUse& pair, ir::Value to, uint32_t room) {
    if (!pair.is_both) return b_->copy(to, 0, pair_bytes(pair), room);
    const PlannedMap& map = unit_.map(pair.map);
    const Pair& at = pairs_.at(pair.local);
    b_->copy(to, 0, at.key, map.key_size);
    if (in_memory(map.value)) return b_->copy(to, map.key_size, at.value, padded(map.value.size));
    b_->store(to, map.key_size, pair_integer({pair.local, pair.map, true, 0}));
}

ir::Value BodyLowering::pair_integer(const PairUse& pair) {
    const bool per_cpu = unit_.map(pair.map).value.kind == Kind::aggregation;
    if (pair.is_value && on_host() && per_cpu) return folded_there(unit_.map(pair.map).value, pair_bytes(pair));
    if (pair.is_value && per_cpu) return folded(pair.map, pairs_.at(pair.local).key);
    return b_->load(pair_bytes(pair), 0);
}

// ---- aggregations, added up over all CPUs

ir::Value BodyLowering::folded(uint32_t map, ir::Value key) {
    const Type& value = unit_.map(map).value;
    if (on_host()) return folded_at(map, stored(map, key));
    switch (value.aggregation) {
        case Aggregation::min:
        case Aggregation::max:
            return folded_extreme(map, key);
        case Aggregation::avg: {
            const ir::Value sum = folded_word(map, key, 0), count = folded_word(map, key, 8);
            return b_->call(ir::Library::divide, {sum, count});
        }
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::tseries:
        case Aggregation::stats:
        case Aggregation::dist:
        case Aggregation::samples:
            return folded_word(map, key, 0);
    }
    return b_->constant(0);
}

ir::Value BodyLowering::folded_word(uint32_t map, ir::Value key, uint32_t offset) {
    const uint32_t sum = b_->new_slot();
    b_->write(sum, b_->constant(0));
    b_->loop(b_->constant(most_cpus), [&] {
        const ir::Value slot = b_->find_on_cpu(map, key, b_->turn());
        b_->branch(
            slot, [&] { b_->write(sum, b_->alu(ir::Alu::add, b_->read(sum), b_->load(slot, offset))); },
            [&] { b_->stop(); });
    });
    return b_->read(sum);
}

// The largest in the order of order_flip; 0 where there is none.
ir::Value BodyLowering::folded_extreme(uint32_t map, ir::Value key) {
    const Type& value = unit_.map(map).value;
    const uint32_t most = b_->new_slot(), any = b_->new_slot();
    b_->write(most, b_->constant(0));
    b_->write(any, b_->constant(0));
    b_->loop(b_->constant(most_cpus), [&] {
        const ir::Value slot = b_->find_on_cpu(map, key, b_->turn());
        b_->branch(slot, [] {}, [&] { b_->stop(); });
        b_->branch(slot, [&] {
            const ir::Value order = b_->load(slot, 0);
            b_->write(any, b_->alu(ir::Alu::bit_or, b_->read(any), b_->load(slot, 8)));
            b_->branch(b_->alu(ir::Alu::ugt, order, b_->read(most)), [&] { b_->write(most, order); });
        });
    });
    const auto flip = static_cast<int64_t>(order_flip(value.aggregation, value.is_signed));
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    b_->branch(b_->read(any),
               [&] { b_->write(result, b_->alu(ir::Alu::bit_xor, b_->read(most), b_->constant(flip))); });
    return b_->read(result);
}

ir::Value BodyLowering::folded_most(uint32_t map, ir::Value key, uint32_t offset) {
    const uint32_t most = b_->new_slot();
    b_->write(most, b_->constant(0));
    b_->loop(b_->constant(most_cpus), [&] {
        const ir::Value slot = b_->find_on_cpu(map, key, b_->turn());
        b_->branch(slot, [] {}, [&] { b_->stop(); });
        b_->branch(slot, [&] {
            const ir::Value word = b_->load(slot, offset);
            b_->branch(b_->alu(ir::Alu::ugt, word, b_->read(most)), [&] { b_->write(most, word); });
        });
    });
    return b_->read(most);
}

}  // namespace lt
