#include "driver/triage/report.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/visible.h"

namespace lt::triage {
namespace {

// Names of threads and files come from anywhere.
std::string shown(std::string_view text) { return visible(text); }

std::string cost_text(double milliseconds) { return fmt::format("{:.0f} ms/s", milliseconds); }

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

}  // namespace

std::string text_of(const Report& report, bool all) {
    std::string text;
    if (report.suspects.empty()) text += "Nothing was found that costs threads time.\n";
    std::map<Kind, size_t> of_kind;
    size_t count = 0, hidden = 0;
    double hidden_cost = 0;
    for (size_t i = 0; i < report.suspects.size(); i++) {
        const Suspect& suspect = report.suspects[i];
        if (!all && (count == most_shown || of_kind[suspect.kind] == most_of_kind)) {
            hidden++;
            hidden_cost += suspect.cost;
            continue;
        }
        // the rank, also where others are not shown
        text += fmt::format("{}{}. {:>10}  {}\n", count == 0 ? "" : "\n", i + 1, cost_text(suspect.cost),
                            shown(suspect.what));
        for (const std::string& line : suspect.evidence) text += fmt::format("               {}\n", shown(line));
        text += fmt::format("               look closer: {}\n", shown(suspect.next));
        of_kind[suspect.kind]++;
        count++;
    }
    if (hidden != 0)
        text += fmt::format("\nnot shown: {} with {} together; -v shows all\n", plural(hidden, "suspect"),
                            cost_text(hidden_cost));
    for (const std::string& missing : report.missing) text += fmt::format("note: {}\n", shown(missing));
    text += fmt::format(
        "\n{:.1f} s, {}; costs are milliseconds of other threads' time per second. lt used {:.2f} % of the "
        "CPUs to watch, and {:.2f} s of CPU time to begin and end.\n",
        report.seconds, plural(report.cpus, "CPU"), report.cost * 100, report.own_cpu);
    return text;
}

std::string json_of(const Report& report) {
    nlohmann::ordered_json suspects = nlohmann::ordered_json::array();
    for (const Suspect& s : report.suspects) {
        nlohmann::ordered_json victims = nlohmann::ordered_json::object();
        for (const auto& [name, ns] : s.victims) victims[name] = ns;
        nlohmann::ordered_json holders = nlohmann::ordered_json::object();
        for (const auto& [name, ns] : s.holders) holders[name] = ns;
        suspects.push_back({{"kind", kind_rows()[static_cast<size_t>(s.kind)].name},
                            {"cost_ms_per_s", rounded(s.cost, 0.01)},
                            {"what", s.what},
                            {"name", s.name},
                            {"number", s.number},
                            {"process", s.process},
                            {"waits", s.waits},
                            {"victims_ns", victims},
                            {"holders_ns", holders},
                            {"evidence", s.evidence},
                            {"next", s.next}});
    }
    const nlohmann::ordered_json all = {{"type", "triage"},
                                        {"data",
                                         {{"seconds", rounded(report.seconds, 0.001)},
                                          {"cpus", report.cpus},
                                          {"cost", report.cost},
                                          {"own_cpu_seconds", rounded(report.own_cpu, 0.001)},
                                          {"suspects", suspects},
                                          {"missing", report.missing}}}};
    return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lt::triage
