// Results as JSON, one object per line: {"type": ..., "data": ...}. The text is put together by hand, because maps can
// have a million keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <unordered_map>

#include "base/text.h"
#include "base/visible.h"
#include "runtime/os/timestamps.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/json_value.h"
#include "runtime/print/printer.h"
#include "runtime/print/show.h"
#include "runtime/values/add_up.h"
#include "stdlib/real.h"

namespace lt {
namespace {

constexpr size_t large_json_write = 64 * 1024;

struct TypeRow {
    Aggregation aggregation;
    std::string_view name;
};
// bpftrace's names; all others are "map".
constexpr std::array type_rows{TypeRow{Aggregation::hist, "hist"},   TypeRow{Aggregation::lhist, "hist"},
                               TypeRow{Aggregation::stats, "stats"}, TypeRow{Aggregation::avg, "stats"},
                               TypeRow{Aggregation::dist, "dist"},   TypeRow{Aggregation::tseries, "tseries"},
                               TypeRow{Aggregation::why, "why"}};

// In the order of the enumerators; all are bpftrace's.
constexpr std::array<std::string_view, 5> made_names{"printf", "time", "cat", "join", "syscall"};
constexpr std::array<std::string_view, 3> complaint_names{"errorf", "warnf", "runtime_error"};

std::string_view type_of(const MapContent& content) {
    if (content.entries.empty()) return "map";
    const Aggregation aggregation = content.entries.plain(0).value.type.aggregation;
    for (const TypeRow& row : type_rows)
        if (aggregation == row.aggregation) return row.name;
    return "map";
}

// Can several values of the type have one text? Addresses in one function do, for example.
bool has_names(const Type& type) {
    if (type.kind == Kind::stack || type.naming != Naming::none) return true;
    const bool has_parts = type.kind == Kind::tuple || type.kind == Kind::array;
    return has_parts && type.shape && std::ranges::any_of(type.shape->parts, has_names);
}

bool has_names(const MapContent& content) {
    if (content.entries.empty()) return false;
    const MapEntry first = content.entries.collected(0);
    return std::ranges::any_of(first.key, [](const Value& part) { return has_names(part.type); });
}

bool has_text(const Value& part) {
    const auto* group = std::get_if<Group>(&part.data);
    return group ? std::ranges::any_of(group->parts, has_text) : part.type.kind == Kind::string;
}

bool is_utf8(const Value& part) {
    if (const auto* group = std::get_if<Group>(&part.data)) return std::ranges::all_of(group->parts, is_utf8);
    const auto* text = std::get_if<std::string>(&part.data);
    return !text || utf8_text(*text) == *text;
}

// Texts that are not UTF-8 can look alike, too.
bool has_other_bytes(const MapContent& content) {
    if (content.entries.empty() || std::ranges::none_of(content.entries.collected(0).key, has_text)) return false;
    for (size_t i = 0; i < content.entries.size(); i++)
        if (!std::ranges::all_of(content.entries.plain(i).key, is_utf8)) return true;
    return false;
}

// Two texts that are not UTF-8 can be written alike.
std::string as_written(std::string_view text) {
    std::string out;
    append_json(out, text);
    return out;
}

// The members of a map's object.
struct MapMembers {
    // For entries of which some have the same text.
    std::string unique(const std::string& text) {
        const auto [place, is_first] = texts.try_emplace(as_written(text), 1);
        if (is_first) return text;
        alike++;
        size_t& number = place->second;
        for (;;) {
            std::string numbered = fmt::format("{} #{}", text, ++number);
            if (texts.try_emplace(as_written(numbered), 1).second) return numbered;
        }
    }

    std::unordered_map<std::string, size_t> texts;  // with the last number used
    size_t written = 0;
    size_t alike = 0;  // those with a number after the text
};

// The entries that have a text, the greatest first.
struct SameText {
    std::string text;
    std::vector<size_t> entries;
};

// In the order of the greatest of each.
std::vector<SameText> by_text(const MapContent& content, const std::vector<size_t>& order, bool plain) {
    std::vector<SameText> out;
    std::unordered_map<std::string, size_t> places;
    for (const size_t index : std::views::reverse(order)) {
        std::string text = json_key(content.entries[index].key, plain);
        const auto [place, is_new] = places.try_emplace(as_written(text), out.size());
        if (is_new) out.push_back({std::move(text), {}});
        out[place->second].entries.push_back(index);
    }
    std::ranges::reverse(out);
    return out;
}

class JsonPrinter final : public Printer {
  public:
    JsonPrinter(Sink& sink, PrintStyle style) : sink_(sink), stamps_(style.timestamps), plain_(style.plain) {}

