#include "runtime/programs/debug_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "runtime/programs/section.h"

namespace lt {
namespace {

constexpr std::string_view debug_folder = "/usr/lib/debug";
constexpr size_t most_unpacked = 256 << 20;

bool unpack(std::string_view packed, std::vector<uint8_t>& out) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) return false;
    stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
    stream.avail_in = packed.size();
    lzma_ret state = LZMA_OK;
    while (state == LZMA_OK && out.size() < most_unpacked) {
        constexpr size_t step = 1 << 20;
        const size_t before = out.size();
        out.resize(before + step);
        stream.next_out = out.data() + before;
        stream.avail_out = step;
        state = lzma_code(&stream, LZMA_FINISH);
        out.resize(out.size() - stream.avail_out);
    }
    lzma_end(&stream);
    return state == LZMA_STREAM_END;
}

std::optional<OpenElf> open_elf(const std::string& path) {
    OpenElf file;
    file.fd = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat about{};
    if (!file.fd || ::fstat(file.fd.get(), &about) != 0 || !S_ISREG(about.st_mode) || is_sparse(about)) return {};
    file.elf.reset(begin_elf(file.fd.get()));
    if (!file.elf || elf_kind(file.elf.get()) != ELF_K_ELF) return {};
    if (!has_sound_sections(file.elf.get(), file.fd.get())) return {};
    return file;
}

bool is_tree(const std::string& folder) { return folder.starts_with('/'); }

std::vector<std::string> folders_of(const DebugPlaces& places) {
    std::vector<std::string> folders;
    std::ranges::copy_if(places.folders, std::back_inserter(folders), is_tree);
    folders.emplace_back(debug_folder);
    return folders;
}

// Splits a path of a process with another root, as lt sees it, into that root and the path inside.
std::pair<std::string, std::string> split_root(const std::string& path) {
    constexpr std::string_view processes = "/proc/", root = "/root/";
    if (!path.starts_with(processes)) return {"", path};
    const size_t digits = path.find_first_not_of("0123456789", processes.size());
    if (digits == path.npos || path.compare(digits, root.size(), root) != 0) return {"", path};
    return {path.substr(0, digits + root.size() - 1), path.substr(digits + root.size() - 1)};
}

std::string path_of_build(const std::string& folder, const std::string& id) {
    return fmt::format("{}/.build-id/{}/{}.debug", folder, id.substr(0, 2), id.substr(2));
}

std::optional<OpenElf> open_by_build_id(const std::string& id, const DebugPlaces& places) {
    if (id.size() < 4) return {};
    for (const std::string& root : places.roots) {
        for (const std::string& folder : folders_of(places)) {
            auto file = open_elf(root + path_of_build(folder, id));
            if (file && build_id(file->elf.get()) == id) return file;
        }
    }
    return {};
}

struct DebugLink {
    std::string name;
    uint32_t sum = 0;  // CRC-32 of the file's bytes
};

// A null-terminated name, padded to four bytes, and the sum.
std::optional<DebugLink> debug_link(Elf* elf) {
    const auto section = find_section(elf, ".gnu_debuglink");
    if (!section || section->bytes.find('\0') == std::string_view::npos) return {};
    const std::string_view bytes = section->bytes;
    DebugLink link{std::string(bytes.substr(0, bytes.find('\0')))};
    const size_t at = (link.name.size() + 4) / 4 * 4;
    if (link.name.empty() || link.name.find('/') != link.name.npos || bytes.size() < at + sizeof link.sum) return {};
    std::memcpy(&link.sum, bytes.data() + at, sizeof link.sum);
    return link;
}

uint32_t sum_of(const OpenElf& file) {
    uLong sum = crc32(0, nullptr, 0);
    std::vector<unsigned char> part(1 << 20);
    off_t at = 0;
    for (ssize_t n = 0; (n = ::pread(file.fd.get(), part.data(), part.size(), at)) > 0; at += n)
        sum = crc32(sum, part.data(), static_cast<uInt>(n));
    return static_cast<uint32_t>(sum);
}

