#include "driver/agent/own_metrics.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/visible.h"
#include "driver/metrics/series.h"

namespace lt::agent {
namespace {

int64_t whole(uint64_t number) { return static_cast<int64_t>(number); }

double unix_seconds(std::chrono::system_clock::time_point time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

void add_state(const Script& script, FamilyList& out) {
    const Label name{"script", script.word()};
    out.gauge("lt_script_up", "Whether the script is running.")
        .add({name}, int64_t{script.state() == Script::State::running ? 1 : 0});
    out.gauge("lt_script_state", "The state of the script: 1 for one of running, exited, failed and over_budget.")
        .add({name, {"state", std::string(state_name(script.state()))}}, int64_t{1});
    out.gauge("lt_script_start_timestamp_seconds", "When the script was started, in seconds since 1970.")
        .add({name}, unix_seconds(script.started()));
}

void add_losses(const Script& script, FamilyList& out) {
    const Label name{"script", script.word()};
    out.counter("lt_lost_events", "Events that the script has lost, by the kind of loss and what was lost.");
    for (const Loss& loss : script.losses()) {
        const auto fact = loss_fact(script.plan(), loss, {true, script.path()});
        if (fact) out.add({name, {"kind", fact->name}, {"subject", fact->subject}}, whole(fact->count));
    }
    out.counter("lt_missed_events", "Events for which a probe did not run, by the reason.");
    for (const Missed& missed : script.missed()) {
        const MissedFact fact = missed_fact(script.plan(), missed);
        out.add({name, {"probe", fact.probe}, {"kind", fact.kind}}, whole(fact.count));
    }
}

std::vector<AccountFact> account_facts(const Script& script) {
    const std::vector<Session::Account> accounts = script.accounts();
    std::vector<AccountFact> facts;
    for (uint32_t i = 0; i < accounts.size(); i++)
        facts.push_back(account_fact(script.plan(), i, accounts[i], script.losses()));
    return facts;
}

// Several locations of one text are one series.
void add_costs(const Script& script, FamilyList& out) {
    std::map<std::string, ProbeCost> costs;
    const std::vector<ProbeCost> measured = script.costs();
    for (size_t i = 0; i < measured.size() && i < script.plan().probes.size(); i++) {
        const PlannedProbe& probe = script.plan().probes[i];
        if (probe.when != When::attached || (probe.internal && measured[i].runs == 0)) continue;
        costs[probe.text] += measured[i];
    }
    const auto labels = [&](const std::string& probe) { return Labels{{"script", script.word()}, {"probe", probe}}; };
    out.counter("lt_probe_runs", "Runs of the probe's programs.");
    for (const auto& [probe, cost] : costs) out.add(labels(probe), whole(cost.runs));
    out.counter("lt_probe_run_seconds", "Time in the probe's programs, as the kernel measures it.").in_nanoseconds();
    for (const auto& [probe, cost] : costs) out.add(labels(probe), whole(cost.run_ns));
    out.counter("lt_probe_dispatch_seconds", "Time around the probe's programs, estimated from their number.")
        .in_nanoseconds();
    for (const auto& [probe, cost] : costs) out.add(labels(probe), whole(cost.dispatch_ns));
}

void add_savings(const Script& script, const Savings& savings, FamilyList& out) {
    const auto labels = [&](const std::string& probe) { return Labels{{"script", script.word()}, {"probe", probe}}; };
    out.gauge("lt_probe_sampling", "The probe costs too much: it takes one event in so many.");
    for (const auto& [probe, saving] : savings)
        if (saving.one_of > 1) out.add(labels(probe), whole(saving.one_of));
    out.gauge("lt_probe_detached", "The probe cost too much and was detached.");
    for (const auto& [probe, saving] : savings)
        if (saving.detached) out.add(labels(probe), int64_t{1});
    out.counter("lt_left_out_events", "Events that the metric does not have because of sampling.");
    for (const auto& [map, sampled] : script.sampled())
        out.add({{"script", script.word()}, {"map", script.plan().maps[map].name}}, whole(sampled.left_out));
}

void add_limits(const Script& script, FamilyList& out) {
    out.gauge(
        "lt_series_over_limit",
        "Series that the metric does not show because of --max-series: what can be added up is in the series with "
        "lt_overflow=\"true\".");
    for (const MapMetric& metric : script.metrics())
        out.add({{"script", script.word()}, {"metric", sample_names(metric.family).front()}},
                whole(script.over_limit(metric)));
    out.counter("lt_map_read_errors", "Reads of a map that failed, so that a scrape lacked its metric.")
        .add({{"script", script.word()}}, whole(script.failed_reads()));
}

void add_late(const Script& script, FamilyList& out) {
    out.counter("lt_late_spans", "Spans that took longer than --late.");
    if (script.late()) out.add({{"script", script.word()}}, whole(*script.late()));
}

// ---- the process

// The second number of /proc/self/statm: pages.
int64_t resident_bytes() {
    long all = 0, resident = 0;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"), &std::fclose);
    if (!file || std::fscanf(file.get(), "%ld %ld", &all, &resident) != 2) return 0;
    return int64_t{resident} * sysconf(_SC_PAGESIZE);
}

int64_t open_descriptors() {
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
    int64_t count = 0;
    while (folder && ::readdir(folder.get()) != nullptr) count++;
    return std::max<int64_t>(count - 3, 0);  // ., .. and the folder itself
}

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void add_accounts(const std::string& script, const std::vector<AccountFact>& facts, FamilyList& out) {
    const auto labels = [&](const AccountFact& fact) { return Labels{{"script", script}, {"span", fact.span}}; };
    out.counter("lt_span_opened", "Spans opened: opened = closed + open + lost + abandoned + unexplained.");
    for (const AccountFact& fact : facts) out.add(labels(fact), whole(fact.opened));
    out.counter("lt_span_closed", "Spans closed.");
    for (const AccountFact& fact : facts) out.add(labels(fact), whole(fact.closed));
    out.gauge("lt_span_open", "Spans that are open now.");
    for (const AccountFact& fact : facts) out.add(labels(fact), whole(fact.open));
    out.counter("lt_span_lost", "Spans opened and not measured, by the kind of loss.");
    for (const AccountFact& fact : facts) {
        for (const auto& [kind, count] : fact.lost) {
            if (kind == abandoned_spans) continue;
            Labels all = labels(fact);
            all.push_back({"kind", kind});
            out.add(std::move(all), whole(count));
        }
    }
    out.gauge("lt_span_abandoned",
              "Spans that were open when they were detached, of threads that have not ended since; after a reload, "
              "also those of the runs before.");
    for (const AccountFact& fact : facts) {
        const auto lost = std::ranges::find(fact.lost, abandoned_spans, &std::pair<std::string, uint64_t>::first);
        out.add(labels(fact), whole(lost == fact.lost.end() ? 0 : lost->second));
    }
    out.gauge("lt_span_unexplained", "Spans opened of which it is not known whether they were closed.");
    for (const AccountFact& fact : facts) out.add(labels(fact), fact.unexplained);
}

void abandon_open_spans(std::vector<Family>& facts) {
    const auto open = std::ranges::find(facts, "lt_span_open", &Family::name);
    const auto abandoned = std::ranges::find(facts, "lt_span_abandoned", &Family::name);
    if (open == facts.end() || abandoned == facts.end()) return;
    add_family(*abandoned, *open);
    open->series.clear();
}

void add_earlier(std::vector<Family>& facts, const std::vector<Family>& before) {
    for (const Family& earlier : before) {
        const auto same = std::ranges::find(facts, earlier.name, &Family::name);
        const bool is_of_account = earlier.name == "lt_span_abandoned" || earlier.name == "lt_span_unexplained";
        if (same == facts.end() || (earlier.type != MetricType::counter && !is_of_account)) continue;
        const bool is_unmeasured = same->series.empty() && earlier.name.starts_with("lt_probe_");
        if (!is_unmeasured) add_family(*same, earlier);
    }
}

std::vector<Family> script_facts(const Script& script, const Savings& savings) {
    FamilyList out;
    add_state(script, out);
    add_losses(script, out);
    add_accounts(script.word(), account_facts(script), out);
    add_late(script, out);
    add_costs(script, out);
    add_savings(script, savings, out);
    add_limits(script, out);
    std::vector<Family> all = out.take();
    for (Family& family : all) {
        for (MetricSeries& series : family.series)  // the text of a probe can have a path, which is any bytes
            for (Label& label : series.labels) label.value = utf8_text(label.value);
        join_equal(family.series, Join::add);  // probes and spans can have the same text
    }
    return all;
}

std::vector<Family> agent_facts(const AgentFacts& facts, const SharedBudget* budget, const HttpServer& server) {
    FamilyList out;
    out.gauge("lt_build_info", "The version of lt.").add({{"version", facts.version}}, int64_t{1});
    if (budget) {
        out.gauge("lt_overhead_ratio", "What all scripts cost in the last second, as a share of all CPUs' time.")
            .add({}, budget->total());
        out.gauge("lt_overhead_limit_ratio", "What they may cost together (--max-overhead).").add({}, budget->budget());
    }
    out.gauge("lt_series_limit", "The most series of one metric (--max-series).").add({}, whole(facts.most_series));
    out.counter("lt_reloads", "Reloads of the scripts (SIGHUP), by their result.")
        .add({{"result", "failure"}}, whole(facts.failed_reloads))
        .add({{"result", "success"}}, whole(facts.reloads));
    out.gauge("lt_last_reload_successful", "Whether the last reload worked: otherwise scripts run as they were.")
        .add({}, int64_t{facts.last_reload_failed ? 0 : 1});
    out.gauge("lt_last_reload_success_timestamp_seconds", "When scripts were last loaded, in seconds since 1970.")
        .add({}, unix_seconds(facts.loaded));
    if (facts.end)
        out.gauge("lt_end_timestamp_seconds", "When the agent ends (--ttl), in seconds since 1970.")
            .add({}, unix_seconds(*facts.end));
    out.counter("lt_http_requests", "Requests answered, by status; this one is not counted yet.");
    for (const auto& [status, count] : server.counts().replies)
        out.add({{"code", fmt::format("{}", status)}}, whole(count));
    out.counter("lt_http_dropped_connections", "Connections dropped because they were too slow or too many.")
        .add({}, whole(server.counts().dropped));
    out.gauge("lt_scrape_duration_seconds", "How long it took to read all maps for this scrape.")
        .add({}, std::chrono::duration<double>(facts.collecting).count());
    out.counter("process_cpu_seconds", "CPU time of the agent itself, without its programs in the kernel.")
        .add({}, processor_seconds());
    out.gauge("process_resident_memory_bytes", "Resident memory of the agent.").add({}, resident_bytes());
    out.gauge("process_open_fds", "Open file descriptors of the agent.").add({}, open_descriptors());
    return out.take();
}

void add_families(std::vector<Family>& into, std::vector<Family> more) {
    for (Family& family : more) {
        const auto same = std::ranges::find_if(
            into, [&](const Family& each) { return each.name == family.name && each.type == family.type; });
        if (same == into.end())
            into.push_back(std::move(family));
        else
            std::ranges::move(family.series, std::back_inserter(same->series));
    }
}

}  // namespace lt::agent
