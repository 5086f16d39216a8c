#include "codegen/resolve/type_names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

struct IntegerName {
    std::string_view name;
    uint32_t size;
    bool is_signed;
};
// Integers that need no type information.
constexpr std::array integer_names{
    IntegerName{"int8", 1, true},       IntegerName{"int16", 2, true},     IntegerName{"int32", 4, true},
    IntegerName{"int64", 8, true},      IntegerName{"uint8", 1, false},    IntegerName{"uint16", 2, false},
    IntegerName{"uint32", 4, false},    IntegerName{"uint64", 8, false},   IntegerName{"int8_t", 1, true},
    IntegerName{"int16_t", 2, true},    IntegerName{"int32_t", 4, true},   IntegerName{"int64_t", 8, true},
    IntegerName{"uint8_t", 1, false},   IntegerName{"uint16_t", 2, false}, IntegerName{"uint32_t", 4, false},
    IntegerName{"uint64_t", 8, false},  IntegerName{"s8", 1, true},        IntegerName{"s16", 2, true},
    IntegerName{"s32", 4, true},        IntegerName{"s64", 8, true},       IntegerName{"u8", 1, false},
    IntegerName{"u16", 2, false},       IntegerName{"u32", 4, false},      IntegerName{"u64", 8, false},
    IntegerName{"__s8", 1, true},       IntegerName{"__s16", 2, true},     IntegerName{"__s32", 4, true},
    IntegerName{"__s64", 8, true},      IntegerName{"__u8", 1, false},     IntegerName{"__u16", 2, false},
    IntegerName{"__u32", 4, false},     IntegerName{"__u64", 8, false},    IntegerName{"__be16", 2, false},
    IntegerName{"__be32", 4, false},    IntegerName{"size_t", 8, false},   IntegerName{"ssize_t", 8, true},
    IntegerName{"uintptr_t", 8, false}, IntegerName{"intptr_t", 8, true},
};

// C's basic types, whose words can be in any order: "unsigned long", "long unsigned int".
std::optional<Type> basic_type(std::string_view name) {
    bool is_unsigned = false, any = false;
    uint32_t size = 0, longs = 0;
    for (std::string_view word : split(name, ' ')) {
        if (word == "unsigned")
            is_unsigned = true;
        else if (word == "long")
            longs++;
        else if (word == "short")
            size = 2;
        else if (word == "char")
            size = 1;
        else if (word != "int" && word != "signed")
            return std::nullopt;
        any = true;
    }
    if (!any) return std::nullopt;
    if (size == 0) size = longs > 0 ? 8 : 4;
    return integer_type(size, !is_unsigned);
}

// The array type in "int32[4]" or "int32 *[4]".
std::optional<Type> array_named(const std::string& name, const TypeLookup& lookup) {
    const size_t bracket = name.rfind('['), end = name.find_last_not_of(" *", bracket - 1);
    ast::TypeName written{{}, name.substr(0, end + 1)};
    written.pointers = static_cast<uint32_t>(std::count(name.begin() + static_cast<ptrdiff_t>(end), name.end(), '*'));
    uint64_t count = 0;
    std::from_chars(name.data() + bracket + 1, name.data() + name.size(), count);
    written.count = count;
    return count == 0 ? std::nullopt : written_type(written, lookup);
}

}  // namespace

std::optional<Type> named_type(const std::string& name, const TypeLookup& lookup) {
    if (name.ends_with(']')) return array_named(name, lookup);
    if (name == "void") return nothing();
    if (name == "bool") return truth_type();
    const auto own = std::ranges::find_if(integer_names, [&](const IntegerName& n) { return n.name == name; });
    if (own != integer_names.end()) return integer_type(own->size, own->is_signed);
    if (const auto basic = basic_type(name)) return basic;
    return lookup(name);
}

std::optional<Type> written_type(const ast::TypeName& written, const TypeLookup& lookup) {
    auto base = named_type(written.name, lookup);
    for (const char* tag : {"struct ", "union "}) {
        if (!base && written.any_tag) base = lookup(tag + written.name);
    }
    if (!base) return std::nullopt;
    Type type = *base;
    for (uint32_t i = 0; i < written.pointers; i++) type = pointer_type(std::move(type));
    if (!written.count) return type;
    if (*written.count > most_array_bytes) return std::nullopt;
    if (type.kind == Kind::integer && type.size == 1 && written.name == "char")
        return string_type(static_cast<uint32_t>(*written.count));
    const Type all = array_type(std::move(type), static_cast<uint32_t>(*written.count));
    return all.kind == Kind::none ? std::nullopt : std::optional(all);
}

Type address_from_text(const Field& field, Kernel& kernel) {
    ast::TypeName written;
    for (std::string_view word : split(field.c_type, ' ')) {
        const std::string_view name = word.substr(0, word.find('*'));
        written.pointers += static_cast<uint32_t>(std::ranges::count(word, '*'));
        if (name.empty() || name == "const" || name == "volatile") continue;
        written.name += (written.name.empty() ? "" : " ") + std::string(name);
    }
    if (written.pointers == 0) return field.type;
    std::optional<Type> type = written_type(written, [&](std::string_view name) { return kernel.type(name); });
    if (!type) return field.type;
    type->user_memory = field.type.user_memory;
    return *type;
}

}  // namespace lt
