// Appends operations to a function of the IR. Nested blocks are built by handing in what fills them.
#pragma once

#include <functional>
#include <initializer_list>

#include "codegen/ir.h"
#include "runtime/host_calls.h"

namespace lt {

class Builder {
  public:
    explicit Builder(ir::Function& function) : function_(function), block_(&function.body) {}

    void at(Span span) { span_ = span; }
    Span where() const { return span_; }

    ir::Value constant(int64_t n);
    ir::Value text(uint32_t index);
    ir::Value map(uint32_t index);
    ir::Value context();
    ir::Value param(uint32_t offset);
    ir::Value buffer(uint32_t size);
    // With whatever lies there: for what is written before it is read, and too large for the stack.
    ir::Value uncleared(uint32_t size);
    ir::Value address(ir::Value base, uint32_t offset);
    ir::Value address_plus(ir::Value base, ir::Value distance);
    ir::Value alu(ir::Alu op, ir::Value a, ir::Value b);
    ir::Value extend(ir::Value v, uint8_t width, bool is_signed);
    uint32_t new_slot() { return function_.slots++; }
    ir::Value read(uint32_t slot);
    void write(uint32_t slot, ir::Value v);
    ir::Value relocation(uint32_t index);
    ir::Value fetch(ir::Value address, uint8_t width, bool is_signed, bool user, uint32_t loss);
    ir::Value load(ir::Value address, uint32_t offset, uint8_t width = 8, bool is_signed = false);
    void store(ir::Value address, uint32_t offset, ir::Value v, uint8_t width = 8);
    void copy(ir::Value to, uint32_t offset, ir::Value from, uint32_t size);
    ir::Value argument(uint32_t n);
    ir::Value stopping();
    void halt();
    ir::Value frame();
    ir::Value result();
    ir::Value field(uint32_t offset, uint8_t width, bool is_signed);
    ir::Value helper(int number, std::initializer_list<ir::Value> in = {});
    ir::Value host(HostCall what, std::initializer_list<ir::Value> in);
    ir::Value find(uint32_t map, ir::Value key);
    ir::Value find_on_cpu(uint32_t map, ir::Value key, ir::Value cpu);
    ir::Value call(ir::Library f, std::initializer_list<ir::Value> in);
    ir::Value c_call(uint32_t function, const std::vector<ir::Value>& in, uint32_t loss);
    ir::Value reserve(uint32_t ring, uint32_t event);
    void submit(ir::Value record, ir::Value flags);
    void loss(uint32_t index);
    void leave();
    void branch(ir::Value condition, const std::function<void()>& yes, const std::function<void()>& no = {});

    void loop(ir::Value times, const std::function<void()>& body);
    void each(uint32_t map, const std::function<void()>& body);
    ir::Value turn(uint32_t n = 0);
    void stop();
    void scope(const std::function<void(uint32_t)>& body);  // gets what quit() takes
    void quit(uint32_t scope);
    uint32_t new_scope() { return ++scopes_; }
    void wrap(uint32_t scope);  // puts all that there is so far into this one

    // Buffers made by `work` are free again after it.
    void with_buffers(const std::function<void()>& work);
    uint32_t frame_size() const;  // with the words that loops share
    bool has_loops() const;
    int64_t loop_frames() const { return loop_frames_; }  // that the loops around this have on the stack
    const ir::Block& body() const { return function_.body; }
    uint32_t shared_size() const;  // bytes of the words that loops share
    // The buffers of the whole function lie in a scratch, not on the stack.
    void frame_in(uint32_t scratch, uint32_t loss) { function_.scratch = scratch, function_.scratch_loss = loss; }

  private:
    ir::Op& add(ir::Code code, std::initializer_list<ir::Value> in = {});
    void nest(ir::Op op, const std::function<void()>& body);
    uint32_t scopes_ = 0;
    ir::Function& function_;
    ir::Block* block_;
    Span span_;
    uint32_t buffered_ = 0;  // of the frame, now
    int64_t loop_frames_ = 0;
};

}  // namespace lt
