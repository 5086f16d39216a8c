// Finds names among tens of thousands in a list that the caller owns. Building it is a few milliseconds faster than
// sorting the names, and a standard hash table needs three times the memory.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace lt {

// Open addressing with linear probing; stores indices of the list, from 0. `NameOf` returns the name at an index.
class NameIndex {
  public:
    NameIndex() = default;

    template <class NameOf>
    NameIndex(size_t count, NameOf name_of) : slots_(std::bit_ceil(count * 2 + 1), vacant) {
        for (uint32_t i = 0; i < count; i++) {
            size_t slot = first_slot(name_of(i));
            while (slots_[slot] != vacant) slot = next(slot);
            slots_[slot] = i;
        }
    }

    // Calls visit(index) for each match, in list order, until it returns false.
    template <class NameOf, class Visit>
    void each(std::string_view name, NameOf name_of, Visit visit) const {
        if (slots_.empty()) return;
        for (size_t slot = first_slot(name); slots_[slot] != vacant; slot = next(slot)) {
            if (name_of(slots_[slot]) == name && !visit(slots_[slot])) return;
        }
    }

  private:
    static constexpr uint32_t vacant = UINT32_MAX;
    size_t first_slot(std::string_view name) const { return std::hash<std::string_view>{}(name) & (slots_.size() - 1); }
    size_t next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    std::vector<uint32_t> slots_;
};

}  // namespace lt
