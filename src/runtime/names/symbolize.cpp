// A file is opened through the process that maps it, which also finds deleted files and those of containers. Its path
// is the second choice, and only used if it still leads to the same file.
#include "runtime/names/symbolize.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

#include "arch/arch.h"
#include "base/text.h"
#include "runtime/os/file_state.h"
#include "runtime/os/mounts.h"
#include "runtime/os/timestamps.h"
#include "runtime/programs/demangle.h"

namespace lt {

namespace {

using Clock = std::chrono::steady_clock;

// Removes and returns the first word.
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

MappedIdentity mapped_identity(const Mapping& mapping) { return {mapping.device, mapping.inode, mapping.name}; }

// Nothing if it is another file. Only on block devices a file and its mappings always have the same device.
std::optional<FileState> state_of(const std::string& path, const Mapping& mapping) {
    auto state = file_state(path);
    if (!state || state->inode != mapping.inode) return {};
    const std::string device = fmt::format("{:02x}:{:02x}", state->device_major, state->device_minor);
    return state->device_major == 0 || device == mapping.device ? state : std::nullopt;
}

// Of a process: its start, and the first file that it maps, as an exec does not change the start.
std::string identity_of(uint32_t pid, const std::vector<Mapping>& mappings) {
    constexpr size_t start = 19;  // field 22 of /proc/PID/stat, of which the name before field 3 can hold anything
    const Result<std::string> text = read_text(fmt::format("/proc/{}/stat", pid));
    const size_t name_end = text ? text->rfind(") ") : std::string::npos;
    if (name_end == std::string::npos) return {};
    const std::vector<std::string_view> fields = split(std::string_view(*text).substr(name_end + 2), ' ');
    const auto first = std::ranges::find_if(mappings, [](const Mapping& m) { return m.inode != 0; });
    const Mapping program = first == mappings.end() ? Mapping() : *first;
    return fmt::format("{} {} {} {}", fields.size() > start ? fields[start] : "", program.device, program.inode,
                       program.name);
}

// The name depends on the root folder of the process that asks for it.
bool may_be_one(const MappedIdentity& a, const MappedIdentity& b) {
    return a.device == b.device && a.inode == b.inode && (a.name.ends_with(b.name) || b.name.ends_with(a.name));
}

template <class All>
void forget_oldest(All& all, size_t most) {
    if (all.size() > most)
        all.erase(std::ranges::min_element(all, {}, [](const auto& each) { return each.second.used; }));
}

// At most so much by this measure, but at least the newest.
template <class All, class Measure>
void forget_oldest(All& all, size_t most, const Measure& measure) {
    size_t sum = 0;
    for (const auto& [key, each] : all) sum += measure(each);
    while (sum > most && all.size() > 1) {
        const auto oldest = std::ranges::min_element(all, {}, [](const auto& each) { return each.second.used; });
        sum -= measure(oldest->second);
        all.erase(oldest);
    }
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

void Symbolizer::record_processes() {
    // Without the records, fewer ended processes are known; their frames show that.
    if (auto history = ProcessHistory::open()) history_ = *std::move(history);
}

void Symbolizer::read_kallsyms() {
    const Result<std::string> text = read_text("/proc/kallsyms");
    kallsyms_.emplace(text ? std::string_view(*text) : std::string_view());
    kallsyms_read_ = Clock::now();
}

// Modules and BPF programs come and go during a run.
const Kallsyms& Symbolizer::kallsyms(uint64_t address) {
    if (!kallsyms_) read_kallsyms();
    if (Clock::now() - kallsyms_read_ > may_have_changed && !kallsyms_->at(address)) read_kallsyms();
    return *kallsyms_;
}

std::optional<KernelName> Symbolizer::kernel_name(uint64_t address) {
    if (const auto now = Clock::now(); now - kernel_asked_ > may_have_changed) {
        kernel_named_.clear();
        kernel_asked_ = now;
    }
    if (const auto known = kernel_named_.find(address); known != kernel_named_.end()) return known->second;
    if (!kernel_names_) kernel_names_ = KernelNames::open();
    if (const auto name = *kernel_names_ ? (*kernel_names_)->at(address) : std::nullopt)
        return kernel_named_.emplace(address, *name).first->second;
    // the kernel has no name for code that it made for probes, but knows where all functions end
    const auto symbol = kallsyms(address).at(address);
    if (!symbol || (*kernel_names_ && !(symbol->generated && symbol->on_its_page(address)))) return {};
    return KernelName{std::string(symbol->name), std::string(symbol->module), address - symbol->address, symbol->size};
}

Frame Symbolizer::kernel_frame(uint64_t address, bool after) {
    const auto name = kernel_name(address - (after ? 1 : 0));
    if (!name) return {address};
    const std::string module = name->module.empty() ? "" : fmt::format("[{}]", name->module);
    return {address, name->function, name->offset + (after ? 1 : 0), module};
}

std::vector<Frame> Symbolizer::kernel(std::span<const uint64_t> addresses) {
    std::vector<Frame> frames;
    for (uint64_t address : addresses) frames.push_back(kernel_frame(address, !frames.empty()));
    return frames;
}

std::string Symbolizer::kernel_offset(uint64_t address) {
    const auto name = kernel_name(address);
    if (!name) return {};
    const std::string module = name->module.empty() ? "" : fmt::format(" [{}]", name->module);
    return fmt::format("{}+{:#x}/{:#x}{}", name->function, name->offset, name->size, module);
}

// In code without frame pointers they lead to whatever is on the stack. A value that cannot be an address ends the
// stack.
std::vector<Frame> Symbolizer::process(uint32_t pid, std::span<const uint64_t> addresses, uint64_t time) {
    Process& process = refreshed(pid);
    const Program& program = program_at(pid, process, time);
    std::vector<Frame> frames;
    for (uint64_t address : addresses) {
        if (address >= arch::native.program_end) break;
        add_user_frames(frames, pid, process, program, address);
    }
    return frames;
}

const Symbolizer::Program& Symbolizer::program_at(uint32_t pid, Process& process, uint64_t time) const {
    static const Program unknown;
    if (time >= process.program.began) return process.program;
    if (time < process.previous.began) return unknown;
    const RecordedProcess* recorded = history_ ? history_->find(pid) : nullptr;
    if (recorded != nullptr && recorded->previous.began == process.previous.began)
        add_recorded(process.previous, recorded->previous);
    return process.previous;
}

// A running process maps libraries and can become another program. One that has ended keeps its mappings.
Symbolizer::Process& Symbolizer::refreshed(uint32_t pid) {
    const auto [found, is_new] = processes_.try_emplace(pid);
    Process& process = found->second;
    process.used = ++turn_;
    if (is_new) limit_processes();
    const uint64_t asked = monotonic_now();
    Result<std::string> maps = read_text(fmt::format("/proc/{}/maps", pid));
    // After reading, so that the exec of the program that was read is recorded.
    if (history_) history_->catch_up();
    const RecordedProcess* recorded = history_ ? history_->find(pid) : nullptr;
    if (recorded != nullptr && recorded->program.began > process.program.began) replace(process, *recorded);
    if (maps && !maps->empty() && asked >= process.program.began) {
        process.read = asked;
        const size_t hash = std::hash<std::string>()(*maps);
        if (hash == process.maps_hash) return process;
        process.maps_hash = hash;
        process.program.mappings = code_mappings(*maps);
        forget_unmapped(process);
        std::string identity = identity_of(pid, process.program.mappings);
        if (identity != process.identity) process.compiled.reset();
        process.identity = std::move(identity);
        return process;
    }
    process.maps_hash = 0;  // they will be read as a whole
    // It may have become another program since it was read.
    if (history_ && process.read < history_->lost_until()) process.program.mappings.clear();
    if (recorded != nullptr) add_recorded(process.program, recorded->program);
    return process;
}

// Not the one in use, which is the newest.
void Symbolizer::limit_processes() {
    const auto mappings_of = [](const Process& process) {
        return process.program.mappings.size() + process.previous.mappings.size();
    };
    forget_oldest(processes_, most_processes);
    forget_oldest(processes_, most_mappings, mappings_of);
}

void Symbolizer::forget_unmapped(Process& process) {
    std::set<MappedIdentity> mapped;
    for (const Program* program : {&process.program, &process.previous})
        for (const Mapping& mapping : program->mappings) mapped.insert(mapped_identity(mapping));
    std::erase_if(process.files, [&](const auto& each) { return !mapped.contains(each.first); });
}

// The process runs another program now, or its number belongs to another process. The program before stays known.
void Symbolizer::replace(Process& process, const RecordedProcess& recorded) const {
    const bool was_read = process.program.began == recorded.previous.began && process.read >= history_->lost_until();
    process.previous = {recorded.previous.began, {}};
    if (was_read) process.previous.mappings = std::move(process.program.mappings);
    process.program = {recorded.program.began, {}};
    process.maps_hash = 0;
    process.compiled.reset();
}

// A program that never called exec also has its parent's mappings.
void Symbolizer::add_recorded(Program& program, const RecordedProgram& recorded) const {
    if (recorded.complete) program.mappings.clear();
    if (!recorded.complete && program.mappings.empty()) program.mappings = inherited(recorded.parent, recorded.began);
    for (const Mapping& mapping : recorded.mappings) map_over(program.mappings, mapping);
}

// The mappings that the nearest ancestor with any had at that time. Numbers are reused, so there may be cycles.
std::vector<Mapping> Symbolizer::inherited(uint32_t forefather, uint64_t time) const {
    constexpr int farthest = 32;
    for (int i = 0; i < farthest && forefather != 0; i++) {
        const RecordedProcess* recorded = history_->find(forefather);
        if (recorded != nullptr && recorded->program.began > time) return {};  // it runs another program now
        const Result<std::string> maps = read_text(fmt::format("/proc/{}/maps", forefather));
        if (maps && !maps->empty()) return code_mappings(*maps);
        if (const auto known = processes_.find(forefather); known != processes_.end() &&
                                                            !known->second.program.mappings.empty() &&
                                                            known->second.read >= history_->lost_until())
            return known->second.program.mappings;
        forefather = recorded == nullptr ? 0 : recorded->parent;
    }
    return {};
}

void Symbolizer::add_user_frames(std::vector<Frame>& frames, uint32_t pid, Process& process, const Program& program,
                                 uint64_t address) {
    const bool after = !frames.empty();
    Frame frame{.address = address, .offset = address, .user = true};
    const Mapping* mapping = mapping_at(program.mappings, address);
    if (mapping != nullptr) frame.object = mapping->name;
    const File* mapped = mapping == nullptr || mapping->inode == 0 ? nullptr : file(pid, process, *mapping);
    if (mapped == nullptr) {
        const bool is_current = &program == &process.program;
        if (const auto compiled = is_current ? compiled_at(pid, process, address - (after ? 1 : 0)) : nullptr) {
            frame.function = compiled->name;
            frame.offset = address - compiled->begin;
            frame.object.clear();
        } else if (mapping == nullptr && !after) {
            name_variable(frame, pid, process, program);
        }
        return frames.push_back(std::move(frame));
    }
    const uint64_t in_file = address - mapping->begin + mapping->offset;
    frame.offset = mapped->elf.address_at_offset(in_file).value_or(address);
    const auto source = mapped->lines ? mapped->lines->at(frame.offset - (after ? 1 : 0)) : std::vector<SourceFrame>();
    for (size_t i = 0; i + 1 < source.size(); i++)
        frames.push_back({address, source[i].function, 0, mapping->name, source[i].place, true, true});
    if (!source.empty()) frame.place = source.back().place;
    if (auto function = mapped->elf.name_at_offset(in_file, after)) {
        frame.function = style_.mangled ? std::string(function->symbol) : demangle(function->symbol);
        frame.offset = function->offset;
    }
    frames.push_back(std::move(frame));
}

// An address outside of all code may be that of a variable of one of the files.
void Symbolizer::name_variable(Frame& frame, uint32_t pid, Process& process, const Program& program) {
    for (const Mapping& mapping : program.mappings) {
        const File* mapped = mapping.inode == 0 ? nullptr : file(pid, process, mapping);
        if (mapped == nullptr) continue;
        const auto distance = static_cast<int64_t>(frame.address - mapping.begin);
        const auto found = mapped->elf.variable(mapping.offset, mapping.end - mapping.begin, distance);
        if (!found) continue;
        frame.function = style_.mangled ? std::string(found->symbol) : demangle(found->symbol);
        frame.offset = found->offset;
        frame.object = mapping.name;
        return;
    }
}

// The compiler continues while the process runs: functions are added, and others get their addresses.
const PerfMap::Function* Symbolizer::compiled_at(uint32_t pid, Process& process, uint64_t address) {
    if (process.compiled && Clock::now() - process.compiled_read < may_have_changed)
        return process.compiled->at(address);
    process.compiled_read = Clock::now();
    const auto state = perf_map_state(pid);
    if (!process.compiled || (state && *state != process.compiled_state)) {
        const auto text = read_perf_map(pid);
        if (text || !process.compiled) {
            process.compiled.emplace(text.value_or(""));
            process.compiled_version = ++turn_;
        }
        process.compiled_state = state.value_or("");
        limit_lists();
    }
    return process.compiled->at(address);
}

uint64_t Symbolizer::compiled_version(uint32_t pid) {
    const auto found = processes_.find(pid);
    if (found == processes_.end()) return 0;
    found->second.used = ++turn_;  // else its list, if it is read again, could be the first to go
    compiled_at(pid, found->second, 0);
    return found->second.compiled_version;
}

// Not the one just read: its process is in use.
void Symbolizer::limit_lists() {
    std::vector<Process*> with_list;
    size_t bytes = 0;
    for (auto& [pid, process] : processes_) {
        if (!process.compiled || process.compiled->empty()) continue;
        with_list.push_back(&process);
        bytes += process.compiled->bytes();
    }
    std::ranges::sort(with_list, {}, &Process::used);
    for (size_t i = 0; i + 1 < with_list.size(); i++) {
        if (with_list.size() - i <= most_lists && bytes <= most_list_bytes) return;
        bytes -= with_list[i]->compiled->bytes();
        with_list[i]->compiled.reset();
    }
}

const Symbolizer::File* Symbolizer::use(Opened& opened) {
    opened.used = ++turn_;
    return opened.file ? &*opened.file : nullptr;
}

// Two files can have one device and inode in /proc/PID/maps: btrfs shows the same device for all of its subvolumes. A
// file can get another content, and another file its number. What an ended process has mapped cannot be checked.
const Symbolizer::File* Symbolizer::file(uint32_t pid, Process& process, const Mapping& mapping) {
    const MappedIdentity id = mapped_identity(mapping);
    Identified& identified = process.files[id];
    const std::string content = identified.content;
    const auto known = files_.find(content);
    const File* const before = known != files_.end() ? use(known->second) : nullptr;
    const bool is_recent = Clock::now() - identified.checked <= may_have_changed;
    if (is_recent && (known != files_.end() || identified.content.empty())) return before;
    identified.checked = Clock::now();
    const std::string own = fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.begin, mapping.end);
    if (const File* found = found_file(pid, own, mapping, identified)) return found;
    if (before != nullptr && content == identified.content) return before;  // else it may be forgotten
    for (const std::string& root : roots_of(pid))
        if (const File* found = found_file(pid, root + mapping.name, mapping, identified)) return found;
    return identified.content.empty() ? file_of_others(id, identified) : nullptr;
}

// Null if there is another file or none, or if it cannot be read: the process may have ended since it was looked up.
const Symbolizer::File* Symbolizer::found_file(uint32_t pid, const std::string& path, const Mapping& mapping,
                                               Identified& identified) {
    const auto state = state_of(path, mapping);
    if (!state) return nullptr;
    identified.content = state->content;
    Opened& opened = files_[state->content];
    opened.id = mapped_identity(mapping);
    if (!opened.file) opened.file = open_file(pid, path, mapping);
    const File* const file = use(opened);
    forget_oldest(files_, most_files);
    forget_oldest(files_, most_table_bytes,
                  [](const Opened& each) { return each.file ? each.file->elf.table_bytes() : 0; });
    return file;
}

// A file that another process has mapped in the same way. None if several have that identity: it may be any of them.
const Symbolizer::File* Symbolizer::file_of_others(const MappedIdentity& id, Identified& identified) {
    const File* only = nullptr;
    for (auto& [content, opened] : files_) {
        if (!may_be_one(opened.id, id)) continue;
        if (!identified.content.empty()) {
            identified.content.clear();
            return nullptr;
        }
        identified.content = content;
        only = use(opened);
    }
    return only;
}

// The file systems that a process's path can refer to: its own, its parent's if it has ended, and ours.
std::vector<std::string> Symbolizer::roots_of(uint32_t pid) const {
    std::vector<std::string> roots{fmt::format("/proc/{}/root", pid)};
    const RecordedProcess* recorded = history_ ? history_->find(pid) : nullptr;
    if (recorded != nullptr && recorded->parent != 0) roots.push_back(fmt::format("/proc/{}/root", recorded->parent));
    roots.emplace_back();
    return roots;
}

std::optional<Symbolizer::File> Symbolizer::open_file(uint32_t pid, const std::string& path,
                                                      const Mapping& mapping) const {
    Result<ElfFile> opened = ElfFile::open(path, mapping.name);
    if (!opened) return {};
    opened->add_debug_symbols(mapping.name, {roots_of(pid), style_.debug_folders});
    File file{*std::move(opened), {}};
    if (style_.source_lines) file.lines = SourceLines::open(file.elf.handles());
    return file;
}

}  // namespace lt
