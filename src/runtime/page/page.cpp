#include "runtime/page/page.h"

#include <fmt/format.h>

#include <functional>

#include "base/markup.h"
#include "base/text.h"
#include "runtime/page/map_html.h"
#include "runtime/print/folded.h"
#include "runtime/print/relay.h"

namespace lt {
namespace {

constexpr std::string_view notice_style =
    ".notice{border-left:4px solid #d97706;background:var(--panel);padding:8px 14px;margin:6px 0}\n";

std::string lines_of(std::string_view heading, std::string_view text) {
    return fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n", escaped(heading), escaped(text, Lines::keep));
}

}  // namespace

void Page::look(const MapContent& content, Heat::Clock::time_point now) {
    if (Heat::draws(content.value)) heats_.try_emplace(content.name, begin_).first->second.look(content, now);
}

void Page::add(const MapContent& content, std::string heading) {
    const std::string name = heading.empty() ? content.name : std::move(heading);
    maps_ += fmt::format("<section>\n<h2>{}</h2>\n", escaped(name));
    if (content.sampled)
        maps_ +=
            fmt::format("<p class=\"notice\">Sampled: {} left out{}.</p>\n", plural(content.sampled->left_out, "event"),
                        content.sampled->detached ? ", and all since its probe was detached" : "");
    maps_ += map_html(content, style_);
    const auto heat = heats_.find(content.name);
    if (heat != heats_.end()) {
        heat->second.look(content, Heat::Clock::now());  // so that it has all values of the map
        maps_ += heat->second.html();
    }
    maps_ += "</section>\n";
}

bool Page::add_difference(const MapContent& before, const MapContent& after, std::string_view heading,
                          After after_has) {
    const auto old = stacks_of(before), now = stacks_of(after);
    if (!now) return false;
    const FlameGraph since = old && after_has == After::has_both ? now->since(*old) : *now;
    if (since.empty()) return true;
    const bool durations = !style_.plain && adds_durations(after.value);
    maps_ += fmt::format(
        "<section>\n<h2>{}</h2>\n<p class=\"faint\">Red: a greater share of the total than before; blue: a smaller "
        "one.</p>\n<div class=\"stacks\">{}</div>\n{}</section>\n",
        escaped(heading),
        since.picture(after.name, fmt::format("{} by stack", weight_name(after.value, style_.plain)), durations,
                      old ? &*old : nullptr),
        left_out_html(since));
    return true;
}

void Page::add_text(std::string_view heading, std::string_view text) { maps_ += lines_of(heading, text); }

void Page::printed(std::string_view text) {
    printed_ += text;
    if (printed_.size() <= 2 * most_text) return;
    size_t cut = printed_.find('\n', printed_.size() - most_text);
    cut = cut == printed_.npos ? printed_.size() - most_text : cut + 1;
    left_out_ += cut;
    printed_.erase(0, cut);
}

void Page::notice(std::string_view text) { notices_.emplace_back(trim(text)); }

std::string Page::html(std::string_view title, std::string_view facts, std::string_view script) const {
    std::string body;
    for (const std::string& text : notices_)
        body += fmt::format("<p class=\"notice\">{}</p>\n", escaped(text, Lines::keep));
    body += maps_;
    if (left_out_ > 0)
        body += lines_of("Output", fmt::format("({} bytes before this are left out)\n{}", left_out_, printed_));
    if (left_out_ == 0 && !trim(printed_).empty()) body += lines_of("Output", trim(printed_));
    if (!trim(script).empty()) body += lines_of("Script", trim(script));
    return page_html(
        {std::string(title), std::string(facts), std::string(notice_style) + map_style() + heat_style(), body});
}

namespace {

class PagePrinter final : public Relay {
  public:
    PagePrinter(Page& page, Printer& next, PrintStyle style)
        : Relay(next), page_(page), text_(text_printer(sink_, style)) {}

    void at(std::optional<int64_t> time) override {
        next_.at(time);
        text_->at(time);
    }
    void text(std::string_view text) override {
        both([&](Printer& to) { to.text(text); });
    }
    void text(MadeBy by, std::string_view text) override {
        both([&](Printer& to) { to.text(by, text); });
    }
    void map(const MapContent& content) override {
        if (!content.at_end) return both([&](Printer& to) { to.map(content); });
        next_.map(content);
        page_.add(content);
    }
    void map_as(const MapContent& content, const TableView& view) override {
        both([&](Printer& to) { to.map_as(content, view); });
    }
    void open_spans(const OpenSpans& open) override {
        both([&](Printer& to) { to.open_spans(open); });
    }
    void value(const Value& value) override {
        both([&](Printer& to) { to.value(value); });
    }
    void histogram(const Value& samples, SampleHistogram which) override {
        both([&](Printer& to) { to.histogram(samples, which); });
    }
    void fact(const Fact& fact) override {
        both([&](Printer& to) { to.fact(fact); });
        if (!fact.notice.empty()) page_.notice(fact.notice);
    }
    void complaint(const Complaint& complaint) override {
        next_.complaint(complaint);
        page_.notice(complaint.text);
    }
    void lost(const LossFact& loss) override {
        next_.lost(loss);
        page_.notice(loss.text);
    }
    void missed(const MissedFact& missed) override {
        next_.missed(missed);
        page_.notice(missed.text);
    }

  private:
    void both(const std::function<void(Printer&)>& print) {
        print(next_);
        print(*text_);
        page_.printed(sink_.text);
        sink_.text.clear();
    }

    Page& page_;
    TextSink sink_;
    std::unique_ptr<Printer> text_;
};

}  // namespace

std::unique_ptr<Printer> page_printer(Page& page, Printer& next, PrintStyle style) {
    return std::make_unique<PagePrinter>(page, next, style);
}

}  // namespace lt
