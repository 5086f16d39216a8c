#include "driver/console/complete.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "base/text.h"
#include "base/visible.h"
#include "codegen/providers/provider.h"
#include "driver/console/commands.h"
#include "driver/console/console.h"
#include "driver/console/help.h"
#include "driver/tools/tools.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

using Names = std::vector<std::string>;

// The candidates that begin with the typed text.
Completion matching(size_t begin, std::string_view typed, const Names& names) {
    Completion out{begin, {}, ""};
    for (const std::string& name : names)
        if (std::string_view(name).starts_with(typed)) out.words.push_back(name);
    std::ranges::sort(out.words);
    out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
    return out;
}

bool is_folder(const std::string& path) {
    struct stat about{};
    return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

// Paths that begin with the typed text; folders end in a slash.
Names files(std::string_view typed) {
    const size_t slash = typed.rfind('/');
    const std::string folder(slash == typed.npos ? "" : typed.substr(0, slash + 1));
    const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.empty() ? "." : folder.c_str()), &closedir);
    Names all;
    while (open) {
        const dirent* entry = readdir(open.get());
        if (!entry) break;
        const std::string_view name = entry->d_name;
        if (name.starts_with(".")) continue;
        const std::string path = folder + std::string(name);
        all.push_back(is_folder(path) ? path + "/" : path);
    }
    return all;
}

Names map_names(Console& console) {
    Names all;
    for (const Trace* trace : console.traces()) {
        const Names names = trace->map_names();
        all.insert(all.end(), names.begin(), names.end());
    }
    return all;
}

Names span_names(Console& console) {
    Names all;
    for (const Trace* trace : console.traces())
        for (size_t i = 0; i < trace->plan().spans.size(); i++) all.push_back(trace->span_name(i));
    return all;
}

Names settings(Console& console) {
    Names all;
    for (const Trace* trace : console.traces())
        for (const PlannedParam& param : trace->plan().params) all.push_back(param.name + "=");
    return all;
}

Names mark_names(Console& console) {
    Names all;
    for (Trace* trace : console.traces())
        for (const auto& [name, mark] : trace->marks()) all.push_back(name);
    return all;
}

Names numbers(Console& console) {
    Names all;
    for (const Trace* trace : console.traces()) all.push_back(std::to_string(trace->number()));
    return all;
}

struct ArgumentRow {
    std::string_view kind;  // as written in CommandText::arguments
    Names (*names)(Console& console);
};
constexpr std::array argument_rows{
    ArgumentRow{"@MAP", map_names},      ArgumentRow{"SPAN", span_names},
    ArgumentRow{"NAME=VALUE", settings}, ArgumentRow{"MARK", mark_names},
    ArgumentRow{"[N", numbers},          ArgumentRow{"TOPIC", [](Console&) { return help_topics(); }},
};

Completion complete_argument(Console& console, const CommandText& command, std::string_view typed, size_t begin) {
    Names all;
    for (const ArgumentRow& row : argument_rows) {
        if (command.arguments.find(row.kind) == command.arguments.npos) continue;
        const Names names = row.names(console);
        all.insert(all.end(), names.begin(), names.end());
    }
    if (command.arguments.find("FILE") != command.arguments.npos) all = files(typed);
    return matching(begin, typed, all);
}

// Completes what follows the kind: for kinds in files a path first, then the names in that file.
Names places(Kernel& kernel, const Provider& provider, std::string_view typed) {
    if (provider.in_file && typed.find(':') == typed.npos) return files(typed);
    return provider.complete ? provider.complete(kernel, typed) : Names{};
}

// ---- inside a script

