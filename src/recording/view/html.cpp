#include "recording/view/html.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "base/markup.h"
#include "base/text.h"
#include "recording/view/lanes.h"
#include "runtime/border/duration.h"

namespace lt {
namespace {

constexpr uint64_t width = 1000, lane_height = 26, bar_height = 16, top = 30;

std::string shown(std::string_view text) { return escaped(text, Lines::keep); }

// The class of a look: its name without blanks.
std::string class_of(const Look& look) {
    std::string out;
    for (const char c : look.name) out += c == ' ' ? '-' : c;
    return out;
}

std::string style() {
    std::string out = ":root{--call:#0b63ce22;";
    for (const Look& look : looks()) out += fmt::format("--{}:{};", class_of(look), look.light);
    out += "}\n@media(prefers-color-scheme:dark){:root{--call:#4b9bff22;";
    for (const Look& look : looks()) out += fmt::format("--{}:{};", class_of(look), look.dark);
    out += "}}\n";
    for (const Look& look : looks())
        out += fmt::format(".{0}{{fill:var(--{0});background:var(--{0})}}\n", class_of(look));
    return out +
           ".call{fill:var(--call)}\n.wake{stroke:var(--ink);stroke-width:1;fill:none;opacity:.55}\n"
           ".legend span{display:inline-block;margin:0 16px 0 0}\n"
           ".legend "
           "i{display:inline-block;width:12px;height:12px;margin-right:6px;border-radius:2px;vertical-align:-1px}\n";
}

std::string time_of_day(const Recording& recording, uint64_t time) {
    const int64_t unix_time = static_cast<int64_t>(time) + recording.unix_offset;
    const time_t seconds = unix_time / 1'000'000'000;
    tm parts{};
    gmtime_r(&seconds, &parts);
    char text[40];
    const size_t size = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return fmt::format("{}.{:03} UTC", std::string_view(text, size), unix_time / 1'000'000 % 1000);
}

class Chart {
  public:
    Chart(const Recording& recording, const Explainer& explainer, const Explanation& explanation)
        : recording_(recording),
          explainer_(explainer),
          call_(explanation.call),
          picture_(picture_of(recording, explanation)),
          names_(name_width()) {}

    std::string svg() {
        const uint64_t height = top + lane_height * picture_.threads.size() + 4;
        out_ += fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"what each thread did\">\n",
                            names_ + width, height);
        axis(height);
        for (size_t i = 0; i < picture_.threads.size(); i++) lane(i);
        for (size_t i = 0; i < picture_.threads.size(); i++) wakeups(i);
        return std::move(out_) + "</svg>\n";
    }

  private:
    uint64_t name_width() const {
        size_t longest = 8;
        for (const uint32_t tid : picture_.threads)
            longest = std::max(longest, recording_.thread_text(tid, call_.time).size());
        return 7 * std::min<size_t>(longest, 34) + 12;
    }
    double x(uint64_t time) const {
        const uint64_t within = std::clamp(time, picture_.begin, picture_.end) - picture_.begin;
        return static_cast<double>(names_) + static_cast<double>(width) * static_cast<double>(within) /
                                                 static_cast<double>(picture_.end - picture_.begin);
    }
    static uint64_t y(size_t lane) { return top + lane * lane_height; }

    // Four to eight marks, at a round number of nanoseconds from the beginning of the call.
    void axis(uint64_t height) {
        const uint64_t whole = picture_.end - picture_.begin;
        const uint64_t step = mark_step(whole);
        const double from = x(call_.begin()), to = x(call_.time);
        out_ += fmt::format("<rect class=\"call\" x=\"{:.1f}\" y=\"18\" width=\"{:.1f}\" height=\"{}\"/>\n", from,
                            std::max(to - from, 1.0), height - 18);
        const uint64_t earlier = picture_.begin - std::min(picture_.begin, call_.begin());  // the call began before it
        const uint64_t last = picture_.end - std::min(picture_.end, call_.begin());
        for (uint64_t after = (earlier + step - 1) / step * step; after <= last; after += step) {
            const uint64_t time = call_.begin() + after;
            const std::string mark = after == 0 ? "0" : duration(after);
            constexpr double letter = 7;
            const bool fits =
                x(time) + 2 + letter * static_cast<double>(mark.size()) <= static_cast<double>(names_ + width);
            out_ += fmt::format(
                "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"18\" y2=\"{1}\"/>"
                "<text class=\"axis\" x=\"{2:.1f}\" y=\"12\">{3}</text>\n",
                x(time), height, x(time) + 2, fits ? mark : "");
        }
    }

