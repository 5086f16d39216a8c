#include "machine/image.h"

namespace lt::machine {
namespace {

// Programs pass handles to helpers and never dereference them.
constexpr Address map_handles = 0xffffc80000000000;
constexpr Address function_handles = 0xffffffffc0000000;
constexpr Address handle_step = 256;

uint64_t immediate(const Object& object, size_t at) {
    const auto low = static_cast<uint32_t>(object.code[at].imm);
    const uint32_t high = at + 1 < object.code.size() ? static_cast<uint32_t>(object.code[at + 1].imm) : 0;
    return static_cast<uint64_t>(high) << 32 | low;
}

uint64_t referred(const Image& image, const Reference& r) {
    switch (r.kind) {
        case ReferenceKind::map:
            return map_handles + r.index * handle_step;
        case ReferenceKind::data:
            return image.data.at(r.index) + r.offset;
        case ReferenceKind::function:
            return function_handles + r.index * handle_step;
        case ReferenceKind::absent:
            return 0;
    }
    return 0;
}

}  // namespace

void Image::link() {
    wide.resize(object.code.size());
    for (size_t i = 0; i < wide.size(); ++i)
        if (object.code[i].code == load_wide) wide[i] = immediate(object, i);
    for (const Reference& r : object.references) wide.at(r.instruction) = referred(*this, r);
}

std::optional<size_t> Image::map_index(Address handle) const {
    const Address index = (handle - map_handles) / handle_step;
    if (handle < map_handles || handle % handle_step != 0 || index >= object.maps.size()) return std::nullopt;
    return index;
}

const Function* Image::function_at(Address handle) const {
    const Address index = (handle - function_handles) / handle_step;
    const bool exact = handle >= function_handles && handle % handle_step == 0;
    return exact && index < object.functions.size() ? &object.functions[index] : nullptr;
}

}  // namespace lt::machine
