#include "codegen/lower/spans/opening.h"

#include <algorithm>
#include <functional>

#include "codegen/ir/outside.h"
#include "codegen/lower/conditions.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/spans/clock.h"
#include "codegen/lower/spans/keep.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/statements/statement.h"
#include "codegen/lower/system_calls.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/value.h"
#include "runtime/border/run_words.h"

namespace lt {
namespace {

constexpr int64_t no_loss = 0xffffffff;

// The type in whose layout an opening has it.
const Type& frozen_type(const Lowering& l, const FrozenValue& f) { return f.joined ? *f.joined : l.type(f.expr); }

void make_thawed(Lowering& l) {
    l.latency_slot = l.b.new_slot();
    for (const FrozenValue& f : l.unit.layout(l.body.span).frozen) {
        const bool text = in_memory(frozen_type(l, f));
        l.thawed.push_back(text ? Thawed{0, l.b.buffer(f.room)} : Thawed{l.b.new_slot(), ir::no_value});
    }
}

}  // namespace

// While the session detaches, closing probes may already be gone: a new opening would seem to never return. In a pause
// they are attached, and the next close of this event's key must not be measured from an older opening.
void if_opens(Lowering& l, const ast::SpanAction& node, const std::function<void()>& work,
              const std::function<void()>& refused) {
    const auto if_true = [&](const std::optional<ast::ExprId>& predicate, const std::function<void()>& then) {
        predicate ? l.b.branch(truth(l, integer_of(l, *predicate)), then, refused) : then();
    };
    const auto own = node.opens[l.body.endpoint].predicate;
    const auto if_predicates = [&] { if_true(own, [&] { if_true(node.predicate, work); }); };
    // The key of another process's event may be open. Its calls are in other threads.
    const auto untraced = l.body.role == Role::open ? refused : std::function<void()>();
    const auto stopped = [&] {
        if (untraced) l.b.branch(l.b.alu(ir::Alu::eq, ir::stopping(l.b), l.b.constant(run_is_paused)), untraced);
    };
    where_called(l, [&] { l.b.branch(ir::stopping(l.b), stopped, [&] { where_traced(l, if_predicates, untraced); }); });
}

// Counts nothing if some openings are skipped on purpose.
Unmatched unmatched_losses(Lowering& l, const ast::SpanAction& node) {
    const bool filtered = l.unit.typed.traced.by != TracedBy::all ||
                          std::any_of(node.opens.begin(), node.opens.end(),
                                      [](const ast::Endpoint& e) { return e.predicate.has_value(); });
    const auto loss = [&](LossKind kind) {
        return l.b.constant(node.predicate || filtered || l.unit.typed.sampled ? no_loss
                                                                               : l.unit.loss(kind, l.body.span));
    };
    return {loss(LossKind::span_no_entry), loss(LossKind::span_no_room), loss(LossKind::span_unmeasured),
            l.b.constant(skips_own(l) ? 1 : 0)};
}

void note_in_books(Lowering& l, uint32_t offset) {
    const ir::Value page = l.b.find(books_map(l.unit), l.b.text(l.unit.zeros(4)));
    l.b.branch(page, [&] {
        l.b.call(ir::Library::add, {l.b.address(page, book_size * l.body.span + offset), l.b.constant(1),
                                    l.b.constant(l.unit.exclusive.books(l.body.span, l.way, l.body.place))});
    });
}

// A failed read here is not an error of the run: an opening that was left half initialized would be measured from the
// time of an older one. The value is zero, and the failure is counted.
void freeze(Lowering& l, ir::Value opening) {
    for (const FrozenValue& f : l.unit.layout(l.body.span).frozen) {
        if (l.type(f.expr).kind == Kind::none) continue;  // in a branch that this body never takes
        const Type& type = frozen_type(l, f);
        const auto forget = [&] { l.b.copy(opening, f.offset, l.b.text(l.unit.zeros(f.room)), f.room); };
        const auto keep = [&] {
            if (in_memory(type)) forget();
            value_into(l, f.expr, opening, f.offset, type);
        };
        if (!l.raises()) {
            keep();
            continue;
        }
        l.b.scope([&](uint32_t done) {
            l.b.scope([&](uint32_t failed) {
                l.attempts.push_back({failed, {}});
                keep();
                l.attempts.pop_back();
                l.b.quit(done);
            });
            forget();
            l.b.loss(l.unit.loss(LossKind::failed_read, 0));
        });
    }
}

void begin_close(Lowering& l) {
    l.closing = true;
    make_locals(l);
    make_thawed(l);
}

void thaw(Lowering& l, ir::Value opening) {
    const std::vector<FrozenValue>& all = l.unit.layout(l.body.span).frozen;
    for (size_t i = 0; i < all.size(); i++) {
        if (in_memory(frozen_type(l, all[i]))) {
            l.b.copy(l.thawed[i].buffer, 0, l.b.address(opening, all[i].offset), all[i].room);
        } else {
            l.b.write(l.thawed[i].slot, l.b.load(opening, all[i].offset));
        }
    }
    explain(l, opening);
    note_opener(l, opening);
}

// The clocks of different CPUs disagree: a negative difference is not a latency.
void finish_close(Lowering& l, const ast::SpanAction& node, ir::Value opened) {
    const auto in_order = [&] {
        note_in_books(l, book_closed);
        l.b.write(l.latency_slot, l.b.alu(ir::Alu::sub, l.now, opened));
        record_close(l);
        const auto body = [&] {
            unless_stopped(l, [&] {
                report_longest_wait(l, opened);
                lower_block(l, node.body);
            });
        };
        if (const auto worst = l.unit.typed.spans[l.body.span].worst) {
            return l.b.branch(
                l.b.call(ir::Library::exceed, {ir::param(l.b, l.unit.param(*worst)), l.b.read(l.latency_slot)}), body);
        }
        if (!node.threshold) return body();
        const ir::Value threshold = integer_of(l, *node.threshold);
        l.b.branch(l.b.alu(ir::Alu::sgt, l.b.read(l.latency_slot), threshold), body);
    };
    l.b.branch(l.b.alu(ir::Alu::uge, l.now, opened), in_order,
               [&] { l.b.loss(l.unit.loss(LossKind::span_clock, l.body.span)); });
}

std::optional<size_t> frozen_index(const Lowering& l, ast::ExprId id) {
    if (!l.closing) return {};
    const std::string source = frozen_source(l.program, id, l.body.role != Role::call);
    if (source.empty()) return {};
    const std::vector<FrozenValue>& all = l.unit.layout(l.body.span).frozen;
    const auto found = std::find_if(all.begin(), all.end(), [&](const FrozenValue& f) { return f.source == source; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<size_t>(found - all.begin()));
}

}  // namespace lt
