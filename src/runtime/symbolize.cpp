// A file is opened through the process that maps it, so that a deleted one and one of a container are found; its path
// is the second choice, and taken only where it still leads to the same file.
#include "symbolize.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "mounts.h"

namespace lt {

namespace {

std::string unknown(uint64_t address) { return fmt::format("{:#x} [unknown]", address); }

// Takes a word off the front.
std::string_view next_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

bool read_number(std::string_view text, uint64_t& out, int base) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    return failure == std::errc() && end == text.data() + text.size();
}

// "5581a000-5581c000 r-xp 00002000 08:01 1234    /usr/bin/cat"
std::optional<Mapping> code_mapping(std::string_view line) {
    Mapping m;
    const std::string_view range = next_word(line), rights = next_word(line), offset = next_word(line);
    m.device = next_word(line);
    const std::string_view inode = next_word(line);
    const size_t dash = std::min(range.find('-'), range.size());
    const bool whole = read_number(range.substr(0, dash), m.begin, 16) && dash < range.size() &&
                       read_number(range.substr(dash + 1), m.end, 16) && read_number(offset, m.offset, 16) &&
                       read_number(inode, m.inode, 10);
    if (!whole || rights.find('x') == std::string_view::npos) return {};
    m.name = trim(line);
    return m;
}

bool is_file(const std::string& path, uint64_t inode) {
    struct stat about{};
    return ::stat(path.c_str(), &about) == 0 && about.st_ino == inode;
}

std::string kernel_frame(const Kallsyms& symbols, uint64_t address, bool after) {
    const auto symbol = symbols.at(address - (after ? 1 : 0));
    if (!symbol) return unknown(address);
    const std::string place = fmt::format("{}+{:#x}", symbol->name, address - symbol->address);
    return symbol->module.empty() ? place : fmt::format("{} [{}]", place, symbol->module);
}

const Mapping* mapping_at(const std::vector<Mapping>& mappings, uint64_t address) {
    const auto at =
        std::ranges::find_if(mappings, [&](const Mapping& m) { return address >= m.begin && address < m.end; });
    return at == mappings.end() ? nullptr : &*at;
}

}  // namespace

std::vector<Mapping> code_mappings(std::string_view maps) {
    std::vector<Mapping> all;
    for (std::string_view line : split(maps, '\n')) {
        if (auto mapping = code_mapping(line)) all.push_back(*std::move(mapping));
    }
    return all;
}

std::vector<std::string> Symbolizer::kernel(std::span<const uint64_t> addresses) {
    if (!kallsyms_) {
        const Result<std::string> text = read_text("/proc/kallsyms");
        kallsyms_.emplace(text ? std::string_view(*text) : std::string_view());
    }
    std::vector<std::string> frames;
    for (uint64_t address : addresses) frames.push_back(kernel_frame(*kallsyms_, address, !frames.empty()));
    return frames;
}

// Frame pointers lead out of code that keeps none to whatever lies on the stack. Where that cannot be an address the
// stack has ended before.
std::vector<std::string> Symbolizer::process(uint32_t pid, std::span<const uint64_t> addresses) {
    constexpr uint64_t user_end = uint64_t{1} << 47;  // as LT_USER_LIMIT in stdlib/bpf/stack.bpf.c
    const Process& process = refreshed(pid);
    std::vector<std::string> frames;
    for (uint64_t address : addresses) {
        if (address >= user_end) break;
        frames.push_back(user_frame(pid, process, address, !frames.empty()));
    }
    return frames;
}

// A process maps libraries and becomes another program while it runs. One that has ended keeps what it had.
Symbolizer::Process& Symbolizer::refreshed(uint32_t pid) {
    Process& process = processes_[pid];
    Result<std::string> maps = read_text(fmt::format("/proc/{}/maps", pid));
    if (maps && !maps->empty() && *maps != process.maps) {
        process.maps = *std::move(maps);
        process.mappings = code_mappings(process.maps);
    }
    return process;
}

std::string Symbolizer::user_frame(uint32_t pid, const Process& process, uint64_t address, bool after) {
    const Mapping* mapping = mapping_at(process.mappings, address);
    if (mapping == nullptr || mapping->name.empty()) return unknown(address);
    const ElfFile* elf = mapping->inode == 0 ? nullptr : file(pid, *mapping);
    if (elf == nullptr) return fmt::format("{:#x} ({})", address, mapping->name);
    const uint64_t offset = address - mapping->begin + mapping->offset;
    const std::string name = elf->name_at_offset(offset, after);
    if (!name.empty()) return fmt::format("{} ({})", name, mapping->name);
    return fmt::format("{:#x} ({})", elf->address_at_offset(offset).value_or(address), mapping->name);
}

const ElfFile* Symbolizer::file(uint32_t pid, const Mapping& mapping) {
    const FileId id{mapping.device, mapping.inode};
    if (const auto known = files_.find(id); known != files_.end()) return known->second ? &*known->second : nullptr;
    const std::string paths[] = {fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.begin, mapping.end),
                                 fmt::format("/proc/{}/root{}", pid, mapping.name), mapping.name};
    for (const std::string& path : paths) {
        if (!is_file(path, mapping.inode)) continue;
        Result<ElfFile> opened = ElfFile::open(path, mapping.name);
        std::optional<ElfFile>& kept = files_[id];
        if (opened) kept.emplace(*std::move(opened));
        return kept ? &*kept : nullptr;
    }
    return nullptr;
}

}  // namespace lt
