#include "codegen/check/context.h"

namespace lt {

uint32_t MapTable::index(const std::string& name, Span where) {
    const std::string full = "@" + name;
    for (uint32_t i = 0; i < maps_.size(); i++) {
        if (maps_[i].name == full) return i;
    }
    maps_.push_back({full, where, {}, nothing(), false, false});
    return static_cast<uint32_t>(maps_.size() - 1);
}

}  // namespace lt
