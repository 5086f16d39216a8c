#include "driver/triage/report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/visible.h"
#include "base/wrap.h"
#include "json/json.h"

namespace lt::triage {
namespace {

// Names of threads and files come from anywhere.
std::string shown(std::string_view text) { return visible(text); }

std::string cost_text(double milliseconds) { return fmt::format("{:.0f} ms/s", milliseconds); }

double rounded(double value, double unit) { return std::round(value / unit) * unit; }

}  // namespace

namespace {

constexpr size_t evidence_column = 15;

std::string suspect_text(const Suspect& suspect, size_t rank, size_t width) {
    const std::string indent(evidence_column, ' ');
    std::string text = wrapped(fmt::format("{}. {:>10}  {}", rank, cost_text(suspect.cost), shown(suspect.what)), width,
                               evidence_column) +
                       "\n";
    for (const std::string& line : suspect.evidence)
        text += wrapped(indent + shown(line), width, evidence_column + 2) + "\n";
    return text + fmt::format("{}look closer: {}\n", indent, shown(suspect.next));
}

// The lines after the suspects.
std::string end_text(const Report& report, size_t hidden, double hidden_cost, size_t width) {
    std::string text;
    if (hidden != 0)
        text += "\n" +
                wrapped(fmt::format("not shown: {} with {} together; -v shows all", plural(hidden, "suspect"),
                                    cost_text(hidden_cost)),
                        width, 0) +
                "\n";
    for (const std::string& missing : report.missing)
        text += wrapped(fmt::format("note: {}", shown(missing)), width, 0) + "\n";
    return text + "\n" +
           wrapped(
               fmt::format("{:.1f} s, {}; costs are milliseconds of other threads' time per second. lt used {:.2f} % "
                           "of the CPUs to watch, and {:.2f} s of CPU time to begin and end.",
                           report.seconds, plural(report.cpus, "CPU"), report.cost * 100, report.own_cpu),
               width, 0) +
           "\n";
}

// Lines on a terminal that wraps what is longer.
size_t lines_of(std::string_view text, size_t width) {
    size_t lines = 0;
    for (const std::string_view line : split(text, '\n')) lines += width == 0 ? 1 : 1 + line.size() / (width + 1);
    return lines - 1;
}

}  // namespace

std::string text_of(const Report& report, bool all, Room room) {
    std::string text;
    if (report.suspects.empty()) text += "Nothing was found that costs threads time.\n";
    std::map<Kind, size_t> of_kind;
    size_t count = 0, hidden = 0;
    double hidden_cost = 0;
    // the line of the command, that of the next prompt and one for what is not shown
    size_t used = lines_of(end_text(report, 1, 0, room.width), room.width) + 2;
    for (size_t i = 0; i < report.suspects.size(); i++) {
        const Suspect& suspect = report.suspects[i];
        // the rank, also where others are not shown
        const std::string own = (count == 0 ? "" : "\n") + suspect_text(suspect, i + 1, room.width);
        used += lines_of(own, room.width);
        const bool is_full = count == most_shown || (count > 0 && room.height != 0 && used > room.height);
        if (!all && (is_full || of_kind[suspect.kind] == most_of_kind)) {
            used -= is_full ? 0 : lines_of(own, room.width);
            hidden++;
            hidden_cost += suspect.cost;
            continue;
        }
        text += own;
        of_kind[suspect.kind]++;
        count++;
    }
    return text + end_text(report, hidden, hidden_cost, room.width);
}

Room terminal_room() {
    winsize window{};
    const bool known = ::isatty(STDOUT_FILENO) != 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    return known ? Room{window.ws_col, window.ws_row} : Room{};
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
    return json_text(all) + "\n";
}

}  // namespace lt::triage
