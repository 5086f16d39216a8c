// USDT markers, from the notes that <sys/sdt.h> makes: three addresses (of the marker, of the section .stapsdt.base
// when the note was made, of the semaphore or 0), then provider, name and arguments as strings.
#include <gelf.h>

#include <cstring>

#include "runtime/programs/elf_file.h"

namespace lt {
namespace {

constexpr std::string_view owner = "stapsdt";
constexpr uint32_t marker_note = 3;

Elf_Scn* section_named(Elf* elf, std::string_view wanted, GElf_Shdr& header) {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        if (gelf_getshdr(section, &header) == nullptr) continue;
        const char* name = elf_strptr(elf, names, header.sh_name);
        if (name != nullptr && wanted == name) return section;
    }
    return nullptr;
}

struct Note {
    uint64_t address = 0, base = 0, semaphore = 0;
    std::string provider, name, arguments;
};

std::string take_text(std::string_view& bytes) {
    const size_t end = std::min(bytes.find('\0'), bytes.size());
    std::string out(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    return out;
}

std::optional<Note> read_note(std::string_view bytes) {
    uint64_t numbers[3];
    if (bytes.size() < sizeof numbers) return {};
    std::memcpy(numbers, bytes.data(), sizeof numbers);
    bytes.remove_prefix(sizeof numbers);
    Note note{numbers[0], numbers[1], numbers[2], {}, {}, {}};
    note.provider = take_text(bytes);
    note.name = take_text(bytes);
    note.arguments = take_text(bytes);
    return note;
}

std::vector<Note> read_notes(Elf* elf) {
    std::vector<Note> out;
    GElf_Shdr header{};
    Elf_Scn* section = section_named(elf, ".note.stapsdt", header);
    Elf_Data* data = section != nullptr ? elf_getdata(section, nullptr) : nullptr;
    if (data == nullptr) return out;
    GElf_Nhdr note{};
    size_t name = 0, content = 0;
    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &content)) > 0;) {
        const auto* bytes = static_cast<const char*>(data->d_buf);
        const bool ours = note.n_type == marker_note && note.n_namesz == owner.size() + 1 &&
                          std::memcmp(bytes + name, owner.data(), owner.size()) == 0;
        if (!ours) continue;
        if (auto read = read_note({bytes + content, note.n_descsz})) out.push_back(std::move(*read));
    }
    return out;
}

}  // namespace

// For data as well as code; 0 if nothing of the file is there.
uint64_t ElfFile::data_offset(uint64_t address) const {
    for (const Segment& s : segments_) {
        if (address >= s.address && address - s.address < s.size) return s.offset + (address - s.address);
    }
    return 0;
}

// Tools that move a linked program update the section's address, not the notes.
std::vector<Marker> ElfFile::markers() const {
    GElf_Shdr header{};
    const bool has_base = section_named(elf_.get(), ".stapsdt.base", header) != nullptr;
    std::vector<Marker> out;
    for (Note& note : read_notes(elf_.get())) {
        const uint64_t moved = has_base && note.base != 0 ? header.sh_addr - note.base : 0;
        Result<uint64_t> offset = file_offset(note.address + moved);
        if (!offset) continue;
        Marker m{std::move(note.provider), std::move(note.name), *offset, 0, std::move(note.arguments)};
        if (note.semaphore != 0) m.semaphore = data_offset(note.semaphore + moved);
        out.push_back(std::move(m));
    }
    return out;
}

}  // namespace lt
