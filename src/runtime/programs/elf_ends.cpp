// Finds where calls of a program's function begin and end, by decoding its instructions and, for Go programs, from
// their own function table.
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "arch/decoder.h"
#include "runtime/programs/elf_file.h"
#include "runtime/programs/returns.h"

namespace lt {
namespace {

constexpr uint64_t most_code = 1 << 20;

// Makes the address at the end of a text relative to the function's beginning.
std::string relative(std::string text, uint64_t begin) {
    const size_t at = text.rfind(" at 0x");
    if (at == text.npos) return text;
    const uint64_t address = std::strtoull(text.c_str() + at + 4, nullptr, 16);
    return fmt::format("{} at +{:#x}", text.substr(0, at), address - begin);
}

// Why probes at the exits that were found would miss returns; empty: they see all.
std::string unseen(const Exits& exits, uint64_t begin) {
    for (const uint64_t jump : exits.tail_jumps)
        if (std::ranges::find(exits.plain_jumps, jump) == exits.plain_jumps.end())
            return fmt::format(
                "it can be left at +{:#x} by a jump that a probe cannot distinguish from one that stays inside",
                jump - begin);
    if (exits.returns.empty() && exits.plain_jumps.empty()) return "it never returns";
    return {};
}

}  // namespace

// For stripped files, which have no symbol tables.
void ElfFile::add_go_symbols() {
    if (!go_) return;
    for (const GoFunction& f : go_->functions)
        if (!f.name.empty()) symbols_.push_back({f.name, f.address, f.size, 0, false});
}

Convention ElfFile::convention(uint64_t address) const {
    if (!go_) return Convention::c;
    if (!go_->problem.empty()) return Convention::go_unknown;
    const GoFunction* f = go_->at(address);
    if (f == nullptr) return Convention::c;
    if (!f->assembly) return Convention::go;
    return Convention::go_assembly;
}

// The bytes in the file; fewer if it ends before.
std::vector<uint8_t> ElfFile::bytes(uint64_t address, uint64_t size) const {
    for (const Segment& s : segments_) {
        if (address < s.address || address - s.address >= s.size) continue;
        std::vector<uint8_t> out(std::min(size, s.size - (address - s.address)));
        const ssize_t n =
            ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(s.offset + (address - s.address)));
        out.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
        return out;
    }
    return {};
}

std::optional<bool> ElfFile::begins_instruction(uint64_t offset) const {
    const auto place = address_at_offset(offset);
    const auto inside = name_at_offset(offset, false);
    if (!place || !inside || inside->offset > most_code) return {};
    constexpr uint64_t longest = 16;  // bytes of an instruction
    uint64_t at = *place - inside->offset;
    std::span<const uint8_t> code;
    const std::vector<uint8_t> all = bytes(at, inside->offset + longest);
    for (code = all; at < *place;) {
        const auto i = arch::decode(code, at);
        if (!i) return {};
        code = code.subspan(i->end - at);
        at = i->end;
    }
    return at == *place;
}

// Without decoding everything, only the compiler's usual entry is known.
Result<FunctionEnds> ElfFile::ends(const UserFunction& f, bool exits) const {
    const auto no = [](std::string why) { return Error{std::move(why), ""}; };
    const auto address = address_at_offset(f.offset);
    const GoFunction* go = go_ && address ? go_->at(*address) : nullptr;
    const bool known = f.convention == Convention::c || f.convention == Convention::go;
    if (f.convention == Convention::go_unknown) return no(go_->problem);
    if (exits && !known) return no("it is written in assembly, which need not follow the conventions of Go's compiler");
    const uint64_t size = f.size != 0 ? f.size : go != nullptr ? go->size : 0;
    if (!address || size == 0 || size > most_code) {
        if (!exits) return FunctionEnds{false, f.offset, {}, 0};
        return no("the end of its code is not known");
    }
    const std::vector<uint8_t> code = bytes(*address, size);
    const std::vector<uint64_t> growers = go != nullptr ? go_->stack_growers() : std::vector<uint64_t>{};
    const auto constant = [this](uint64_t at, unsigned wide) -> std::optional<uint64_t> {
        const std::vector<uint8_t> found = bytes(at, wide);
        uint64_t value = 0;
        if (found.size() != wide || wide > sizeof value) return {};
        std::memcpy(&value, found.data(), wide);
        return value;
    };
    const FunctionCode whole{code, *address, {}, growers, constant};
    const Result<Exits> found = find_exits(whole);
    const auto in_file = [&](uint64_t at) { return f.offset + (at - *address); };
    if (!found && exits) return no(relative(found.error().what, *address));
    if (!found) return FunctionEnds{false, in_file(find_entry(whole)), {}, 0};
    if (found->entry_repeats)
        return no("it jumps back to its first instruction, so reaching that is not always a call");
    FunctionEnds out{found->check != 0, in_file(found->check != 0 ? found->check : found->entry), {}, 0};
    if (!exits) return out;
    if (std::string why = unseen(*found, *address); !why.empty()) return no(std::move(why));
    for (const uint64_t at : found->returns) out.exits.push_back(in_file(at));
    for (const uint64_t at : found->plain_jumps) out.exits.push_back(in_file(at));
    if (!found->plain_jumps.empty()) out.first_jump = in_file(found->plain_jumps.front());
    std::ranges::sort(out.exits);
    return out;
}

}  // namespace lt
