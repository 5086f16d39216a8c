#include "builder.h"

#include <algorithm>

#include "operators.h"

namespace lt {

ir::Op& Builder::add(ir::Code code, std::initializer_list<ir::Value> in) {
    ir::Op op;
    op.code = code;
    op.span = span_;
    op.in = in;
    if (ir::code_row(code).result) op.id = function_.values++;
    block_->push_back(std::move(op));
    return block_->back();
}

ir::Value Builder::constant(int64_t n) {
    ir::Op& op = add(ir::Code::constant);
    op.number = n;
    return op.id;
}

ir::Value Builder::text(uint32_t index) {
    ir::Op& op = add(ir::Code::text);
    op.symbol = index;
    return op.id;
}

ir::Value Builder::map(uint32_t index) {
    ir::Op& op = add(ir::Code::map);
    op.symbol = index;
    return op.id;
}

ir::Value Builder::context() { return add(ir::Code::context).id; }

ir::Value Builder::param(uint32_t offset) {
    ir::Op& op = add(ir::Code::param);
    op.offset = offset;
    return op.id;
}

ir::Value Builder::buffer(uint32_t size) {
    ir::Op& op = add(ir::Code::buffer);
    op.number = padded(size);
    op.offset = buffered_;
    buffered_ += padded(size);
    function_.frame = std::max(function_.frame, buffered_);
    return op.id;
}

ir::Value Builder::uncleared(uint32_t size) {
    const ir::Value at = buffer(size);
    block_->back().number = 0;
    return at;
}

void Builder::with_buffers(const std::function<void()>& work) {
    const uint32_t before = buffered_;
    work();
    buffered_ = before;
}

ir::Value Builder::address(ir::Value base, uint32_t offset) {
    ir::Op& op = add(ir::Code::at, {base});
    op.offset = offset;
    return op.id;
}

ir::Value Builder::address_plus(ir::Value base, ir::Value distance) { return add(ir::Code::at, {base, distance}).id; }

ir::Value Builder::alu(ir::Alu code, ir::Value a, ir::Value b) {
    ir::Op& op = add(ir::Code::alu, {a, b});
    op.alu = code;
    return op.id;
}

ir::Value Builder::extend(ir::Value v, uint8_t width, bool is_signed) {
    if (width >= 8) return v;
    ir::Op& op = add(ir::Code::extend, {v});
    op.width = width;
    op.is_signed = is_signed;
    return op.id;
}

ir::Value Builder::read(uint32_t slot) {
    ir::Op& op = add(ir::Code::slot_read);
    op.symbol = slot;
    return op.id;
}

void Builder::write(uint32_t slot, ir::Value v) { add(ir::Code::slot_write, {v}).symbol = slot; }

ir::Value Builder::relocation(uint32_t index) {
    ir::Op& op = add(ir::Code::relocation);
    op.symbol = index;
    return op.id;
}

ir::Value Builder::fetch(ir::Value address, uint8_t width, bool is_signed, bool user, uint32_t loss) {
    ir::Op& op = add(ir::Code::fetch, {address});
    op.width = width;
    op.is_signed = is_signed;
    op.number = user ? 1 : 0;
    op.symbol = loss;
    return op.id;
}

ir::Value Builder::load(ir::Value address, uint32_t offset, uint8_t width, bool is_signed) {
    ir::Op& op = add(ir::Code::load, {address});
    op.offset = offset;
    op.width = width;
    op.is_signed = is_signed;
    return op.id;
}

void Builder::store(ir::Value address, uint32_t offset, ir::Value v, uint8_t width) {
    ir::Op& op = add(ir::Code::store, {address, v});
    op.offset = offset;
    op.width = width;
}

void Builder::copy(ir::Value to, uint32_t offset, ir::Value from, uint32_t size) {
    ir::Op& op = add(ir::Code::copy, {to, from});
    op.offset = offset;
    op.number = padded(size);
}

ir::Value Builder::argument(uint32_t n) {
    ir::Op& op = add(ir::Code::argument);
    op.number = n;
    return op.id;
}

ir::Value Builder::stopping() { return add(ir::Code::stopping).id; }

void Builder::halt() { add(ir::Code::halt); }

ir::Value Builder::frame() { return add(ir::Code::frame).id; }

ir::Value Builder::result() { return add(ir::Code::result).id; }

ir::Value Builder::field(uint32_t offset, uint8_t width, bool is_signed) {
    ir::Op& op = add(ir::Code::field);
    op.offset = offset;
    op.width = width;
    op.is_signed = is_signed;
    return op.id;
}

ir::Value Builder::helper(int number, std::initializer_list<ir::Value> in) {
    ir::Op& op = add(ir::Code::helper, in);
    op.number = number;
    return op.id;
}

ir::Value Builder::host(HostCall what, std::initializer_list<ir::Value> in) {
    ir::Op& op = add(ir::Code::host, in);
    op.symbol = static_cast<uint32_t>(what);
    return op.id;
}

ir::Value Builder::find(uint32_t map, ir::Value key) {
    ir::Op& op = add(ir::Code::find, {key});
    op.symbol = map;
    return op.id;
}

ir::Value Builder::find_on_cpu(uint32_t map, ir::Value key, ir::Value cpu) {
    ir::Op& op = add(ir::Code::find, {key, cpu});
    op.symbol = map;
    return op.id;
}

ir::Value Builder::c_call(uint32_t function, const std::vector<ir::Value>& in, uint32_t loss) {
    ir::Op& op = add(ir::Code::c_call);
    op.in = in;
    op.symbol = function;
    op.number = loss;
    return op.id;
}

ir::Value Builder::call(ir::Library f, std::initializer_list<ir::Value> in) {
    ir::Op& op = add(ir::Code::call, in);
    op.symbol = static_cast<uint32_t>(f);
    if (!ir::library_row(f).result) {
        op.id = ir::no_value;
        function_.values--;
    }
    return op.id;
}

ir::Value Builder::reserve(uint32_t ring, uint32_t event) {
    ir::Op& op = add(ir::Code::reserve);
    op.number = ring;
    op.symbol = event;
    return op.id;
}

void Builder::submit(ir::Value record, ir::Value flags) { add(ir::Code::submit, {record, flags}); }

void Builder::loss(uint32_t index) { add(ir::Code::loss).symbol = index; }

void Builder::leave() { add(ir::Code::leave); }

void Builder::branch(ir::Value condition, const std::function<void()>& yes, const std::function<void()>& no) {
    ir::Op op;
    op.code = ir::Code::branch;
    op.span = span_;
    op.in = {condition};
    op.blocks.resize(2);
    ir::Block* const outer = block_;
    block_ = &op.blocks[0];
    yes();
    block_ = &op.blocks[1];
    if (no) no();
    block_ = outer;
    block_->push_back(std::move(op));
}

bool Builder::has_loops() const { return ir::shared(function_).loops; }

// The word for the place of buffers that are not on the stack is counted, too.
uint32_t Builder::shared_size() const { return has_loops() ? 8 * (ir::shared(function_).words + 1) : 0; }

uint32_t Builder::frame_size() const { return function_.frame + 8 * ir::shared(function_).words; }

void Builder::nest(ir::Op op, const std::function<void()>& body) {
    op.span = span_;
    op.blocks.resize(1);
    ir::Block* const outer = block_;
    block_ = &op.blocks[0];
    body();
    block_ = outer;
    block_->push_back(std::move(op));
}

void Builder::loop(ir::Value times, const std::function<void()>& body) {
    ir::Op op;
    op.code = ir::Code::loop;
    op.in = {times};
    loop_frames_ += 1;  // the kernel calls the body from the program itself
    nest(std::move(op), body);
    loop_frames_ -= 1;
}

void Builder::each(uint32_t map, const std::function<void()>& body) {
    ir::Op op;
    op.code = ir::Code::each;
    op.symbol = map;
    loop_frames_ += 2;  // and here from a function of its own
    nest(std::move(op), body);
    loop_frames_ -= 2;
}

ir::Value Builder::turn(uint32_t n) {
    ir::Op& op = add(ir::Code::turn);
    op.number = n;
    return op.id;
}

void Builder::stop() { add(ir::Code::stop); }

void Builder::scope(const std::function<void(uint32_t)>& body) {
    ir::Op op;
    op.code = ir::Code::scope;
    op.symbol = ++scopes_;
    const uint32_t number = op.symbol;
    nest(std::move(op), [&] { body(number); });
}

void Builder::wrap(uint32_t scope) {
    ir::Op op;
    op.code = ir::Code::scope;
    op.symbol = scope;
    op.span = span_;
    op.blocks.push_back(std::exchange(function_.body, {}));
    function_.body.push_back(std::move(op));
}

void Builder::quit(uint32_t scope) { add(ir::Code::quit).symbol = scope; }

}  // namespace lt
