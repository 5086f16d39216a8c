#include "commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/text.h"
#include "compare.h"
#include "report.h"

namespace lt {
namespace {

using Words = std::vector<std::string>;

constexpr size_t summary_width = 60;

std::optional<uint64_t> number_of(const std::string& word) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

Status no_words(const Words& words) {
    if (words.empty()) return Done{};
    return Error{fmt::format("`{}` was not expected here", words.front()), "help COMMAND tells what it takes", 0};
}

Status each(const std::vector<Trace*>& traces, Status (Trace::*work)()) {
    for (Trace* trace : traces)
        if (Status done = (trace->*work)(); !done) return done.error_in(fmt::format("trace {}", trace->number()));
    return Done{};
}

Status tell_trace(Trace& trace, Printer& printer) {
    Result<std::vector<std::string>> params = trace.params();
    if (!params) return params.error();
    std::vector<std::string> spans, parts = trace.map_names();
    for (size_t i = 0; i < trace.plan().spans.size(); i++) spans.push_back(trace.span_name(i));
    parts.insert(parts.end(), params->begin(), params->end());
    Fact fact{"trace", {}, ""};
    fact.members = {{"trace", int64_t{trace.number()}}, {"program", trace.text()}, {"paused", trace.paused()},
                    {"maps", trace.map_names()},        {"spans", spans},          {"params", *params}};
    fact.text = fmt::format("{:>3}  {}{}{}{}\n", trace.number(), trace.paused() ? "(paused) " : "",
                            trace.summary(summary_width), parts.empty() ? "" : "  ", fmt::join(parts, " "));
    printer.fact(fact);
    return Done{};
}

Status list(Traces& traces, Words words, Printer& printer) {
    if (Status none = no_words(words); !none) return none;
    const std::vector<Trace*> all = traces.traces();
    for (Trace* trace : all)
        if (Status told = tell_trace(*trace, printer); !told) return told;
    if (all.empty()) printer.fact({"trace", {}, "no trace runs\n"});
    return Done{};
}

Status print_map(const NamedMap& map, size_t most, Printer& printer) {
    Result<MapContent> content = map.trace->session().map(map.index);
    if (!content) return content.error();
    content->most = most;
    if (content->entries.empty()) {
        printer.fact({"empty", {{"map", content->name}}, content->name + " is empty\n"});
        return Done{};
    }
    printer.map(*content);
    return Done{};
}

Status show_maps(Traces& traces, Words words, Printer& printer) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (words.empty()) words.emplace_back();
    const Trace* last = nullptr;
    for (const std::string& word : words) {
        const Result<std::vector<NamedMap>> maps = maps_named(*selected, word);
        if (!maps) return maps.error();
        for (const NamedMap& map : *maps) {
            if (map.trace != last && selected->size() > 1 && word.empty()) {
                if (Status told = tell_trace(*map.trace, printer); !told) return told;
            }
            last = map.trace;
            if (Status printed = print_map(map, 0, printer); !printed) return printed;
        }
    }
    return Done{};
}

Status top(Traces& traces, Words words, Printer& printer) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    const auto most = words.size() < 2 ? std::optional<uint64_t>(10) : number_of(words[1]);
    if (words.empty() || words.size() > 2 || !most || *most == 0)
        return Error{"top takes a map and perhaps a number", "for example top @x 10", 0};
    const Result<std::vector<NamedMap>> maps = maps_named(*selected, words[0]);
    if (!maps) return maps.error();
    for (const NamedMap& map : *maps)
        if (Status printed = print_map(map, *most, printer); !printed) return printed;
    return Done{};
}

Status clear(Traces& traces, Words words, Printer&) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (words.empty()) words.emplace_back();
    for (const std::string& word : words) {
        const Result<std::vector<NamedMap>> maps = maps_named(*selected, word);
        if (!maps) return maps.error();
        for (const NamedMap& map : *maps)
            if (Status cleared = map.trace->clear(map.index); !cleared) return cleared;
    }
    return Done{};
}

