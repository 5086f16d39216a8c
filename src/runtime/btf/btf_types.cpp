// Following types has a depth limit, because a damaged file can contain a type that refers to itself.
#include "runtime/btf/btf_types.h"

#include <bpf/btf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "stdlib/real.h"

namespace lt {
namespace {

constexpr int most_depth = 32;

const btf_type* type_at(const TypeFile& file, uint32_t id) { return btf__type_by_id(file.types, id); }

std::string_view text_at(const TypeFile& file, uint32_t offset) {
    const char* text = btf__name_by_offset(file.types, offset);
    return text != nullptr ? text : "";
}

bool is_integer_size(uint32_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

Type sized_integer(uint32_t size, bool is_signed, View view = View::plain) {
    return is_integer_size(size) ? integer_type(size, is_signed, view) : nothing();
}

bool only_renames(const btf_type* t) { return btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t); }

// A type without its typedefs and qualifiers, and the last name among them.
struct Bare {
    uint32_t id = 0;
    const btf_type* type = nullptr;
    std::string_view renamed;
};

Bare bare(const TypeFile& file, uint32_t id) {
    Bare out{id, type_at(file, id), {}};
    for (int depth = 0; out.type != nullptr && only_renames(out.type) && depth < most_depth; depth++) {
        if (btf_is_typedef(out.type)) out.renamed = text_at(file, out.type->name_off);
        out.id = out.type->type;
        out.type = type_at(file, out.id);
    }
    return out;
}

bool is_tagged_user(const TypeFile& file, const btf_type* pointer) {
    const btf_type* to = type_at(file, pointer->type);
    return to != nullptr && btf_is_type_tag(to) && text_at(file, to->name_off) == "user";
}

bool is_char(const TypeFile& file, const btf_type* t) {
    return t != nullptr && btf_is_int(t) && t->size == 1 && text_at(file, t->name_off) == "char";
}

Type type_of(const TypeFile& file, uint32_t id, int depth);

Type int_type(const TypeFile&, const Bare& bare, int) {
    const int encoding = btf_int_encoding(bare.type);
    const bool is_bool = (encoding & BTF_INT_BOOL) != 0;
    return sized_integer(bare.type->size, (encoding & BTF_INT_SIGNED) != 0, is_bool ? View::boolean : View::plain);
}

std::string tagged_name(const TypeFile& file, std::string_view keyword, const Bare& bare) {
    const std::string_view name = text_at(file, bare.type->name_off);
    return name.empty() ? std::string(bare.renamed) : fmt::format("{}{}", keyword, name);
}

Shape shape_of(const TypeFile& file, std::string_view keyword, const Bare& bare) {
    Shape shape;
    shape.name = tagged_name(file, keyword, bare);
    shape.number = bare.id;
    if (bare.id >= file.first) shape.module = file.module;
    return shape;
}

Type enum_type(const TypeFile& file, const Bare& bare, int) {
    Type type = sized_integer(bare.type->size, btf_kflag(bare.type), View::enumeration);
    if (type.kind != Kind::none) type.shape = shape_of(file, "enum ", bare);
    return type;
}

Type address_type(const TypeFile& file, const Bare& bare, int depth) {
    return pointer_type(type_of(file, bare.type->type, depth), is_tagged_user(file, bare.type));
}

Type structure_type(const TypeFile& file, const Bare& bare, int) {
    Type type{Kind::structure, bare.type->size};
    type.shape = shape_of(file, btf_is_union(bare.type) ? "union " : "struct ", bare);
    return type;
}

// Only its name is known; it is defined elsewhere, if at all.
Type forward_type(const TypeFile& file, const Bare& bare, int) {
    Type type{Kind::structure, 0};
    Shape shape;
    shape.name = tagged_name(file, btf_kflag(bare.type) ? "union " : "struct ", bare);
    type.shape = std::move(shape);
    return type;
}

// A flexible array at the end of a structure has 0 elements; one of char is read as a string of the usual length.
Type list_type(const TypeFile& file, const Bare& bare, int depth) {
    constexpr uint32_t open_string = 64;
    const struct btf_array* array = btf_array(bare.type);
    if (is_char(file, lt::bare(file, array->type).type))
        return string_type(array->nelems == 0 ? open_string : array->nelems);
    const Type each = type_of(file, array->type, depth);
    return is_hidden(each) || each.size == 0 ? nothing() : array_type(each, array->nelems);
}

Type float_type(const TypeFile&, const Bare& bare, int) {
    return bare.type->size == sizeof(float) || bare.type->size == sizeof(double) ? real_type(bare.type->size)
                                                                                 : nothing();
}

struct KindRow {
    uint32_t kind;
    Type (*type)(const TypeFile&, const Bare&, int depth);
};

constexpr std::array kinds{
    KindRow{BTF_KIND_INT, int_type},          KindRow{BTF_KIND_ENUM, enum_type},
    KindRow{BTF_KIND_ENUM64, enum_type},      KindRow{BTF_KIND_PTR, address_type},
    KindRow{BTF_KIND_STRUCT, structure_type}, KindRow{BTF_KIND_UNION, structure_type},
    KindRow{BTF_KIND_FWD, forward_type},      KindRow{BTF_KIND_ARRAY, list_type},
    KindRow{BTF_KIND_FLOAT, float_type},
};

Type type_of(const TypeFile& file, uint32_t id, int depth) {
    const Bare t = bare(file, id);
    if (t.type == nullptr || depth <= 0) return nothing();
    for (const KindRow& row : kinds) {
        if (row.kind == btf_kind(t.type)) return row.type(file, t, depth - 1);
    }
    return nothing();
}

void add_members(const TypeFile& file, uint32_t id, uint32_t base, int depth, std::vector<Member>& out) {
    const btf_type* t = type_at(file, id);
    if (t == nullptr || !btf_is_composite(t) || depth <= 0) return;
    for (uint32_t i = 0; i < btf_vlen(t); i++) {
        const btf_member& m = btf_members(t)[i];
        const uint32_t bit = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);
        const Bare inner = bare(file, m.type);
        const std::string_view name = text_at(file, m.name_off);
        if (name.empty()) {
            if (inner.type != nullptr) add_members(file, inner.id, base + bit / 8, depth - 1, out);
            continue;
        }
        Member member{std::string(name), type_of(file, m.type, most_depth), base + bit / 8};
        if (bits != 0) {
            if (member.type.kind != Kind::integer) continue;
            place_bit_field(member, base * 8 + bit, bits);
        }
        out.push_back(std::move(member));
    }
}

struct KeywordRow {
    std::string_view keyword;
    std::array<uint32_t, 2> kinds;
};
constexpr std::array keywords{
    KeywordRow{"struct ", {BTF_KIND_STRUCT, BTF_KIND_STRUCT}},
    KeywordRow{"union ", {BTF_KIND_UNION, BTF_KIND_UNION}},
    KeywordRow{"enum ", {BTF_KIND_ENUM, BTF_KIND_ENUM64}},
    KeywordRow{"", {BTF_KIND_TYPEDEF, BTF_KIND_INT}},
};

int64_t enum64_value(const struct btf_enum64& e) {
    return static_cast<int64_t>(uint64_t{e.val_hi32} << 32 | e.val_lo32);
}

// Of an enumeration.
bool has_enumerator(const TypeFile& file, const btf_type* t, std::string_view name) {
    const auto is_it = [&](const auto& e) { return is_name_at(file.types, e.name_off, name); };
    return btf_is_enum(t) ? std::ranges::any_of(std::span(btf_enum(t), btf_vlen(t)), is_it)
                          : std::ranges::any_of(std::span(btf_enum64(t), btf_vlen(t)), is_it);
}

}  // namespace

