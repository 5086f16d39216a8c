// The instruction's class selects a handler from a table; operations.cpp computes the operations, helpers_*.cpp the
// helpers.
#include "machine/execution.h"

#include <fmt/format.h>

#include <cstring>

namespace lt::machine {
namespace {

constexpr size_t most_frames = 8;
constexpr uint16_t argument_mask = 0b111110;

constexpr uint16_t bit(unsigned reg) { return static_cast<uint16_t>(1U << reg); }

Error bad_instruction(std::string what) { return {std::move(what), "", 0}; }

bool is_register_operand(const Instruction& i) { return BPF_SRC(i.code) == BPF_X; }

uint64_t widened(int32_t imm) { return static_cast<uint64_t>(int64_t{imm}); }

uint64_t to_integer(std::span<const uint8_t> bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
}

bool is_shift(uint8_t op) { return op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH; }
bool is_division(uint8_t op) { return op == BPF_DIV || op == BPF_MOD; }

// Values that a register may hold at run time but an immediate may not.
Status check_immediate(const Instruction& i, Width width) {
    if (is_register_operand(i)) return Done{};
    const int32_t bits = width == Width::bits64 ? 64 : 32;
    const uint8_t op = BPF_OP(i.code);
    if (is_shift(op) && (i.imm < 0 || i.imm >= bits))
        return bad_instruction(fmt::format("shift of {} bits by {}", bits, i.imm));
    if (is_division(op) && i.imm == 0) return bad_instruction("division by the constant 0");
    return Done{};
}

// Atomic with respect to other writers of that memory; returns the value before.
template <class Word, class Change>
uint64_t exchange(std::span<uint8_t> target, const Change& change) {
    auto* word = reinterpret_cast<Word*>(target.data());
    Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(word, &old, static_cast<Word>(change(old)), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
    }
    return old;
}

Error unknown(const Instruction& i) {
    return bad_instruction(
        fmt::format("no such instruction: code {:#04x}, offset {}, immediate {}", i.code, i.off, i.imm));
}

}  // namespace

const std::array<Execution::Handler, 8> Execution::handlers = {
    &Execution::load_immediate, &Execution::load,   &Execution::store_immediate, &Execution::store_register,
    &Execution::arithmetic32,   &Execution::jump64, &Execution::jump32,          &Execution::arithmetic64,
};

Execution::~Execution() {
    while (!frames_.empty()) leave();
}

Result<uint64_t> Execution::run(const Function& function, Address context) {
    auto result = call(function, {context}, 1);
    if (!result) return located(result.error());
    return result;
}

Error Execution::located(const Error& error) const {
    if (frames_.empty()) return {fmt::format("program {}: {}", program_, error.what), error.hint, error.code};
    const Frame& f = frames_.back();
    const size_t index = f.pc - 1 - f.function->section_begin;
    const std::string where = f.function->name == program_ ? "" : " of " + f.function->name;
    return {fmt::format("program {}, instruction {}{}: {}", program_, index, where, error.what), error.hint,
            error.code};
}

// On an error the frames stay, for located().
Result<uint64_t> Execution::call(const Function& function, const Arguments& arguments, unsigned count) {
    const size_t depth = frames_.size();
    Frame registers;
    for (unsigned n = 0; n < count; ++n) {
        registers.registers[n + 1] = arguments[n];
        registers.known |= bit(n + 1);
    }
    if (auto entered = enter(function, registers, true); !entered) return entered.error();
    while (frames_.size() > depth)
        if (auto done = step(); !done) return done.error();
    return returned_;
}

Status Execution::enter(const Function& function, const Frame& registers, bool by_helper) {
    if (frames_.size() >= most_frames) return bad_instruction(fmt::format("more than {} frames", most_frames));
    Frame f = registers;
    f.function = &function;
    f.pc = function.begin;
    f.known &= argument_mask;
    const size_t stack_bytes = around_.stack_bytes();
    f.stack = memory().add(uninitialised_region("the stack frame", stack_bytes));
    f.registers[frame_pointer] = f.stack + stack_bytes;
    f.known |= bit(frame_pointer);
    f.called_by_helper = by_helper;
    frames_.push_back(f);
    return Done{};
}

void Execution::leave() {
    memory().release(frame().stack);
    frames_.pop_back();
}

Status Execution::step() {
    Frame& f = frame();
    const size_t at = f.pc++;
    if (at < f.function->begin || at >= f.function->end) return bad_instruction("outside its function");
    if (auto on = around_.goes_on(++instructions_); !on) return on;
    const Instruction& i = image_.object.code[at];
    return (this->*handlers[BPF_CLASS(i.code)])(i);
}

Result<uint64_t> Execution::value(unsigned reg) {
    if (reg >= register_count || (frame().known & bit(reg)) == 0)
        return bad_instruction(fmt::format("register r{} is uninitialised", reg));
    return frame().registers[reg];
}

Status Execution::set(unsigned reg, uint64_t value) {
    if (reg >= frame_pointer) return bad_instruction(fmt::format("register r{} is read-only", reg));
    frame().registers[reg] = value;
    frame().known |= bit(reg);
    return Done{};
}

Result<uint64_t> Execution::operand(const Instruction& i) {
    if (is_register_operand(i)) return value(i.src);
    return widened(i.imm);
}

Result<Address> Execution::address(unsigned reg, int16_t off) {
    auto base = value(reg);
    if (!base) return base;
    return *base + static_cast<uint64_t>(int64_t{off});
}

void Execution::forget_arguments() { frame().known &= static_cast<uint16_t>(~argument_mask); }

void Execution::jump_by(int64_t distance) {
    frame().pc = static_cast<size_t>(static_cast<int64_t>(frame().pc) + distance);
}

Status Execution::load_immediate(const Instruction& i) {
    if (i.code != load_wide) return unknown(i);
    const size_t at = frame().pc++;
    if (at >= frame().function->end) return bad_instruction("half of a wide load");
    return set(i.dst, image_.wide[at - 1]);
}

Result<uint64_t> Execution::load_from(Address at, unsigned size) {
    uint64_t value = 0;
    if (!memory().covers(at)) {
        uint8_t elsewhere[sizeof value] = {};
        if (around_.load(at, {elsewhere, size})) {
            std::memcpy(&value, elsewhere, size);
            return value;
        }
    }
    auto bytes = memory().read(at, size, Use::direct);
    if (!bytes) return bytes.error();
    return to_integer(*bytes);
}

Status Execution::load(const Instruction& i) {
    const uint8_t mode = BPF_MODE(i.code);
    const unsigned size = access_size(i.code);
    if (mode != BPF_MEM && (mode != mode_memsx || size == 8)) return unknown(i);
    auto at = address(i.src, i.off);
    if (!at) return at.error();
    auto loaded = load_from(*at, size);
    if (!loaded) return loaded.error();
    return set(i.dst, mode == BPF_MEM ? *loaded : sign_extend(*loaded, size));
}

Status Execution::store(const Instruction& i, uint64_t stored) {
    auto at = address(i.dst, i.off);
    if (!at) return at.error();
    auto bytes = memory().write(*at, access_size(i.code), Use::direct);
    if (!bytes) return bytes.error();
    std::memcpy(bytes->data(), &stored, bytes->size());
    return Done{};
}

Status Execution::store_immediate(const Instruction& i) {
    return BPF_MODE(i.code) == BPF_MEM ? store(i, widened(i.imm)) : unknown(i);
}

Status Execution::store_register(const Instruction& i) {
    if (BPF_MODE(i.code) == BPF_ATOMIC) return atomic(i);
    if (BPF_MODE(i.code) != BPF_MEM) return unknown(i);
    auto stored = value(i.src);
    return stored ? store(i, *stored) : Status(stored.error());
}

Status Execution::atomic(const Instruction& i) {
    const unsigned size = access_size(i.code);
    const Width width = size == 8 ? Width::bits64 : Width::bits32;
    const bool compares = i.imm == BPF_CMPXCHG;
    const Arithmetic operation = find_atomic(compares ? BPF_XCHG & ~BPF_FETCH : i.imm & ~BPF_FETCH, width);
    const bool exchange_without_fetch = i.imm == (BPF_XCHG & ~BPF_FETCH);
    if (size < 4 || !operation || exchange_without_fetch) return unknown(i);

    auto at = address(i.dst, i.off);
    auto source = value(i.src);
    auto expected = compares ? value(BPF_REG_0) : Result<uint64_t>(uint64_t{0});
    if (!at || !source || !expected) return !at ? at.error() : !source ? source.error() : expected.error();
    auto before = memory().read(*at, size, Use::atomic);
    if (!before) return before.error();
    auto target = memory().write(*at, size, Use::atomic);
    if (!target) return target.error();
    const auto changed = [&](uint64_t old) {
        const bool exchanged = !compares || old == cut(*expected, static_cast<int32_t>(size * 8));
        return exchanged ? operation(old, *source) : old;
    };
    const uint64_t old = size == 8 ? exchange<uint64_t>(*target, changed) : exchange<uint32_t>(*target, changed);
    if ((i.imm & BPF_FETCH) == 0) return Done{};
    return set(compares ? unsigned{BPF_REG_0} : i.src, old);
}

Status Execution::arithmetic(const Instruction& i, Width width) {
    if (BPF_OP(i.code) == BPF_END) return swap(i, width);
    const Arithmetic operation = find_arithmetic(i.code, width, i.off);
    if (!operation) return unknown(i);
    if (auto allowed = check_immediate(i, width); !allowed) return allowed;
    const bool overwrites = BPF_OP(i.code) == BPF_MOV;
    auto before = overwrites ? Result<uint64_t>(uint64_t{0}) : value(i.dst);
    auto source = operand(i);
    if (!before || !source) return !before ? before.error() : source.error();
    return set(i.dst, operation(*before, *source));
}

// Class ALU: to little-endian or to big-endian, by the source bit. Class ALU64: swap unconditionally.
Status Execution::swap(const Instruction& i, Width width) {
    const bool to_big = BPF_SRC(i.code) == BPF_TO_BE;
    if (!is_swap_width(i.imm) || (width == Width::bits64 && to_big)) return unknown(i);
    auto before = value(i.dst);
    if (!before) return before.error();
    const bool swaps = to_big || width == Width::bits64;
    return set(i.dst, swaps ? swap_bytes(*before, i.imm) : cut(*before, i.imm));
}

Status Execution::jump64(const Instruction& i) {
    if (BPF_OP(i.code) == BPF_CALL) return call(i);
    if (BPF_OP(i.code) == BPF_EXIT) return exit();
    if (BPF_OP(i.code) != BPF_JA) return branch(i, Width::bits64);
    jump_by(i.off);
    return Done{};
}

Status Execution::jump32(const Instruction& i) {
    if (BPF_OP(i.code) != BPF_JA) return branch(i, Width::bits32);
    jump_by(i.imm);
    return Done{};
}

Status Execution::branch(const Instruction& i, Width width) {
    const Condition condition = find_condition(i.code, width);
    if (!condition) return unknown(i);
    auto left = value(i.dst);
    auto right = operand(i);
    if (!left || !right) return !left ? left.error() : right.error();
    if (condition(*left, *right)) jump_by(i.off);
    return Done{};
}

Status Execution::call(const Instruction& i) {
    if (i.code != call_code) return unknown(i);
    if (i.src == 0) return call_helper(i);
    if (i.src == BPF_PSEUDO_CALL) return call_function(i);
    return bad_instruction("call of a kernel function");
}

Status Execution::call_helper(const Instruction& i) {
    const Helper* helper = around_.helper(i.imm);
    if (!helper) return bad_instruction(fmt::format("helper {} is not simulated", i.imm));
    Arguments arguments{};
    for (unsigned n = 0; n < helper->arguments; ++n) {
        auto argument = value(n + 1);
        if (!argument) return argument.error_in(fmt::format("helper {}", helper->name));
        arguments[n] = *argument;
    }
    auto result = helper->function(*this, arguments);
    if (!result) return result.error_in(fmt::format("helper {}", helper->name));
    forget_arguments();
    if (helper->returns == Returns::value) return set(BPF_REG_0, *result);
    frame().known &= static_cast<uint16_t>(~bit(BPF_REG_0));
    return Done{};
}

Status Execution::call_function(const Instruction& i) {
    const size_t target = static_cast<size_t>(static_cast<int64_t>(frame().pc) + i.imm);
    const Function* function = image_.object.function_at(target);
    if (!function) return bad_instruction("call of something that is not the start of a function");
    return enter(*function, frame(), false);
}

Status Execution::exit() {
    auto result = value(BPF_REG_0);
    const bool by_helper = frame().called_by_helper;
    if (by_helper && !result) return result.error();
    leave();
    if (by_helper) {
        returned_ = result;
        return Done{};
    }
    forget_arguments();
    frame().known &= static_cast<uint16_t>(~bit(BPF_REG_0));
    return result ? set(BPF_REG_0, *result) : Status(Done{});
}

}  // namespace lt::machine
