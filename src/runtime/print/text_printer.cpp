// Results as text in bpftrace's layout: "@x: 5", "@x[a, b]: 5", histograms as rows below "@x:" with a blank line after.
// Maps are written in large blocks.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "runtime/border/duration.h"
#include "runtime/os/timestamps.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/figures.h"
#include "runtime/print/printer.h"
#include "runtime/print/show.h"
#include "runtime/print/table_text.h"

namespace lt {
namespace {

constexpr size_t large_write = 64 * 1024;

class TextPrinter final : public Printer {
  public:
    TextPrinter(Sink& sink, PrintStyle style)
        : sink_(sink), style_(style.plain, style.newlines), view_(style.view), stamps_(style.timestamps) {}

    void at(std::optional<int64_t> time) override { time_ = time; }
    using Printer::text;
    void text(std::string_view text) override { write(text); }
    // The content of a file is as untrusted as a string, but has lines.
    void text(MadeBy by, std::string_view made) override {
        by == MadeBy::cat ? write(visible(made, Keep::lines)) : write(made);
    }
    void map(const MapContent& content) override { map_as(content, view_); }
    void map_as(const MapContent& content, const TableView& view) override;
    void open_spans(const OpenSpans& open) override;
    void value(const Value& value) override;
    void histogram(const Value& samples, SampleHistogram which) override {
        if (const auto* data = std::get_if<Samples>(&samples.data)) write(histogram_text(*data, samples.type, which));
    }
    void maps_follow() override { write("\n\n"); }
    void attached(size_t) override {}
    void lost(const LossFact&) override {}
    void missed(const MissedFact&) override {}
    void account(const AccountFact&) override {}
    void fact(const Fact& fact) override { write(fact.text); }
    void flush() override { sink_.flush(); }

  private:
    void write(std::string_view text);
    void entry(const std::string& name, const MapEntry& entry);
    void key(const std::vector<Value>& parts);
    void hand_over();

    Sink& sink_;
    ValueStyle style_;
    TableView view_;
    bool stamps_;
    bool in_line_ = false;  // the last line is incomplete
    std::optional<int64_t> time_;
    std::string out_;
};

// Printed before the numbers, so that they are not mistaken for all events.
std::string sampled_text(const MapContent& content) {
    const Sampled& sampled = *content.sampled;
    if (sampled.left_out == 0)
        return fmt::format("{}: all events left out since its probe was detached\n", content.name);
    return fmt::format("{}: sampled, {} left out{}\n", content.name, plural(sampled.left_out, "event"),
                       sampled.detached ? ", and all since its probe was detached" : "");
}

void TextPrinter::map_as(const MapContent& content, const TableView& view) {
    if (content.sampled) out_ += sampled_text(content);
    if (!style_.plain && is_table(content, view)) {
        out_ += table_text(content, view, style_);
        return hand_over();
    }
    for (const size_t index : print_order(content, style_.plain)) {
        entry(content.name, content.entries[index]);
        if (out_.size() >= large_write) hand_over();
    }
    hand_over();
}

void TextPrinter::open_spans(const OpenSpans& open) {
    const std::string sampled = open.left_out == 0 ? "" : fmt::format(" (sampled, {} left out)", open.left_out);
    out_ += fmt::format("{}: {} open{}\n", open.name, open.spans.size(), sampled);
    for (const OpenSpanLine& line : open.spans) {
        out_ += fmt::format("{:>10}  pid {} tid {} {}", show_duration(line.age), line.pid, line.tid,
                            line.comm.empty() ? line.tid == 0 ? "(unknown)" : "(gone)" : visible(line.comm));
        if (!line.key.empty()) out_ += ' ';
        key(line.key);
        out_ += '\n';
        for (const Frame& frame : line.stack) out_ += fmt::format("            {}\n", visible(frame_text(frame)));
    }
    hand_over();
}

void TextPrinter::value(const Value& value) {
    append_value(out_, value, style_);
    if (!is_rows(value)) out_ += '\n';
    hand_over();
}

void TextPrinter::entry(const std::string& name, const MapEntry& entry) {
    out_ += name;
    key(entry.key);
    out_ += is_rows(entry.value) ? ":\n" : ": ";
    append_value(out_, entry.value, style_);
    out_ += '\n';
}

void TextPrinter::key(const std::vector<Value>& all) {
    const std::vector<Value>& parts = key_parts(all);
    for (size_t i = 0; i < parts.size(); i++) {
        out_ += i == 0 ? "[" : ",";
        if (is_rows(parts[i])) {
            out_ += '\n';
        } else if (i > 0) {
            out_ += ' ';
        }
        append_value(out_, parts[i], style_);
    }
    if (parts.empty() && !all.empty()) out_ += "[()";
    if (!all.empty()) out_ += ']';
}

void TextPrinter::hand_over() {
    write(out_);
    out_.clear();
}

// Writes the time at the start of each line.
void TextPrinter::write(std::string_view text) {
    if (!stamps_) return sink_.write(text);
    const std::string stamp = clock_text(time_.value_or(unix_now())) + ' ';
    while (!text.empty()) {
        if (!in_line_) sink_.write(stamp);
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        in_line_ = text[end - 1] != '\n';
        sink_.write(text.substr(0, end));
        text.remove_prefix(end);
    }
}

}  // namespace

std::unique_ptr<Printer> text_printer(Sink& sink, PrintStyle style) {
    return std::make_unique<TextPrinter>(sink, style);
}

}  // namespace lt
