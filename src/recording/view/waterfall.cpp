#include "recording/view/waterfall.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/visible.h"
#include "recording/view/lanes.h"
#include "runtime/border/duration.h"

namespace lt {
namespace {

constexpr size_t least_columns = 40, name_share = 4, most_name = 30, frame_rows = 6;

// Cut or padded to a number of columns.
std::string fitted(const std::string& text, size_t width) {
    std::string_view rest = text;
    std::string out;
    for (size_t columns = 0; !rest.empty();) {
        const std::string_view character = rest.substr(0, std::max<size_t>(utf8_length(rest), 1));
        columns += columns_in(character);
        if (columns > width) break;
        out += character;
        rest.remove_prefix(character.size());
    }
    return at_left(out, width);
}

struct Drawing {
    const Recording& recording;
    const Explainer& explainer;
    const Picture picture;
    const PictureSize size;
    size_t name_width, width;  // of the lanes

    uint64_t begin_of(size_t column) const {
        const auto whole = static_cast<double>(picture.end - picture.begin);
        return picture.begin + static_cast<uint64_t>(whole * static_cast<double>(column) / static_cast<double>(width));
    }
    size_t column_of(uint64_t time) const {
        const double part = static_cast<double>(std::clamp(time, picture.begin, picture.end) - picture.begin) /
                            static_cast<double>(picture.end - picture.begin);
        return std::min(static_cast<size_t>(part * static_cast<double>(width)), width - 1);
    }
};

// Of each column, what took most of its time.
std::string lane(const Drawing& d, uint32_t tid, std::array<bool, 256>& used) {
    std::string out;
    int color = 0;
    const std::span<const Segment> segments = d.explainer.timeline().of(tid);
    for (size_t column = 0; column < d.width; column++) {
        const uint64_t begin = d.begin_of(column), end = std::max(d.begin_of(column + 1), begin + 1);
        const Look* most = &looks().back();
        std::array<uint64_t, 256> times{};
        for (auto at = std::ranges::upper_bound(segments, begin, {}, &Segment::end);
             at != segments.end() && at->begin < end; ++at) {
            const Look& look = look_of(d.explainer, *at);
            uint64_t& time = times[static_cast<unsigned char>(look.letter)];
            time += std::min(at->end, end) - std::max(at->begin, begin);
            if (time > times[static_cast<unsigned char>(most->letter)] || most == &looks().back()) most = &look;
        }
        used[static_cast<unsigned char>(most->letter)] = true;
        if (d.size.colored && most->terminal != color) out += fmt::format("\x1b[{}m", color = most->terminal);
        out += most->letter;
    }
    return d.size.colored ? out + "\x1b[0m" : out;
}

// "|<------ 41.8ms ------>|" where the call was.
std::string ruler(const Drawing& d, const Trigger& call) {
    std::string out(d.width, ' ');
    const size_t first = d.column_of(call.begin()), last = std::max(d.column_of(call.time), first);
    for (size_t i = first; i <= last; i++) out[i] = '-';
    out[first] = out[last] = '|';
    const std::string text = " " + duration(call.latency) + " ";
    if (last - first > text.size() + 1) out.replace(first + (last - first - text.size()) / 2 + 1, text.size(), text);
    return out;
}

std::string legend(const std::array<bool, 256>& used, size_t columns) {
    std::string out, line;
    for (const Look& look : looks()) {
        if (look.letter == ' ' || !used[static_cast<unsigned char>(look.letter)]) continue;
        const std::string entry = fmt::format("{} {}", look.letter, look.name);
        if (!line.empty() && line.size() + entry.size() + 2 > columns) {
            out += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : "  ") + entry;
    }
    return line.empty() ? out : out + line + "\n";
}

}  // namespace

std::string waterfall(const Recording& recording, const Explainer& explainer, const Explanation& explanation,
                      const PictureSize& size) {
    const size_t columns = std::max(size.columns, least_columns);
    const Picture picture = picture_of(recording, explanation);
    size_t longest = 0;
    for (const uint32_t tid : picture.threads)
        longest = std::max(longest, recording.thread_text(tid, explanation.call.time).size());
    const size_t names = std::min({longest, columns / name_share, most_name});
    const Drawing d{recording, explainer, picture, size, names, columns - names - 1};
    const Trigger& call = explanation.call;
    std::string out = fitted(fmt::format("{}, {}: {}", visible(recording.span_text(call)), recording.threads_text(call),
                                         duration(call.latency)),
                             columns);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n" + std::string(names + 1, ' ') + ruler(d, call);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    std::array<bool, 256> used{};
    const size_t room = size.rows > frame_rows ? size.rows - frame_rows : 1;
    const size_t shown = std::min(room, picture.threads.size());
    for (size_t i = 0; i < shown; i++)
        out += fitted(recording.thread_text(picture.threads[i], call.time), names) + " " +
               lane(d, picture.threads[i], used) + "\n";
    if (shown < picture.threads.size()) out += plural(picture.threads.size() - shown, "more thread") + "\n";
    return out + legend(used, columns);
}

}  // namespace lt
