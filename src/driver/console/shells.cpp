// Formats: bash(1) under Programmable Completion; zshcompsys(1), _arguments; fish's `complete`; vim's :help syntax; VS
// Code's grammars are TextMate's, in JSON.
#include "driver/console/shells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "driver/cli/command.h"
#include "driver/cli/verbs.h"
#include "json/json.h"
#include "parser/lt/keywords.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/options.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

using NameList = std::vector<std::string_view>;

// The words that may follow an option, if they are few; a shell finds files and processes itself.
struct ShellArgument {
    std::string_view argument;
    std::string_view words;
    std::string_view of_runner = {};  // of lt-run, if they differ
};
constexpr std::array shell_arguments{
    ShellArgument{"FORMAT", "text json"},
    ShellArgument{"MODE", "line none full"},
    ShellArgument{"STAGE", "parse resolve check lower emit load attach run", "fit load attach run"},
};

bool names_file(std::string_view argument) { return argument == "FILE" || argument == "DIR" || argument == "PATH"; }

std::string_view words_after(Program program, std::string_view argument) {
    const auto* const row = std::ranges::find(shell_arguments, argument, &ShellArgument::argument);
    if (row == shell_arguments.end()) return "";
    return program == Program::lt || row->of_runner.empty() ? row->words : row->of_runner;
}

NameList verb_names() {
    NameList out;
    for (const VerbText& verb : verb_texts()) out.push_back(verb.word);
    return out;
}

NameList probe_names() {
    NameList out;
    for (const ProbeRow& row : probe_rows())
        for (const std::string_view name : {row.name, row.brief})
            if (!name.empty()) out.push_back(name);
    return out;
}

NameList function_names() {
    NameList out;
    for (const FunctionRow& row : function_rows()) out.push_back(row.name);
    return out;
}

NameList variable_names() {
    NameList out;
    for (const VariableRow& row : variable_rows()) out.push_back(row.name);
    return out;
}

// The first sentence, which fits into a line, without what a shell would read as its own.
std::string brief(std::string_view sentence) {
    std::string out(sentence.substr(0, sentence.find(". ")));
    while (out.ends_with('.') || out.ends_with(' ')) out.pop_back();
    std::erase_if(out, [](char c) { return c == '\'' || c == '[' || c == ']' || c == '`'; });
    for (char& c : out)
        if (c == ':') c = ',';
    return out;
}

// A command that shells complete. lt-run has neither verbs nor probes.
struct Completed {
    std::string_view command;
    std::string_view function;  // a prefix for those of the shell
    Program program;
    bool has(const OptionRow& row) const { return takes_option(program, row.phase); }
    NameList verbs() const { return program == Program::lt ? verb_names() : NameList{}; }
};
constexpr std::array completed{Completed{"lt", "_lt", Program::lt}, Completed{"lt-run", "_lt_run", Program::lt_run}};

std::string for_bash(const Completed& of) {
    std::string cases;
    NameList all;
    for (const OptionRow& row : option_rows()) {
        if (!of.has(row)) continue;
        const NameList names = split(row.names, ',');
        const std::string_view argument = text_for(of.program, row).argument;
        all.insert(all.end(), names.begin(), names.end());
        const std::string pattern = join(names, "|");
        if (const std::string_view words = words_after(of.program, argument); !words.empty())
            cases += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", pattern, words);
        else if (names_file(argument))
            cases += fmt::format("        {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", pattern);
        else if (argument == "PID")
            cases += fmt::format("        {}) COMPREPLY=($(compgen -W \"$(ps -eo pid=)\" -- \"$cur\")); return ;;\n",
                                 pattern);
        else if (argument == "[PATTERN]")
            cases += fmt::format("        {}) _lt_probes; return ;;\n", pattern);
    }
    const std::string_view probes = R"(_lt_probes() {
    COMPREPLY=($(lt -l "$word*" 2> /dev/null | head -n 1000))
    COMPREPLY=("${COMPREPLY[@]##*:}")
}
)";
    return fmt::format(R"(# Completion of {2} in bash.
{5}# bash also splits words at colons, which are part of a probe.
{3}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} line=${{COMP_LINE:0:COMP_POINT}} word prev
    word=${{line##*[ \"\']}}
    prev=${{line%[ ]*}}
    prev=${{prev##* }}
    COMPREPLY=()
    case $prev in
{0}    esac
    case $cur in
        -*) COMPREPLY=($(compgen -W '{1}' -- "$cur")) ;;
        *)
            COMPREPLY=($(compgen -f -- "$cur"))
            [ "$COMP_CWORD" != 1 ] || COMPREPLY+=($(compgen -W '{4}' -- "$cur"))
            ;;
    esac
}}
complete -o filenames -F {3} {2}
)",
                       cases, join(all, " "), of.command, of.function, join(of.verbs(), " "),
                       of.program == Program::lt ? probes : "");
}

std::string for_zsh(const Completed& of) {
    std::string specs;
    for (const OptionRow& row : option_rows()) {
        if (!of.has(row)) continue;
        const auto [argument, sentence] = text_for(of.program, row);
        std::string action;
        if (!argument.empty()) {
            const std::string_view words = words_after(of.program, argument);
            action = fmt::format(":{}:{}", brief(argument),
                                 !words.empty()         ? fmt::format("({})", words)
                                 : names_file(argument) ? "_files"
                                 : argument == "PID"    ? "_pids"
                                                        : " ");
        }
        for (const std::string_view name : split(row.names, ','))
            specs += fmt::format("    '{}[{}]{}' \\\n", name, brief(sentence), action);
    }
    std::string verbs;
    for (const VerbText& verb : verb_texts()) verbs += fmt::format("    '{}:{}'\n", verb.word, brief(verb.sentence));
    if (of.program != Program::lt)
        return fmt::format("#compdef {}\n# Completion of {} in zsh.\n_arguments -s \\\n{}    '1:plan:_files'\n",
                           of.command, of.command, specs);
    return fmt::format(R"(#compdef lt
# Completion of lt in zsh.
local -a verbs
verbs=(
{})
_lt_first() {{
    _describe -t commands command verbs
    _files
}}
_arguments -s \
{}    '1: :_lt_first' \
    '*:file:_files'
)",
                       verbs, specs);
}

