// The bytes of BTF, of a file or of an object's section. The format: Documentation/bpf/btf.rst in the kernel's sources.
// A reader may get anything to see, so nothing is read without a look at the bounds.
#pragma once

#include <linux/btf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace lt {

using BtfBytes = std::span<const uint8_t>;

inline std::optional<BtfBytes> btf_part(BtfBytes all, uint64_t begin, uint64_t size) {
    if (begin > all.size() || size > all.size() - begin) return {};
    return all.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
}

template <class T>
std::optional<T> btf_value(BtfBytes all, uint64_t begin) {
    const auto bytes = btf_part(all, begin, sizeof(T));
    if (!bytes) return {};
    T out;
    std::memcpy(&out, bytes->data(), sizeof out);
    return out;
}

// One kind of type: `fixed` bytes follow its struct btf_type, and then parts of `each` bytes, as many as its vlen.
struct BtfLayout {
    uint8_t fixed = 0, each = 0;
    bool known = true;
    bool refers = false;       // btf_type::type is a type id
    bool holds = false;        // its values contain a value of that type
    bool parts_named = false;  // each part starts with a name
    bool parts_typed = false;  // each part has a type id, at `type_at`
    uint8_t type_at = 0;
};

// By kind.
inline constexpr auto btf_layouts = [] {
    std::array<BtfLayout, BTF_INFO_KIND(~0U) + 1> out{};
    out.fill({.known = false});
    constexpr BtfLayout refers{.refers = true};
    constexpr BtfLayout same{.refers = true, .holds = true};
    constexpr BtfLayout structure{
        .each = sizeof(btf_member), .holds = true, .parts_named = true, .parts_typed = true, .type_at = 4};
    out[BTF_KIND_INT] = BtfLayout{.fixed = 4};
    out[BTF_KIND_PTR] = out[BTF_KIND_FUNC] = refers;
    out[BTF_KIND_TYPEDEF] = out[BTF_KIND_VOLATILE] = out[BTF_KIND_CONST] = out[BTF_KIND_RESTRICT] = same;
    out[BTF_KIND_TYPE_TAG] = same;
    out[BTF_KIND_ARRAY] = BtfLayout{.fixed = sizeof(struct btf_array)};
    out[BTF_KIND_STRUCT] = out[BTF_KIND_UNION] = structure;
    out[BTF_KIND_ENUM] = BtfLayout{.each = sizeof(struct btf_enum), .parts_named = true};
    out[BTF_KIND_ENUM64] = BtfLayout{.each = sizeof(struct btf_enum64), .parts_named = true};
    out[BTF_KIND_FUNC_PROTO] =
        BtfLayout{.each = sizeof(btf_param), .refers = true, .parts_named = true, .parts_typed = true, .type_at = 4};
    out[BTF_KIND_VAR] = BtfLayout{.fixed = 4, .refers = true, .holds = true};
    out[BTF_KIND_DATASEC] = BtfLayout{.each = sizeof(btf_var_secinfo), .holds = true, .parts_typed = true};
    out[BTF_KIND_DECL_TAG] = BtfLayout{.fixed = 4, .refers = true};
    out[BTF_KIND_FWD] = out[BTF_KIND_FLOAT] = BtfLayout{};
    return out;
}();

// A type: its struct btf_type, and what follows it.
class BtfEntry {
  public:
    explicit BtfEntry(BtfBytes bytes) : bytes_(bytes) {}
    BtfBytes bytes() const { return bytes_; }
    BtfBytes rest() const { return bytes_.subspan(sizeof(btf_type)); }
    btf_type type() const {
        btf_type out;
        std::memcpy(&out, bytes_.data(), sizeof out);
        return out;
    }
    uint32_t kind() const { return BTF_INFO_KIND(type().info); }
    const BtfLayout& layout() const { return btf_layouts[kind()]; }

  private:
    BtfBytes bytes_;
};

// The type that begins there; nothing if it is of an unknown kind or cut off.
inline std::optional<BtfEntry> btf_entry(BtfBytes types, uint64_t at) {
    if (at > types.size() || types.size() - at < sizeof(btf_type)) return {};
    uint32_t info = 0;
    std::memcpy(&info, types.data() + at + offsetof(btf_type, info), sizeof info);
    const BtfLayout& layout = btf_layouts[BTF_INFO_KIND(info)];
    const uint64_t size = sizeof(btf_type) + layout.fixed + uint64_t{layout.each} * BTF_INFO_VLEN(info);
    if (!layout.known || size > types.size() - at) return {};
    return BtfEntry(types.subspan(at, size));
}

// Calls visit(number, entry) for each type, from number 1, until it returns false; at the first that is damaged it
// ends.
template <class Visit>
void btf_each(BtfBytes types, Visit visit) {
    uint64_t at = 0;
    for (uint32_t number = 1; at < types.size(); number++) {
        const auto entry = btf_entry(types, at);
        if (!entry || !visit(number, *entry)) return;
        at += entry->bytes().size();
    }
}

// The two sections: types, and the texts of their names.
struct BtfSections {
    BtfBytes types, texts;
    // Empty if the offset is outside.
    std::string_view text(uint32_t offset) const {
        if (offset >= texts.size()) return {};
        const auto* begin = reinterpret_cast<const char*>(texts.data()) + offset;
        return {begin, ::strnlen(begin, texts.size() - offset)};
    }
    // Whether the text there begins with this one, and ends after it.
    bool begins(uint32_t offset, std::string_view with) const {
        return uint64_t{offset} + with.size() < texts.size() &&
               std::memcmp(texts.data() + offset, with.data(), with.size()) == 0;
    }
    bool is(uint32_t offset, std::string_view all) const {
        return begins(offset, all) && texts[offset + all.size()] == 0;
    }
};
// Nothing if the bytes are not BTF of this byte order.
inline std::optional<BtfSections> btf_sections(BtfBytes bytes) {
    const auto header = btf_value<btf_header>(bytes, 0);
    if (!header || header->magic != BTF_MAGIC || header->hdr_len < sizeof(btf_header)) return {};
    const uint64_t begin = header->hdr_len;
    const auto types = btf_part(bytes, begin + header->type_off, header->type_len);
    const auto texts = btf_part(bytes, begin + header->str_off, header->str_len);
    if (!types || !texts) return {};
    return BtfSections{*types, *texts};
}

}  // namespace lt
