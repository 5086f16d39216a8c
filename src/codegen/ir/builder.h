// Appends operations to an IR function. Nested blocks are built by callbacks. Operations that refer to the outside of
// the function are in codegen/ir/outside.h.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>

#include "codegen/ir/ir.h"

namespace lt {

class Builder {
  public:
    struct Loops {
        bool own = false;     // inline; otherwise the kernel calls their bodies
        bool wanted = false;  // did one need more iterations than an inline loop can run?
        // Does a loop store an address in a buffer? The verifier forbids it if buffers are on the caller's stack.
        bool hold_addresses = false;
        int64_t frames = 0;  // stack frames of the loops around the current position
    };

    explicit Builder(ir::Function& function, bool own_loops = false)
        : function_(function), block_(&function.body), loops_{.own = own_loops} {}

    // Adds an operation, with a value if its code has one. The reference is valid until the next one is added.
    ir::Op& add(ir::Code code, std::initializer_list<ir::Value> in = {});

    void at(Span span) { span_ = span; }
    Span where() const { return span_; }

    ir::Value constant(int64_t n);
    ir::Value text(uint32_t index);
    ir::Value map(uint32_t index);
    ir::Value buffer(uint32_t size);
    // Not zeroed: for memory that is written before it is read, and is too large for the stack.
    ir::Value uncleared(uint32_t size);
    ir::Value address(ir::Value base, uint32_t offset);
    ir::Value address_plus(ir::Value base, ir::Value distance);
    ir::Value alu(ir::Alu op, ir::Value a, ir::Value b);
    ir::Value extend(ir::Value v, uint8_t width, bool is_signed);
    uint32_t new_slot() { return function_.slots++; }
    ir::Value read(uint32_t slot);
    void write(uint32_t slot, ir::Value v);
    ir::Value fetch(ir::Value address, uint8_t width, bool is_signed, bool user, uint32_t loss);
    ir::Value load(ir::Value address, uint32_t offset, uint8_t width = 8, bool is_signed = false);
    void store(ir::Value address, uint32_t offset, ir::Value v, uint8_t width = 8);
    // An address in the program's own memory, stored in a buffer: see Loops::hold_addresses.
    void store_address(ir::Value address, uint32_t offset, ir::Value v);
    void copy(ir::Value to, uint32_t offset, ir::Value from, uint32_t size);
    ir::Value helper(int number, std::initializer_list<ir::Value> in = {});
    ir::Value find(uint32_t map, ir::Value key);
    ir::Value find(uint32_t map, ir::Value key, ir::Value cpu);
    ir::Value call(ir::Library f, std::initializer_list<ir::Value> in);
    void loss(uint32_t index);
    void leave();
    void branch(ir::Value condition, const std::function<void()>& yes, const std::function<void()>& no = {});

    // With `cut`, an inline loop may end early, which losses[*cut] counts.
    void loop(ir::Value times, const std::function<void()>& body, std::optional<uint32_t> cut = {});
    // A loop that needs more iterations than an inline loop can run; if loops are inline, sets loops().wanted.
    void long_loop(ir::Value times, const std::function<void()>& body);
    const Loops& loops() const { return loops_; }
    void each(uint32_t map, const std::function<void()>& body);
    ir::Value turn(uint32_t n = 0);
    void stop();
    void scope(const std::function<void(uint32_t)>& body);  // `body` receives the argument for quit()
    void quit(uint32_t scope);
    uint32_t new_scope() { return ++scopes_; }
    void wrap(uint32_t scope);  // puts everything added so far into this scope

    // Buffers made by `work` are free again afterwards.
    void with_buffers(const std::function<void()>& work);

  private:
    void nest(ir::Op op, const std::function<void()>& body);
    uint32_t scopes_ = 0;
    ir::Function& function_;
    ir::Block* block_;
    Span span_;
    uint32_t buffered_ = 0;  // bytes of the frame currently in use
    Loops loops_;
};

}  // namespace lt
