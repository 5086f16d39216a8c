// What can be asked of traces while they run, from the console and from outside (`lt ctl`): a row for each command, by
// which it is found, run, helped with and completed. Results go to a printer, so that each command answers in text and
// in JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/printer.h"
#include "trace.h"

namespace lt {

// What a person reads about a command. Arguments in brackets can be left out; a word in capitals stands for one of its
// kind: N a trace's number, @MAP, SPAN, NAME=VALUE, MARK, FILE, TOPIC, COUNT.
struct CommandText {
    std::string_view name;
    std::string_view arguments;
    std::string_view sentence;
    std::string_view example;
};

struct CommandRow {
    CommandText text;
    Status (*run)(Traces& traces, std::vector<std::string> words, Printer& printer);
};

std::span<const CommandRow> command_rows();
const CommandRow* find_command(std::string_view name);

// A line as typed: the command's name, then its words. What stands between quotes belongs to one word; a backslash
// there takes the next character as it is.
std::vector<std::string> words_of(std::string_view line);
std::string as_word(std::string_view text);  // so that words_of() gives it back as one
Error no_command(const std::string& word);   // that there is none of this name
Status run_command(Traces& traces, std::string_view line, Printer& printer);

// The traces that a number at the front of the words selects, which is then taken off; all of them without one. An
// error where it is the number of none, or there are no traces at all.
Result<std::vector<Trace*>> take_traces(Traces& traces, std::vector<std::string>& words);

// The maps of this name, each as the trace that has it and the index into its plan; of all names without one.
struct NamedMap {
    Trace* trace;
    size_t index;
};
Result<std::vector<NamedMap>> maps_named(const std::vector<Trace*>& traces, const std::string& name);

}  // namespace lt
