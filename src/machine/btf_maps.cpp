// Each member of a map definition is one row of a table: its name, and what it says about the map.
#include "machine/btf_maps.h"

#include <bpf/btf.h>
#include <fmt/format.h>

#include <array>
#include <memory>

#include "base/rows.h"

namespace lt::machine {
namespace {

struct BtfDeleter {
    void operator()(btf* b) const { btf__free(b); }
};
using Btf = std::unique_ptr<btf, BtfDeleter>;

enum class Encoding { array_length, pointee_size };

struct Member {
    std::string_view name;
    Encoding encoding;
    uint32_t MapDefinition::* field;
};

constexpr std::array members = {
    Member{"type", Encoding::array_length, &MapDefinition::type},
    Member{"key_size", Encoding::array_length, &MapDefinition::key_size},
    Member{"value_size", Encoding::array_length, &MapDefinition::value_size},
    Member{"max_entries", Encoding::array_length, &MapDefinition::max_entries},
    Member{"map_flags", Encoding::array_length, &MapDefinition::flags},
    Member{"key", Encoding::pointee_size, &MapDefinition::key_size},
    Member{"value", Encoding::pointee_size, &MapDefinition::value_size},
};

const Member* find_member(std::string_view name) { return find_row(members, name, &Member::name); }

std::string_view name_of(const btf* types, const btf_type* type) { return btf__name_by_offset(types, type->name_off); }

const btf_type* strip(const btf* types, uint32_t id) {
    const btf_type* type = btf__type_by_id(types, id);
    while (type && (btf_is_mod(type) || btf_is_typedef(type))) type = btf__type_by_id(types, type->type);
    return type;
}

Result<uint32_t> decode(const btf* types, Encoding encoding, uint32_t pointee) {
    switch (encoding) {
        case Encoding::array_length: {
            const btf_type* array = strip(types, pointee);
            if (!array || !btf_is_array(array)) return Error{"not a pointer to an array", "", 0};
            return btf_array(array)->nelems;
        }
        case Encoding::pointee_size: {
            const int64_t size = btf__resolve_size(types, pointee);
            if (size < 0) return system_error("size of its type", static_cast<int>(-size));
            return static_cast<uint32_t>(size);
        }
    }
    return Error{"unknown encoding", "", 0};
}

Status read_member(const btf* types, const btf_member& member, MapDefinition& map) {
    const std::string_view name = btf__name_by_offset(types, member.name_off);
    const Member* row = find_member(name);
    if (!row) return Done{};  // pinning and the like do not change how the map behaves
    const btf_type* pointer = strip(types, member.type);
    if (!pointer || !btf_is_ptr(pointer)) return Error{fmt::format("member {}: not a pointer", name), "", 0};
    auto value = decode(types, row->encoding, pointer->type);
    if (!value) return value.error_in(fmt::format("member {}", name));
    map.*row->field = *value;
    return Done{};
}

Result<MapDefinition> read_definition(const btf* types, const btf_type* variable) {
    MapDefinition map;
    map.name = name_of(types, variable);
    const btf_type* record = strip(types, variable->type);
    if (!record || !btf_is_struct(record)) return Error{fmt::format("map {}: not a struct", map.name), "", 0};
    const std::span<const btf_member> fields(btf_members(record), btf_vlen(record));
    for (const btf_member& field : fields)
        if (auto read = read_member(types, field, map); !read) return read.error_in(fmt::format("map {}", map.name));
    return map;
}

const btf_type* find_maps_section(const btf* types) {
    for (uint32_t id = 1; id < btf__type_cnt(types); ++id) {
        const btf_type* type = btf__type_by_id(types, id);
        if (btf_is_datasec(type) && name_of(types, type) == ".maps") return type;
    }
    return nullptr;
}

}  // namespace

Result<std::vector<MapDefinition>> read_map_definitions(std::span<const uint8_t> btf_section) {
    const Btf types(btf__new(btf_section.data(), static_cast<uint32_t>(btf_section.size())));
    if (!types) return system_error("reading BTF", errno);
    std::vector<MapDefinition> maps;
    const btf_type* section = find_maps_section(types.get());
    if (!section) return maps;
    const std::span<const btf_var_secinfo> variables(btf_var_secinfos(section), btf_vlen(section));
    for (const btf_var_secinfo& v : variables) {
        auto map = read_definition(types.get(), btf__type_by_id(types.get(), v.type));
        if (!map) return map.error();
        maps.push_back(*map);
    }
    return maps;
}

}  // namespace lt::machine
