#include "machine/world/space.h"

#include <algorithm>

namespace lt::machine {

void Space::put(Address at, std::string_view text) {
    Bytes bytes(text.begin(), text.end());
    bytes.push_back(0);
    put(at, std::move(bytes));
}

bool Space::read(Address at, std::span<uint8_t> out) const {
    while (!out.empty()) {
        auto block = blocks_.upper_bound(at);
        if (block == blocks_.begin()) return false;
        --block;
        const uint64_t offset = at - block->first;
        if (offset >= block->second.size()) return false;
        const size_t count = std::min<size_t>(out.size(), block->second.size() - offset);
        std::copy_n(block->second.begin() + static_cast<ptrdiff_t>(offset), count, out.begin());
        out = out.subspan(count);
        at += count;
    }
    return true;
}

}  // namespace lt::machine
