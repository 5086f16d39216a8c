#include "driver/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include "base/rows.h"
#include "base/text.h"
#include "runtime/border/duration.h"
#include "runtime/border/internal_map.h"
#include "runtime/border/loss_subject.h"
#include "runtime/print/printer.h"

namespace lt {
namespace {

// Is it always reported, or only with --stats because every run has some?
enum class Reported : uint8_t { always, in_stats };

struct LossRow {
    LossKind kind;
    std::string_view name;  // in JSON
    Reported reported;
    std::string_view sentence;  // {0}: how many, {1}: the subject
    std::string_view advice;
    std::string_view in_account;  // its words in the account of a span; empty: not part of it
};
constexpr std::array loss_rows{
    LossRow{LossKind::ring_buffer_full, "ring_buffer_full", Reported::always,
            "events lost because they came faster than lt could print them: {0}", "print less, or collect into a map",
            ""},
    LossRow{LossKind::map_full, "map_full", Reported::always, "values not kept in {1}, which is full: {0}",
            "use fewer different keys, clear it now and then, or raise --max-map-keys", ""},
    LossRow{LossKind::contended, "contended", Reported::always,
            "values not kept in {1} because too many programs changed it at once: {0}", "", ""},
    LossRow{LossKind::map_no_memory, "map_no_memory", Reported::always,
            "values not kept in {1} because the kernel had no memory for new keys at that moment: {0}",
            "use fewer different keys, or a lower --max-map-keys: small maps are allocated beforehand", ""},
    LossRow{LossKind::sum_overflow, "sum_overflow", Reported::always,
            "additions to sums in {1} that overflowed 64 bits: {0}",
            "its sums and averages may be wrong; divide what is added, for example by 1ms", ""},
    LossRow{LossKind::span_no_entry, "span_no_entry", Reported::in_stats,
            "{1}: closed without having been seen to open: {0}", "they opened before tracing began, or not at all", ""},
    LossRow{LossKind::span_missed, "span_missed", Reported::always,
            "{1}: left without a return (longjmp, a panic, or a return that the kernel missed) and not measured: {0}",
            "", "left without a return"},
    LossRow{LossKind::span_died, "span_died", Reported::in_stats, "{1}: open when their thread ended: {0}", "",
            "ended with their thread"},
    LossRow{LossKind::span_reopened, "span_reopened", Reported::always,
            "{1}: opened again before they were closed, the earlier openings not measured: {0}", "", "opened again"},
    LossRow{LossKind::span_too_deep, "span_too_deep", Reported::always, "{1}: nested too deep and not measured: {0}",
            "", "nested too deep"},
    LossRow{LossKind::span_no_room, "span_no_room", Reported::always,
            "{1}: not measured because too many were open at once: {0}",
            "narrow it with a /predicate/, or raise --max-map-keys", "without room"},
    LossRow{LossKind::span_unmeasured, "span_unmeasured", Reported::in_stats,
            "{1}: closed, but not measured because the map was full: {0}", "", ""},
    LossRow{LossKind::stack_collision, "stack_collision", Reported::always,
            "stacks not kept because another stack has their id: {0}", "they are printed as (stack not kept)", ""},
    LossRow{LossKind::stacks_full, "stacks_full", Reported::always,
            "stacks not kept because there were too many different ones: {0}",
            "take fewer frames, as in kstack(5), or use a /predicate/", ""},
    LossRow{LossKind::stack_busy, "stack_busy", Reported::always,
            "stacks not taken because others were being taken on the same CPU: {0}",
            "they are printed as (stack not kept)", ""},
    LossRow{LossKind::failed_read, "failed_read", Reported::always,
            "reads of memory that failed and returned zeros: {0}",
            "an address was null, wrong, or not mapped at that moment", ""},
    LossRow{LossKind::scratch_busy, "scratch_busy", Reported::always,
            "runs of probes skipped because others used their buffers on the CPU: {0}", "", ""},
    LossRow{LossKind::loop_cut, "loop_cut", Reported::always,
            "loops ended early because they had too many iterations: {0}",
            "a while loop has at most 1048576 iterations, a range 8388608, before Linux 5.17 both 512, or fewer if "
            "much is done in it",
            ""},
    LossRow{LossKind::not_followed, "not_followed", Reported::always,
            "threads not followed because there were too many at once: {0}", "", ""},
    LossRow{LossKind::zero_divisor, "zero_divisor", Reported::always, "divisions by zero, whose result is 0: {0}",
            "check first: `$n != 0 ? $sum / $n : 0`", ""},
    LossRow{LossKind::zero_divisor_one, "zero_divisor", Reported::always, "divisions by zero, whose result is 1: {0}",
            "check first: `$n != 0 ? $sum / $n : 0`", ""},
    LossRow{LossKind::span_clock, "span_clock", Reported::always,
            "{1}: latencies dropped because the clocks of two CPUs disagreed: {0}", "", "dropped for the clock"},
    LossRow{LossKind::hidden_switch, "hidden_switch", Reported::always,
            "context switches inside spans that the kernel did not report: {0}",
            "the time since the thread's last known switch is unexplained", ""},
    LossRow{LossKind::process_records, "process_records", Reported::always,
            "records of what processes start and map, lost because they came too fast: {0}",
            "functions of processes that ended around then are printed as [unknown]", ""},
    LossRow{LossKind::cpu_unwatched, "cpu_unwatched", Reported::always,
            "CPUs that came online during the run and were not watched: {0}",
            "their events are missing, or the names of processes that ended there; start lt again to watch them", ""},
};

// Openings that no loss counter counts.
struct UnseenRow {
    std::string_view name;  // in JSON
    std::string_view in_account;
    uint64_t Session::Account::* count;
};
constexpr std::array unseen_rows{
    UnseenRow{"left_out", "left out by sampling", &Session::Account::left_out},
    UnseenRow{abandoned_spans, "open when it was detached", &Session::Account::abandoned},
};

// The name itself if another lt has written it, which counts more kinds.
std::string_view part_of_account(std::string_view name) {
    if (const auto unseen = std::ranges::find(unseen_rows, name, &UnseenRow::name); unseen != unseen_rows.end())
        return unseen->in_account;
    const auto row = std::ranges::find(loss_rows, name, &LossRow::name);
    return row != loss_rows.end() ? row->in_account : name;
}

// The form of the language to which an internal map belongs: "@request.open".
std::string chain_name(std::string_view map) { return fmt::format("chain {}", map.substr(1, map.find('.') - 1)); }

std::string subject_name(const Plan& plan, LossSubject subject, uint32_t index) {
    switch (subject) {
        case LossSubject::none:
            return "";
        case LossSubject::map:
            return is_internal(plan.maps[index]) ? chain_name(plan.maps[index].name) : plan.maps[index].name;
        case LossSubject::span:
            return plan.spans[index].text;
    }
    return "";
}

const LossRow* row_of(LossKind kind) { return find_row(loss_rows, kind, &LossRow::kind); }

// Is it counted for one place in the script, by -k?
bool is_at_a_place(const Loss& loss) { return subject_of(loss.kind) == LossSubject::none && loss.subject != 0; }

struct MissRow {
    MissKind kind;
    std::string_view name;  // in JSON
    std::string_view why;
};
constexpr std::array miss_rows{
    MissRow{MissKind::recursion, "recursion", "because a program was already running on the same CPU"},
    MissRow{MissKind::unserved, "unserved",
            "because the kernel was serving another probe on the same CPU or could not wait for more returns"},
    MissRow{MissKind::late, "late", "because lt was busy until the next one was due"},
};

// On a busy machine any process can be late for a period below a second.
bool is_short(const PlannedProbe& interval) { return interval.period_ns < 1'000'000'000; }

// With three digits, as far as that needs no exponent.
std::string percent(double share) {
    const double value = share * 100;
    constexpr double small = 1e-4, large = 100;
    if (value > 0 && value < small) return fmt::format("{:.6f} %", value);
    return value < large ? fmt::format("{:.3g} %", value) : fmt::format("{:.0f} %", value);
}

std::string run_text(const ProbeCost& cost) {
    if (cost.runs == 0) return "no runs";
    const auto each = [&](uint64_t ns) { return show_duration(static_cast<int64_t>(ns / cost.runs)); };
    return fmt::format("{}, each {} in the program and {} around it", plural(cost.runs, "run"), each(cost.run_ns),
                       each(cost.dispatch_ns));
}

// Of a probe, or with an empty name the sum of all.
void print_cost(const std::string& probe, const ProbeCost& own, double share, Printer& printer, std::FILE* messages) {
    fmt::print(messages, "lt: {}: {} of all CPUs, {}\n", probe.empty() ? "all probes" : "probe " + probe,
               percent(share), run_text(own));
    Fact fact{probe.empty() ? "cost_of_all" : "cost", {}, ""};
    if (!probe.empty()) fact.members.emplace_back("probe", probe);
    fact.members.emplace_back("share", share);
    fact.members.emplace_back("runs", static_cast<int64_t>(own.runs));
    fact.members.emplace_back("run_ns", static_cast<int64_t>(own.run_ns));
    fact.members.emplace_back("dispatch_ns", static_cast<int64_t>(own.dispatch_ns));
    printer.fact(fact);
}

// The sum first, then the probes, the most expensive one first.
void print_costs(const Plan& plan, const TracingCost& cost, Printer& printer, std::FILE* messages) {
    std::vector<size_t> shown;
    ProbeCost all;
    for (size_t i = 0; i < cost.probes.size() && i < plan.probes.size(); i++) {
        const PlannedProbe& probe = plan.probes[i];
        if (probe.when != When::attached || (probe.internal && cost.probes[i].runs == 0)) continue;
        shown.push_back(i);
        all += cost.probes[i];
    }
    if (shown.empty()) return;
    std::ranges::stable_sort(shown, std::greater{}, [&](size_t i) { return cost.probes[i].total_ns(); });
    print_cost("", all, cost.share(all), printer, messages);
    for (const size_t i : shown)
        print_cost(plan.probes[i].text, cost.probes[i], cost.share(cost.probes[i]), printer, messages);
}

void print_stats(const Plan& plan, const Session& session, const std::vector<Loss>& losses, Printer& printer,
                 std::FILE* messages) {
    if (const auto cost = session.costs()) print_costs(plan, *cost, printer, messages);
    const auto accounts = session.accounts();
    if (!accounts) fmt::print(messages, "lt: the account of spans: {}\n", accounts.error().what);
    for (uint32_t i = 0; accounts && i < accounts->size(); i++) {
        const AccountFact fact = account_fact(plan, i, (*accounts)[i], losses);
        fmt::print(messages, "lt: span {}\n", account_text(fact));
        printer.account(fact);
    }
    for (const Session::ProgramFacts& f : session.facts()) {
        fmt::print(messages, "lt: program {}: {} instructions, {} runs skipped by recursion\n", f.name, f.instructions,
                   f.misses);
    }
}

}  // namespace

std::optional<LossFact> loss_fact(const Plan& plan, const Loss& loss, const ReportOptions& how) {
    for (const LossRow& row : loss_rows) {
        if (row.kind != loss.kind || (row.reported == Reported::in_stats && !how.stats)) continue;
        LossFact fact{row.kind, std::string(row.name), subject_name(plan, subject_of(row.kind), loss.subject),
                      loss.count, ""};
        fact.text = fmt::format(fmt::runtime(row.sentence), loss.count, fact.subject);
        if (!row.advice.empty()) fact.text += fmt::format("; {}", row.advice);
        if (!is_at_a_place(loss)) return fact;
        const LossPlace place = loss_place(loss.subject);
        fact.subject = fmt::format("{}:{}:{}", how.source, place.line, place.column);
        return fact;
    }
    return {};
}

LossFact printed_loss(std::string_view kind, const std::string& subject, uint64_t count) {
    const auto row = std::ranges::find(loss_rows, kind, &LossRow::name);
    if (row == loss_rows.end())
        return {LossKind::map_full, std::string(kind), subject, count,
                fmt::format("{}{}: {} lost", subject.empty() ? "" : subject + ": ", kind, count)};
    return {row->kind, std::string(kind), subject, count, fmt::format(fmt::runtime(row->sentence), count, subject)};
}

MissedFact missed_fact(const Plan& plan, const Missed& missed) {
    const MissRow& row = miss_rows[static_cast<size_t>(missed.kind)];
    const PlannedProbe& planned = plan.probes[missed.probe];
    const std::string probe = planned.internal ? fmt::format("lt's own probe ({})", planned.text) : planned.text;
    return {probe, std::string(row.name), missed.count,
            fmt::format("{}: {} missed {}", probe, plural(missed.count, "event"), row.why)};
}

AccountFact account_fact(const Plan& plan, uint32_t span, const Session::Account& account,
                         const std::vector<Loss>& losses) {
    AccountFact fact{plan.spans[span].text, account.opened, account.closed, account.open};
    uint64_t sum = account.closed + account.open;
    for (const Loss& loss : losses) {
        const LossRow* row = loss.subject == span ? row_of(loss.kind) : nullptr;
        if (!row || row->in_account.empty()) continue;
        fact.lost.emplace_back(row->name, loss.count);
        sum += loss.count;
    }
    for (const UnseenRow& row : unseen_rows) {
        if (account.*row.count == 0) continue;
        fact.lost.emplace_back(row.name, account.*row.count);
        sum += account.*row.count;
    }
    fact.unexplained = static_cast<int64_t>(account.opened - sum);
    return fact;
}

// opened = closed + open + each loss; a difference is shown, too.
std::string account_text(const AccountFact& account) {
    std::string out =
        fmt::format("{}: {} opened = {} closed + {} open", account.span, account.opened, account.closed, account.open);
    for (const auto& [name, count] : account.lost) out += fmt::format(" + {} {}", count, part_of_account(name));
    if (account.unexplained != 0) out += fmt::format(" + {} closed and opened again at one time", account.unexplained);
    return out;
}

namespace {

using News = OverheadNews::What;
struct NewsRow {
    News what;
    std::string_view name;      // in JSON
    std::string_view sentence;  // {0}: the probe, {1}: the number of events
};
constexpr std::array news_rows{
    NewsRow{News::warning, "warning", "most of it {0}; --max-overhead 3% samples and detaches what costs too much"},
    NewsRow{News::sampled, "sampled", "{0} is sampled from here on, 1 of {1} events"},
    NewsRow{News::detached, "detached", "{0} is detached; narrow it with a /predicate/, or raise --max-overhead"},
    NewsRow{News::detached_whole, "detached",
            "{0} cannot be sampled, because its block depends on each event, and is detached; narrow it with a "
            "/predicate/, or raise --max-overhead"},
    NewsRow{News::too_late, "too_late", "most of it {0}, and nothing more can be sampled or detached"},
    NewsRow{News::unmeasured, "unmeasured",
            "the kernel has stopped measuring what probes cost, so it is not known and not limited; "
            "`sysctl kernel.bpf_stats_enabled=1` measures again"},
    NewsRow{News::measured, "measured",
            "the kernel measures what probes cost again; runs between then and now are missing in the cost"},
};

}  // namespace

void report_overhead(const OverheadNews& news, Printer& printer, std::FILE* messages) {
    const auto row = std::ranges::find(news_rows, news.what, &NewsRow::what);
    if (news.what == News::unmeasured || news.what == News::measured) {
        fmt::print(messages, "lt: {}\n", row->sentence);
        Fact fact{"overhead", {}, ""};
        fact.members.emplace_back("what", std::string(row->name));
        printer.at({});
        printer.fact(fact);
        return printer.flush();
    }
    const std::string probe = fmt::format("{} ({})", news.probe, percent(news.of_probe));
    const std::string text =
        fmt::format("tracing takes {} of all CPUs, more than {}: {}", percent(news.total), percent(news.budget),
                    fmt::format(fmt::runtime(row->sentence), probe, news.one_of));
    fmt::print(messages, "lt: {}\n", text);
    Fact fact{"overhead", {}, ""};
    const bool loses_events = news.what != News::warning && news.what != News::too_late;
    if (loses_events) fact.notice = text;
    fact.members = {
        {"what", std::string(row->name)}, {"probe", news.probe},   {"total", news.total},
        {"of_probe", news.of_probe},      {"budget", news.budget}, {"one_of", static_cast<int64_t>(news.one_of)}};
    printer.at({});
    printer.fact(fact);
    printer.flush();
}

void report_end(const Plan& plan, const Session& session, Printer& printer, const ReportOptions& how,
                std::FILE* messages) {
    const std::vector<Loss> losses = session.losses();
    printer.at({});
    if (session.errors() > 0) {
        fmt::print(messages, "WARNING: Number of errors: {}\n", session.errors());
        printer.fact({"errors", {{"count", static_cast<int64_t>(session.errors())}}, ""});
    }
    for (const Missed& each : session.missed()) {
        if (each.kind == MissKind::late && is_short(plan.probes[each.probe]) && !how.stats) continue;
        const MissedFact fact = missed_fact(plan, each);
        fmt::print(messages, "lt: {}\n", fact.text);
        printer.missed(fact);
    }
    for (const Loss& loss : losses) {
        const auto fact = loss_fact(plan, loss, how);
        if (!fact) continue;
        const std::string from = is_at_a_place(loss) ? fact->subject + ": warning" : "lt";
        fmt::print(messages, "{}: {}\n", from, fact->text);
        printer.lost(*fact);
    }
    if (how.stats) print_stats(plan, session, losses, printer, messages);
    printer.flush();
}

void print_times(std::span<const Timing> timings) {
    for (const Timing& t : timings) fmt::print(stderr, "lt: {:8} {}\n", t.stage, show_duration(t.spent.count()));
}

}  // namespace lt