// In each trace that has such a parameter.
Status set_one(const std::vector<Trace*>& traces, const std::string& setting) {
    const size_t equals = setting.find('=');
    if (equals == setting.npos) return Error{fmt::format("`{}` sets nothing", setting), "write NAME=VALUE", 0};
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
    return Error{fmt::format("there is no parameter {}", name), names.empty() ? "" : "there are " + either(names), 0};
}

Status set(Traces& traces, Words words, Printer&) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (words.empty()) return Error{"set takes NAME=VALUE", "for example set slow=50ms", 0};
    for (const std::string& word : words)
        if (Status done = set_one(*selected, word); !done) return done;
    return Done{};
}

Status stop(Traces& traces, Words words, Printer&) {
    const bool all = !words.empty() && words[0] == "all";
    if (all) words.erase(words.begin());
    const bool named = !words.empty();
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (Status none = no_words(words); !none) return none;
    if (!all && !named && selected->size() > 1)
        return Error{"several traces run", "stop one by its number, as in stop 2, or stop all", 0};
    for (Trace* trace : *selected)
        if (Status stopped = traces.stop(*trace); !stopped) return stopped;
    return Done{};
}

Status pause(Traces& traces, Words words, Printer&) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (Status none = no_words(words); !none) return none;
    return each(*selected, &Trace::pause);
}

Status resume(Traces& traces, Words words, Printer&) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (Status none = no_words(words); !none) return none;
    return each(*selected, &Trace::resume);
}

// What is open in storage of tasks is found by a program that is only there when asked for, as with --stats.
bool knows_what_is_open(const Plan& plan, size_t span) {
    return plan.spans[span].state != SpanState::task || !plan.walk.empty();
}

Status tell_spans(Trace& trace, Printer& printer) {
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
        if (account.left_out != 0) fact.text += fmt::format(", {} left out by sampling", account.left_out);
        if (account.abandoned != 0) fact.text += fmt::format(", {} open when it was detached", account.abandoned);
        for (const Loss& loss : trace.session().losses()) {
            const auto told = loss_fact(trace.plan(), loss, {.stats = true, .source = "program"});
            if (told && is_of_span(loss.kind) && loss.subject == i) fact.text += "\n     " + told->text;
        }
        fact.text += '\n';
        printer.fact(fact);
    }
    return Done{};
}

Status spans(Traces& traces, Words words, Printer& printer) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (Status none = no_words(words); !none) return none;
    for (Trace* trace : *selected)
        if (Status told = tell_spans(*trace, printer); !told) return told;
    return Done{};
}

Status open(Traces& traces, Words words, Printer& printer) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    const std::string wanted = fmt::format("{}", fmt::join(words, " "));
    std::vector<std::string> names;
    bool any = false;
    for (Trace* trace : *selected)
        for (size_t i = 0; i < trace->plan().spans.size(); i++) {
            names.push_back(trace->span_name(i));
            if (!wanted.empty() && wanted != names.back()) continue;
            any = true;
            if (!knows_what_is_open(trace->plan(), i))
                return Error{fmt::format("what is open of {} is not known", names.back()),
                             "start lt with --stats, or print the span in the script", 0};
            Result<OpenSpans> spans = trace->session().open_spans(i);
            if (!spans) return spans.error();
            spans->name = names.back();
            printer.open_spans(*spans);
        }
    if (any) return Done{};
    if (wanted.empty()) return Error{"no trace has spans", "for example sc:read < @ns = dist(latency); >", 0};
    return Error{fmt::format("there is no span {}", wanted), names.empty() ? "" : "there are " + either(names), 0};
}

constexpr std::string_view mark_hint = "for example mark before, and later diff before";

Status mark(Traces& traces, Words words, Printer&) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (words.size() != 1) return Error{"mark takes a name", std::string(mark_hint), 0};
    for (Trace* trace : *selected) {
        Result<Trace::Mark> taken = trace->snapshot();
        if (!taken) return taken.error();
        trace->marks().insert_or_assign(words[0], *std::move(taken));
    }
    return Done{};
}

