#include "driver/console/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "driver/console/commands.h"
#include "stdlib/causes.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/functions/topics.h"
#include "stdlib/options.h"
#include "stdlib/probes.h"
#include "stdlib/settings.h"

namespace lt {
namespace {

std::string command_line(const CommandText& text) {
    return text.arguments.empty() ? std::string(text.name) : fmt::format("{} {}", text.name, text.arguments);
}

std::string entry(const std::string& title, std::string_view sentence, std::string_view example) {
    std::string out = fmt::format("{}\n    {}\n", title, sentence);
    if (!example.empty()) out += fmt::format("    for example: {}\n", example);
    return out;
}

std::string probe_text(const ProbeRow& row) {
    std::string title(row.shape);
    if (!row.brief.empty()) title += fmt::format("   ({} for short)", row.brief);
    return entry(title, row.sentence, row.example);
}

// `--stats`, `stats` and `-t` are one option.
bool is_named(const OptionRow& row, const std::string& topic) {
    const std::vector<std::string_view> names = split(row.names, ',');
    return std::ranges::any_of(names, [&](std::string_view name) { return name == topic || name == "--" + topic; });
}

std::string option_text(const OptionRow& row) {
    const std::string space = row.argument.empty() ? "" : " ";
    return entry(fmt::format("{}{}{}", row.names, space, row.argument), row.sentence, "");
}

std::string cause_text(const CauseRow& row) {
    std::string title = fmt::format("why.{}", row.name);
    if (row.title != row.name) title += fmt::format("   ({} in reports)", row.title);
    return entry(title, row.sentence, row.example);
}

// Everything but commands and names of the language.
std::string other_help(const std::string& topic) {
    std::string out;
    for (const TopicRow& row : topic_rows())
        if (row.name == topic) out += entry(topic, row.sentence, row.example);
    for (const CauseRow* row : causes_named(topic)) out += cause_text(*row);
    for (const SettingRow& row : setting_rows())
        if (row.name == topic) out += entry(fmt::format("config = {{ {} = {} }}", topic, row.values), row.sentence, "");
    for (const OptionRow& row : option_rows())
        if (is_named(row, topic)) out += option_text(row);
    return out;
}

}  // namespace

std::string help_overview() {
    std::string out =
        "A line with a probe starts a trace, and so does the name of a tool with its options, for example runqlat. A "
        "line "
        "that begins with one of these words is a command:\n";
    for (const CommandText& text : all_commands())
        out += fmt::format("  {:<26}  {}\n", command_line(text), text.sentence);
    out +=
        "N is a trace's number; without it a command applies to all. help WORD explains a command, a kind of probe, a "
        "function, a variable, a setting, an option or an idea.\nKinds of probe:";
    for (const ProbeRow& row : probe_rows()) out += fmt::format(" {}", row.name);
    out += "\nIdeas:";
    for (const TopicRow& row : topic_rows()) out += fmt::format(" {}", row.name);
    return out + "\nTab completes, Ctrl-C clears the line or stops the output, Ctrl-R searches the history.\n";
}

// A word can be several of these; all are printed.
Result<std::string> help_on(const std::string& topic, std::string_view otherwise) {
    std::string out;
    for (const CommandText& text : all_commands())
        if (text.name == topic) out += entry(command_line(text), text.sentence, text.example);
    if (const ProbeRow* row = find_probe(topic)) out += probe_text(*row);
    if (const FunctionRow* row = find_function(topic)) out += entry(signature(*row), row->sentence, row->example);
    if (const VariableRow* row = find_variable(topic))
        out += entry(std::string(row->name), row->sentence, row->example);
    out += other_help(topic);
    if (!out.empty()) return out;
    const std::vector<std::string> topics = help_topics();
    std::vector<std::string_view> names(topics.begin(), topics.end());
    for (const CauseRow& row : cause_rows())
        if (row.title != row.name) names.push_back(row.title);
    const std::vector<std::string> near = closest(topic, names);
    return Error{fmt::format("there is no help on {}", quoted(topic)),
                 near.empty() ? std::string(otherwise) : did_you_mean(near), 0};
}

std::vector<std::string> help_topics() {
    std::vector<std::string> all;
    for (const CommandText& text : all_commands()) all.emplace_back(text.name);
    for (const ProbeRow& row : probe_rows()) all.emplace_back(row.name);
    for (const FunctionRow& row : function_rows()) all.emplace_back(row.name);
    for (const VariableRow& row : variable_rows()) all.emplace_back(row.name);
    for (const TopicRow& row : topic_rows()) all.emplace_back(row.name);
    for (const CauseRow& row : cause_rows()) all.emplace_back(row.name);
    for (const SettingRow& row : setting_rows()) all.emplace_back(row.name);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace lt
