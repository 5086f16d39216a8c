// One run of one program: frames, registers and the instruction count. Refuses at run time what the verifier would
// refuse beforehand: unknown registers, memory out of bounds, instructions that do not exist.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/operations.h"
#include "machine/world.h"

namespace lt::machine {

using Arguments = std::array<uint64_t, 5>;

class Execution {
  public:
    Execution(World& world, std::string_view program) : world_(world), program_(program) {}
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // An error names program and instruction.
    Result<uint64_t> run(const Function& function, Address context);
    uint64_t instructions() const { return instructions_; }

    // For helpers: the world, and a callback.
    World& world() { return world_; }
    Memory& memory() { return world_.memory; }
    Result<uint64_t> call(const Function& function, const Arguments& arguments, unsigned count);

  private:
    struct Frame {
        const Function* function = nullptr;
        size_t pc = 0;
        std::array<uint64_t, register_count> registers{};
        uint16_t known = 0;  // a bit per register
        Address stack = 0;
        bool called_by_helper = false;
    };
    using Handler = Status (Execution::*)(const Instruction&);
    static const std::array<Handler, 8> handlers;  // by instruction class

    Frame& frame() { return frames_.back(); }
    Status enter(const Function& function, const Frame& registers, bool by_helper);
    void leave();
    Error located(const Error& error) const;

    Status step();
    Status load_immediate(const Instruction& i);
    Status load(const Instruction& i);
    Status store_immediate(const Instruction& i);
    Status store_register(const Instruction& i);
    Status arithmetic32(const Instruction& i) { return arithmetic(i, Width::bits32); }
    Status arithmetic64(const Instruction& i) { return arithmetic(i, Width::bits64); }
    Status jump64(const Instruction& i);
    Status jump32(const Instruction& i);

    Status arithmetic(const Instruction& i, Width width);
    Status swap(const Instruction& i, Width width);
    Status branch(const Instruction& i, Width width);
    Status store(const Instruction& i, uint64_t value);
    Status atomic(const Instruction& i);
    Status call(const Instruction& i);
    Status call_helper(const Instruction& i);
    Status call_function(const Instruction& i);
    Status exit();
    void jump_by(int64_t distance);

    Result<uint64_t> value(unsigned reg);
    Result<uint64_t> operand(const Instruction& i);  // source register or immediate
    Result<Address> address(unsigned reg, int16_t off);
    Result<uint64_t> load_from(Address at, unsigned size);
    Status set(unsigned reg, uint64_t value);
    void forget_arguments();

    World& world_;
    std::string_view program_;
    std::vector<Frame> frames_;
    uint64_t instructions_ = 0;
    Result<uint64_t> returned_{uint64_t{0}};  // by the last frame that a helper entered
};

}  // namespace lt::machine
