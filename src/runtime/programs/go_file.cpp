// Layouts: struct pcHeader and struct _func of Go's src/runtime/symtab.go and runtime2.go, from Go 1.18 on; each later
// change is a row of a table.
#include "runtime/programs/go_file.h"

#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/programs/section.h"

namespace lt {
namespace {

std::optional<Section> find_table(Elf* elf) {
    auto found = find_section(elf, ".gopclntab");
    return found ? found : find_section(elf, ".data.rel.ro.gopclntab");
}

// Go's linker leaves one of these in each program.
bool is_go(Elf* elf) { return find_section(elf, ".go.buildinfo") || find_section(elf, ".note.go.buildid"); }

template <class T>
T read_at(std::string_view bytes, uint64_t offset) {
    T value{};
    if (offset <= bytes.size() && bytes.size() - offset >= sizeof value)
        std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view from(std::string_view bytes, uint64_t offset) {
    return bytes.substr(std::min<uint64_t>(offset, bytes.size()));
}

std::string_view text_at(std::string_view bytes, uint64_t offset) {
    const std::string_view rest = from(bytes, offset);
    return rest.substr(0, rest.find('\0'));
}

// The value that the loader puts at an address; in a file that was not linked by Go's own linker it is zero until then.
uint64_t relocated(Elf* elf, uint64_t address) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA) continue;
        Elf_Data* data = elf_getdata(section, nullptr);
        GElf_Rela entry{};
        for (int i = 0; data != nullptr && gelf_getrela(data, i, &entry) != nullptr; i++)
            if (entry.r_offset == address) return static_cast<uint64_t>(entry.r_addend);
    }
    return 0;
}

struct Version {
    uint32_t magic;
    uint64_t flags;  // offset of the byte in struct _func
};
constexpr std::array versions{
    Version{0xfffffff0, 37},  // Go 1.18
    Version{0xfffffff1, 41},  // Go 1.20
};
constexpr uint64_t pointer_size_offset = 7;
constexpr uint64_t count_offset = 8;
constexpr uint64_t text_offset = 24;
constexpr uint64_t names_offset = 32;
constexpr uint64_t functions_offset = 64;
constexpr uint64_t name_in_function = 4;
constexpr uint8_t assembly_flag = 4;
constexpr uint64_t table_entry_size =
    8;  // of the table: u32 offset from the start of the code, u32 offset of its struct _func

}  // namespace

const GoFunction* GoFile::at(uint64_t address) const {
    const auto next = std::ranges::upper_bound(functions, address, {}, &GoFunction::address);
    if (next == functions.begin()) return nullptr;
    const GoFunction& f = *std::prev(next);
    return address - f.address < f.size ? &f : nullptr;
}

std::vector<uint64_t> GoFile::stack_growers() const {
    std::vector<uint64_t> all;
    constexpr std::array<std::string_view, 3> names{"runtime.morestack", "runtime.morestack_noctxt",
                                                    "runtime.morestackc"};
    for (const GoFunction& f : functions)
        if (std::ranges::find(names, f.name) != names.end()) all.push_back(f.address);
    return all;
}

std::optional<GoFile> read_go_file(Elf* elf) {
    const std::optional<Section> table = find_table(elf);
    GoFile file;
    if (!table) {
        if (!is_go(elf)) return {};
        file.problem = "its table of functions (.gopclntab) was not found";
        return file;
    }
    const std::string_view bytes = table->bytes;
    const auto version = std::ranges::find(versions, read_at<uint32_t>(bytes, 0), &Version::magic);
    if (version == versions.end() || read_at<uint8_t>(bytes, pointer_size_offset) != 8) {
        file.problem = "its table of functions is not one of Go 1.18 or later";
        return file;
    }
    uint64_t text = read_at<uint64_t>(bytes, text_offset);
    if (text == 0) text = relocated(elf, table->address + text_offset);
    const std::string_view names = from(bytes, read_at<uint64_t>(bytes, names_offset));
    const std::string_view functions = from(bytes, read_at<uint64_t>(bytes, functions_offset));
    const uint64_t count =
        std::min<uint64_t>(read_at<uint64_t>(bytes, count_offset), functions.size() / table_entry_size);
    if (text == 0 || count == 0) {
        file.problem = "its table of functions does not say where they are";
        return file;
    }
    file.functions.reserve(count);
    NameBudget budget;
    for (uint64_t i = 0; i < count; i++) {
        const auto begin = read_at<uint32_t>(functions, i * table_entry_size);
        const auto end = read_at<uint32_t>(functions, (i + 1) * table_entry_size);
        const std::string_view about = from(functions, read_at<uint32_t>(functions, i * table_entry_size + 4));
        if (end <= begin) continue;
        const std::string_view name = text_at(names, read_at<uint32_t>(about, name_in_function));
        if (!budget.takes(name)) break;
        file.functions.push_back(
            {name, text + begin, end - begin, (read_at<uint8_t>(about, version->flags) & assembly_flag) != 0});
    }
    std::ranges::stable_sort(file.functions, {}, &GoFunction::address);
    return file;
}

}  // namespace lt