    void lane(size_t i) {
        const uint32_t tid = picture_.threads[i];
        out_ += fmt::format("<text x=\"0\" y=\"{}\">{}</text>\n", y(i) + 12,
                            shown(recording_.thread_text(tid, call_.time)));
        double drawn = 0;
        for (const Segment& segment : explainer_.timeline().of(tid)) {
            if (segment.end <= picture_.begin || segment.begin >= picture_.end || segment.end == segment.begin)
                continue;
            const double from = x(segment.begin), to = x(segment.end);
            constexpr double thinnest = 0.4;
            if (to < drawn + thinnest && to - from < thinnest) continue;  // too many to be seen
            drawn = to;
            out_ += fmt::format(
                "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"><title>{}: "
                "{}</title></rect>\n",
                class_of(look_of(explainer_, segment)), from, y(i), std::max(to - from, 0.5), bar_height,
                duration(segment.end - segment.begin), shown(segment_text(recording_, explainer_, segment)));
        }
    }

    void wakeups(size_t i) {
        size_t count = 0;
        constexpr size_t most = 200;
        for (const Segment& segment : explainer_.timeline().of(picture_.threads[i])) {
            if (!segment.waker.is_thread() || segment.end < picture_.begin || segment.end > picture_.end) continue;
            const auto found = std::ranges::find(picture_.threads, segment.waker.tid);
            if (found == picture_.threads.end() || ++count > most) continue;
            const auto from = static_cast<size_t>(found - picture_.threads.begin());
            const uint64_t start = y(from) + (from < i ? bar_height : 0), end = y(i) + (from < i ? 0 : bar_height);
            out_ += fmt::format("<path class=\"wake\" d=\"M{0:.1f} {1}L{0:.1f} {2}\"/>\n", x(segment.end), start, end);
        }
    }

    const Recording& recording_;
    const Explainer& explainer_;
    const Trigger& call_;
    const Picture picture_;
    const uint64_t names_;
    std::string out_;
};

}  // namespace

std::string html_page(const Recording& recording, const Explainer& explainer, const Explanation& explanation) {
    const Trigger& call = explanation.call;
    const std::string title =
        fmt::format("{}, {}: {}", recording.span_text(call), recording.threads_text(call), duration(call.latency));
    std::string facts =
        fmt::format("{} \u00b7 Linux {} {} \u00b7 {} \u00b7 holds {}, {}", time_of_day(recording, call.time),
                    recording.kernel, recording.machine, plural(recording.cpus, "CPU"),
                    duration(recording.end - recording.begin), plural(recording.records.size(), "record"));
    const RecordingAccount& account = recording.account;
    if (account.missed > 0) facts += fmt::format(", {} missed since it began", plural(account.missed, "event"));
    if (account.torn > 0) facts += fmt::format(", {} torn", account.torn);
    if (account.lost_stacks > 0) facts += fmt::format(", {} lost", plural(account.lost_stacks, "stack"));
    std::string out = "<h2>What the threads did</h2>\n<div class=\"chart\">\n" +
                      Chart(recording, explainer, explanation).svg() + "</div>\n<p class=\"legend\">";
    for (const Look& look : looks())
        out += fmt::format("<span><i class=\"{}\"></i>{}</span>", class_of(look), look.name);
    out += "</p>\n<h2>Why</h2>\n<pre>" + shown(explanation_text(recording, explanation)) + "</pre>\n";
    if (!recording.script.empty()) out += "<h2>Script</h2>\n<pre>" + shown(recording.script) + "</pre>\n";
    return page_html({title, facts, style(), out});
}

}  // namespace lt
