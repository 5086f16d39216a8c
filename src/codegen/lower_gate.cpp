// The gate before what a probe does, through which the session lets one of so many events.
#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_get_prandom_u32 = 7;

}  // namespace

uint32_t Unit::left_out() {
    if (!left_out_) {
        left_out_ = static_cast<uint32_t>(out_.maps.size());
        out_.maps.push_back({std::string(left_out_symbol), ir::Storage::per_cpu_array, 4, 0, 1, false});
    }
    return *left_out_;
}

PlannedGate Unit::new_gate() {
    std::vector<uint8_t>& bytes = out_.plan.param_bytes;
    const PlannedGate gate{static_cast<uint32_t>(bytes.size()), gates_++};
    bytes.insert(bytes.end(), sizeof(uint64_t), 0);
    out_.maps[left_out()].value_size = sizeof(uint64_t) * gates_;
    return gate;
}

// By chance and not each Nth, for events can have a rhythm of their own.
void BodyLowering::gate(const std::function<void()>& work, const std::function<void()>& otherwise) {
    if (!gate_) return work();
    const uint32_t shut = b_->new_slot();
    b_->write(shut, b_->constant(0));
    const ir::Value share = b_->load(b_->param(gate_->share), 0);
    b_->branch(share, [&] {
        const ir::Value random = b_->extend(b_->helper(helper_get_prandom_u32), 4, false);
        const ir::Value next = b_->alu(ir::Alu::add, random, b_->constant(1));
        b_->write(shut, b_->alu(ir::Alu::uge, next, share));
    });
    const auto skips = [&] {
        const ir::Value page = b_->find(unit_.left_out(), b_->text(unit_.zeros(4)));
        b_->branch(page, [&] {
            const auto offset = static_cast<uint32_t>(sizeof(uint64_t)) * gate_->left_out;
            b_->call(ir::Library::add, {b_->address(page, offset), b_->constant(1), b_->constant(0)});
        });
        if (otherwise) otherwise();
    };
    b_->branch(b_->read(shut), skips, work);
}

}  // namespace lt
