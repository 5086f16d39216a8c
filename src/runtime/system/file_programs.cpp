#include "runtime/system/file_programs.h"

#include <utility>

#include "runtime/dwarf/line_places.h"

namespace lt {

Result<UserFunction> FilePrograms::user_function(const std::string& path, std::string_view name) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->function(name) : elf.error();
}

Result<UserFunction> FilePrograms::user_address(const std::string& path, uint64_t address) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->at_address(address) : elf.error();
}

std::optional<bool> FilePrograms::begins_instruction(const std::string& path, uint64_t offset) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->begins_instruction(offset) : std::nullopt;
}

Result<FunctionEnds> FilePrograms::function_ends(const UserFunction& function, bool exits) {
    const Result<ElfFile>& elf = file(function.path);
    return elf ? elf->ends(function, exits) : elf.error();
}

std::vector<std::string> FilePrograms::user_functions(const std::string& path, std::string_view pattern) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->functions(pattern) : std::vector<std::string>{};
}

std::vector<std::string> FilePrograms::cpp_functions(const std::string& path, std::string_view pattern) {
    const Result<ElfFile>& elf = file(path);
    return elf ? elf->cpp_functions(pattern) : std::vector<std::string>{};
}

Result<std::vector<SourcePlace>> FilePrograms::source_places(const std::string& path, const SourceQuery& query) {
    const Result<ElfFile>& elf = file(path);
    if (!elf) return elf.error();
    Result<std::vector<LinePlace>> found = debugs_.lines(path, query);
    if (!found) return found.error();
    std::vector<SourcePlace> out;
    for (LinePlace& line : *found) {
        if (Result<UserFunction> f = elf->at_address(line.address)) {
            f->inlined = line.inlined;
            out.push_back({*std::move(f), std::move(line.text)});
        }
    }
    return out;
}

Result<std::vector<Marker>> FilePrograms::markers(const std::string& path) {
    const Result<ElfFile>& elf = file(path);
    if (!elf) return elf.error();
    return elf->markers();
}

const Result<ElfFile>& FilePrograms::file(const std::string& path) {
    auto at = files_.find(path);
    if (at != files_.end()) return at->second;
    at = files_.emplace(path, ElfFile::open(root_ + path, path)).first;
    if (at->second && at->second->is_stripped()) at->second->add_debug_symbols(path, debug_);
    return at->second;
}

}  // namespace lt
