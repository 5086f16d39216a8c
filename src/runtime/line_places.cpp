// libdw reads the tables of lines.
#include "line_places.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "descriptor.h"

namespace lt {
namespace {

bool is_end_of_path(std::string_view path, std::string_view end) {
    if (!path.ends_with(end)) return false;
    return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

// What is known of a file's lines.
struct Lines {
    std::set<uint64_t> addresses;  // of the one that is asked for
    uint32_t next = 0;             // the first behind it that has code
    bool any_file = false;
};

void take_line(Dwarf_Line* line, std::string_view file, uint32_t wanted, Lines& out) {
    const char* source = dwarf_linesrc(line, nullptr, nullptr);
    int number = 0;
    bool statement = false;
    Dwarf_Addr address = 0;
    if (source == nullptr || !is_end_of_path(source, file)) return;
    out.any_file = true;
    if (dwarf_lineno(line, &number) != 0 || dwarf_linebeginstatement(line, &statement) != 0 || !statement) return;
    if (dwarf_lineaddr(line, &address) != 0 || number <= 0) return;
    const auto n = static_cast<uint32_t>(number);
    if (n == wanted) out.addresses.insert(address);
    if (n > wanted && (out.next == 0 || n < out.next)) out.next = n;
}

// One statement may go on in several stretches of code; only where it begins one that follows another line it is begun.
void take_unit(Dwarf_Die* unit, std::string_view file, uint32_t wanted, Lines& out) {
    Dwarf_Lines* lines = nullptr;
    size_t count = 0;
    if (dwarf_getsrclines(unit, &lines, &count) != 0) return;
    int before = -1;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line* line = dwarf_onesrcline(lines, i);
        int number = 0;
        dwarf_lineno(line, &number);
        if (number != before) take_line(line, file, wanted, out);
        before = number;
    }
}

}  // namespace

Result<std::vector<uint64_t>> addresses_of_line(const std::string& path, const std::string& shown,
                                                std::string_view file, uint32_t line) {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(fd ? dwarf_begin(fd.get(), DWARF_C_READ) : nullptr, &dwarf_end);
    if (!dwarf) return Error{fmt::format("{} has no debug information", shown), "compile it with -g", 0};
    Lines found;
    for (Dwarf_CU* unit = nullptr;;) {
        Dwarf_Die die{};
        if (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) != 0) break;
        take_unit(&die, file, line, found);
    }
    if (!found.any_file)
        return Error{fmt::format("no source file {} is in the debug information of {}", file, shown), "", 0};
    if (found.addresses.empty())
        return Error{fmt::format("there is no code at line {} of {}", line, file),
                     found.next == 0 ? "" : fmt::format("the next line with code is {}", found.next), 0};
    return std::vector<uint64_t>(found.addresses.begin(), found.addresses.end());
}

}  // namespace lt
