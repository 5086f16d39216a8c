#include "runtime/programs/section.h"

#include <gelf.h>

namespace lt {

std::optional<Section> find_section(Elf* elf, std::string_view name) {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return {};
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
        const char* found = elf_strptr(elf, names, header.sh_name);
        if (found == nullptr || found != name) continue;
        const Elf_Data* data = elf_rawdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return {};
        return Section{header.sh_addr, {static_cast<const char*>(data->d_buf), data->d_size}};
    }
    return {};
}

Elf_Scn* section_of_type(Elf* elf, uint32_t type, GElf_Shdr& header) {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf, section)) != nullptr) {
        if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type) return section;
    }
    return nullptr;
}

void each_symbol(Elf* elf, const std::function<void(std::string_view name, const GElf_Sym& symbol)>& take) {
    NameBudget budget;
    for (const uint32_t table : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}}) {
        GElf_Shdr header{};
        Elf_Scn* section = section_of_type(elf, table, header);
        Elf_Data* data = section != nullptr ? elf_getdata(section, nullptr) : nullptr;
        GElf_Sym symbol{};
        for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; i++) {
            const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name == nullptr || *name == '\0' || symbol.st_shndx == SHN_UNDEF) continue;
            if (!budget.takes(name)) return;
            take(without_version(name), symbol);
        }
    }
}

}  // namespace lt
