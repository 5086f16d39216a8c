#include "driver/control/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>

#include "base/text.h"
#include "driver/report/compare.h"
#include "driver/report/report.h"
#include "runtime/border/internal_map.h"
#include "runtime/border/loss_subject.h"
#include "runtime/border/param_value.h"

namespace lt {
namespace {

using Words = std::vector<std::string>;

constexpr size_t summary_width = 60;

Status no_words(const Words& words) {
    if (words.empty()) return Done{};
    return Error{fmt::format("`{}` was not expected here", words.front()),
                 "`lt ctl --help`, or `help` in the console, lists the arguments", 0};
}

Status each(const std::vector<Trace*>& traces, Status (Trace::*work)()) {
    for (Trace* trace : traces)
        if (Status done = (trace->*work)(); !done) return done.error_in(fmt::format("trace {}", trace->number()));
    return Done{};
}

Status print_trace(Trace& trace, Printer& printer) {
    Result<std::vector<std::string>> params = trace.params();
    if (!params) return params.error();
    std::vector<std::string> spans, parts = trace.map_names();
    for (size_t i = 0; i < trace.plan().spans.size(); i++) spans.push_back(trace.span_name(i));
    parts.insert(parts.end(), params->begin(), params->end());
    Fact fact{"trace", {}, ""};
    fact.members = {{"trace", int64_t{trace.number()}}, {"program", trace.text()}, {"paused", trace.paused()},
                    {"maps", trace.map_names()},        {"spans", spans},          {"params", *params}};
    fact.text = fmt::format("{:>3}  {}{}{}{}\n", trace.number(), trace.paused() ? "(paused) " : "",
                            trace.summary(summary_width), parts.empty() ? "" : "  ", join(parts, " "));
    printer.fact(fact);
    return Done{};
}

Status list(GivenCommand& given) {
    if (Status none = no_words(given.words); !none) return none;
    for (Trace* trace : given.traces)
        if (Status printed = print_trace(*trace, given.printer); !printed) return printed;
    if (given.traces.empty()) given.printer.fact({"trace", {}, "no trace is running\n"});
    return Done{};
}

Status print_map(const NamedMap& map, size_t most, Printer& printer) {
    Result<MapContent> content = map.trace->session().map(map.index);
    if (!content) return content.error();
    content->most = most;
    if (content->entries.empty() && !content->sampled) {
        printer.fact({"empty", {{"map", content->name}}, content->name + " is empty\n"});
        return Done{};
    }
    printer.map(*content);
    return Done{};
}

// "5m": a word for a time, and not for a map.
std::optional<std::chrono::nanoseconds> time_of(const std::string& word) {
    const Result<std::vector<uint8_t>> bytes = param_bytes("time", duration_type(), word);
    int64_t ns = 0;
    if (bytes) std::memcpy(&ns, bytes->data(), sizeof ns);
    return ns > 0 ? std::optional(std::chrono::nanoseconds(ns)) : std::nullopt;
}

// The times at the end of a command.
std::vector<std::chrono::nanoseconds> take_times(Words& words) {
    std::vector<std::chrono::nanoseconds> times;
    while (!words.empty()) {
        const auto time = time_of(words.back());
        if (!time) break;
        times.insert(times.begin(), *time);
        words.pop_back();
    }
    return times;
}

// These maps; all that have a history without a name.
Result<std::vector<NamedMap>> maps_with_history(const GivenCommand& given) {
    std::vector<NamedMap> all;
    for (const std::string& word : given.words.empty() ? Words{""} : given.words) {
        const Result<std::vector<NamedMap>> maps = maps_named(given.traces, word);
        if (!maps) return maps.error();
        for (const NamedMap& map : *maps)
            if (!word.empty() || !map.trace->keeps_history() || History::keeps(map.trace->plan().maps[map.index]))
                all.push_back(map);
    }
    return all;
}

void print_length(const History::Period& period, std::string text, Printer& printer) {
    printer.fact({"period",
                  {{"map", period.content.name}, {"seconds", period.seconds}, {"all", period.is_all}},
                  std::move(text)});
}

Status show_period(GivenCommand& given, std::chrono::nanoseconds time) {
    const Result<std::vector<NamedMap>> maps = maps_with_history(given);
    if (!maps) return maps.error();
    for (const NamedMap& map : *maps) {
        const Result<History::Period> period = map.trace->last(map.index, time);
        if (!period) return period.error();
        print_length(*period,
                     fmt::format("{}, the last {}{}:\n", period->content.name, show_length(period->seconds),
                                 period->is_all ? " (the history is not longer)" : ""),
                     given.printer);
        if (period->content.entries.empty())
            given.printer.fact({"empty", {{"map", period->content.name}}, period->content.name + " is empty\n"});
        else
            given.printer.map(period->content);
    }
    return Done{};
}

Status show_maps(GivenCommand& given) {
    const auto times = take_times(given.words);
    if (times.size() > 1) return Error{"show takes one time", "to compare two: `diff @ns 5m 60m`", 0};
    if (times.size() == 1) return show_period(given, times[0]);
    if (given.words.empty()) given.words.emplace_back();
    const Trace* last = nullptr;
    for (const std::string& word : given.words) {
        const Result<std::vector<NamedMap>> maps = maps_named(given.traces, word);
        if (!maps) return maps.error();
        for (const NamedMap& map : *maps) {
            if (map.trace != last && given.traces.size() > 1 && word.empty()) {
                if (Status printed = print_trace(*map.trace, given.printer); !printed) return printed;
            }
            last = map.trace;
            if (Status printed = print_map(map, 0, given.printer); !printed) return printed;
        }
    }
    return Done{};
}

Status top(GivenCommand& given) {
    const auto most = given.words.size() < 2 ? std::optional<uint64_t>(10) : parse_number<uint64_t>(given.words[1]);
    if (given.words.empty() || given.words.size() > 2 || !most || *most == 0)
        return Error{"top takes a map and optionally a number", "for example `top @x 10`", 0};
    const Result<std::vector<NamedMap>> maps = maps_named(given.traces, given.words[0]);
    if (!maps) return maps.error();
    for (const NamedMap& map : *maps)
        if (Status printed = print_map(map, *most, given.printer); !printed) return printed;
    return Done{};
}

Status clear(GivenCommand& given) {
    if (given.words.empty()) given.words.emplace_back();
    for (const std::string& word : given.words) {
        const Result<std::vector<NamedMap>> maps = maps_named(given.traces, word);
        if (!maps) return maps.error();
        for (const NamedMap& map : *maps)
            if (Status cleared = map.trace->clear(map.index); !cleared) return cleared;
    }
    return Done{};
}

// Sets it in each trace that has such a parameter.
Status set_one(const std::vector<Trace*>& traces, const std::string& setting) {
    const size_t equals = setting.find('=');
    if (equals == setting.npos)
        return Error{fmt::format("`{}` has no value", setting), fmt::format("write `{}=VALUE`", setting), 0};
    const std::string name = setting.substr(0, equals);
    std::vector<std::string> names;
    bool any = false;
    for (Trace* trace : traces)
        for (const PlannedParam& param : trace->plan().params) {
            names.push_back(param.name);
            if (param.name != name) continue;
            any = true;
            if (Status done = trace->set(name, setting.substr(equals + 1)); !done) return done;
        }
    if (any) return Done{};
    return Error{fmt::format("there is no parameter `{}`", name), use_one(names), 0};
}

Status set(GivenCommand& given) {
    if (given.words.empty()) return Error{"set takes `NAME=VALUE`", "for example `set slow=50ms`", 0};
    for (const std::string& word : given.words)
        if (Status done = set_one(given.traces, word); !done) return done;
    return Done{};
}

Status stop(GivenCommand& given) {
    Words& words = given.words;
    const bool all = !words.empty() && words[0] == "all";
    if (all) words.erase(words.begin());
    const bool named = !words.empty();
    Result<std::vector<Trace*>> selected = take_traces(given.all, words);
    if (!selected) return selected.error();
    if (Status none = no_words(words); !none) return none;
    if (!all && !named && selected->size() > 1)
        return Error{"several traces are running", "stop one by its number, for example `stop 2`, or `stop all`", 0};
    for (Trace* trace : *selected)
        if (Status stopped = given.all.stop(*trace); !stopped) return stopped;
    return Done{};
}

Status pause(GivenCommand& given) {
    if (Status none = no_words(given.words); !none) return none;
    return each(given.traces, &Trace::pause);
}

Status resume(GivenCommand& given) {
    if (Status none = no_words(given.words); !none) return none;
    return each(given.traces, &Trace::resume);
}

// Open spans in task storage are found by a program that is only loaded on request, as with --stats.
bool knows_what_is_open(const Plan& plan, size_t span) {
    return plan.spans[span].state != SpanState::task || !plan.walk.empty();
}

void add_count(Fact& fact, std::string_view name, std::string_view what, uint64_t count) {
    if (count == 0) return;
    fact.members.emplace_back(name, static_cast<int64_t>(count));
    fact.text += fmt::format(", {} {}", count, what);
}

std::vector<LossFact> losses_of(Trace& trace, uint32_t span) {
    std::vector<LossFact> out;
    for (const Loss& loss : trace.session().losses()) {
        if (subject_of(loss.kind) != LossSubject::span || loss.subject != span) continue;
        if (auto fact = loss_fact(trace.plan(), loss, {.stats = true, .source = "program"})) out.push_back(*fact);
    }
    return out;
}

Status print_spans(Trace& trace, Printer& printer) {
    const Result<std::vector<Session::Account>> accounts = trace.session().accounts();
    if (!accounts) return accounts.error();
    for (uint32_t i = 0; i < accounts->size(); i++) {
        const Session::Account& account = (*accounts)[i];
        const std::string& endpoints = trace.plan().spans[i].text;
        const std::string name = trace.span_name(i);
        Fact fact{"span", {}, ""};
        fact.members = {{"trace", int64_t{trace.number()}},
                        {"span", name},
                        {"endpoints", endpoints},
                        {"opened", static_cast<int64_t>(account.opened)},
                        {"closed", static_cast<int64_t>(account.closed)}};
        if (knows_what_is_open(trace.plan(), i)) fact.members.emplace_back("open", static_cast<int64_t>(account.open));
        fact.text =
            fmt::format("{:>3}  {}{}: {} opened, {} closed", trace.number(), name,
                        name == endpoints ? "" : fmt::format(" ({})", endpoints), account.opened, account.closed);
        if (knows_what_is_open(trace.plan(), i)) fact.text += fmt::format(", {} open", account.open);
        add_count(fact, "left_out", "left out by sampling", account.left_out);
        add_count(fact, "abandoned", "open when it was detached", account.abandoned);
        const std::vector<LossFact> losses = losses_of(trace, i);
        for (const LossFact& loss : losses) fact.text += "\n     " + loss.text;
        fact.text += '\n';
        printer.fact(fact);
        for (const LossFact& loss : losses) printer.lost(loss);  // in JSON only
    }
    return Done{};
}

Status spans(GivenCommand& given) {
    if (Status none = no_words(given.words); !none) return none;
    for (Trace* trace : given.traces)
        if (Status printed = print_spans(*trace, given.printer); !printed) return printed;
    return Done{};
}

Status open(GivenCommand& given) {
    const std::string wanted = join(given.words, " ");
    std::vector<std::string> names;
    bool any = false;
    for (Trace* trace : given.traces)
        for (size_t i = 0; i < trace->plan().spans.size(); i++) {
            names.push_back(trace->span_name(i));
            if (!wanted.empty() && wanted != names.back()) continue;
            any = true;
            if (!knows_what_is_open(trace->plan(), i))
                return Error{fmt::format("the open spans of {} are not known", names.back()),
                             "start lt with --stats, or print the span in the script", 0};
            Result<OpenSpans> spans = trace->session().open_spans(i);
            if (!spans) return spans.error();
            spans->name = names.back();
            given.printer.open_spans(*spans);
        }
    if (any) return Done{};
    if (wanted.empty()) return Error{"no trace has spans", "for example `sc:read < @ns = dist(latency); >`", 0};
    return Error{fmt::format("there is no span `{}`", wanted), use_one(names), 0};
}

constexpr size_t most_marks = 32;
constexpr std::string_view mark_hint = "for example `mark before`, and later `diff before`";

Status mark(GivenCommand& given) {
    if (given.words.size() != 1) return Error{"mark takes a name", std::string(mark_hint), 0};
    for (Trace* trace : given.traces) {
        if (trace->marks().size() >= most_marks && !trace->marks().contains(given.words[0]))
            return Error{fmt::format("there are {} marks already, each with a copy of all maps", most_marks),
                         fmt::format("reuse a name, for example `mark {}`", trace->marks().begin()->first), 0};
        Result<Trace::Mark> taken = trace->snapshot();
        if (!taken) return taken.error();
        trace->marks().insert_or_assign(given.words[0], *std::move(taken));
    }
    return Done{};
}

// `diff @ns 5m 60m`: the last 5 minutes beside the last 60.
Status compare_periods(GivenCommand& given, std::chrono::nanoseconds recent, std::chrono::nanoseconds longer) {
    const Result<std::vector<NamedMap>> maps = maps_with_history(given);
    if (!maps) return maps.error();
    for (const NamedMap& map : *maps) {
        const Result<History::Period> before = map.trace->last(map.index, longer);
        if (!before) return before.error();
        const Result<History::Period> after = map.trace->last(map.index, recent);
        if (!after) return after.error();
        for (const History::Period& each : {*before, *after}) print_length(each, "", given.printer);
        const auto part = [](const History::Period& period) {
            return Compared{"last " + show_length(period.seconds), period.content, period.traced_seconds};
        };
        tell_sampled(before->content.name, before->content.sampled, after->content.sampled, given.printer);
        compare(part(*before), part(*after), given.printer);
    }
    return Done{};
}

Status diff(GivenCommand& given) {
    const auto times = take_times(given.words);
    if (times.size() == 2) return compare_periods(given, std::min(times[0], times[1]), std::max(times[0], times[1]));
    if (!times.empty()) return Error{"diff takes two times", "for example `diff @ns 5m 60m`", 0};
    if (given.words.size() != 1) return Error{"diff takes the name of a mark", std::string(mark_hint), 0};
    std::set<std::string> names;
    bool any = false;
    for (Trace* trace : given.traces) {
        for (const auto& [name, marked] : trace->marks()) names.insert(name);
        const auto marked = trace->marks().find(given.words[0]);
        if (marked == trace->marks().end()) continue;
        any = true;
        const Result<Trace::Mark> now = trace->snapshot();
        if (!now) return now.error();
        compare(marked->second, *now, given.printer);
    }
    if (any) return Done{};
    const std::vector<std::string> known(names.begin(), names.end());
    return Error{fmt::format("there is no mark `{}`", given.words[0]),
                 known.empty() ? std::string(mark_hint) : use_one(known), 0};
}

constexpr std::array rows{
    CommandRow{{"list", "", "Lists the running traces with their maps and parameters.", "list"}, list, false},
    CommandRow{{"show", "[N] [@MAP ...] [TIME]", "Prints the maps, or with --history what came in the last TIME.",
                "show @ns 5m"},
               show_maps},
    CommandRow{{"top", "[N] @MAP [COUNT]", "Prints the largest values of a map; 10 without a count.", "top @x 10"},
               top},
    CommandRow{{"clear", "[N] [@MAP ...]", "Clears maps; all maps without a name.", "clear @ns"}, clear},
    CommandRow{{"set", "[N] NAME=VALUE ...", "Sets parameters, from the next event on.", "set slow=50ms"}, set},
    CommandRow{{"spans", "[N]", "Prints how many of each span were opened, closed and lost.", "spans"}, spans},
    CommandRow{
        {"open", "[N] [SPAN]", "Prints the spans that are open now, oldest first, with their threads' stacks.", "open"},
        open},
    CommandRow{{"mark", "[N] MARK", "Saves the contents of all maps under a name.", "mark before"}, mark},
    CommandRow{{"diff", "[N] MARK|TIME TIME", "Compares what came before and after a mark, or in two times.",
                "diff @ns 5m 60m"},
               diff},
    CommandRow{{"pause", "[N]", "Detaches the probes and keeps the maps; open spans can still close.", "pause"}, pause},
    CommandRow{{"resume", "[N]", "Attaches the probes again.", "resume"}, resume},
    CommandRow{{"stop", "[N|all]", "Ends a trace: detaches it and prints its maps.", "stop 2"}, stop, false},
};

}  // namespace

std::span<const CommandRow> command_rows() { return rows; }

const CommandRow* find_command(std::string_view name) {
    const auto row = std::ranges::find(rows, name, [](const CommandRow& r) { return r.text.name; });
    return row == rows.end() ? nullptr : &*row;
}

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    bool inside = false, quoted_part = false;
    for (size_t i = 0; i < line.size(); i++) {
        const char c = line[i];
        const bool space = !quoted_part && (c == ' ' || c == '\t' || c == '\n');
        if (!space && !inside) words.emplace_back();
        inside = !space;
        if (space) continue;
        if (c == '"')
            quoted_part = !quoted_part;
        else
            words.back() += quoted_part && c == '\\' && i + 1 < line.size() ? line[++i] : c;
    }
    return words;
}

