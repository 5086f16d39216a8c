#include "driver/console/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "driver/console/commands.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"

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

}  // namespace

std::string help_overview() {
    std::string out = "A line with a probe starts a trace; a line that begins with one of these words is a command:\n";
    for (const CommandText& text : all_commands())
        out += fmt::format("  {:<24} {}\n", command_line(text), text.sentence);
    out +=
        "N is a trace's number; without it a command applies to all. help WORD explains a command, a kind of probe,\n"
        "a function or a variable. Kinds of probe:";
    for (const ProbeRow& row : probe_rows()) out += fmt::format(" {}", row.name);
    return out + "\nTab completes, Ctrl-C clears the line or stops the output, Ctrl-R searches the history.\n";
}

// A word can be several of these; all are printed.
Result<std::string> help_on(const std::string& topic) {
    std::string out;
    for (const CommandText& text : all_commands())
        if (text.name == topic) out += entry(command_line(text), text.sentence, text.example);
    if (const ProbeRow* row = find_probe(topic)) out += probe_text(*row);
    if (const FunctionRow* row = find_function(topic)) out += entry(signature(*row), row->sentence, row->example);
    if (const VariableRow* row = find_variable(topic))
        out += entry(std::string(row->name), row->sentence, row->example);
    if (!out.empty()) return out;
    const std::vector<std::string> topics = help_topics();
    const std::vector<std::string_view> names(topics.begin(), topics.end());
    const std::vector<std::string> near = closest(topic, names);
    return Error{fmt::format("there is no help on {}", quoted(topic)),
                 near.empty() ? "`help` lists the commands" : did_you_mean(near), 0};
}

std::vector<std::string> help_topics() {
    std::vector<std::string> all;
    for (const CommandText& text : all_commands()) all.emplace_back(text.name);
    for (const ProbeRow& row : probe_rows()) all.emplace_back(row.name);
    for (const FunctionRow& row : function_rows()) all.emplace_back(row.name);
    for (const VariableRow& row : variable_rows()) all.emplace_back(row.name);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace lt
