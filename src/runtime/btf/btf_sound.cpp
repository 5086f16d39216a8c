#include "runtime/btf/btf_sound.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/btf/btf_bytes.h"

namespace lt {
namespace {

Error damaged(std::string_view what) { return {fmt::format("the object is damaged: {}", what), "save it again", 0}; }

class Checker {
  public:
    Status check(BtfBytes section) {
        const auto header = btf_value<struct btf_header>(section, 0);
        if (!header || header->magic != BTF_MAGIC || header->hdr_len < sizeof(struct btf_header))
            return damaged("its types have no header");
        const auto sections = btf_sections(section);
        if (!sections || sections->texts.empty() || sections->texts.front() != 0 || sections->texts.back() != 0)
            return damaged("its types or their names lie outside of it");
        names_ = sections->texts.size();
        return read_all(sections->types) && check_all() ? Status(Done{}) : damaged(why_);
    }

  private:
    struct Type {
        uint32_t kind = 0;
        uint32_t refers = 0;          // id of the type that it refers to, depending on the kind
        std::vector<uint32_t> parts;  // types of its parts
        BtfLayout layout;
        uint8_t seen = 0;  // 1: in progress, 2: done
    };

    bool fails(std::string why) {
        why_ = std::move(why);
        return false;
    }

    bool read_all(BtfBytes types) {
        types_.emplace_back();  // void
        for (uint64_t at = 0; at < types.size();) {
            const auto entry = btf_entry(types, at);
            if (!entry || entry->type().name_off >= names_)
                return fails(fmt::format("type {} is cut off or of an unknown kind", types_.size()));
            types_.push_back({entry->kind(), entry->type().type, {}, entry->layout()});
            if (!read_parts(entry->rest(), types_.back()))
                return fails(fmt::format("type {} has no names", types_.size() - 1));
            at += entry->bytes().size();
        }
        return true;
    }

    bool read_parts(BtfBytes rest, Type& out) const {
        if (out.kind == BTF_KIND_ARRAY) {
            const auto array = btf_value<struct btf_array>(rest, 0);
            out.parts = {array->type, array->index_type};
        }
        const BtfLayout& layout = out.layout;
        for (uint64_t at = 0; layout.each != 0 && at < rest.size(); at += layout.each) {
            if (layout.parts_named && *btf_value<uint32_t>(rest, at) >= names_) return false;
            if (layout.parts_typed) out.parts.push_back(*btf_value<uint32_t>(rest, at + layout.type_at));
        }
        return true;
    }

    bool check_all() {
        for (uint32_t id = 1; id < types_.size(); id++) {
            const Type& type = types_[id];
            bool exists = !type.layout.refers || type.refers < types_.size();
            for (const uint32_t part : type.parts) exists = exists && part < types_.size();
            if (!exists) return fails(fmt::format("type {} refers to a type that does not exist", id));
            if (!fits(type)) return fails(fmt::format("type {} refers to a type that it cannot contain", id));
        }
        for (uint32_t id = 1; id < types_.size(); id++)
            if (!ends(id, 0)) return fails(fmt::format("type {} contains itself", id));
        return true;
    }

    bool fits(const Type& type) const {
        const uint32_t of = type.layout.refers ? types_[type.refers].kind : 0;
        const auto is_entry = [&](uint32_t id) {
            return types_[id].kind == BTF_KIND_VAR || types_[id].kind == BTF_KIND_FUNC;
        };
        const auto is_value = [&](uint32_t id) {
            const uint32_t kind = types_[id].kind;
            return id != 0 && kind != BTF_KIND_FUNC && kind != BTF_KIND_FUNC_PROTO && kind != BTF_KIND_VAR &&
                   kind != BTF_KIND_DATASEC && kind != BTF_KIND_DECL_TAG;
        };
        switch (type.kind) {
            case BTF_KIND_FUNC:
                return of == BTF_KIND_FUNC_PROTO;
            case BTF_KIND_VAR:
                return of != BTF_KIND_VAR && of != BTF_KIND_DATASEC && of != BTF_KIND_FUNC;
            case BTF_KIND_DATASEC:
                return std::ranges::all_of(type.parts, is_entry);
            case BTF_KIND_STRUCT:
            case BTF_KIND_UNION:
            case BTF_KIND_ARRAY:
                return std::ranges::all_of(type.parts, is_value);
            default:
                return true;
        }
    }

    // Follows what values contain, not what they point to.
    bool ends(uint32_t id, int depth) {
        constexpr int deepest = 64;
        Type& type = types_[id];
        if (id == 0 || type.seen == 2) return true;
        if (type.seen == 1 || depth > deepest) return false;
        type.seen = 1;
        bool good = true;
        if (type.layout.refers && type.layout.holds) good = ends(type.refers, depth + 1);
        const bool holds_parts = type.layout.holds || type.kind == BTF_KIND_ARRAY;
        for (size_t i = 0; good && holds_parts && i < type.parts.size(); i++) good = ends(type.parts[i], depth + 1);
        type.seen = 2;
        return good;
    }

    size_t names_ = 0;
    std::vector<Type> types_;
    std::string why_;
};

}  // namespace

Status is_sound_btf(std::span<const uint8_t> section) { return Checker().check(section); }

Status is_sound_object(std::span<const uint8_t> object) {
    const auto file = btf_value<Elf64_Ehdr>(object, 0);
    const bool is_elf = file && std::memcmp(file->e_ident, ELFMAG, SELFMAG) == 0 &&
                        file->e_ident[EI_CLASS] == ELFCLASS64 && file->e_shentsize == sizeof(Elf64_Shdr);
    if (!is_elf) return damaged("it is not an ELF file");
    std::vector<Elf64_Shdr> sections;
    for (uint32_t i = 0; i < file->e_shnum; i++) {
        const auto section = btf_value<Elf64_Shdr>(object, file->e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
        const bool empty = section && (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL);
        if (!section || (!empty && !btf_part(object, section->sh_offset, section->sh_size)))
            return damaged(fmt::format("section {} lies outside of it", i));
        sections.push_back(*section);
    }
    if (file->e_shstrndx >= sections.size()) return damaged("its sections have no names");
    const Elf64_Shdr& strings = sections[file->e_shstrndx];
    const auto names = btf_part(object, strings.sh_offset, strings.sh_size);
    if (!names || names->empty() || names->back() != 0) return damaged("its sections have no names");
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_name >= names->size()) return damaged("a section has no name");
        const std::string_view name = reinterpret_cast<const char*>(names->data() + section.sh_name);
        if (name != ".BTF") continue;
        const auto types = btf_part(object, section.sh_offset, section.sh_size);
        if (!types) return damaged("its types lie outside of it");
        if (Status good = is_sound_btf(*types); !good) return good;
    }
    return Done{};
}

}  // namespace lt
