#include "runtime/btf/btf_excerpt.h"

#include <elf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "runtime/btf/btf_bytes.h"

namespace lt {
namespace {

// A type that a relocation is about.
struct Sought {
    uint32_t kind = 0;
    std::string_view name;  // without what follows a "___"
    auto operator<=>(const Sought&) const = default;
};

// The header of a section .BTF.ext, and of the records of one section in it: Documentation/bpf/btf.rst.
struct ExtHeader {
    uint16_t magic;
    uint8_t version, flags;
    uint32_t hdr_len;
    uint32_t func_info_off, func_info_len, line_info_off, line_info_len;
    uint32_t core_relo_off, core_relo_len;
};
struct ExtSection {
    uint32_t sec_name_off, num_info;
};

// "task_struct___old" is another form of "task_struct" (bpf_core_essential_name_len() in libbpf).
std::string_view essential(std::string_view name) {
    constexpr std::string_view separator = "___";
    for (size_t at = name.rfind(separator); at != std::string_view::npos && at > 0;
         at = name.rfind(separator, at - 1)) {
        const size_t after = at + separator.size();
        if (name[at - 1] != '_' && after < name.size() && name[after] != '_') return name.substr(0, at);
    }
    return name;
}

// Kinds that may stand for each other in another kernel.
uint32_t alike(uint32_t kind) { return kind == BTF_KIND_ENUM64 ? uint32_t{BTF_KIND_ENUM} : kind; }

BtfBytes section_of(BtfBytes object, std::string_view wanted) {
    const auto file = btf_value<Elf64_Ehdr>(object, 0);
    if (!file) return {};
    const auto header = [&](uint32_t i) {
        return btf_value<Elf64_Shdr>(object, file->e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    };
    const auto texts_header = header(file->e_shstrndx);
    const auto texts = texts_header ? btf_part(object, texts_header->sh_offset, texts_header->sh_size) : std::nullopt;
    for (uint32_t i = 0; texts && i < file->e_shnum; i++) {
        const auto section = header(i);
        if (!section || BtfSections{{}, *texts}.text(section->sh_name) != wanted) continue;
        return btf_part(object, section->sh_offset, section->sh_size).value_or(BtfBytes());
    }
    return {};
}

// Whether a small BTF will do for relocations of this kind.
bool is_about_fields(uint32_t kind) { return kind != BPF_CORE_TYPE_ID_TARGET && kind <= BPF_CORE_ENUMVAL_VALUE; }

// The numbers of the types in the object that its relocations are about; nothing if one needs all types.
std::optional<std::set<uint32_t>> types_of_relocations(BtfBytes section) {
    const auto header = btf_value<ExtHeader>(section, 0);
    if (!header) return {};
    const auto all = btf_part(section, uint64_t{header->hdr_len} + header->core_relo_off, header->core_relo_len);
    if (!all) return {};
    const uint32_t size = btf_value<uint32_t>(*all, 0).value_or(0);
    std::set<uint32_t> out;
    for (uint64_t at = sizeof size; at < all->size();) {
        const auto part = btf_value<ExtSection>(*all, at);
        if (!part || size < sizeof(bpf_core_relo)) return {};
        at += sizeof *part;
        for (uint32_t i = 0; i < part->num_info; i++, at += size) {
            const auto relocation = btf_value<bpf_core_relo>(*all, at);
            if (!relocation || !is_about_fields(relocation->kind)) return {};
            if (relocation->kind != BPF_CORE_TYPE_ID_LOCAL) out.insert(relocation->type_id);
        }
    }
    return out;
}

// Nothing if libbpf must see all types: for the number of one, and for damaged bytes, about which it has the right
// message.
std::optional<std::set<Sought>> sought_by(BtfBytes object) {
    const auto types = types_of_relocations(section_of(object, ".BTF.ext"));
    const auto sections = btf_sections(section_of(object, ".BTF"));
    if (!types || !sections) return {};
    std::set<Sought> out;
    size_t found = 0;
    btf_each(sections->types, [&](uint32_t number, const BtfEntry& entry) {
        if (!types->contains(number)) return true;
        const Sought sought{alike(entry.kind()), essential(sections->text(entry.type().name_off))};
        // of a typedef libbpf compares everything that it stands for, also through pointers
        if (sought.name.empty() || entry.kind() == BTF_KIND_TYPEDEF) return false;
        out.insert(sought);
        return ++found < types->size();
    });
    if (found < types->size()) return {};
    return out;
}

// Copies types from one BTF to another, under new numbers.
class Copier {
  public:
    Copier(const BtfSections& from, const std::vector<uint32_t>& places) : from_(from), places_(places) {}

    uint32_t want(uint32_t number) {
        if (number == 0 || number >= places_.size()) return 0;
        const auto [known, is_new] = numbers_.try_emplace(number, static_cast<uint32_t>(numbers_.size() + 1));
        if (is_new) waiting_.push_back(number);
        return known->second;
    }

    std::vector<uint8_t> finish() {
        for (size_t next = 0; next < waiting_.size(); next++)
            if (const auto entry = btf_entry(from_.types, places_[waiting_[next]])) copy(*entry);
        btf_header header{};
        header.magic = BTF_MAGIC;
        header.version = BTF_VERSION;
        header.hdr_len = sizeof header;
        header.type_len = header.str_off = static_cast<uint32_t>(types_.size());
        header.str_len = static_cast<uint32_t>(texts_.size());
        std::vector<uint8_t> out(sizeof header + types_.size() + texts_.size());
        std::memcpy(out.data(), &header, sizeof header);
        const auto after = std::ranges::copy(types_, out.begin() + sizeof header).out;
        std::ranges::copy(texts_, after);
        return out;
    }

  private:
    uint32_t text(uint32_t offset) {
        const std::string_view found = from_.text(offset);
        if (found.empty()) return 0;
        const auto [known, is_new] = offsets_.try_emplace(found, static_cast<uint32_t>(texts_.size()));
        if (is_new) texts_.append(found) += '\0';
        return known->second;
    }

    void change(size_t at, uint32_t (Copier::*how)(uint32_t)) {
        uint32_t value = 0;
        std::memcpy(&value, &types_[at], sizeof value);
        value = (this->*how)(value);
        std::memcpy(&types_[at], &value, sizeof value);
    }

    void copy(const BtfEntry& entry) {
        const size_t begin = types_.size();
        types_.insert(types_.end(), entry.bytes().begin(), entry.bytes().end());
        change(begin + offsetof(btf_type, name_off), &Copier::text);
        if (entry.layout().refers)
            change(begin + offsetof(btf_type, type), entry.layout().holds ? &Copier::want : &Copier::nothing);
        size_t part = begin + sizeof(btf_type) + entry.layout().fixed;
        if (entry.kind() == BTF_KIND_ARRAY) {
            change(part - sizeof(struct btf_array) + offsetof(struct btf_array, type), &Copier::want);
            change(part - sizeof(struct btf_array) + offsetof(struct btf_array, index_type), &Copier::want);
        }
        for (; entry.layout().each != 0 && part < types_.size(); part += entry.layout().each) {
            if (entry.layout().parts_named) change(part, &Copier::text);
            if (entry.layout().parts_typed) change(part + entry.layout().type_at, &Copier::want);
        }
    }

    uint32_t nothing(uint32_t) { return 0; }

    const BtfSections& from_;
    const std::vector<uint32_t>& places_;
    std::map<uint32_t, uint32_t> numbers_;          // of the copies
    std::vector<uint32_t> waiting_;                 // in the order of the copies
    std::map<std::string_view, uint32_t> offsets_;  // in texts_
    std::vector<uint8_t> types_;
    std::string texts_ = std::string(1, '\0');
};

}  // namespace

bool seeks_few_types(std::span<const uint8_t> object) {
    const auto sought = sought_by(object);
    return sought && !sought->empty();
}

std::vector<uint8_t> btf_excerpt(std::span<const uint8_t> object, std::span<const uint8_t> kernel) {
    const auto sought = sought_by(object);
    const auto sections = btf_sections(kernel);
    if (!sought || sought->empty() || !sections) return {};
    std::vector<uint32_t> places{0}, roots;
    std::set<Sought> missing = *sought;
    uint32_t kinds = 0;
    for (const Sought& each : *sought) kinds |= 1U << each.kind;
    uint64_t at = 0;
    btf_each(sections->types, [&](uint32_t number, const BtfEntry& entry) {
        places.push_back(static_cast<uint32_t>(at));
        at += entry.bytes().size();
        const btf_type type = entry.type();
        const uint32_t kind = alike(BTF_INFO_KIND(type.info));
        if ((kinds >> kind & 1) == 0) return true;
        for (const Sought& each : *sought) {
            if (each.kind != kind || !sections->begins(type.name_off, each.name)) continue;
            if (essential(sections->text(type.name_off)) != each.name) continue;
            roots.push_back(number);
            missing.erase(each);
        }
        return true;
    });
    if (at != sections->types.size() || !missing.empty()) return {};
    Copier copier(*sections, places);
    for (const uint32_t number : roots) copier.want(number);
    return copier.finish();
}

}  // namespace lt
