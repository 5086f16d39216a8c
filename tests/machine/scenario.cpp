// A line becomes words, the first word chooses a row of the table of commands, and the command reads the rest.
#include "machine/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "base/literal.h"

namespace lt::machine {
namespace {

constexpr unsigned most_cpus = 64;
constexpr unsigned fewest_cpus = 2;

Error mistake(std::string what) { return {std::move(what), "", 0}; }

// `text` is a number or a name; a word in quotes is a string.
struct Word {
    std::string name;  // before "="; empty where there is none
    std::string text;
    bool is_string = false;
};

// Up to a blank or the closing quote; what is read is taken off `rest`.
Result<Word> next_word(std::string_view& rest) {
    Word word;
    const size_t stop = rest.find_first_of(" \t\"");
    word.text = rest.substr(0, stop);
    rest.remove_prefix(word.text.size());
    if (const size_t equals = word.text.find('='); equals != std::string::npos) {
        word.name = word.text.substr(0, equals);
        word.text.erase(0, equals + 1);
    }
    if (!rest.starts_with('"')) return word;
    if (!word.text.empty()) return mistake(fmt::format("a quote in the middle of `{}`", word.text));
    size_t end = 1;
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size()) return mistake("a string does not end");
    word.is_string = true;
    Unescaped unescaped = unescape(rest.substr(1, end - 1));
    if (!unescaped.bad.empty()) return mistake("a string has an unknown escape");
    word.text = std::move(unescaped.value);
    rest.remove_prefix(end + 1);
    return word;
}

Result<std::vector<Word>> words_of(std::string_view line) {
    std::vector<Word> words;
    for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.empty() || line.starts_with('#')) return words;
        auto word = next_word(line);
        if (!word) return word.error();
        words.push_back(*std::move(word));
    }
}

template <class Number>
std::optional<Number> number_from(std::string_view digits, int base) {
    Number value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

Result<uint64_t> number_in(const Word& word) {
    std::optional<uint64_t> value;
    if (word.text.starts_with("0x")) {
        value = number_from<uint64_t>(std::string_view(word.text).substr(2), 16);
    } else if (word.text.starts_with('-')) {
        if (const auto negative = number_from<int64_t>(word.text, 10)) value = static_cast<uint64_t>(*negative);
    } else {
        value = number_from<uint64_t>(word.text, 10);
    }
    if (word.is_string || !value) return mistake(fmt::format("`{}` is not a number", word.text));
    return *value;
}

struct Unit {
    std::string_view name;
    uint64_t nanoseconds;
};
constexpr std::array units{Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000}};

Result<uint64_t> time_in(std::string_view text) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = number_from<uint64_t>(text.substr(0, digits), 10);
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == text.substr(digits); });
    if (!number || unit == units.end())
        return mistake(fmt::format("`{}` is not a time; write 5us, or +5us for later", text));
    return *number * unit->nanoseconds;
}

using Words = std::span<const Word>;

// ---- one function for each command

struct NumberRow {
    std::string_view name;
    std::optional<uint32_t> Change::* place;
};
constexpr std::array number_rows{
    NumberRow{"cpu", &Change::cpu}, NumberRow{"pid", &Change::pid}, NumberRow{"tid", &Change::tid},
    NumberRow{"uid", &Change::uid}, NumberRow{"gid", &Change::gid},
};

Status read_time(Change& change, const Word& word) {
    change.later = word.text.starts_with('+');
    auto time = time_in(std::string_view(word.text).substr(change.later ? 1 : 0));
    if (!time) return time.error();
    change.time = *time;
    return Done{};
}

Status read_number(Change& change, const Word& name, const Word& word) {
    for (const NumberRow& row : number_rows) {
        if (row.name != name.text) continue;
        auto number = number_in(word);
        if (!number) return number.error();
        if (*number > UINT32_MAX) return mistake(fmt::format("{} {} has more than 32 bits", name.text, word.text));
        change.*row.place = static_cast<uint32_t>(*number);
        return Done{};
    }
    return mistake(fmt::format("`{}` cannot be set; there are at, cpu, pid, tid, uid, gid and comm", name.text));
}

Status read_setting(Change& change, const Word& name, const Word& word) {
    if (name.text == "at") return read_time(change, word);
    if (name.text != "comm") return read_number(change, name, word);
    if (!word.is_string) return mistake("the comm is not in quotes");
    change.comm = word.text;
    return Done{};
}

Result<Step> read_change(Words words) {
    Change change;
    for (; !words.empty(); words = words.subspan(2)) {
        if (words.size() < 2) return mistake(fmt::format("`{}` of what?", words[0].text));
        if (auto read = read_setting(change, words[0], words[1]); !read) return read.error();
    }
    if (change.cpu.value_or(0) >= most_cpus) return mistake(fmt::format("there are {} CPUs at most", most_cpus));
    return Step{0, change};
}

