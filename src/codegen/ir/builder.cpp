#include "codegen/ir/builder.h"

#include <algorithm>

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

ir::Value Builder::buffer(uint32_t size) {
    ir::Op& op = add(ir::Code::buffer);
    op.number = padded_size(size);
    op.offset = buffered_;
    buffered_ += padded_size(size);
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

void Builder::store_address(ir::Value address, uint32_t offset, ir::Value v) {
    loops_.hold_addresses = loops_.hold_addresses || loops_.frames > 0;
    store(address, offset, v);
}

void Builder::copy(ir::Value to, uint32_t offset, ir::Value from, uint32_t size) {
    ir::Op& op = add(ir::Code::copy, {to, from});
    op.offset = offset;
    op.number = padded_size(size);
}

ir::Value Builder::helper(int number, std::initializer_list<ir::Value> in) {
    ir::Op& op = add(ir::Code::helper, in);
    op.number = number;
    return op.id;
}

ir::Value Builder::find(uint32_t map, ir::Value key) {
    ir::Op& op = add(ir::Code::find, {key});
    op.symbol = map;
    return op.id;
}

ir::Value Builder::find(uint32_t map, ir::Value key, ir::Value cpu) {
    ir::Op& op = add(ir::Code::find, {key, cpu});
    op.symbol = map;
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

void Builder::nest(ir::Op op, const std::function<void()>& body) {
    op.span = span_;
    op.blocks.resize(1);
    ir::Block* const outer = block_;
    block_ = &op.blocks[0];
    body();
    block_ = outer;
    block_->push_back(std::move(op));
}

void Builder::loop(ir::Value times, const std::function<void()>& body, std::optional<uint32_t> cut) {
    ir::Op op;
    op.code = ir::Code::loop;
    op.in = {times};
    op.symbol = loops_.own && cut ? *cut + 1 : 0;
    op.number = loops_.own ? most_own_turns + 1 : 0;  // the last iteration of a `while` reports that it was cut
    const int64_t frames = loops_.own ? 0 : 1;        // the kernel calls the body from the program itself
    loops_.frames += frames;
    nest(std::move(op), body);
    loops_.frames -= frames;
}

void Builder::long_loop(ir::Value times, const std::function<void()>& body) {
    loops_.wanted |= loops_.own;
    loop(times, body);
}

void Builder::each(uint32_t map, const std::function<void()>& body) {
    ir::Op op;
    op.code = ir::Code::each;
    op.symbol = map;
    loops_.frames += 2;  // and here from a separate function
    nest(std::move(op), body);
    loops_.frames -= 2;
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
