#include "runtime/print/entry_order.h"

#include <algorithm>
#include <optional>
#include <span>

#include "runtime/print/show.h"

namespace lt {
namespace {

// Eight bytes of a string as a number with the same order.
uint64_t word_of(const std::string& text, size_t offset) {
    uint64_t word = 0;
    for (size_t i = offset; i < offset + 8; i++)
        word = word << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0U);
    return word;
}

// A number with the same order.
uint64_t word_of(int64_t number, bool is_signed) {
    const auto bits = static_cast<uint64_t>(number);
    return is_signed ? bits ^ uint64_t { 1 } << 63 : bits;
}

// A number with the order of the value among values of its type.
uint64_t word_of(const Value& value) { return word_of(number_of(value), value.type.is_signed); }

// As in a table, see runtime/print/table_text.h; none if the value has no total, or another number counts.
std::optional<uint64_t> word_of_total(const Value& value) {
    if (const auto* distribution = std::get_if<Distribution>(&value.data)) return word_of(distribution->sum, true);
    const auto* average = std::get_if<Average>(&value.data);
    if (!average || value.type.aggregation != Aggregation::stats) return {};
    return word_of(average->sum, value.type.is_signed);
}

// Maps of strings and stacks are printed in the order of their keys.
uint64_t first_word(const Value& value, bool plain) {
    if (in_memory(value.type)) return 0;
    const auto total = plain ? std::nullopt : word_of_total(value);
    return total ? *total : word_of(value);
}

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

// Sorts by one word, then each run of equal ones by the next word of the key: each entry is decoded once per word
// instead of once per comparison.
class Sorter {
  public:
    explicit Sorter(const Entries& entries) : entries_(entries) {
        if (!entries.empty()) words_ = key_words(entries.plain(0).key);
    }

    using Word = uint64_t (*)(const Value&);

    // By this word of the value, or, if there is none, only by key.
    std::vector<size_t> run(Word first) const {
        std::vector<Ranked> ranks;
        ranks.reserve(entries_.size());
        for (size_t i = 0; i < entries_.size(); i++) ranks.push_back({first ? first(entries_.plain(i).value) : 0, i});
        sort(ranks, 0);
        std::vector<size_t> order;
        order.reserve(ranks.size());
        for (const Ranked& ranked : ranks) order.push_back(ranked.index);
        return order;
    }

  private:
    void sort(std::span<Ranked> run, size_t next) const {
        std::ranges::sort(run, [](const Ranked& a, const Ranked& b) { return a.word < b.word; });
        if (next == words_.size()) return;
        for (auto from = run.begin(); from != run.end();) {
            const auto to = std::find_if(from, run.end(), [&](const Ranked& r) { return r.word != from->word; });
            if (to - from > 1) sort_ties({from, to}, next);
            from = to;
        }
    }

    void sort_ties(std::span<Ranked> ties, size_t next) const {
        for (Ranked& ranked : ties) ranked.word = words_[next].of(entries_.plain(ranked.index));
        sort(ties, next + 1);
    }

    const Entries& entries_;
    std::vector<KeyWord> words_;
};

}  // namespace

std::vector<size_t> print_order(const MapContent& content, bool plain) {
    const auto as_bpftrace = [](const Value& value) { return first_word(value, true); };
    const auto by_total = [](const Value& value) { return first_word(value, false); };
    const Sorter sorter(content.entries);
    std::vector<size_t> order = plain ? sorter.run(as_bpftrace) : sorter.run(by_total);
    if (content.most != 0 && content.most < order.size())
        order.erase(order.begin(), order.end() - static_cast<ptrdiff_t>(content.most));
    return order;
}

std::vector<size_t> key_order(const MapContent& content) { return Sorter(content.entries).run(nullptr); }

}  // namespace lt
