#include "driver/console/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>

#include "base/file_text.h"
#include "base/text.h"
#include "driver/cli/verbs.h"
#include "driver/console/commands.h"
#include "driver/doctor/systemtap.h"
#include "driver/pipeline/why.h"
#include "driver/tools/tools.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

std::string_view first_word(std::string_view text) {
    text = trim(text);
    return text.substr(0, text.find_first_of(" \t\n"));
}

std::string_view after_word(std::string_view text, std::string_view word) {
    return trim(trim(text).substr(word.size()));
}

// The span of `why SPAN`, which need not be quoted if there are no options: ` ->` is a part of it.
bool is_bare_span(std::string_view rest) {
    if (rest.empty() || rest[0] == '-' || rest.find('\'') != rest.npos) return false;
    size_t at = rest.find(" -");
    while (at != rest.npos && rest.substr(at).starts_with(" ->")) at = rest.find(" -", at + 1);
    return at == rest.npos;
}

Result<Line> read_words(std::vector<std::string> words, std::span<const ScriptParam> params,
                        std::string_view tool = {}) {
    std::vector<const char*> argv{"lt"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    Result<Command> command = read_command(static_cast<int>(argv.size()), argv.data(), params, Program::lt, tool);
    return command ? Result<Line>(Line{{}, *std::move(command)}) : command.error();
}

Result<Line> explain(std::string_view rest, const std::string& name) {
    Line line;
    if (is_bare_span(rest)) {
        line.command.file = rest;
    } else {
        const auto words = shell_words(rest);
        Result<Line> read = read_words(with_joined_slow(words.value_or(std::vector<std::string>{})), {});
        if (!read) return read.error();
        line = *std::move(read);
    }
    Command& command = line.command;
    const std::string span = command.has(Option::program) ? command.text(Option::program) : command.file;
    command.file.clear();
    // other words are for a `$1` in it; without one they are the rest of a span that is not quoted
    if (!command.positional.empty() && span.find('$') == span.npos)
        return Error{"why takes one span, in quotes if options follow",
                     "for example `why 'sc:read /pid == 42/' --slow 10ms`", 0};
    if (span.empty()) {
        line.source = explaining_threads(command.has(Option::process), false);
        return line;
    }
    const bool all_slow = std::ranges::any_of(command.params, [](const ParamSetting& p) { return p.name == "slow"; });
    Result<Source> whole = explaining_program(Source{name, span}, all_slow, false);
    if (!whole) return whole.error();
    line.source = *std::move(whole);
    return line;
}

Result<Line> read_script(std::string_view text, const std::string& name) {
    const auto words = shell_words(text);
    if (!words || words->empty()) return Error{"a quote is still open", "", 0};
    std::vector<const char*> argv{"lt"};
    for (const std::string& each : *words) argv.push_back(each.c_str());
    const auto at = static_cast<size_t>(script_word(static_cast<int>(argv.size()), argv.data()));
    const std::string word = at < argv.size() ? argv[at] : "", path = script_path(word);
    Result<Line> line = read_words(*words, params_of_file(path, true), path == word ? "" : word);
    if (!line) return line.error();
    Command& command = line->command;
    if (command.has(Option::program)) {
        line->source = {name, command.text(Option::program)};
        line->source.dialect = dialect_of(command);
        return line;
    }
    if (command.file != word || find_verb(word) != nullptr)
        return Error{fmt::format("the console does not know `lt {}`", word),
                     "leave the console with Ctrl-D, or type it in another terminal", 0};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
    if (!file)
        return Error{fmt::format("there is no tool or script {}", quoted(command.file)), "`lt tools` lists them", 0};
    Result<std::string> source = whole_text(file.get(), path);
    if (!source) return source.error();
    command.file = path;
    line->source = {path, *std::move(source)};
    line->source.dialect = dialect_of(command);
    return line;
}

}  // namespace

std::string_view without_lt(std::string_view text) {
    for (const std::string_view word : {"sudo", "lt"}) {
        if (first_word(text) != word) continue;
        const std::string_view rest = after_word(text, word);
        if (!rest.empty()) text = rest;
    }
    return text;
}

bool is_command_line(std::string_view text) {
    const std::string_view rest = without_lt(text), word = first_word(rest);
    if (rest.data() != text.data()) return true;
    if (word == "why") return !after_word(rest, word).empty();
    const bool is_script = find_probe(word) && rest.find_first_of("{<") != rest.npos;
    return !is_command(word) && !is_script && !find_tool(word).path.empty();
}

std::optional<std::vector<std::string>> shell_words(std::string_view text) {
    std::vector<std::string> words;
    bool inside = false;
    char quote = 0;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n');
        if (!blank && !inside) words.emplace_back();
        inside = !blank;
        if (blank) continue;
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        } else if (quote != '\'' && c == '\\' && i + 1 < text.size()) {
            words.back() += text[++i];
        } else {
            words.back() += c;
        }
    }
    return quote == 0 ? std::optional(words) : std::nullopt;
}

Result<Line> read_line(std::string_view text, const std::string& name) {
    const std::string_view rest = without_lt(text);
    if (first_word(rest) == "why") return explain(after_word(rest, "why"), name);
    return read_script(rest, name);
}

}  // namespace lt