Status diff(Traces& traces, Words words, Printer& printer) {
    Result<std::vector<Trace*>> selected = take_traces(traces, words);
    if (!selected) return selected.error();
    if (words.size() != 1) return Error{"diff takes the name of a mark", std::string(mark_hint), 0};
    std::set<std::string> names;
    bool any = false;
    for (Trace* trace : *selected) {
        for (const auto& [name, marked] : trace->marks()) names.insert(name);
        const auto marked = trace->marks().find(words[0]);
        if (marked == trace->marks().end()) continue;
        any = true;
        const Result<Trace::Mark> now = trace->snapshot();
        if (!now) return now.error();
        compare(marked->second, *now, printer);
    }
    if (any) return Done{};
    const std::vector<std::string> known(names.begin(), names.end());
    return Error{fmt::format("there is no mark {}", words[0]),
                 known.empty() ? std::string(mark_hint) : "there are " + either(known), 0};
}

constexpr std::array rows{
    CommandRow{{"list", "", "The traces that run, with their maps and parameters.", "list"}, list},
    CommandRow{{"show", "[N] [@MAP ...]", "Prints maps as they are now; all without a name.", "show @ns"}, show_maps},
    CommandRow{{"top", "[N] @MAP [COUNT]", "Prints the largest values of a map, ten without a count.", "top @x 10"},
               top},
    CommandRow{{"clear", "[N] [@MAP ...]", "Empties maps; all without a name.", "clear @ns"}, clear},
    CommandRow{{"set", "[N] NAME=VALUE ...", "Sets parameters, from the next event on.", "set slow=50ms"}, set},
    CommandRow{{"spans", "[N]", "How many of each span were opened and closed, and what was lost.", "spans"}, spans},
    CommandRow{{"open", "[N] [SPAN]", "The spans that are open now, oldest first, with their threads' stacks.", "open"},
               open},
    CommandRow{{"mark", "[N] MARK", "Remembers what all maps hold now under a name.", "mark before"}, mark},
    CommandRow{{"diff", "[N] MARK", "Compares what came after a mark with what came before it.", "diff before"}, diff},
    CommandRow{
        {"pause", "[N]", "Detaches the probes and keeps what was collected; spans that are open may close.", "pause"},
        pause},
    CommandRow{{"resume", "[N]", "Attaches the probes again.", "resume"}, resume},
    CommandRow{{"stop", "[N|all]", "Ends a trace: it is detached, and its maps are printed.", "stop 2"}, stop},
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
    if (row) {
        words.erase(words.begin());
        return row->run(traces, std::move(words), printer);
    }
    return no_command(words.empty() ? "" : words[0]);
}

Error no_command(const std::string& word) {
    std::vector<std::string> names;
    for (const CommandRow& each : rows) names.emplace_back(each.text.name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::vector<std::string> near = closest(word, views);
    return Error{word.empty() ? "a command is missing" : fmt::format("there is no command {}", quoted(word)),
                 near.empty() ? "there are " + either(names) : fmt::format("did you mean {}?", either(near)), 0};
}

Result<std::vector<Trace*>> take_traces(Traces& traces, std::vector<std::string>& words) {
    std::vector<Trace*> all = traces.traces();
    if (all.empty()) return Error{"no trace runs", "", 0};
    const auto number = words.empty() ? std::nullopt : number_of(words[0]);
    if (!number) return all;
    for (Trace* trace : all) {
        if (static_cast<uint64_t>(trace->number()) != *number) continue;
        words.erase(words.begin());
        return std::vector{trace};
    }
    return Error{fmt::format("there is no trace {}", *number), "list tells those that run", 0};
}

Result<std::vector<NamedMap>> maps_named(const std::vector<Trace*>& traces, const std::string& name) {
    std::vector<NamedMap> found;
    std::set<std::string> names;
    for (Trace* trace : traces)
        for (size_t i = 0; i < trace->plan().maps.size(); i++) {
            names.insert(trace->plan().maps[i].name);
            if (name.empty() || trace->plan().maps[i].name == name) found.push_back({trace, i});
        }
    if (!found.empty()) return found;
    if (names.empty()) return Error{"no trace has maps", "collect into one, as in @ns = hist(latency)", 0};
    const std::vector<std::string> known(names.begin(), names.end());
    return Error{fmt::format("there is no map {}", name), "there are " + either(known), 0};
}

}  // namespace lt