std::string as_word(std::string_view text) {
    if (!text.empty() && text.find_first_of(" \t\n\"") == text.npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return out + '"';
}

Status run_command(Traces& traces, std::string_view line, Printer& printer) {
    std::vector<std::string> words = words_of(line);
    const CommandRow* row = words.empty() ? nullptr : find_command(words[0]);
    if (!row) return no_command(words.empty() ? "" : words[0]);
    words.erase(words.begin());
    Result<std::vector<Trace*>> selected = row->selects ? take_traces(traces, words) : traces.traces();
    if (!selected) return selected.error();
    GivenCommand given{traces, *std::move(selected), std::move(words), printer};
    return row->run(given);
}

Error no_command(const std::string& word) {
    std::vector<std::string> names;
    for (const CommandRow& each : rows) names.emplace_back(each.text.name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::vector<std::string> near = closest(word, views);
    return Error{word.empty() ? "the command is missing" : fmt::format("there is no command {}", quoted(word)),
                 near.empty() ? use_one(names) : did_you_mean(near), 0};
}

Result<std::vector<Trace*>> take_traces(Traces& traces, std::vector<std::string>& words) {
    std::vector<Trace*> all = traces.traces();
    if (all.empty()) return Error{"no trace is running", "", 0};
    const auto number = words.empty() ? std::nullopt : parse_number<uint64_t>(words[0]);
    if (!number) return all;
    for (Trace* trace : all) {
        if (static_cast<uint64_t>(trace->number()) != *number) continue;
        words.erase(words.begin());
        return std::vector{trace};
    }
    return Error{fmt::format("there is no trace {}", *number), "`list` shows the running ones", 0};
}

Result<std::vector<NamedMap>> maps_named(const std::vector<Trace*>& traces, const std::string& name) {
    std::vector<NamedMap> found;
    std::set<std::string> names;
    for (Trace* trace : traces)
        for (size_t i = 0; i < trace->plan().maps.size(); i++) {
            const PlannedMap& map = trace->plan().maps[i];
            if (is_internal(map)) continue;
            names.insert(map.name);
            if (name.empty() || map.name == name) found.push_back({trace, i});
        }
    if (!found.empty()) return found;
    if (names.empty()) return Error{"no trace has maps", "collect into one, for example `@ns = hist(latency)`", 0};
    const std::vector<std::string> known(names.begin(), names.end());
    return Error{fmt::format("there is no map `{}`", name), use_one(known), 0};
}

}  // namespace lt
