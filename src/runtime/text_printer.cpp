// Results as text in bpftrace's layout: "@x: 5", "@x[a, b]: 5", histograms as rows below "@x:" with a blank line after.
// Maps are sorted by value (histograms and distributions by total, strings not at all), ties by key, and leave in large
// writes.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "hist.h"
#include "runtime/printer.h"
#include "show.h"

namespace lt {
namespace {

constexpr size_t large_write = 64 * 1024;

// Eight bytes of a string as a number that sorts as they do.
uint64_t word_of(const std::string& text, size_t offset) {
    uint64_t word = 0;
    for (size_t i = offset; i < offset + 8; i++)
        word = word << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0U);
    return word;
}

// A number that sorts as the value does among values of its type.
uint64_t word_of(const Value& value) {
    const auto bits = static_cast<uint64_t>(number_of(value));
    return value.type.is_signed ? bits ^ uint64_t { 1 } << 63 : bits;
}

// Maps of strings and stacks stand in the order of their keys.
uint64_t first_word(const MapEntry& entry) { return in_memory(entry.value.type) ? 0 : word_of(entry.value); }

// Eight bytes of the key: a whole integer, or a piece of a string or a stack.
struct KeyWord {
    size_t part;
    size_t offset;

    uint64_t of(const MapEntry& entry) const {
        if (part >= entry.key.size()) return 0;
        const auto* text = std::get_if<std::string>(&entry.key[part].data);
        const auto* stack = std::get_if<Stack>(&entry.key[part].data);
        if (stack != nullptr) return offset == 0 ? stack->id : stack->process;
        return text != nullptr ? word_of(*text, offset) : word_of(entry.key[part]);
    }
};

std::vector<KeyWord> key_words(const std::vector<Value>& key) {
    std::vector<KeyWord> words;
    for (size_t part = 0; part < key.size(); part++) {
        const size_t size = in_memory(key[part].type) ? key[part].type.size : 8;
        for (size_t offset = 0; offset < size; offset += 8) words.push_back({part, offset});
    }
    return words;
}

struct Ranked {
    uint64_t word;
    size_t index;
};

// Sorts by one word, then each run of equal ones by the next word of the key: an entry, which lies anywhere in memory,
// is visited once per word and not once per comparison.
class Sorter {
  public:
    explicit Sorter(const std::vector<MapEntry>& entries) : entries_(entries) {
        if (!entries.empty()) words_ = key_words(entries.front().key);
    }

    std::vector<Ranked> run() const {
        std::vector<Ranked> order;
        order.reserve(entries_.size());
        for (const MapEntry& entry : entries_) order.push_back({first_word(entry), order.size()});
        sort(order, 0);
        return order;
    }

  private:
    void sort(std::span<Ranked> run, size_t next) const {
        std::sort(run.begin(), run.end(), [](const Ranked& a, const Ranked& b) { return a.word < b.word; });
        if (next == words_.size()) return;
        for (auto from = run.begin(); from != run.end();) {
            const auto to = std::find_if(from, run.end(), [&](const Ranked& r) { return r.word != from->word; });
            if (to - from > 1) sort_ties({from, to}, next);
            from = to;
        }
    }

    void sort_ties(std::span<Ranked> ties, size_t next) const {
        for (Ranked& ranked : ties) ranked.word = words_[next].of(entries_[ranked.index]);
        sort(ties, next + 1);
    }

    const std::vector<MapEntry>& entries_;
    std::vector<KeyWord> words_;
};

class TextPrinter final : public Printer {
  public:
    TextPrinter(Sink& sink, bool plain) : sink_(sink), plain_(plain) {}

    void text(std::string_view text) override { sink_.write(text); }
    void map(const MapContent& content) override;
    void open_spans(const OpenSpans& open) override;
    void value(const Value& value) override;
    void flush() override { sink_.flush(); }

  private:
    void entry(const std::string& name, const MapEntry& entry);
    void key(const std::vector<Value>& parts);
    void hand_over();

    Sink& sink_;
    bool plain_;
    std::string out_;
};

void TextPrinter::map(const MapContent& content) {
    const std::vector<Ranked> order = Sorter(content.entries).run();
    const size_t first = content.most == 0 || content.most > order.size() ? 0 : order.size() - content.most;
    for (const Ranked& ranked : std::span(order).subspan(first)) {
        entry(content.name, content.entries[ranked.index]);
        if (out_.size() >= large_write) hand_over();
    }
    hand_over();
}

void TextPrinter::open_spans(const OpenSpans& open) {
    out_ += fmt::format("{}: {} open\n", open.name, open.spans.size());
    for (const OpenSpanLine& line : open.spans) {
        out_ += fmt::format("{:>10}  pid {} tid {} {}", show_duration(line.age), line.pid, line.tid,
                            line.comm.empty() ? "(gone)" : line.comm);
        if (!line.key.empty()) out_ += ' ';
        key(line.key);
        out_ += '\n';
        for (const std::string& frame : line.stack) out_ += fmt::format("            {}\n", frame);
    }
    hand_over();
}

void TextPrinter::value(const Value& value) {
    append_value(out_, value, plain_);
    if (!is_rows(value)) out_ += '\n';
    hand_over();
}

void TextPrinter::entry(const std::string& name, const MapEntry& entry) {
    const bool rows = is_rows(entry.value);
    out_ += name;
    key(entry.key);
    out_ += rows ? (plain_ ? ": \n" : ":\n") : ": ";  // in bpftrace's form with the blank that it has there
    append_value(out_, entry.value, plain_);
    out_ += '\n';
}

// A tuple as the whole key is the same as its parts.
void TextPrinter::key(const std::vector<Value>& all) {
    const auto* tuple = all.size() == 1 ? std::get_if<Group>(&all.front().data) : nullptr;
    const bool flat = tuple != nullptr && all.front().type.kind == Kind::tuple;
    const std::vector<Value>& parts = flat ? tuple->parts : all;
    for (size_t i = 0; i < parts.size(); i++) {
        out_ += i == 0 ? "[" : ",";
        if (is_rows(parts[i])) {
            out_ += '\n';
        } else if (i > 0) {
            out_ += ' ';
        }
        append_value(out_, parts[i], plain_);
    }
    if (!parts.empty()) out_ += ']';
}

void TextPrinter::hand_over() {
    sink_.write(out_);
    out_.clear();
}

}  // namespace

std::unique_ptr<Printer> text_printer(Sink& sink, bool plain) { return std::make_unique<TextPrinter>(sink, plain); }

}  // namespace lt
