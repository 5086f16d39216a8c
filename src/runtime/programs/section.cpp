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

}  // namespace lt
