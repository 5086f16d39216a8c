// Types are followed to a limited depth, since a damaged file can contain a type that contains itself.
#include "runtime/dwarf/types.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "base/rows.h"
#include "runtime/dwarf/units.h"
#include "stdlib/real.h"

namespace lt {
namespace {

constexpr int most_type_depth = 16;
constexpr uint32_t most_bytes = 1U << 30;

struct TagRow {
    int tag;
    std::string_view keyword;
};
constexpr std::array keywords{
    TagRow{DW_TAG_structure_type, "struct "},
    TagRow{DW_TAG_class_type, "class "},
    TagRow{DW_TAG_union_type, "union "},
    TagRow{DW_TAG_enumeration_type, "enum "},
};
constexpr std::array qualifiers{
    TagRow{DW_TAG_const_type, "const "}, TagRow{DW_TAG_volatile_type, "volatile "}, TagRow{DW_TAG_restrict_type, ""},
    TagRow{DW_TAG_atomic_type, ""},      TagRow{DW_TAG_immutable_type, ""},         TagRow{DW_TAG_typedef, ""},
};
constexpr std::array addresses{
    TagRow{DW_TAG_pointer_type, "*"},
    TagRow{DW_TAG_reference_type, "&"},
    TagRow{DW_TAG_rvalue_reference_type, "&&"},
};

template <size_t n>
const TagRow* row_of(const std::array<TagRow, n>& rows, int tag) {
    return find_row(rows, tag, &TagRow::tag);
}

bool is_structure(int tag) { return tag != DW_TAG_enumeration_type && row_of(keywords, tag) != nullptr; }

uint32_t size_of(Dwarf_Die& die) {
    const int64_t size = number_of(die, DW_AT_byte_size, 0);
    return size >= 0 && size <= most_bytes ? static_cast<uint32_t>(size) : 0;
}

// The type without typedefs and qualifiers, and the last name on the way.
std::string bare(Dwarf_Die& die) {
    std::string renamed;
    Dwarf_Die below{};
    for (int depth = 0; row_of(qualifiers, dwarf_tag(&die)) != nullptr; depth++) {
        if (dwarf_tag(&die) == DW_TAG_typedef) renamed = name_of(die);
        if (depth >= most_type_depth || !type_of(die, below)) break;
        die = below;
    }
    return renamed;
}

// Signed and unsigned char are numbers, and uint8_t is one of them.
bool is_char(Dwarf_Die die) {
    bare(die);
    return dwarf_tag(&die) == DW_TAG_base_type && size_of(die) == 1 && name_of(die) == "char";
}

// For each dimension, as written; 0 if unknown.
std::vector<uint32_t> counts_of(Dwarf_Die& array) {
    std::vector<uint32_t> out;
    each_child(array, [&](Dwarf_Die& child) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) return false;
        const int64_t count = number_of(child, DW_AT_count, number_of(child, DW_AT_upper_bound, -1) + 1);
        out.push_back(count >= 0 && count <= most_bytes ? static_cast<uint32_t>(count) : 0);
        return false;
    });
    return out;
}

}  // namespace

Type DwarfTypes::type(Dwarf_Die die) { return followed(die, most_type_depth); }

Type DwarfTypes::followed(Dwarf_Die die, int depth) {
    const std::string renamed = bare(die);
    const int tag = dwarf_tag(&die);
    if (depth <= 0) return nothing();
    if (tag == DW_TAG_base_type) return base(die);
    if (tag == DW_TAG_enumeration_type) return enumeration(die, renamed);
    if (tag == DW_TAG_array_type) return array(die, depth);
    if (is_structure(tag)) return structure(die, renamed);
    if (row_of(addresses, tag) == nullptr) return nothing();
    Dwarf_Die to{};
    return pointer_type(type_of(die, to) ? followed(to, depth - 1) : nothing(), true);
}

Type DwarfTypes::base(Dwarf_Die& die) const {
    struct EncodingRow {
        int64_t encoding;
        bool is_signed;
        View view;
    };
    static constexpr std::array encodings{
        EncodingRow{DW_ATE_boolean, false, View::boolean},     EncodingRow{DW_ATE_signed, true, View::plain},
        EncodingRow{DW_ATE_signed_char, true, View::plain},    EncodingRow{DW_ATE_unsigned, false, View::plain},
        EncodingRow{DW_ATE_unsigned_char, false, View::plain}, EncodingRow{DW_ATE_UTF, false, View::plain},
        EncodingRow{DW_ATE_address, false, View::hex},
    };
    const uint32_t size = size_of(die);
    const int64_t encoding = number_of(die, DW_AT_encoding, 0);
    const auto row = std::ranges::find(encodings, encoding, &EncodingRow::encoding);
    if (encoding == DW_ATE_float && (size == 4 || size == 8)) return real_type(size);
    const bool fits = size == 1 || size == 2 || size == 4 || size == 8;
    return row != encodings.end() && fits ? integer_type(size, row->is_signed, row->view) : nothing();
}

