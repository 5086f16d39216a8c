#include "codegen/ir/outside.h"

namespace lt::ir {

Value context(Builder& b) { return b.add(Code::context).id; }

Value param(Builder& b, uint32_t offset) {
    Op& op = b.add(Code::param);
    op.offset = offset;
    return op.id;
}

Value argument(Builder& b, uint32_t n) {
    Op& op = b.add(Code::argument);
    op.number = n;
    return op.id;
}

Value field(Builder& b, uint32_t offset, uint8_t width, bool is_signed) {
    Op& op = b.add(Code::field);
    op.offset = offset;
    op.width = width;
    op.is_signed = is_signed;
    return op.id;
}

Value result(Builder& b) { return b.add(Code::result).id; }

Value frame(Builder& b) { return b.add(Code::frame).id; }

Value relocation(Builder& b, uint32_t index) {
    Op& op = b.add(Code::relocation);
    op.symbol = index;
    return op.id;
}

Value stopping(Builder& b) { return b.add(Code::stopping).id; }

void halt(Builder& b) { b.add(Code::halt); }

Value host(Builder& b, HostCall what, std::initializer_list<Value> in) {
    Op& op = b.add(Code::host, in);
    op.symbol = static_cast<uint32_t>(what);
    return op.id;
}

Value c_call(Builder& b, uint32_t function, const std::vector<Value>& in, uint32_t loss) {
    Op& op = b.add(Code::c_call);
    op.in = in;
    op.symbol = function;
    op.number = loss;
    return op.id;
}

Value reserve(Builder& b, uint32_t ring, uint32_t event) {
    Op& op = b.add(Code::reserve);
    op.number = ring;
    op.symbol = event;
    return op.id;
}

void submit(Builder& b, Value record, Value flags) { b.add(Code::submit, {record, flags}); }

}  // namespace lt::ir
