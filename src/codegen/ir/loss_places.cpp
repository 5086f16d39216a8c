#include "codegen/ir/loss_places.h"

#include <algorithm>
#include <vector>

#include "codegen/ir/follow.h"
#include "runtime/border/loss_subject.h"

namespace lt {
namespace {

class Places {
  public:
    Places(std::vector<PlannedLoss>& losses, const Source& source) : losses_(losses), source_(source) {}

    void go_through(ir::Block& block) {
        for (ir::Op& op : block) {
            const bool counts = op.code == ir::Code::fetch || op.code == ir::Code::loss;
            if (counts && op.symbol != ir::cannot_fail) op.symbol = own_counter(op.symbol, op.span);
            const bool is_cut = op.code == ir::Code::loop && op.symbol != 0;
            if (is_cut) op.symbol = own_counter(op.symbol - 1, op.span) + 1;
            for (ir::Block& inner : op.blocks) go_through(inner);
        }
    }

  private:
    // Losses of a span or of the whole run have no single location.
    static bool has_place(LossKind kind) {
        return kind == LossKind::failed_read || kind == LossKind::zero_divisor || kind == LossKind::zero_divisor_one ||
               kind == LossKind::loop_cut;
    }

    uint32_t own_counter(uint32_t index, Span span) {
        const LossKind kind = losses_[index].kind;
        if (!has_place(kind) || source_.name_at(span.begin) != source_.name) return index;
        const Position at = source_.position(span.begin);
        if (at.line >= most_loss_columns || at.column >= most_loss_columns) return index;
        const uint32_t subject = loss_subject({at.line, at.column});
        const auto existing = std::ranges::find_if(
            losses_, [&](const PlannedLoss& loss) { return loss.kind == kind && loss.subject == subject; });
        if (existing != losses_.end()) return static_cast<uint32_t>(existing - losses_.begin());
        losses_.push_back({kind, subject});
        return static_cast<uint32_t>(losses_.size() - 1);
    }

    std::vector<PlannedLoss>& losses_;
    const Source& source_;
};

}  // namespace

void count_by_place(ir::Program& program, std::vector<PlannedLoss>& losses, const Source& source) {
    Places places(losses, source);
    for (ir::Function& function : program.functions) places.go_through(function.body);
}

}  // namespace lt