    void at(std::optional<int64_t> time) override { time_ = time; }
    void text(std::string_view text) override { this->text(MadeBy::printf, text); }
    void text(MadeBy by, std::string_view text) override;
    void complaint(const Complaint& complaint) override;
    void map(const MapContent& content) override;
    void open_spans(const OpenSpans& open) override;
    void value(const Value& value) override;
    void histogram(const Value& samples, SampleHistogram which) override;
    void attached(size_t probes) override;
    void lost(const LossFact& loss) override;
    void missed(const MissedFact& missed) override;
    void account(const AccountFact& account) override;
    void fact(const Fact& fact) override;
    void run(const RunFact& run) override;
    void flush() override { sink_.flush(); }

  private:
    void begin(std::string_view type);
    void begin_facts(std::string_view type);
    void end();
    void member(std::string_view name, std::string_view text);
    void member(std::string_view name, uint64_t number);
    void entries(const MapContent& content);
    void entry(MapMembers& members, std::string_view key, const Value& value);
    void entries_added_up(const MapContent& content, const std::vector<size_t>& order, MapMembers& members);

    Sink& sink_;
    bool stamps_;
    bool plain_;
    std::optional<int64_t> time_;
    struct Repeats {
        size_t added_up, alike;  // entries
    };
    std::map<std::string, Repeats, std::less<>> repeats_;  // of each map as it was printed last
    std::string out_;
};

void JsonPrinter::begin(std::string_view type) {
    begin_facts(type);
    out_ += ", \"data\": ";
}

// The members are next to the type, not in "data".
void JsonPrinter::begin_facts(std::string_view type) {
    out_ += fmt::format("{{\"type\": \"{}\"", type);
    if (stamps_) out_ += fmt::format(", \"time\": {}", time_.value_or(unix_now()));
}

void JsonPrinter::end() {
    out_ += "}\n";
    sink_.write(out_);
    out_.clear();
}

void JsonPrinter::member(std::string_view name, std::string_view text) {
    out_ += fmt::format("{}\"{}\": ", out_.back() == '{' ? "" : ", ", name);
    append_json(out_, text);
}

void JsonPrinter::member(std::string_view name, uint64_t number) {
    if (out_.back() != '{') out_ += ", ";
    append_json(out_, name);
    out_ += fmt::format(": {}", number);
}

void JsonPrinter::text(MadeBy by, std::string_view text) {
    if (by == MadeBy::join && text.ends_with('\n')) text.remove_suffix(1);  // join ends its text with a newline
    begin(made_names[static_cast<size_t>(by)]);
    append_json(out_, text);
    end();
}

void JsonPrinter::complaint(const Complaint& complaint) {
    begin_facts(complaint_names[static_cast<size_t>(complaint.kind)]);
    member("msg", complaint.text);
    member("filename", complaint.where.file);
    member("line", complaint.where.line);
    member("col", complaint.where.column);
    end();
}

void JsonPrinter::value(const Value& value) {
    begin("value");
    append_json(out_, value, plain_);
    end();
}

void JsonPrinter::histogram(const Value& samples, SampleHistogram which) {
    begin(which == SampleHistogram::log ? "hist_log" : "hist_linear");
    append_buckets(out_, samples, which);
    end();
}

void JsonPrinter::map(const MapContent& content) {
    repeats_.erase(content.name);
    if (content.at_end && content.entries.empty() && !content.sampled) return;
    begin(type_of(content));
    out_ += '{';
    append_json(out_, std::string_view(content.name));
    out_ += ": ";
    const bool scalar = content.entries.size() == 1 && content.entries.plain(0).key.empty();
    scalar ? append_json(out_, content.entries[0].value, plain_) : entries(content);
    out_ += '}';
    if (content.sampled)
        out_ += fmt::format(", \"sampled\": {{\"left_out\": {}, \"detached\": {}}}", content.sampled->left_out,
                            content.sampled->detached);
    end();
}

// Readers keep only one of several members with one name, so no name is written twice. A limit would leave out a part
// of the sums.
void JsonPrinter::entries(const MapContent& content) {
    const std::vector<size_t> order = print_order(content, plain_);
    const bool named = has_names(content) || has_other_bytes(content);
    const bool whole = order.size() == content.entries.size();
    MapMembers members;
    out_ += '{';
    if (named && whole && can_add_up(content.entries.plain(0).value.type)) {
        entries_added_up(content, order, members);
    } else {
        for (const size_t index : order) {
            const MapEntry each = content.entries[index];
            const std::string text = json_key(each.key, plain_);
            entry(members, named ? members.unique(text) : text, each.value);
        }
    }
    out_ += '}';
    if (named) repeats_[content.name] = {order.size() - members.written, members.alike};
}

void JsonPrinter::entry(MapMembers& members, std::string_view key, const Value& value) {
    if (members.written++ > 0) out_ += ", ";
    append_json(out_, key);
    out_ += ": ";
    append_json(out_, value, plain_);
    if (out_.size() < large_json_write) return;
    sink_.write(out_);
    out_.clear();
}

void JsonPrinter::entries_added_up(const MapContent& content, const std::vector<size_t>& order, MapMembers& members) {
    for (const SameText& same : by_text(content, order, plain_)) {
        Value sum = content.entries[same.entries.front()].value;
        for (const size_t index : same.entries | std::views::drop(1)) {
            const Value more = content.entries[index].value;
            if (add_up(sum, more)) continue;
            entry(members, members.unique(same.text), sum);
            sum = more;
        }
        entry(members, members.unique(same.text), sum);
    }
}

void JsonPrinter::open_spans(const OpenSpans& open) {
    begin("open_spans");
    out_ += '{';
    member("span", open.name);
    if (open.left_out != 0) member("left_out", open.left_out);
    out_ += ", \"open\": [";
    for (const OpenSpanLine& line : open.spans) {
        if (&line != &open.spans.front()) out_ += ',';
        out_ += fmt::format("{{\"age\": {}, \"pid\": {}, \"tid\": {}", line.age, line.pid, line.tid);
        member("comm", line.comm);
        if (!line.key.empty()) member("key", json_key(line.key, plain_));
        out_ += ", \"kstack\": ";
        std::vector<std::string> frames;
        for (const Frame& frame : line.stack) frames.push_back(frame_text(frame));
        append_json(out_, frames);
        out_ += '}';
    }
    out_ += "]}";
    end();
}

void JsonPrinter::attached(size_t probes) {
    begin_facts("attached_probes");
    member("count", probes);
    out_ += fmt::format(", \"data\": {{\"probes\": {}}}", probes);
    end();
}

// bpftrace has one kind of loss, with its own object.
void JsonPrinter::lost(const LossFact& loss) {
    if (loss.kind == LossKind::ring_buffer_full) {
        begin_facts("lost_events");
        member("count", loss.count);
        out_ += fmt::format(", \"data\": {{\"events\": {}}}", loss.count);
        return end();
    }
    begin("lost");
    out_ += '{';
    member("kind", loss.name);
    member("subject", loss.subject);
    member("count", loss.count);
    member("text", loss.text);
    out_ += '}';
    end();
}

void JsonPrinter::missed(const MissedFact& missed) {
    begin("missed");
    out_ += '{';
    member("probe", missed.probe);
    member("kind", missed.kind);
    member("count", missed.count);
    member("text", missed.text);
    out_ += '}';
    end();
}

void JsonPrinter::account(const AccountFact& account) {
    begin("account");
    out_ += '{';
    member("span", account.span);
    member("opened", account.opened);
    member("closed", account.closed);
    member("open", account.open);
    out_ += ", \"lost\": {";
    for (const auto& [kind, count] : account.lost) member(kind, count);
    out_ += fmt::format("}}, \"unexplained\": {}}}", account.unexplained);
    end();
}

struct MemberText {
    std::string& out;
    void operator()(const std::string& text) const { append_json(out, std::string_view(text)); }
    void operator()(int64_t number) const { out += fmt::format("{}", number); }
    void operator()(uint64_t number) const { out += fmt::format("{}", number); }
    void operator()(double number) const {
        constexpr double exact = 1ull << 53;  // up to here a double holds each whole number
        if (!std::isfinite(number)) return void(out += "null");
        const bool is_whole = std::trunc(number) == number && std::abs(number) <= exact;
        out += is_whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
    }
    void operator()(bool truth) const { out += truth ? "true" : "false"; }
    void operator()(const std::vector<std::string>& texts) const { append_json(out, texts); }
};

void JsonPrinter::fact(const Fact& fact) {
    if (fact.members.empty()) return;
    begin(fact.type);
    for (size_t i = 0; i < fact.members.size(); i++) {
        out_ += fmt::format("{}\"{}\": ", i == 0 ? "{" : ", ", fact.members[i].first);
        std::visit(MemberText{out_}, fact.members[i].second);
    }
    out_ += '}';
    end();
}

// How the parts of a key are written: numbers, stacks of lt's own form, or text.
std::string_view key_form(const Type& part) {
    if (part.kind == Kind::stack)
        return part.view == View::plain || part.stack_form != StackForm::names ? "text" : "stack";
    if (part.kind != Kind::integer || part.naming != Naming::none || is_real(part)) return "text";
    if (part.view == View::duration) return "duration";
    if (part.view != View::plain) return "text";
    return part.is_signed ? "integer" : "unsigned";
}

// A tuple as the whole key is the same as its parts.
const std::vector<Type>& key_types(const std::vector<Type>& key) {
    const bool flat = key.size() == 1 && key.front().kind == Kind::tuple && key.front().shape->names.empty();
    return flat ? key.front().shape->parts : key;
}

std::string quoted_list(const std::vector<std::string>& texts) {
    std::string out;
    append_json(out, texts);
    return out;
}

void JsonPrinter::run(const RunFact& run) {
    begin("run");
    out_ += fmt::format("{{\"version\": {}", run_version);
    member("lt", run.version);
    out_ += fmt::format(", \"hosts\": {}", quoted_list(run.hosts));
    member("script", run.script);
    member("checksum", run.checksum);
    out_ += fmt::format(", \"arguments\": {}", quoted_list(run.arguments));
    if (run.seconds) out_ += fmt::format(", \"seconds\": {:.6f}", *run.seconds);
    if (run.started)
        out_ += fmt::format(", \"started\": {{\"at\": {}, \"late\": {}}}", run.started->at, run.started->late);
    out_ += ", \"maps\": [";
    for (const ResultFact& map : run.maps) {
        out_ += &map == &run.maps.front() ? "{" : ", {";
        member("name", map.name);
        const bool collects = map.value.kind == Kind::aggregation;
        member("collects", collects ? aggregation_name(map.value.aggregation) : std::string_view("none"));
        member("view", view_name(map.value.view));
        out_ += fmt::format(", \"signed\": {}", map.value.is_signed);
        if (collects && map.value.shape) {
            std::vector<std::string> numbers;
            for (const int64_t number : map.value.shape->buckets) numbers.push_back(std::to_string(number));
            out_ += fmt::format(", \"buckets\": [{}]", join(numbers, ","));
        }
        std::vector<std::string> forms;
        for (const Type& part : key_types(map.key)) forms.emplace_back(key_form(part));
        out_ += fmt::format(", \"key\": {}", quoted_list(forms));
        const auto found = repeats_.find(map.name);
        const Repeats repeats = found == repeats_.end() ? Repeats{} : found->second;
        member("entries", map.entries - std::min(map.entries, repeats.added_up));
        if (const size_t alike = map.alike + repeats.alike; alike != 0) member("alike", alike);
        if (map.divisor != 1) out_ += fmt::format(", \"divisor\": {}", map.divisor);
        out_ += '}';
    }
    out_ += "]}";
    end();
}

}  // namespace

std::unique_ptr<Printer> json_printer(Sink& sink, PrintStyle style) {
    return std::make_unique<JsonPrinter>(sink, style);
}

}  // namespace lt
