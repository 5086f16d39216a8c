// Finds the state that loop bodies share with the code around them: a value that is made outside of the loop that uses
// it, and a slot that two functions use.

#include "codegen/ir/ir.h"

namespace lt::ir {
namespace {

class Finder {
  public:
    explicit Finder(const Function& f) {
        out_.values.assign(f.values, Shared::none);
        out_.homes.assign(f.values, nullptr);
        out_.slots.assign(f.slots, Shared::none);
        seen_.resize(f.slots);
        codes_.assign(f.values, Code::leave);
        block(f.body, nullptr);
        if (!out_.loops) return;
        out_.context = word();
        if (f.scratch) out_.room = word();
        out_.target = word();
    }
    Shared take() { return std::move(out_); }

  private:
    struct Seen {
        bool used = false;
        const Op* loop = nullptr;
    };

    uint32_t word() { return out_.words++; }

    void block(const Block& b, const Op* loop) {
        for (const Op& op : b) operation(op, loop);
    }

    void operation(const Op& op, const Op* loop) {
        for (Value v : op.in) {
            if (out_.homes[v] != loop && !is_remade(codes_[v]) && out_.values[v] == Shared::none)
                out_.values[v] = word();
        }
        if (op.id != no_value) {
            out_.homes[op.id] = loop;
            codes_[op.id] = op.code;
        }
        if (op.code == Code::slot_read || op.code == Code::slot_write) slot(op.symbol, loop);
        const bool is_loop = (op.code == Code::loop && op.number == 0) || op.code == Code::each;
        out_.loops |= is_loop;
        for (const Block& b : op.blocks) block(b, is_loop ? &op : loop);
    }

    void slot(uint32_t slot, const Op* loop) {
        Seen& seen = seen_[slot];
        if (seen.used && seen.loop != loop && out_.slots[slot] == Shared::none) out_.slots[slot] = word();
        seen = {true, loop};
    }

    Shared out_;
    std::vector<Seen> seen_;
    std::vector<Code> codes_;
};

}  // namespace

bool is_remade(Code code) {
    return code == Code::constant || code == Code::text || code == Code::map || code == Code::context ||
           code == Code::param || code == Code::buffer;
}

Shared shared(const Function& function) { return Finder(function).take(); }

}  // namespace lt::ir