// Where the last word begins: a name, a location or a path.
size_t word_begin(std::string_view text) {
    size_t begin = text.size();
    const auto belongs = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_.:@/*-+$").find(c) != std::string_view::npos;
    };
    while (begin > 0 && belongs(text[begin - 1])) begin--;
    return begin;
}

// The last probe named in the text; `args` belongs to it.
std::string_view last_probe(std::string_view text) {
    const auto belongs = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_.:*").find(c) != std::string_view::npos;
    };
    for (size_t end = text.size(); end > 0; end--) {
        if (!belongs(text[end - 1])) continue;
        size_t begin = end;
        while (begin > 0 && belongs(text[begin - 1])) begin--;
        const std::string_view word = text.substr(begin, end - begin);
        const size_t colon = word.find(':');
        if (colon != word.npos && find_probe(word.substr(0, colon))) return word;
        end = begin + 1;
    }
    return {};
}

Names fields(Kernel& kernel, std::string_view program) {
    const std::vector<std::string_view> parts = split(last_probe(program), ':');
    const ProbeRow* row = find_probe(parts[0]);
    const auto known = row && parts.size() > 1 ? provider(row->place).fields : nullptr;
    Names all;
    for (const Field& field : known ? known(kernel, parts) : std::vector<Field>{}) all.push_back("args." + field.name);
    return all;
}

Names words_of_language() {
    Names all;
    for (const FunctionRow& row : function_rows()) all.push_back(std::string(row.name) + "(");
    for (const VariableRow& row : variable_rows()) all.emplace_back(row.name);
    return all;
}

Names kinds_of_probe() {
    Names all;
    for (const ProbeRow& row : probe_rows()) {
        const std::string_view after = provider(row.place).most == 0 ? " " : ":";
        all.push_back(fmt::format("{}{}", row.name, after));
        if (!row.brief.empty()) all.push_back(fmt::format("{}:", row.brief));
    }
    return all;
}

// The function whose parenthesis was opened right before the cursor.
const FunctionRow* function_before(std::string_view text) {
    if (!text.ends_with('(')) return nullptr;
    text.remove_suffix(1);
    return find_function(text.substr(word_begin(text)));
}

Completion complete_program(Console& console, std::string_view text) {
    size_t begin = word_begin(text);
    std::string_view word = text.substr(begin);
    if (const size_t colon = word.find(':'); colon != word.npos) {
        if (const ProbeRow* row = find_probe(word.substr(0, colon))) {
            const std::string_view typed = word.substr(colon + 1);
            return matching(begin + colon + 1, typed, places(console.kernel(), provider(row->place), typed));
        }
    }
    const size_t last = word.find_last_of("/*-+:$");  // operators, and the start of a predicate
    if (last != word.npos) {
        begin += last + 1;
        word.remove_prefix(last + 1);
    }
    if (word.starts_with("args.")) return matching(begin, word, fields(console.kernel(), text));
    if (word.starts_with("@")) return matching(begin, word, map_names(console));
    if (const FunctionRow* row = word.empty() ? function_before(text) : nullptr)
        return {begin, {}, fmt::format("{}  {}", signature(*row), row->sentence)};
    Names all = words_of_language();
    const bool inside = text.find_first_of("{</") != text.npos;
    if (!inside) all = kinds_of_probe();
    return matching(begin, word, all);
}

}  // namespace

Completion complete(Console& console, std::string_view text) {
    const size_t first = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = text.find_first_of(" \n", first);
    if (end == text.npos) {
        Names all = kinds_of_probe();
        for (const CommandText& command : all_commands()) all.push_back(std::string(command.name) + " ");
        const std::string_view word = text.substr(first);
        // some hundred of them would hide the rest
        if (!word.empty())
            for (const Tool& tool : all_tools()) all.push_back(tool.name + " ");
        return word.find_first_of(":/{") == word.npos ? matching(first, word, all) : complete_program(console, text);
    }
    for (const CommandText& command : all_commands()) {
        if (command.name != text.substr(first, end - first) || command.name == "why") continue;
        const size_t begin = text.rfind(' ') + 1;
        return complete_argument(console, command, text.substr(begin), begin);
    }
    return complete_program(console, text);
}

std::string in_columns(std::vector<std::string> words, size_t width) {
    for (std::string& word : words) {
        const FunctionRow* row =
            word.ends_with('(') ? find_function(std::string_view(word).substr(0, word.size() - 1)) : nullptr;
        if (row) word = signature(*row);
    }
    constexpr size_t most = 200;
    const size_t shown = std::min(words.size(), most);
    size_t longest = 0;
    for (size_t i = 0; i < shown; i++) longest = std::max(longest, columns_in(words[i]));
    const size_t columns = std::max<size_t>(1, width / (longest + 2));
    const size_t lines = (shown + columns - 1) / columns;
    std::string out;
    for (size_t line = 0; line < lines; line++) {
        for (size_t i = line; i < shown; i += lines) out += at_left(words[i], longest + 2);
        while (out.ends_with(' ')) out.pop_back();
        out += '\n';
    }
    if (shown < words.size()) out += fmt::format("... and {} more\n", words.size() - shown);
    return out;
}

}  // namespace lt