std::string for_fish(const Completed& of) {
    std::string out = fmt::format("# Completion of {} in fish.\n", of.command);
    for (const VerbText& verb : of.program == Program::lt ? verb_texts() : std::span<const VerbText>{})
        out += fmt::format("complete -c lt -n __fish_is_first_arg -a {} -d '{}'\n", verb.word, brief(verb.sentence));
    for (const OptionRow& row : option_rows()) {
        if (!of.has(row)) continue;
        const auto [argument, sentence] = text_for(of.program, row);
        std::string names;
        for (const std::string_view name : split(row.names, ','))
            names +=
                name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
        const std::string_view words = words_after(of.program, argument);
        const std::string after = argument.empty() || argument.starts_with('[') ? ""
                                  : !words.empty()                              ? fmt::format(" -x -a '{}'", words)
                                  : names_file(argument)                        ? " -r"
                                  : argument == "PID"                           ? " -x -a '(__fish_complete_pids)'"
                                                                                : " -x";
        out += fmt::format("complete -c {}{} -d '{}'{}\n", of.command, names, brief(sentence), after);
    }
    return out;
}

std::string for_vim(const Completed&) {
    return fmt::format(R"(" Colors of lt scripts in vim: ~/.vim/syntax/lt.vim, with
" `autocmd BufRead,BufNewFile *.lt setfiletype lt` in ~/.vimrc.
if exists("b:current_syntax")
  finish
endif
syntax keyword ltKeyword {}
syntax keyword ltFunction {}
syntax keyword ltVariable {}
syntax match ltProbe /\<\({}\)\ze:/
syntax keyword ltProbe BEGIN END
syntax match ltMap /@\w*/
syntax match ltLocal /\$\w\+/
syntax match ltNumber /\<\(0x\x\+\|\d[0-9_]*\(\.\d\+\)\?\)\(ns\|us\|ms\|s\|m\|h\)\?\>/
syntax region ltString start=/"/ skip=/\\./ end=/"/
syntax match ltComment /\/\/.*/
syntax region ltComment start=/\/\*/ end=/\*\//
highlight default link ltKeyword Keyword
highlight default link ltFunction Function
highlight default link ltVariable Identifier
highlight default link ltProbe Type
highlight default link ltMap Identifier
highlight default link ltLocal Identifier
highlight default link ltNumber Number
highlight default link ltString String
highlight default link ltComment Comment
let b:current_syntax = "lt"
)",
                       join(keywords(), " "), join(function_names(), " "), join(variable_names(), " "),
                       join(probe_names(), "\\|"));
}

std::string for_vscode(const Completed&) {
    const auto words = [](const NameList& all) { return fmt::format("\\b({})\\b", join(all, "|")); };
    const auto row = [](std::string_view name, const std::string& match) {
        return nlohmann::ordered_json{{"name", name}, {"match", match}};
    };
    nlohmann::ordered_json patterns = {
        row("comment.line.double-slash.lt", "//.*$"),
        {{"name", "comment.block.lt"}, {"begin", "/\\*"}, {"end", "\\*/"}},
        {{"name", "string.quoted.double.lt"},
         {"begin", "\""},
         {"end", "\""},
         {"patterns", {row("constant.character.escape.lt", "\\\\.")}}},
        row("entity.name.type.lt", fmt::format("\\b(({})(?=:)|BEGIN\\b|END\\b)", join(probe_names(), "|"))),
        row("keyword.control.lt", words(keywords())),
        row("support.function.lt", fmt::format("\\b({})(?=\\()", join(function_names(), "|"))),
        row("variable.language.lt", words(variable_names())),
        row("variable.other.lt", "@\\w*|\\$\\w+"),
        row("constant.numeric.lt", "\\b(0x[0-9a-fA-F]+|[0-9][0-9_]*(\\.[0-9]+)?)(ns|us|ms|s|m|h)?\\b"),
    };
    const nlohmann::ordered_json grammar = {
        {"name", "lt"}, {"scopeName", "source.lt"}, {"fileTypes", {"lt"}}, {"patterns", std::move(patterns)}};
    return json_text(grammar, 2) + "\n";
}

struct FileRow {
    std::string_view program;
    std::string (*text)(const Completed& of);
};
constexpr std::array shell_files{
    FileRow{"bash", for_bash}, FileRow{"zsh", for_zsh},       FileRow{"fish", for_fish},
    FileRow{"vim", for_vim},   FileRow{"vscode", for_vscode},
};

}  // namespace

Result<std::string> file_for(std::string_view program, std::string_view command) {
    const auto* const of = std::ranges::find(completed, command, &Completed::command);
    if (of == completed.end())
        return Error{fmt::format("there is no command {}", quoted(command)), "use `lt` or `lt-run`", 0};
    const auto* const row = std::ranges::find(shell_files, program, &FileRow::program);
    if (row != shell_files.end()) return row->text(*of);
    std::vector<std::string> all;
    for (const FileRow& each : shell_files) all.emplace_back(each.program);
    return Error{fmt::format("there is no file for {}", quoted(program)), use_one(all), 0};
}

}  // namespace lt
