#include "driver/console/commands.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/file_text.h"
#include "base/text.h"
#include "base/wrap.h"
#include "driver/cli/progress.h"
#include "driver/console/console.h"
#include "driver/console/help.h"
#include "driver/console/page_command.h"
#include "driver/triage/triage.h"
#include "stdlib/causes.h"

namespace lt {
namespace {

using Words = std::vector<std::string>;

Status help(Console&, Words words, Printer& printer) {
    const std::string topic = join(words, " ");
    if (words.size() > 1 && causes_named(topic).empty())
        return Error{"help takes one word", "for example `help hist`", 0};
    const Result<std::string> text = words.empty()
                                         ? Result<std::string>(help_overview())
                                         : help_on(topic, "`help` lists the commands, kinds of probe and ideas");
    if (!text) return text.error();
    printer.text(wrapped_text(*text, Screen::size().width));
    return Done{};
}

Status watch(Console& console, Words words, Printer&) {
    if (words == Words{"off"}) {
        console.watch({});
        return Done{};
    }
    Result<std::vector<Trace*>> selected = take_traces(console, words);
    if (!selected) return selected.error();
    if (words.empty()) words.emplace_back();
    std::vector<std::pair<int, std::string>> wanted;
    for (const std::string& word : words) {
        const Result<std::vector<NamedMap>> maps = maps_named(*selected, word);
        if (!maps) return maps.error();
        for (const NamedMap& map : *maps)
            wanted.emplace_back(map.trace->number(), map.trace->plan().maps[map.index].name);
    }
    console.watch(std::move(wanted));
    return Done{};
}

Status save(Console& console, Words words, Printer& printer) {
    if (words.size() != 1) return Error{"save takes a file", "for example `save slow.lt`", 0};
    const std::vector<Trace*> traces = console.traces();
    if (traces.empty()) return Error{"no trace is running", "", 0};
    std::string text;
    for (const Trace* trace : traces) text += (text.empty() ? "" : "\n") + trace->text() + "\n";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(words[0].c_str(), "wxe"), &std::fclose);
    if (!file) return system_error("cannot write " + words[0], errno);
    const bool written =
        std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
    if (!written) return system_error("cannot write " + words[0], errno);
    printer.text(fmt::format("{} in {}\n", plural(traces.size(), "trace"), words[0]));
    return Done{};
}

Status html(Console& console, Words words, Printer& printer) {
    Result<std::vector<Trace*>> selected = take_traces(console, words);
    if (!selected) return selected.error();
    if (words.size() != 1) return Error{"html takes a file", "for example `html now.html`", 0};
    if (Status written = write_page(*selected, words[0]); !written) return written;
    printer.text(fmt::format("{} in {}\n", plural(selected->size(), "trace"), words[0]));
    return Done{};
}

Status load(Console& console, Words words, Printer&) {
    if (words.size() != 1) return Error{"load takes a file", "for example `load slow.lt`", 0};
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(words[0].c_str(), "rbe"), &std::fclose);
    if (!file) return system_error("cannot read " + words[0], errno);
    Result<std::string> text = whole_text(file.get(), words[0]);
    if (!text) return text.error();
    if (!console.start_file(words[0], *std::move(text)))
        return Error{words[0] + " was not started", "correct it, then load it again", 0};
    return Done{};
}

Status record(Console& console, Words words, Printer& printer) {
    Recorder* now = console.screen().recorder();
    if (words.size() != 1) return Error{"record takes a file, or `off`", "for example `record incident.txt`", 0};
    if (words[0] == "off" && !now) return Error{"nothing is being recorded", "start with `record FILE`", 0};
    if (words[0] == "off") {
        const std::string path = now->path();
        const bool failed = now->failed();
        console.screen().record(nullptr);
        if (failed) return Error{"some lines could not be written to " + path, "is the disk full?", 0};
        printer.text(fmt::format("recorded in {}\n", path));
        return Done{};
    }
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(words[0]);
    if (!recorder) return recorder.error();
    console.screen().record(*std::move(recorder));
    return Done{};
}

Status look_around(Console& console, Words words, Printer& printer) {
    const bool all = std::erase(words, "-v") > 0;
    if (words.size() > 1) return Error{"triage takes one time", "for example `triage 5s`", 0};
    triage::Options options;
    if (!words.empty()) {
        const Result<uint64_t> duration = triage::read_duration(words[0]);
        if (!duration) return duration.error();
        options.duration_ns = *duration;
    }
    options.takes_signals = false;
    options.is_alone = false;
    options.shows_progress = Progress::has_terminal();
    options.output = -1;
    options.others = console.served();
    const Result<triage::Report> report = triage::look(console.kernel(), options);
    if (!report) return report.error();
    printer.text(triage::text_of(*report, all, triage::terminal_room()));
    return Done{};
}

Status quit(Console& console, Words words, Printer&) {
    if (!words.empty()) return Error{"quit takes no arguments", "`stop N` ends one trace", 0};
    console.quit();
    return Done{};
}

constexpr std::array commands{
    ConsoleRow{{"triage", "[TIME] [-v]",
                "Looks at the machine for 10 s, or TIME, and ranks what costs its threads time; with -v all of it.",
                "triage 5s"},
               look_around},
    ConsoleRow{{"why", "[SPAN]",
                "Says what the time of calls went into, at the end and for the slowest; without a span it is triage.",
                "why sc:fsync > 10ms"},
               look_around},
    ConsoleRow{{"watch", "[N] [@MAP ...]",
                "Shows maps above the prompt and redraws them every second; watch off ends it.", "watch @ns"},
               watch},
    ConsoleRow{
        {"html", "[N] FILE", "Writes what the maps hold, and what changed since each mark, as a page for a browser.",
         "html now.html"},
        html},
    ConsoleRow{{"save", "FILE", "Writes the scripts of all traces to a new file.", "save slow.lt"}, save},
    ConsoleRow{{"load", "FILE", "Runs the script in a file as a trace.", "load slow.lt"}, load},
    ConsoleRow{{"record", "FILE|off", "Logs input and output to a file from here on, with times; record off ends it.",
                "record incident.txt"},
               record},
    ConsoleRow{{"help", "[TOPIC]", "Lists the commands, or explains a word.", "help hist"}, help},
    ConsoleRow{{"quit", "", "Detaches all traces and leaves without printing maps; stop all prints them.", "quit"},
               quit},
};

// Words that users of other tools type.
std::string_view meant(std::string_view name) {
    if (name == "exit" || name == "q") return "quit";
    return name == "?" ? "help" : name;
}

const ConsoleRow* find_own(std::string_view name) {
    name = meant(name);
    for (const ConsoleRow& row : commands)
        if (row.text.name == name) return &row;
    return nullptr;
}

}  // namespace

std::span<const ConsoleRow> console_rows() { return commands; }

std::vector<CommandText> all_commands() {
    std::vector<CommandText> all;
    for (const CommandRow& row : command_rows()) all.push_back(row.text);
    for (const ConsoleRow& row : commands) all.push_back(row.text);
    return all;
}

bool is_command(std::string_view word) { return find_own(word) || find_command(word); }

Status run_console_command(Console& console, std::string_view line, Printer& printer) {
    Words words = words_of(line);
    const ConsoleRow* row = words.empty() ? nullptr : find_own(words[0]);
    if (!row) return run_command(console, line, printer);
    words.erase(words.begin());
    return row->run(console, std::move(words), printer);
}

}  // namespace lt
