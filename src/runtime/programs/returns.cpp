// A walk over a function's instructions: from the entry along every path, then from each stretch that no
// path came through. Too many returns found would cost a breakpoint, one missed would cost the truth, so doubt adds.
#include "runtime/programs/returns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "runtime/programs/jump_tables.h"

namespace lt {

namespace {

using arch::Flow;
using arch::Instruction;

constexpr size_t most_recent = 6;  // instructions between the load from a table and the jump

Error error_at(const char* what, uint64_t address) { return Error{fmt::format("{} at {:#x}", what, address), ""}; }

class Walk {
  public:
    explicit Walk(const FunctionCode& code)
        : source_(code), code_(code.bytes), begin_(code.address), seen_(code_.size()), covered_(code_.size()) {}

    Result<Exits> run();
    uint64_t entry();

  private:
    // Where a path starts, and whether the code may have ended before it, so that padding may follow.
    struct Start {
        uint64_t address;
        bool after_end;
    };

    Status follow_all();
    Status follow(Start start);
    Result<Instruction> decode(uint64_t address);
    Result<bool> goes_on(const Instruction& i, bool after_end);
    bool jump(const Instruction& i);
    void branch(const Instruction& i);
    Status indirect_jump(const Instruction& i);
    std::vector<DataUse> addresses_taken();
    void go_to(uint64_t target) {
        targets_.insert(target);
        todo_.push_back({target, false});
    }
    std::optional<Instruction> look(uint64_t address);
    bool grows_stack(uint64_t address);

    bool inside(uint64_t address) const { return address >= begin_ && address - begin_ < code_.size(); }
    bool leaves(uint64_t target) const { return !inside(target) || target == begin_; }
    static bool is_among(std::span<const uint64_t> all, uint64_t target) {
        return std::ranges::find(all, target) != all.end();
    }