Shape DwarfTypes::shape(Dwarf_Die& die, std::string_view renamed) {
    Shape out;
    const std::string name = name_of(die);
    out.name =
        name.empty() ? std::string(renamed) : fmt::format("{}{}", row_of(keywords, dwarf_tag(&die))->keyword, name);
    out.module = module_;
    out.number = number(die);
    return out;
}

// A structure that several units describe gets one number. Types that look the same differ by their places,
// which take longer to find.
uint32_t DwarfTypes::number(Dwarf_Die& die) {
    const auto next = static_cast<uint32_t>(dies_.size() + 1);
    const auto [known, is_new] = numbers_.emplace(die.addr, next);
    if (!is_new) return known->second;
    dies_.push_back(die);
    const Identity identity{dwarf_tag(&die), name_of(die), size_of(die), number_of(die, DW_AT_decl_line, 0)};
    if (std::get<std::string>(identity).empty() || std::get<3>(identity) == 0) return next;
    const auto [first, last] = identities_.equal_range(identity);
    const auto same =
        std::find_if(first, last, [&](const auto& other) { return place_of(other.second) == place_of(next); });
    if (same == last) {
        identities_.emplace(identity, next);
        return next;
    }
    dies_.pop_back();
    places_.erase(next);
    return known->second = same->second;
}

// The scope and the file with the declaration.
const std::string& DwarfTypes::place_of(uint32_t number) {
    const auto [at, is_new] = places_.try_emplace(number);
    if (is_new) {
        Dwarf_Die die = dies_[number - 1];
        at->second = scope_of(die) + std::filesystem::path(declaring_file(die)).lexically_normal().string();
    }
    return at->second;
}

Type DwarfTypes::structure(Dwarf_Die& die, std::string_view renamed) {
    Dwarf_Die whole = die;
    if (dwarf_hasattr(&die, DW_AT_declaration) != 0) definitions_.find(die, whole);
    Type out{Kind::structure, size_of(whole)};
    out.shape = shape(whole, renamed);
    return out;
}

Type DwarfTypes::enumeration(Dwarf_Die& die, std::string_view renamed) {
    Type out = integer_type(size_of(die), false, View::enumeration);
    Dwarf_Die below{};
    if (bare_type(die, below)) out.is_signed = base(below).is_signed;
    out.shape = shape(die, renamed);
    const auto names = enumerators(out.shape->number);
    out.is_signed = out.is_signed || std::ranges::any_of(names, [](const Enumerator& e) { return e.value < 0; });
    return out.size == 1 || out.size == 2 || out.size == 4 || out.size == 8 ? out : nothing();
}

// The number of elements of an array at the end of a structure is unknown: an array of char is read as a string of the
// default length.
Type DwarfTypes::array(Dwarf_Die& die, int depth) {
    constexpr uint32_t open_string = 64;
    Dwarf_Die element{};
    std::vector<uint32_t> counts = counts_of(die);
    if (counts.empty() || !type_of(die, element) || flag(die, DW_AT_GNU_vector)) return nothing();
    Type out = followed(element, depth - 1);
    if (is_char(element)) {
        out = string_type(counts.back() == 0 ? open_string : counts.back());
        counts.pop_back();
    }
    for (auto count = counts.rbegin(); count != counts.rend(); ++count) {
        if (is_hidden(out) || out.size == 0 || *count > most_bytes / out.size) return nothing();
        out = array_type(out, *count);
    }
    return out;
}

const std::vector<Member>& DwarfTypes::members(uint32_t number) {
    static const std::vector<Member> none;
    if (number == 0 || number > dies_.size()) return none;
    const auto known = members_.find(number);
    if (known != members_.end()) return known->second;
    Dwarf_Die die = dies_[number - 1];
    std::vector<Member> all;
    visits_ = 0;
    add_members(die, 0, most_type_depth, all);
    return members_[number] = std::move(all);
}

// A member hides those of base classes with its name. They come last, since the first one with a name is meant.
void DwarfTypes::add_members(Dwarf_Die& die, uint32_t base, int depth, std::vector<Member>& out) {
    constexpr int most_visits = 1 << 14;
    if (depth <= 0) return;
    std::vector<Member> inherited, own;
    each_child(die, [&](Dwarf_Die& child) {
        const int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_inheritance || tag == DW_TAG_member) && ++visits_ > most_visits) return true;
        if (tag == DW_TAG_inheritance) add_member(child, base, depth, inherited);
        if (tag == DW_TAG_member) add_member(child, base, depth, own);
        return false;
    });
    const auto is_visible = [&](const Member& member) {
        return std::ranges::find(own, member.name, &Member::name) == own.end();
    };
    const auto hidden = std::stable_partition(inherited.begin(), inherited.end(), is_visible);
    std::move(inherited.begin(), hidden, std::back_inserter(out));
    std::move(own.begin(), own.end(), std::back_inserter(out));
    std::move(hidden, inherited.end(), std::back_inserter(out));
}

