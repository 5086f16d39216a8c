// Reads the ELF header and program headers by hand, because all it needs is the segment that covers a range and its
// offset in the file. Every number from the file is checked before use.
#include "runtime/kernel/kcore.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <span>

#include "runtime/os/descriptor.h"

namespace lt {

namespace {

Status read_at(const Descriptor& file, uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
        ssize_t n = ::pread(file.get(), into.data(), into.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_error("read", errno);
        if (n == 0) return Error{"the file is shorter than its headers say", ""};
        into = into.subspan(static_cast<size_t>(n));
        offset += static_cast<uint64_t>(n);
    }
    return Done{};
}

bool locked_down() {
    std::ifstream in("/sys/kernel/security/lockdown");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    return text.find("[confidentiality]") != std::string::npos;
}

struct Refusal {
    int code;
    const char* hint;
};

constexpr std::array kcore_refusals{
    Refusal{EACCES, "only root can read the kernel's memory"},
    Refusal{EPERM, "reading the kernel's memory needs CAP_SYS_RAWIO, and a kernel that is not locked down"},
    Refusal{ENOENT, "this kernel does not show its memory (CONFIG_PROC_KCORE), or /proc is not mounted"},
};

Error cannot_open(int code) {
    Error e = system_error("open", code);
    for (const Refusal& r : kcore_refusals)
        if (r.code == code) e.hint = r.hint;
    // If so, no capability helps. Not always known: securityfs may not be mounted.
    if (code == EPERM && locked_down()) e.hint = "the kernel is locked down (confidentiality), which hides its memory";
    return e;
}

Result<Elf64_Ehdr> read_header(const Descriptor& file) {
    Elf64_Ehdr h{};
    Status got = read_at(file, 0, std::as_writable_bytes(std::span(&h, 1)));
    if (!got) return got.error();
    bool good = std::memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_ident[EI_CLASS] == ELFCLASS64 &&
                h.e_ident[EI_DATA] == ELFDATA2LSB && h.e_type == ET_CORE;
    if (!good) return Error{"not a 64-bit little-endian ELF core file", ""};
    // PN_XNUM means that the real number is elsewhere; the kernel has only a few dozen segments.
    if (h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phnum == PN_XNUM)
        return Error{"program headers in an unknown format", ""};
    return h;
}

Result<std::vector<Elf64_Phdr>> read_segments(const Descriptor& file) {
    auto header = read_header(file);
    if (!header) return header.error();
    std::vector<Elf64_Phdr> all(header->e_phnum);
    Status got = read_at(file, header->e_phoff, std::as_writable_bytes(std::span(all)));
    if (!got) return got.error_in("program headers");
    return all;
}

// Uses differences, because sums of a malformed file's values can overflow.
bool covers(const Elf64_Phdr& s, uint64_t address, uint64_t size) {
    if (s.p_type != PT_LOAD || address < s.p_vaddr) return false;
    uint64_t skip = address - s.p_vaddr;
    return skip <= s.p_filesz && size <= s.p_filesz - skip;
}

constexpr auto largest_offset = static_cast<uint64_t>(INT64_MAX);

Result<uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, uint64_t address, uint64_t size) {
    for (const Elf64_Phdr& s : segments) {
        if (!covers(s, address, size)) continue;
        uint64_t skip = address - s.p_vaddr;
        if (s.p_offset > largest_offset || skip > largest_offset - s.p_offset ||
            size > largest_offset - s.p_offset - skip)
            return Error{"a segment beyond the maximum file size", ""};
        return s.p_offset + skip;
    }
    return Error{fmt::format("no segment covers {:#x} to {:#x}", address, address + size), ""};
}

Result<std::vector<uint8_t>> read_memory(const Descriptor& file, uint64_t address, size_t size) {
    auto segments = read_segments(file);
    if (!segments) return segments.error();
    auto offset = file_offset(*segments, address, size);
    if (!offset) return offset.error();
    std::vector<uint8_t> bytes(size);
    Status got = read_at(file, *offset, std::as_writable_bytes(std::span(bytes)));
    if (!got) return got.error_in(fmt::format("{} bytes at {:#x}", size, address));
    return bytes;
}

}  // namespace

Result<std::vector<uint8_t>> read_kernel_memory(uint64_t address, size_t size, const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        Result<Done> refused = cannot_open(errno);
        return refused.error_in(path);
    }
    auto bytes = read_memory(file, address, size);
    if (!bytes) return bytes.error_in(path);
    return bytes;
}

}  // namespace lt
