// libelf checks its results against the size of the file; whether the numbers make sense together is checked here.
#include "runtime/programs/elf_file.h"
#include "runtime/programs/section.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "arch/arch.h"
#include "base/text.h"
#include "runtime/programs/archive.h"

namespace lt {

namespace {

std::string libelf_says() {
    const char* text = elf_errmsg(-1);
    return text != nullptr ? text : "damaged";
}

Result<Descriptor> open_regular(const std::string& path) {
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // does not wait for the writer of a pipe
    if (!fd) return system_error("open", errno);
    struct stat about{};
    if (::fstat(fd.get(), &about) != 0) return system_error("stat", errno);
    if (!S_ISREG(about.st_mode)) return Error{S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file", ""};
    if (is_sparse(about)) return Error{"is more than 1 GiB, nearly all of it a hole", ""};
    return fd;
}

Status check_header(Elf* elf) {
    GElf_Ehdr header{};
    if (elf_kind(elf) != ELF_K_ELF) return Error{"is not an ELF file", "", ENOEXEC};
    if (gelf_getehdr(elf, &header) == nullptr) return Error{"is not a whole ELF file: " + libelf_says(), ""};
    const bool native = gelf_getclass(elf) == ELFCLASS64 && header.e_machine == arch::native.elf_machine;
    if (!native) return Error{"is an ELF file for another kind of machine", ""};
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return Error{"is neither a program nor a shared library", ""};
    return Done{};
}

// Of a function's names, the one with the fewest leading underscores is for people: read, not __read.
size_t underscores(std::string_view name) { return std::min(name.find_first_not_of('_'), name.size()); }

// Decides which symbol a name means: the default version before older ones, global before local.
struct Standing {
    bool hidden_version;
    int binding;
};
int preference_of(Standing s) {
    const int by_binding = s.binding == STB_GLOBAL ? 2 : s.binding == STB_WEAK ? 1 : 0;
    return by_binding * 2 + (s.hidden_version ? 0 : 1);
}
constexpr int preferred_global = 2;  // from here on the symbol is not local to a source file

constexpr GElf_Versym hidden_bit = 0x8000;

bool is_function(const GElf_Sym& s) {
    const auto type = GELF_ST_TYPE(s.st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && s.st_shndx != SHN_UNDEF && s.st_value != 0;
}

}  // namespace

ElfFile::ElfFile(Descriptor fd, std::string shown)
    : fd_(std::move(fd)), path_(std::move(shown)), attached_(archive_path(path_).archive) {}

// `name`: in the archive; empty: the file itself.
Result<Elf*> ElfFile::begin(const std::string& name) {
    constexpr uint64_t most = 1 << 30;
    if (name.empty()) return begin_elf(fd_.get());
    const Result<StoredFile> stored = stored_file(fd_.get(), name);
    if (!stored) return stored.error();
    if (stored->size > most) return Error{"has a file of this name that is too large", "", 0};
    memory_.resize(stored->size);
    begins_ = stored->offset;
    const ssize_t n = ::pread(fd_.get(), memory_.data(), memory_.size(), static_cast<off_t>(begins_));
    memory_.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
    return elf_memory(reinterpret_cast<char*>(memory_.data()), memory_.size());
}

Result<ElfFile> ElfFile::open(const std::string& path, const std::string& shown) {
    const ArchivePath at = archive_path(path);
    Result<Descriptor> fd = open_regular(at.archive);
    if (!fd) return fd.error_in(shown);
    elf_version(EV_CURRENT);
    ElfFile file(*std::move(fd), shown);
    const Result<Elf*> elf = file.begin(at.name);
    if (!elf) return Error{fmt::format("{} {}", file.attached_, elf.error().what), elf.error().hint};
    if (*elf == nullptr) return Error{shown + " is not an ELF file: " + libelf_says(), "", ENOEXEC};
    file.elf_.reset(*elf);
    Status good = check_header(*elf);
    if (good && !has_sound_sections(*elf, file.fd_.get())) good = Error{"is damaged: its sections overlap", ""};
    if (good) good = file.read_segments();
    if (!good) return Error{fmt::format("{} {}", shown, good.error().what), good.error().hint, good.error().code};
    constexpr uint64_t most_counted = 512 << 20;  // so that one file does not displace all others
    file.table_bytes_ =
        std::min(foreign_size(file.fd_.get()), most_counted);  // any section can be as large as the file
    file.read_symbols();
    return file;
}

Status ElfFile::read_segments() {
    size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0) return Error{"is not a whole ELF file: " + libelf_says(), ""};
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header{};
        if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) == nullptr) {
            return Error{"is not a whole ELF file: " + libelf_says(), ""};
        }
        if (header.p_type != PT_LOAD) continue;
        segments_.push_back({begins_ + header.p_offset, header.p_vaddr, header.p_filesz, (header.p_flags & PF_X) != 0});
    }
    return Done{};
}

