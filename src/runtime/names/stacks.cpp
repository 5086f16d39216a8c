#include "runtime/names/stacks.h"

#include <algorithm>
#include <array>

#include "runtime/bpf/map.h"

namespace lt {
namespace {

bool is_compiled(const Frame& frame) { return frame.user && !frame.function.empty() && frame.object.empty(); }

}  // namespace

std::vector<uint64_t> stack_addresses(std::span<const uint64_t> value) {
    const auto first = value.begin() + 1;
    return {first, std::find(first, value.end(), uint64_t{0})};
}

uint64_t stack_id(std::span<const uint64_t> addresses) {
    uint64_t hash = 0;
    for (uint64_t address : addresses) {
        hash = (hash ^ address) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash == stack_none || hash == stack_lost ? 1 : hash;
}

const std::vector<Frame>& Stacks::frames(const Stack& stack) {
    static const std::vector<Frame> nothing;
    if (stack.id == stack_none || stack.id == stack_lost) return nothing;
    const Key key{stack.id, stack.process};
    const auto [named, fresh] = named_.try_emplace(key);
    if (!fresh) return named->second;
    const auto found = value(key);
    const std::vector<uint64_t> frames = stack_addresses(found);
    const auto pid = static_cast<uint32_t>(stack.process);
    named->second = pid == 0 ? symbolizer_.kernel(frames) : symbolizer_.process(pid, frames, stack_time(found));
    return named->second;
}

// Maps keep the first names: by now, the address of an old function may belong to another one.
const std::vector<Frame>& Stacks::latest_frames(const Stack& stack) {
    const std::vector<Frame>& first = frames(stack);
    if (std::ranges::none_of(first, is_compiled)) return first;
    const Key key{stack.id, stack.process};
    const auto pid = static_cast<uint32_t>(stack.process);
    Latest& latest = latest_[key];
    if (const uint64_t version = symbolizer_.compiled_version(pid); latest.frames.empty() || latest.version != version)
        latest = {symbolizer_.process(pid, addresses(key)), version};
    return latest.frames;
}

// The function with a symbol, at the innermost line.
Frame Stacks::symbol(uint64_t address, uint32_t process) {
    const std::array<uint64_t, 1> one{address};
    const std::vector<Frame> frames = process == 0 ? symbolizer_.kernel(one) : symbolizer_.process(process, one);
    const auto own = std::ranges::find_if(frames, [](const Frame& frame) { return !frame.inlined; });
    if (own == frames.end()) return {};
    Frame found = *own;
    found.place = frames.front().place;
    return found;
}

std::vector<uint64_t> Stacks::addresses(const Key& key) const { return stack_addresses(value(key)); }

// Zeros if there is no such stack.
std::array<uint64_t, 1 + stack_frames> Stacks::value(const Key& key) const {
    const std::array<uint64_t, 2> bytes{key.first, key.second};
    std::array<uint64_t, 1 + stack_frames> words{};
    if (map_ < 0 || bpf::lookup(map_, bytes.data(), words.data()) < 0) return {};
    return words;
}

}  // namespace lt