bool has_sum(const OpenElf& file, uint32_t wanted) {
    constexpr off_t largest = off_t{16} << 30;
    struct stat about{};
    return ::fstat(file.fd.get(), &about) == 0 && about.st_size <= largest && sum_of(file) == wanted;
}

// The paths at which a debug file of this name can be, for a program in this folder.
std::vector<std::string> paths_of(const std::string& name, const std::string& folder, const DebugPlaces& places) {
    std::vector<std::string> paths{fmt::format("{}/{}", folder, name), fmt::format("{}/.debug/{}", folder, name)};
    for (const std::string& debug : places.folders)
        if (!is_tree(debug)) paths.push_back(fmt::format("{}/{}/{}", folder, debug, name));
    for (const std::string& debug : folders_of(places)) paths.push_back(fmt::format("{}{}/{}", debug, folder, name));
    for (const std::string& debug : places.folders)
        if (is_tree(debug)) paths.push_back(fmt::format("{}/{}", debug, name));
    return paths;
}

template <class Fits>
std::optional<OpenElf> open_named(const std::string& name, const std::string& path, const DebugPlaces& places,
                                  const Fits& fits) {
    const size_t slash = path.rfind('/');
    if (slash == path.npos) return {};
    for (const std::string& root : places.roots) {
        for (const std::string& one : paths_of(name, path.substr(0, slash), places)) {
            auto file = open_elf(root + one);
            if (file && fits(*file)) return file;
        }
    }
    return {};
}

std::optional<OpenElf> open_by_link(Elf* elf, const std::string& path, const DebugPlaces& places) {
    const auto link = debug_link(elf);
    if (!link) return {};
    return open_named(link->name, path, places, [&](const OpenElf& file) { return has_sum(file, link->sum); });
}

// Without a link the name is a guess, which the build id confirms. The stripped file has it, too.
std::optional<OpenElf> open_by_name(Elf* elf, const std::string& path, const DebugPlaces& places) {
    const std::string id = build_id(elf), name = path.substr(path.rfind('/') + 1);
    if (id.empty()) return {};
    const auto fits = [&](const OpenElf& file) {
        return build_id(file.elf.get()) == id && find_section(file.elf.get(), ".symtab");
    };
    if (auto found = open_named(name + ".debug", path, places, fits)) return found;
    return open_named(name, path, places, fits);
}

std::string digits_of(std::string_view bytes) {
    std::string digits;
    for (char c : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return digits;
}

}  // namespace

// Some file systems compress files, others do not count blocks.
bool is_sparse(const struct stat& file) {
    constexpr off_t small = off_t{1} << 30, block = 512, most_compressed = 64;
    return file.st_size > small && file.st_blocks != 0 && file.st_size / most_compressed > file.st_blocks * block;
}

Elf* begin_elf(int descriptor) {
    constexpr off_t most_copied = 256 << 20;
    struct stat about{};
    const bool is_large = ::fstat(descriptor, &about) == 0 && about.st_size > most_copied;
    return elf_begin(descriptor, is_large && foreign_size(descriptor) == 0 ? ELF_C_READ_MMAP : ELF_C_READ, nullptr);
}

uint64_t foreign_size(int descriptor) {
    struct stat about{};
    if (::fstat(descriptor, &about) != 0) return 0;
    const bool is_own = (about.st_uid == 0 || about.st_uid == ::geteuid()) && (about.st_mode & 022) == 0;
    return is_own ? 0 : static_cast<uint64_t>(about.st_size);
}

bool has_sound_sections(Elf* elf, int descriptor) {
    constexpr uint64_t slack = 1 << 20;  // a file can be short
    struct stat about{};
    if (::fstat(descriptor, &about) != 0) return false;
    uint64_t room = 2 * static_cast<uint64_t>(about.st_size) + slack;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
        if (header.sh_size > room) return false;
        room -= header.sh_size;
    }
    return true;
}

void CloseElf::operator()(Elf* elf) const { elf_end(elf); }