Result<Step> read_text(Words words) {
    if (words.size() != 3 || !words[2].is_string)
        return mistake(fmt::format("write {} ADDRESS \"TEXT\"", words[0].text));
    auto address = number_in(words[1]);
    if (!address) return address.error();
    return Step{0, Text{words[0].text == "user", *address, words[2].text}};
}

Result<Step> read_stack(Words words) {
    CallStack stack{words[0].text == "ustack", {}};
    for (const Word& word : words.subspan(1)) {
        auto frame = number_in(word);
        if (!frame) return frame.error();
        stack.frames.push_back(*frame);
    }
    return Step{0, stack};
}

Result<Step> read_ring(Words words) {
    if (words.size() != 2) return mistake("write ring BYTES");
    auto bytes = number_in(words[1]);
    if (!bytes) return bytes.error();
    return Step{0, RingSize{*bytes}};
}

Result<Step> read_sample(Words words) {
    if (words.size() != 2) return mistake("write sample NUMBER");
    auto one_of = number_in(words[1]);
    if (!one_of) return one_of.error();
    return Step{0, Sample{*one_of}};
}

template <class What>
Result<Step> read_alone(Words words) {
    if (words.size() != 1) return mistake(fmt::format("nothing can follow `{}`", words[0].text));
    return Step{0, What{}};
}

Status read_value(Hit& hit, const Word& word) {
    if (word.name.empty()) return mistake(fmt::format("`{}` is not NAME=VALUE", word.text));
    if (word.is_string) {
        hit.values.emplace_back(word.name, word.text);
        return Done{};
    }
    auto number = number_in(word);
    if (!number) return number.error();
    hit.values.emplace_back(word.name, *number);
    return Done{};
}

Status read_result(Hit& hit, Words words) {
    if (words.size() < 2) return mistake("write return NUMBER");
    if (hit.kind == ProbeKind::tracepoint) return mistake("a tracepoint does not return");
    auto result = number_in(words[1]);
    if (!result) return result.error();
    hit.result = *result;
    return Done{};
}

Result<Step> read_hit(Words words) {
    const std::string& text = words[0].text;
    const size_t colon = text.find(':');
    const ProbeRow* row = colon == std::string::npos ? nullptr : find_probe(text.substr(0, colon));
    if (!row || row->place == Place::nothing || row->place == Place::period)
        return mistake(fmt::format("`{}` is neither a command nor a place", text));
    if (row->result)
        return mistake(fmt::format("`{}` is not the name of a place: write the entry's and `return NUMBER`", text));
    Hit hit{row->kind, text.substr(colon + 1), {}, {}, false};
    words = words.subspan(1);
    if (!words.empty() && words[0].name.empty() && words[0].text == "return") {
        if (auto read = read_result(hit, words); !read) return read.error();
        words = words.subspan(2);
    }
    for (const Word& word : words) {
        const bool unseen = word.name.empty() && word.text == "unseen";
        hit.unseen = hit.unseen || unseen;
        if (unseen) continue;
        if (auto read = read_value(hit, word); !read) return read.error();
    }
    return Step{0, hit};
}

struct CommandRow {
    std::string_view name;
    Result<Step> (*read)(Words);
};
constexpr std::array commands{
    CommandRow{"user", read_text},
    CommandRow{"kernel", read_text},
    CommandRow{"kstack", read_stack},
    CommandRow{"ustack", read_stack},
    CommandRow{"ring", read_ring},
    CommandRow{"sample", read_sample},
    CommandRow{"thread-exit", read_alone<ThreadExit>},
    CommandRow{"interval", read_alone<Interval>},
    CommandRow{"interrupt", read_alone<Interrupt>},
    CommandRow{"at", read_change},
    CommandRow{"cpu", read_change},
    CommandRow{"pid", read_change},
    CommandRow{"tid", read_change},
    CommandRow{"uid", read_change},
    CommandRow{"gid", read_change},
    CommandRow{"comm", read_change},
};

Result<Step> read_step(Words words) {
    for (const CommandRow& row : commands)
        if (row.name == words[0].text) return row.read(words);
    return read_hit(words);
}

}  // namespace

Result<std::vector<Step>> read_scenario(std::string_view text) {
    std::vector<Step> steps;
    for (size_t line = 1; !text.empty(); line++) {
        const size_t end = std::min(text.find('\n'), text.size());
        auto words = words_of(text.substr(0, end));
        if (!words) return words.error_in(fmt::format("line {}", line));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (words->empty()) continue;
        auto step = read_step(*words);
        if (!step) return step.error_in(fmt::format("line {}", line));
        step->line = line;
        steps.push_back(*std::move(step));
    }
    return steps;
}

unsigned cpus_of(const std::vector<Step>& scenario) {
    unsigned cpus = fewest_cpus;
    for (const Step& step : scenario)
        if (const auto* change = std::get_if<Change>(&step.what)) cpus = std::max(cpus, change->cpu.value_or(0) + 1);
    return cpus;
}

}  // namespace lt::machine
