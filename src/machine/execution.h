// One run of one program: frames, registers and the instruction count. Detects at run time what the verifier would
// refuse beforehand: uninitialised registers, memory accesses out of bounds, instructions that do not exist.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/image.h"
#include "machine/operations.h"

namespace lt::machine {

using Arguments = std::array<uint64_t, 5>;

class Execution;

// A helper function that programs may call. It returns what the kernel's helper would, including a negative errno; an
// Error is for calls that the verifier would have refused.
using HelperFunction = Result<uint64_t> (*)(Execution&, const Arguments&);
enum class Returns { value, nothing };
struct Helper {
    int32_t id;  // BPF_FUNC_*
    std::string_view name;
    unsigned arguments;
    Returns returns;
    HelperFunction function;
};

// The environment of a running program.
class Surroundings {
  public:
    Surroundings() = default;
    Surroundings(Surroundings&&) = default;
    Surroundings& operator=(Surroundings&&) = default;
    virtual ~Surroundings() = default;

    virtual const Helper* helper(int32_t id) const = 0;  // null if there is none
    // Called before each instruction, which counts from 1; an error ends the run.
    virtual Status goes_on(uint64_t instructions) = 0;
    // Loads from memory outside of the program's; false: not allowed.
    virtual bool load(Address, std::span<uint8_t>) const { return false; }
    virtual size_t stack_bytes() const { return 512; }  // of each function; the kernel has the same limit
    // The symbol at a kernel address, for texts; empty if unknown.
    virtual std::string symbol(Address) { return {}; }
    // The same with offset, size and module: "vfs_read+0x1a/0x320 [module]".
    virtual std::string symbol_offset(Address) { return {}; }
};

class Execution {
  public:
    Execution(Image& image, Surroundings& around, std::string_view program)
        : image_(image), around_(around), program_(program) {}
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    // An error names the program and the instruction.
    Result<uint64_t> run(const Function& function, Address context);
    uint64_t instructions() const { return instructions_; }

    // For helpers: the environment, and running a callback.
    Surroundings& around() { return around_; }
    Image& image() { return image_; }
    Memory& memory() { return image_.memory; }
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

    Image& image_;
    Surroundings& around_;
    std::string_view program_;
    std::vector<Frame> frames_;
    uint64_t instructions_ = 0;
    Result<uint64_t> returned_{uint64_t{0}};  // by the last frame that a helper entered
};

}  // namespace lt::machine
