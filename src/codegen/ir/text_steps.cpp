#include "codegen/ir/text_steps.h"

#include <algorithm>
#include <map>

namespace lt::ir {
namespace {

constexpr uint64_t most_steps = 1024;  // inline, in one program

// The number of bytes that the string calls of a function examine, one after the other.
class Steps {
  public:
    explicit Steps(const Function& f) { block(f.body); }
    uint64_t count() const { return count_; }

  private:
    void block(const Block& all) {
        for (const Op& op : all) {
            if (op.code == Code::constant) constants_[op.id] = static_cast<uint64_t>(op.number);
            if (op.code == Code::call) call(op);
            for (const Block& inner : op.blocks) block(inner);
        }
    }
    // The verifier follows each comparison of a search; for a number, it follows each digit with each sign and base.
    void call(const Op& op) {
        const auto id = static_cast<Library>(op.symbol);
        uint64_t steps = 0;
        for (const TextRow& row : text_rows) {
            if (row.id == id) steps = std::max<uint64_t>(steps, 1) * constants_[op.in[row.size]];
        }
        if (id == Library::number) steps *= 16;
        if (id == Library::compare || id == Library::bytes_compare) steps = 2 * constants_[op.in[2]];
        count_ += steps;
    }
    std::map<Value, uint64_t> constants_;
    uint64_t count_ = 0;
};

bool is_called(const Op& op) {
    const bool in_kernel = (op.code == Code::loop && op.number == 0) || op.code == Code::each;
    const auto takes_text = [&](const TextRow& row) { return row.id == static_cast<Library>(op.symbol); };
    return in_kernel || (op.code == Code::call && std::ranges::any_of(text_rows, takes_text));
}

void nest(const Block& all, Nesting around, bool text_apart, Nesting& most) {
    for (const Op& op : all) {
        Nesting here = around;
        if (is_called(op) && (op.code != Code::call || text_apart)) here = {around.calls + 1, op.span};
        if (here.calls > most.calls) most = here;
        for (const Block& inner : op.blocks) nest(inner, here, text_apart, most);
    }
}

}  // namespace

bool is_long(const Function& f) { return Steps(f).count() > most_steps; }

Nesting nesting(const Function& f) {
    Nesting most;
    nest(f.body, {}, is_long(f), most);
    return most;
}

}  // namespace lt::ir