// Members of a base class, and of an anonymous member, take its place.
void DwarfTypes::add_member(Dwarf_Die& die, uint32_t base, int depth, std::vector<Member>& out) {
    const std::string name = name_of(die);
    Dwarf_Die of{}, below{};
    const bool is_static = flag(die, DW_AT_external) || flag(die, DW_AT_declaration);
    if (is_static || !type_of(die, of)) return;
    const int64_t bits = number_of(die, DW_AT_bit_size, 0);
    Member member{name, type(of)};
    const int64_t bit = bits > 0 ? first_bit(die, member.type.size) : -1;
    const bool known =
        dwarf_hasattr(&die, DW_AT_data_member_location) != 0;  // otherwise it is at the start, as in a union
    const int64_t offset = bit >= 0 ? bit / 8 : number_of(die, DW_AT_data_member_location, known ? -1 : 0);
    if (offset < 0 || offset > most_bytes) return;  // of a virtual base class: only known at run time
    member.offset = base + static_cast<uint32_t>(offset);
    if (name.empty() || dwarf_tag(&die) == DW_TAG_inheritance) {
        if (bare_type(die, below)) add_members(below, member.offset, depth - 1, out);
        return;
    }
    if (bits > 0) {
        if (member.type.kind != Kind::integer || bits > 64 || bit < 0) return;
        place_bit_field(member, base * 8 + static_cast<uint32_t>(bit), static_cast<uint32_t>(bits));
    }
    out.push_back(std::move(member));
}

std::vector<Enumerator> DwarfTypes::enumerators(uint32_t number) {
    std::vector<Enumerator> out;
    if (number == 0 || number > dies_.size()) return out;
    each_child(dies_[number - 1], [&](Dwarf_Die& child) {
        if (dwarf_tag(&child) == DW_TAG_enumerator)
            out.push_back({name_of(child), number_of(child, DW_AT_const_value, 0)});
        return false;
    });
    return out;
}

std::optional<Type> DwarfTypes::named(std::string_view name, Dwarf_Die* own) {
    const auto [at, is_new] = named_.try_emplace({std::string(name), own != nullptr ? own->addr : nullptr});
    if (is_new) at->second = find(name, own);
    return at->second;
}

std::optional<Type> DwarfTypes::find(std::string_view name, Dwarf_Die* own) {
    const auto keyword =
        std::ranges::find_if(keywords, [&](const TagRow& row) { return name.starts_with(row.keyword); });
    const std::string plain(keyword == keywords.end() ? name : name.substr(keyword->keyword.size()));
    const int tag = keyword == keywords.end() ? int{DW_TAG_typedef} : keyword->tag;
    std::optional<Type> out;
    const auto look = [&](Dwarf_Die& unit) {
        each_child(unit, [&](Dwarf_Die& child) {
            const int is = dwarf_tag(&child);
            // In C++ a structure's name is also a type name, and a class may be called a structure.
            const bool fits = is == tag || (is_structure(is) && (tag == DW_TAG_typedef || is_structure(tag)));
            if (fits && dwarf_hasattr(&child, DW_AT_declaration) == 0 && name_of(child) == plain) out = type(child);
            return out.has_value();
        });
        return out.has_value();
    };
    if (own == nullptr || !look(*own)) each_unit(dwarf_, look);
    return out;
}

std::string DwarfTypes::spelling(Dwarf_Die die) const {
    std::string front, back;
    for (int depth = 0; depth < most_type_depth; depth++) {
        const int tag = dwarf_tag(&die);
        const std::string name = name_of(die);
        const TagRow* keyword = row_of(keywords, tag);
        const TagRow* qualifier = row_of(qualifiers, tag);
        const TagRow* address = row_of(addresses, tag);
        if (!name.empty())
            return front + fmt::format("{}{}{}{}", keyword ? keyword->keyword : "", name,
                                       back.empty() || back.front() == '[' ? "" : " ", back);
        if (qualifier) front += qualifier->keyword;
        if (address) back.insert(0, address->keyword);
        if (tag == DW_TAG_array_type)
            for (uint32_t count : counts_of(die)) back += fmt::format("[{}]", count);
        if (keyword != nullptr)
            return fmt::format("{}{}{{...}}{}{}", front, keyword->keyword, back.empty() ? "" : " ", back);
        Dwarf_Die below{};
        if (!type_of(die, below)) break;
        die = below;
    }
    return fmt::format("{}void{}{}", front, back.empty() ? "" : " ", back);
}

}  // namespace lt