// The dynamic symbols of an unstripped file are mostly in .symtab as well, but not always all of them.
void ElfFile::read_symbols() {
    read_table(elf_.get(), SHT_SYMTAB);
    stripped_ = symbols_.empty();
    read_table(elf_.get(), SHT_DYNSYM);
    go_ = read_go_file(elf_.get());
    if (stripped_) add_go_symbols();
    sort_symbols();
}

void ElfFile::add_debug_symbols(const std::string& path, const DebugPlaces& places) {
    if (auto debug = open_debug_file(elf_.get(), path, places)) others_.push_back(*std::move(debug));
    if (!stripped_) return;
    if (others_.empty()) {
        if (auto mini = mini_debug_info(elf_.get())) others_.push_back(*std::move(mini));
    }
    for (const OpenElf& other : others_) {
        table_bytes_ += other.memory.capacity();
        read_table(other.elf.get(), SHT_SYMTAB);
    }
    sort_symbols();
    by_address_.clear();
    variables_.reset();
}

std::vector<Elf*> ElfFile::handles() const {
    std::vector<Elf*> all{elf_.get()};
    for (const OpenElf& other : others_) all.push_back(other.elf.get());
    return all;
}

void ElfFile::sort_symbols() {
    std::ranges::sort(symbols_, [](const Symbol& a, const Symbol& b) {
        return std::tuple(a.name, -a.preference, a.address) < std::tuple(b.name, -b.preference, b.address);
    });
}

void ElfFile::read_table(Elf* elf, uint32_t section_type) {
    constexpr uint64_t longest_names = 1 << 30;
    GElf_Shdr header{}, version_header{}, names_header{};
    Elf_Scn* section = section_of_type(elf, section_type, header);
    Elf_Data* data = section != nullptr ? elf_getdata(section, nullptr) : nullptr;
    if (data == nullptr) return;
    gelf_getshdr(elf_getscn(elf, header.sh_link), &names_header);
    table_bytes_ += data->d_size + std::min<uint64_t>(names_header.sh_size, longest_names);
    Elf_Scn* versions = section_type == SHT_DYNSYM ? section_of_type(elf, SHT_GNU_versym, version_header) : nullptr;
    Elf_Data* version_data = versions != nullptr ? elf_getdata(versions, nullptr) : nullptr;
    GElf_Sym symbol{};
    NameBudget budget;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; i++) {
        if (!is_function(symbol)) continue;
        const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name == nullptr || *name == '\0') continue;
        const std::string_view full = name;
        if (!budget.takes(full)) return;
        const size_t at = full.find('@');
        GElf_Versym version = 0;
        if (version_data != nullptr) gelf_getversym(version_data, i, &version);
        const bool older = at != std::string_view::npos && !full.substr(at).starts_with("@@");
        const Standing standing{older || (version & hidden_bit) != 0, GELF_ST_BIND(symbol.st_info)};
        symbols_.push_back({without_version(full), symbol.st_value, symbol.st_size, preference_of(standing),
                            GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC});
        table_bytes_ += sizeof(Symbol);
    }
}

Result<uint64_t> ElfFile::file_offset(uint64_t address) const {
    for (const Segment& s : segments_) {
        if (!s.executable || address < s.address || address - s.address >= s.size) continue;
        const uint64_t skip = address - s.address;
        if (s.offset > UINT64_MAX - skip) break;
        return s.offset + skip;
    }
    return Error{fmt::format("{}: there is no code at {:#x}", path_, address), ""};
}