std::string build_id(Elf* elf) {
    constexpr uint64_t longest = 1 << 20;  // the linker makes a section for it, of 36 bytes
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr) continue;
        if (header.sh_type != SHT_NOTE || header.sh_size > longest) continue;
        Elf_Data* data = elf_getdata(section, nullptr);
        GElf_Nhdr note{};
        size_t name = 0, content = 0;
        for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &content)) > 0;) {
            const char* bytes = static_cast<const char*>(data->d_buf);
            if (note.n_type != NT_GNU_BUILD_ID ||
                std::string_view(bytes + name, note.n_namesz) != std::string_view("GNU", 4))
                continue;
            return digits_of({bytes + content, note.n_descsz});
        }
    }
    return "";
}

// Names and contents of notes are each padded to four bytes (elf(5)).
std::string build_id_in_notes(std::string_view notes) {
    const auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
    Elf64_Nhdr note{};
    while (notes.size() >= sizeof note) {
        std::memcpy(&note, notes.data(), sizeof note);
        notes.remove_prefix(sizeof note);
        const uint64_t content = padded(note.n_namesz), end = content + padded(note.n_descsz);
        if (notes.size() < content + note.n_descsz) break;
        if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == std::string_view("GNU", 4))
            return digits_of(notes.substr(content, note.n_descsz));
        notes.remove_prefix(std::min<uint64_t>(end, notes.size()));
    }
    return "";
}

Result<std::string> find_kernel_debug_file(const DebugPlaces& places, const std::string& release,
                                           const std::string& build) {
    elf_version(EV_CURRENT);
    std::vector<std::string> paths;
    for (const std::string& folder : places.folders) {
        paths.push_back(fmt::format("{}/vmlinux-{}", folder, release));
        paths.push_back(fmt::format("{}/vmlinux", folder));
    }
    for (const std::string& folder : folders_of(places)) {
        paths.push_back(fmt::format("{}/boot/vmlinux-{}", folder, release));
        paths.push_back(fmt::format("{}/lib/modules/{}/vmlinux", folder, release));
    }
    paths.push_back(fmt::format("/lib/modules/{}/vmlinux", release));
    paths.push_back(fmt::format("/lib/modules/{}/build/vmlinux", release));
    paths.push_back(fmt::format("/boot/vmlinux-{}", release));
    for (const std::string& folder : folders_of(places))
        if (build.size() > 2) paths.push_back(path_of_build(folder, build));
    std::string other;
    for (std::string& path : paths) {
        const auto file = open_elf(places.roots.front() + path);
        if (!file || !find_section(file->elf.get(), ".debug_info")) continue;
        if (build.empty() || build_id(file->elf.get()) == build) return std::move(path);
        other = std::move(path);
    }
    if (!other.empty()) return Error{fmt::format("{} is of another build of this kernel", other), "", 0};
    return Error{
        "this needs the kernel's debug information",
        fmt::format("install it: in Debian the package linux-image-{}-dbg, or name its folder with `--debuginfo DIR`",
                    release),
        0};
}

std::optional<OpenElf> mini_debug_info(Elf* elf) {
    const auto packed = find_section(elf, ".gnu_debugdata");
    OpenElf file;
    if (!packed || !unpack(packed->bytes, file.memory)) return {};
    file.elf.reset(elf_memory(reinterpret_cast<char*>(file.memory.data()), file.memory.size()));
    if (!file.elf || elf_kind(file.elf.get()) != ELF_K_ELF) return {};
    return file;
}

std::optional<OpenElf> open_debug_file(Elf* elf, const std::string& path, const DebugPlaces& places) {
    const auto [root, inside] = split_root(path);
    DebugPlaces all = places;
    if (!root.empty()) all.roots.insert(all.roots.begin(), root);
    if (auto found = open_by_build_id(build_id(elf), all)) return found;
    if (auto found = open_by_link(elf, inside, all)) return found;
    return open_by_name(elf, inside, all);
}

Result<std::string> build_of(const std::string& path) {
    elf_version(EV_CURRENT);
    const auto file = open_elf(path);
    if (!file) return Error{fmt::format("{} cannot be read as an ELF file", path), "", 0};
    std::string id = build_id(file->elf.get());
    if (!id.empty()) return id;
    struct stat about{};
    ::fstat(file->fd.get(), &about);
    return fmt::format("{:08x}-{}", sum_of(*file), about.st_size);
}

}  // namespace lt