    const FunctionCode& source_;
    std::span<const uint8_t> code_;
    uint64_t begin_;
    uint64_t check_ = 0;
    bool grown_ = false;           // the path's last call grew the stack
    std::vector<DataUse> recent_;  // of the path
    std::set<uint64_t> targets_;   // of jumps inside
    std::optional<std::vector<DataUse>> taken_;
    std::vector<bool> seen_;     // by offset: an instruction starts here
    std::vector<bool> covered_;  // by offset: a byte of some instruction
    std::vector<Start> todo_;
    Exits exits_;
};

Result<Exits> Walk::run() {
    if (code_.empty()) return Error{"the function has no code", ""};
    todo_.push_back({begin_, false});
    // By now every path from the entry was walked; looks for unreached bytes.
    for (size_t offset = 0; offset < code_.size(); offset++) {
        Status walked = follow_all();
        if (!walked) return walked.error();
        if (!covered_[offset]) todo_.push_back({begin_ + offset, true});
    }
    Status walked = follow_all();
    if (!walked) return walked.error();
    std::ranges::sort(exits_.returns);
    std::ranges::sort(exits_.tail_jumps);
    std::ranges::sort(exits_.plain_jumps);
    exits_.entry = entry();
    exits_.entry_repeats = targets_.contains(exits_.entry);
    exits_.check = targets_.contains(check_) ? 0 : check_;
    return exits_;
}

std::optional<Instruction> Walk::look(uint64_t address) {
    return inside(address) ? arch::decode(code_.subspan(address - begin_), address) : std::nullopt;
}

// Does the path from here only grow the stack?
bool Walk::grows_stack(uint64_t address) {
    for (auto i = look(address); i; i = look(i->end)) {
        if (i->flow == Flow::call) return is_among(source_.growers, i->target);
        if (i->flow != Flow::plain && i->flow != Flow::nop) return false;
    }
    return false;
}

uint64_t Walk::entry() {
    uint64_t at = begin_;
    if (source_.growers.empty()) return at;
    const auto passes = [](Flow flow) { return flow == Flow::plain || flow == Flow::nop || flow == Flow::branch; };
    for (auto i = look(begin_); i && passes(i->flow); i = look(i->end)) {
        if (i->flow != Flow::branch) continue;
        if (!grows_stack(i->target)) break;
        at = i->end;
        check_ = i->checks_stack ? i->address : 0;
    }
    return at;
}

Status Walk::follow_all() {
    while (!todo_.empty()) {
        Start start = todo_.back();
        todo_.pop_back();
        Status walked = follow(start);
        if (!walked) return walked;
    }
    return Done{};
}

Status Walk::follow(Start start) {
    uint64_t at = start.address, last = start.address;
    bool after_end = start.after_end;
    grown_ = false;
    recent_.clear();
    while (inside(at)) {
        if (seen_[at - begin_]) return Done{};
        auto i = decode(at);
        if (!i) return i.error();
        if (i->data.kind != DataUse::nothing) recent_.insert(recent_.begin(), i->data);
        if (recent_.size() > most_recent) recent_.pop_back();
        auto more = goes_on(*i, after_end);
        if (!more) return more.error();
        if (!*more) return Done{};
        if (i->flow != Flow::nop) after_end = i->flow == Flow::call || i->flow == Flow::trap;
        last = at;
        at = i->end;
    }
    if (!after_end) exits_.tail_jumps.push_back(last);
    return Done{};
}

Result<Instruction> Walk::decode(uint64_t address) {
    size_t offset = address - begin_;
    auto i = arch::decode(code_.subspan(offset), address);
    if (!i) return error_at("an instruction that cannot be decoded", address);
    seen_[offset] = true;
    std::fill_n(covered_.begin() + static_cast<std::ptrdiff_t>(offset), i->end - address, true);
    return *i;
}

Result<bool> Walk::goes_on(const Instruction& i, bool after_end) {
    switch (i.flow) {
        case Flow::call:
            grown_ = is_among(source_.growers, i.target);
            return true;
        case Flow::plain:
        case Flow::nop:
        case Flow::trap:
            return true;
        case Flow::branch:
            branch(i);
            return true;
        case Flow::jump:
            return jump(i);
        case Flow::indirect_jump:
            if (Status known = indirect_jump(i); !known) return known.error();
            return false;
        case Flow::ret:
            exits_.returns.push_back(i.address);
            return false;
        case Flow::leave:
            exits_.tail_jumps.push_back(i.address);
            return false;
        case Flow::breakpoint:
            break;
    }
    // Where code must be, it hides an instruction; elsewhere it is padding.
    if (after_end) return false;
    return error_at("a breakpoint instruction, set by another tracer or debugger,", i.address);
}

bool Walk::jump(const Instruction& i) {
    if (is_among(source_.return_thunks, i.target)) {
        exits_.returns.push_back(i.address);
    } else if (i.target == begin_ && grown_) {
        return false;  // the call starts again
    } else if (leaves(i.target)) {
        targets_.insert(i.target);
        exits_.tail_jumps.push_back(i.address);
        if (!inside(i.target)) exits_.plain_jumps.push_back(i.address);
    } else {
        go_to(i.target);
    }
    return false;
}

// Even to a return thunk: a breakpoint here would fire whether or not the branch is taken.
void Walk::branch(const Instruction& i) {
    if (leaves(i.target)) {
        targets_.insert(i.target);
        exits_.tail_jumps.push_back(i.address);
    } else {
        go_to(i.target);
    }
}

// Only through a jump table inside this function; any other indirect jump may leave the function.
Status Walk::indirect_jump(const Instruction& i) {
    const auto is_inner = [this](uint64_t target) { return inside(target) && target != begin_; };
    std::vector<uint64_t> targets;
    if (source_.constant) {
        if (!taken_) taken_ = addresses_taken();
        targets = table_targets(recent_, *taken_, source_.constant, is_inner);
    }
    if (targets.empty()) return error_at("an indirect jump, whose targets are unknown,", i.address);
    for (uint64_t target : targets) go_to(target);
    return Done{};
}

// In the whole function, since compilers move them out of loops.
std::vector<DataUse> Walk::addresses_taken() {
    std::vector<DataUse> all;
    for (auto i = look(begin_); i; i = look(i->end))
        if (i->data.kind == DataUse::address && i->data.base == 0 && i->data.scale == 0) all.push_back(i->data);
    return all;
}

}  // namespace

uint64_t find_entry(const FunctionCode& code) { return Walk(code).entry(); }

Result<Exits> find_exits(const FunctionCode& code) { return Walk(code).run(); }

}  // namespace lt