Error ElfFile::no_symbol(std::string_view name) const {
    Error e{fmt::format("{} has no function {}", path_, name), ""};
    if (symbols_.empty()) e.what = fmt::format("{} names no functions: it is stripped", path_);
    if (stripped_) e.hint = "the file is stripped; give an address, or use the unstripped file";
    if (stripped_ && !symbols_.empty()) {
        e.hint = "the file is stripped and only names exported functions; give an address, or use the unstripped file";
    }
    return e;
}

Result<UserFunction> ElfFile::function(std::string_view name) const {
    const auto at = std::lower_bound(symbols_.begin(), symbols_.end(), name,
                                     [](const Symbol& s, std::string_view n) { return s.name < n; });
    if (at == symbols_.end() || at->name != name) return no_symbol(name);
    if (at->is_resolver) {
        return Error{fmt::format("{} in {} is an indirect function: its symbol is a resolver that runs once and picks "
                                 "one of several implementations",
                                 name, path_),
                     fmt::format("probe the implementations, which often have names like *{}*", name)};
    }
    Result<uint64_t> offset = file_offset(at->address);
    if (!offset) return offset.error_in(std::string(name));
    UserFunction found{attached_, std::string(name), *offset, at->size, "", spoken_name(name), convention(at->address)};
    uint64_t last = at->address;
    for (auto next = at; next != symbols_.end() && next->name == name && next->preference < preferred_global; ++next)
        if (std::exchange(last, next->address) != next->address) found.others++;
    return found;
}

Result<UserFunction> ElfFile::at_address(uint64_t address) const {
    Result<uint64_t> offset = file_offset(address);
    if (!offset) return offset.error();
    UserFunction place{attached_, "", *offset, 0};
    place.convention = convention(address);
    for (const Symbol& s : symbols_) {
        const bool inside = address >= s.address && (address == s.address || address - s.address < s.size);
        if (!inside) continue;
        place.name = address == s.address ? std::string(s.name) : fmt::format("{}+{:#x}", s.name, address - s.address);
        place.spoken = spoken_name(s.name);
        break;
    }
    return place;
}

std::optional<uint64_t> ElfFile::address_at_offset(uint64_t offset) const {
    for (const Segment& s : segments_) {
        if (s.executable && offset >= s.offset && offset - s.offset < s.size) return s.address + (offset - s.offset);
    }
    return {};
}

std::optional<ElfFile::Inside> ElfFile::name_at_offset(uint64_t offset, bool after) const {
    const auto address = address_at_offset(offset);
    if (!address) return {};
    if (by_address_.empty()) {
        by_address_.resize(symbols_.size());
        std::iota(by_address_.begin(), by_address_.end(), 0U);
        std::ranges::sort(by_address_, [this](uint32_t a, uint32_t b) {
            const Symbol &x = symbols_[a], &y = symbols_[b];
            return std::tuple(x.address, underscores(x.name), -x.preference, x.name) <
                   std::tuple(y.address, underscores(y.name), -y.preference, y.name);
        });
    }
    const auto address_of = [this](uint32_t i) { return symbols_[i].address; };
    const auto next = std::ranges::upper_bound(by_address_, *address - (after ? 1 : 0), {}, address_of);
    if (next == by_address_.begin()) return {};
    const uint64_t begin = address_of(*std::prev(next));
    const Symbol& s = symbols_[*std::ranges::lower_bound(by_address_, begin, {}, address_of)];
    const bool inside = s.size == 0 || *address - begin < s.size + (after ? 1 : 0);
    if (!inside) return {};
    return Inside{s.name, *address - begin};
}

std::vector<std::string> ElfFile::functions(std::string_view pattern) const {
    std::vector<std::string> found;
    for (const Symbol& s : symbols_) {
        const bool again = !found.empty() && found.back() == s.name;
        if (!again && !s.is_resolver && glob_match(pattern, s.name)) found.emplace_back(s.name);
    }
    return found;
}

bool is_native_elf(const std::string& path) {
    Result<Descriptor> fd = open_regular(path);
    if (!fd) return false;
    std::array<unsigned char, 20> head{};
    const bool whole = ::pread(fd->get(), head.data(), head.size(), 0) == static_cast<ssize_t>(head.size());
    return whole && std::memcmp(head.data(), ELFMAG, SELFMAG) == 0 && head[EI_CLASS] == ELFCLASS64 &&
           (head[18] | head[19] << 8) == arch::native.elf_machine;
}

}  // namespace lt
