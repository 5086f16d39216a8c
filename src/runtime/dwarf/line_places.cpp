// libdw reads the line tables.
#include "runtime/dwarf/line_places.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "runtime/dwarf/units.h"

namespace lt {
namespace {

bool is_of_file(std::string_view path, const std::string& pattern) {
    return glob_match(pattern, path) || glob_match("*/" + pattern, path);
}

// The lines found in a file.
struct Found {
    std::map<uint64_t, std::string> places;
    uint32_t next = 0;  // the next line after those requested that has code
    bool any_file = false;
};

class Finder {
  public:
    Finder(const SourceQuery& query, Found& out) : query_(query), out_(out) {}

    void unit(Dwarf_Die& unit) {
        if (query_.inlined) return inlined(unit);
        if (query_.last == 0) return functions(unit);
        Dwarf_Lines* lines = nullptr;
        size_t count = 0;
        if (dwarf_getsrclines(&unit, &lines, &count) != 0) return;
        // One statement can continue in several stretches of code; it only begins at a stretch that follows another
        // line, with the first row there that begins a statement.
        int before = -1;
        const char* source_before = nullptr;
        bool taken = false;
        for (size_t i = 0; i < count; i++) {
            Dwarf_Line* line = dwarf_onesrcline(lines, i);
            const char* source = dwarf_linesrc(line, nullptr, nullptr);
            int number = 0;
            dwarf_lineno(line, &number);
            if (number != before || source != source_before) taken = false;
            if (!taken && number > 0 && begins_statement(line)) {
                taken = true;
                this->line(unit, line, static_cast<uint32_t>(number));
            }
            before = number;
            source_before = source;
            if (ends_sequence(line)) before = -1;
        }
    }

  private:
    static constexpr int deepest = 64;

    // Its address is the one after the last instruction.
    static bool ends_sequence(Dwarf_Line* line) {
        bool is_end = false;
        return dwarf_lineendsequence(line, &is_end) == 0 && is_end;
    }

    static bool begins_statement(Dwarf_Line* line) {
        bool is_begin = false;
        return dwarf_linebeginstatement(line, &is_begin) == 0 && is_begin && !ends_sequence(line);
    }

    void line(Dwarf_Die& unit, Dwarf_Line* line, uint32_t number) {
        const char* source = dwarf_linesrc(line, nullptr, nullptr);
        Dwarf_Addr address = 0;
        if (source == nullptr || !is_of_file(source, query_.file)) return;
        out_.any_file = true;
        if (dwarf_lineaddr(line, &address) != 0) return;
        const bool far = !query_.relative && number < query_.first;
        if (far) return;
        Dwarf_Die function{};
        const bool inside = function_at(unit, address, function);
        if (query_.function != "*" && (!inside || !glob_match(query_.function, name_of(function)))) return;
        const int64_t begin = inside && query_.relative ? number_of(function, DW_AT_decl_line, 0) : 0;
        const int64_t counted = int64_t{number} - begin;
        if (counted < query_.first) return;
        if (counted > query_.last) {
            if (out_.next == 0 || number < out_.next) out_.next = number;
            return;
        }
        const std::string_view path(source);
        out_.places.emplace(address, fmt::format("{}@{}:{}", inside ? name_of(function) : "",
                                                 path.substr(path.rfind('/') + 1), number));
    }

    // The innermost function, inlined or not.
    static bool function_at(Dwarf_Die& unit, uint64_t address, Dwarf_Die& out) {
        for (Dwarf_Die& die : scopes_around(unit, address)) {
            const int tag = dwarf_tag(&die);
            if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
            out = die;
            return true;
        }
        return false;
    }

    void functions(Dwarf_Die& scope, int depth = 0) {
        each_child(scope, [&](Dwarf_Die& child) {
            if (dwarf_tag(&child) == DW_TAG_subprogram) function(child);
            if (depth < deepest && holds_functions(child)) functions(child, depth + 1);
            return false;
        });
    }

    void inlined(Dwarf_Die& scope, int depth = 0) {
        each_child(scope, [&](Dwarf_Die& child) {
            const int tag = dwarf_tag(&child);
            const bool is_scope = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
                                  tag == DW_TAG_inlined_subroutine || holds_functions(child);
            if (tag == DW_TAG_inlined_subroutine) function(child);
            if (is_scope && depth < deepest) inlined(child, depth + 1);
            return false;
        });
    }

    void function(Dwarf_Die& die) {
        const uint64_t entry = entry_of(die);
        const std::string path = entry != 0 ? declaring_file(die) : "";
        if (path.empty() || !is_of_file(path, query_.file)) return;
        out_.any_file = true;
        const std::string name = name_of(die);
        if (glob_match(query_.function, name))
            out_.places.emplace(entry, fmt::format("{}@{}", name, path.substr(path.rfind('/') + 1)));
    }

    const SourceQuery& query_;
    Found& out_;
};

std::string lines_text(const SourceQuery& query) {
    if (query.last == UINT32_MAX) return "any line";
    const std::string sign = query.relative ? "+" : "";
    if (query.first == query.last) return fmt::format("line {}{}", sign, query.first);
    return fmt::format("lines {}{} to {}", sign, query.first, query.last);
}

}  // namespace

Result<std::vector<LinePlace>> line_places(Dwarf* dwarf, const std::string& shown, const SourceQuery& query) {
    Found found;
    Finder finder(query, found);
    each_unit(dwarf, [&](Dwarf_Die& unit) {
        finder.unit(unit);
        return false;
    });
    if (query.inlined && found.places.empty())
        return Error{fmt::format("{} is not inlined anywhere in {}", query.function, shown), "", 0};
    if (!found.any_file)
        return Error{fmt::format("there is no source file {} in the debug information of {}", query.file, shown), "",
                     0};
    std::vector<LinePlace> out;
    for (auto& [address, text] : found.places) {
        const std::string inlined = query.inlined ? text.substr(0, text.rfind('@')) : "";
        out.push_back({address, std::move(text), inlined});
    }
    if (!out.empty()) return out;
    if (query.last == 0) return Error{fmt::format("no function {} has code in {}", query.function, query.file), "", 0};
    const std::string hint = found.next == 0 ? "" : fmt::format("the next line with code is {}", found.next);
    if (query.function != "*")
        return Error{fmt::format("{} has no code at {} of {}", query.function, lines_text(query), query.file), hint, 0};
    return Error{fmt::format("there is no code at {} of {}", lines_text(query), query.file), hint, 0};
}

}  // namespace lt