bool is_name_at(const btf* types, uint32_t offset, std::string_view name) {
    const char* text = btf__name_by_offset(types, offset);
    if (text == nullptr) return name.empty();
    for (const char c : name)
        if (*text == 0 || *text++ != c) return false;
    return *text == 0;
}

Type language_type(const TypeFile& file, uint32_t id) { return type_of(file, id, most_depth); }

std::optional<Type> find_type(const TypeFile& file, std::string_view name) {
    for (const KeywordRow& row : keywords) {
        if (!name.starts_with(row.keyword)) continue;
        const std::string plain(name.substr(row.keyword.size()));
        for (uint32_t kind : row.kinds) {
            const int id = btf__find_by_name_kind(file.types, plain.c_str(), kind);
            if (id > 0) return language_type(file, static_cast<uint32_t>(id));
        }
        return std::nullopt;
    }
    return std::nullopt;
}

std::optional<Type> find_own_structure(const TypeFile& file, std::string_view name) {
    for (uint32_t id = file.first; id < btf__type_cnt(file.types); id++) {
        const btf_type* type = btf__type_by_id(file.types, id);
        const char* tag = btf_is_struct(type) ? "struct " : btf_is_union(type) ? "union " : nullptr;
        if (tag == nullptr || !name.starts_with(tag)) continue;
        const char* own = btf__name_by_offset(file.types, type->name_off);
        if (own != nullptr && name.substr(std::string_view(tag).size()) == own) return language_type(file, id);
    }
    return std::nullopt;
}

std::vector<Member> members_of(const TypeFile& file, uint32_t id) {
    std::vector<Member> out;
    add_members(file, id, 0, most_depth, out);
    return out;
}

std::vector<Enumerator> enumerators_of(const TypeFile& file, uint32_t id) {
    std::vector<Enumerator> out;
    const btf_type* t = type_at(file, id);
    if (t == nullptr) return out;
    if (btf_is_enum(t)) {
        for (const struct btf_enum& e : std::span(btf_enum(t), btf_vlen(t)))
            out.push_back({std::string(text_at(file, e.name_off)),
                           btf_kflag(t) ? int64_t{e.val} : int64_t{static_cast<uint32_t>(e.val)}});
    } else if (btf_is_enum64(t)) {
        for (const struct btf_enum64& e : std::span(btf_enum64(t), btf_vlen(t)))
            out.push_back({std::string(text_at(file, e.name_off)), enum64_value(e)});
    }
    return out;
}

std::optional<Constant> find_constant(const TypeFile& file, std::string_view name) {
    for (uint32_t id = file.first; id < btf__type_cnt(file.types); id++) {
        const btf_type* t = type_at(file, id);
        if (!btf_is_any_enum(t) || !has_enumerator(file, t, name)) continue;
        for (const Enumerator& e : enumerators_of(file, id)) {
            if (e.name == name) return Constant{language_type(file, id), e.value};
        }
    }
    return std::nullopt;
}

}  // namespace lt
