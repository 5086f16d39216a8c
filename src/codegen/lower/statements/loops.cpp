#include "codegen/lower/statements/loops.h"

#include "codegen/lower/maps/walk.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/statements/statement.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

constexpr int64_t most_turns = 1 << 20;    // of a `while`: about 10 ms
constexpr int64_t most_counted = 1 << 23;  // the limit of bpf_loop
constexpr int64_t most_on_host = UINT32_MAX;

}  // namespace

void run_turn(Lowering& l, const ast::Block& body) {
    l.b.scope([&](uint32_t next) {
        l.loops.push_back({std::nullopt, next});
        l.printed_maps.clear();  // a turn also follows a turn
        lower_block(l, body);
        l.loops.pop_back();
    });
}

// Ends the loop at turn `most`, and counts that in losses[cut].
void end_at(Lowering& l, ir::Value most, uint32_t cut) {
    l.b.branch(l.b.alu(ir::Alu::eq, l.b.turn(), most), [&] {
        l.b.loss(cut);
        l.b.stop();
    });
}

void statement(Lowering& l, const ast::Stmt&, const ast::While& node) {
    const uint32_t cut = l.unit.loss(LossKind::loop_cut, 0);
    const int64_t most = l.on_host() ? most_on_host - 1 : l.b.loops().own ? most_own_turns : most_turns;
    auto run = [&] {
        l.b.with_buffers([&] { l.b.branch(truth(l, integer_of(l, node.condition)), [] {}, [&] { l.b.stop(); }); });
        end_at(l, l.b.constant(most), cut);
        run_turn(l, node.body);
    };
    l.b.loop(l.b.constant(most + 1), run, cut);
}

void statement(Lowering& l, const ast::Stmt& stmt, const ast::ForRange& node) {
    const uint32_t cut = l.unit.loss(LossKind::loop_cut, 0);
    const ir::Value from = integer_of(l, node.from), to = integer_of(l, node.to);
    const uint32_t count = l.b.new_slot(), too_many = l.b.new_slot();
    l.b.write(count, l.b.constant(0));
    l.b.branch(l.b.alu(ir::Alu::slt, from, to), [&] { l.b.write(count, l.b.alu(ir::Alu::sub, to, from)); });
    const bool own = l.b.loops().own;
    const int64_t most = l.on_host() ? most_on_host : own ? most_own_turns : most_counted;
    l.b.write(too_many, l.b.alu(ir::Alu::ugt, l.b.read(count), l.b.constant(most)));
    // an inline loop ends where it would go on, another one after its last turn: nothing is lost by a `break`
    l.b.branch(l.b.read(too_many), [&] { l.b.write(count, l.b.constant(own ? most + 1 : most)); });
    const uint32_t local = l.declared(stmt);
    auto run = [&] {
        if (own) end_at(l, l.b.constant(most), cut);
        set_local(l, local, l.b.alu(ir::Alu::add, from, l.b.turn()));
        run_turn(l, node.body);
        if (own) return;
        l.b.branch(l.b.alu(ir::Alu::eq, l.b.turn(), l.b.constant(most - 1)),
                   [&] { l.b.branch(l.b.read(too_many), [&] { l.b.loss(cut); }); });
    };
    l.b.loop(l.b.read(count), run, cut);
}

void statement(Lowering& l, const ast::Stmt& stmt, const ast::ForMap& node) {
    if (l.on_host()) return walk_map(l, stmt, node);
    if (!l.unit.typed.abilities.map_walk)
        l.unit.diags.error(stmt.span, "BPF programs of this kernel cannot loop over maps (needs Linux 5.13)").hint =
            "loop in `END`, which lt itself runs, or print the map with `print(@map)`";
    const uint32_t local = l.declared(stmt);
    l.b.each(std::get<MapUse>(l.use(node.map)).index, [&] {
        l.pairs[local] = {l.b.turn(0), l.b.turn(1)};
        run_turn(l, node.body);
    });
}

void statement(Lowering& l, const ast::Stmt&, const ast::Unroll& node) {
    const uint64_t count = std::get<ast::Integer>(l.program[node.count].node).value;
    l.b.scope([&](uint32_t leave) {
        for (uint64_t i = 0; i < count; i++) {
            l.b.scope([&](uint32_t next) {
                l.loops.push_back({leave, next});
                l.printed_maps.clear();
                lower_block(l, node.body);
                l.loops.pop_back();
            });
        }
    });
}

void statement(Lowering& l, const ast::Stmt&, const ast::Jump& node) {
    const LoopAround& around = l.loops.back();
    if (node.again) return l.b.quit(around.next);
    around.leave ? l.b.quit(*around.leave) : l.b.stop();
}

}  // namespace lt
