// The commands that running traces take, from the console and from outside (`lt ctl`). Each is a row, used for lookup,
// running, help and completion. Results go to a printer, so each command answers in text and in JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/report/trace.h"
#include "runtime/print/printer.h"

namespace lt {

// The help text of a command. Arguments in brackets are optional; a word in capitals stands for a value: N a trace's
// number, @MAP, SPAN, NAME=VALUE, MARK, TIME, FILE, TOPIC, COUNT.
struct CommandText {
    std::string_view name;
    std::string_view arguments;
    std::string_view sentence;
    std::string_view example;
};

// A command as it was given: for these traces, with the words after their number.
struct GivenCommand {
    Traces& all;
    std::vector<Trace*> traces;
    std::vector<std::string> words;
    Printer& printer;
};

struct CommandRow {
    CommandText text;
    Status (*run)(GivenCommand& given);
    bool selects = true;  // does a number at the front select a trace? Otherwise the command gets all words.
};

std::span<const CommandRow> command_rows();
const CommandRow* find_command(std::string_view name);

// Splits a line: the command's name, then its arguments. Quoted text belongs to one word; a backslash inside quotes
// takes the next character literally.
std::vector<std::string> words_of(std::string_view line);
std::string as_word(std::string_view text);  // quotes it so that words_of() returns it as one word
Error no_command(const std::string& word);   // the error for an unknown name
Status run_command(Traces& traces, std::string_view line, Printer& printer);

// The traces selected by a number at the front of the words, which is removed; all traces without a number. An error if
// no trace has that number, or if there are no traces at all.
Result<std::vector<Trace*>> take_traces(Traces& traces, std::vector<std::string>& words);

// The script's maps of this name, each as its trace and the index into that trace's plan; all of them without a name.
struct NamedMap {
    Trace* trace;
    size_t index;
};
Result<std::vector<NamedMap>> maps_named(const std::vector<Trace*>& traces, const std::string& name);

}  // namespace lt
