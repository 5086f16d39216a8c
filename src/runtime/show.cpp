// How each view of a value looks; what a value is was decided long before.
#include "show.h"

#include <fmt/format.h>

#include <algorithm>

#include "distribution.h"
#include "hist.h"
#include "runtime/arguments.h"
#include "runtime/printer.h"
#include "series_fold.h"
#include "stdlib/real.h"

namespace lt {
namespace {

unsigned byte_at(std::string_view bytes, size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

// Length of the character in UTF-8 that begins here; 1 for a byte that begins none.
size_t character_length(std::string_view bytes, size_t at) {
    const unsigned lead = byte_at(bytes, at);
    const size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
    for (size_t i = 1; i < length; i++) {
        if ((byte_at(bytes, at + i) & 0xc0U) != 0x80U) return 1;
    }
    return length;
}

// Terminals obey the control characters from 0x80 to 0x9f both as single bytes and in UTF-8 (0xc2 0x80 ...).
bool is_obeyed(std::string_view character) {
    const unsigned first = byte_at(character, 0);
    if (character.size() == 2) return first == 0xc2 && byte_at(character, 1) < 0xa0;
    if (character.size() != 1) return false;
    if (first < 0x20) return first != '\n' && first != '\t';
    return first >= 0x7f && first < 0xa0;
}

bool is_printable_ascii(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

void append_integer(std::string& out, int64_t number, bool is_signed) {
    const fmt::format_int text =
        is_signed ? fmt::format_int(number) : fmt::format_int(static_cast<unsigned long long>(number));
    out.append(text.data(), text.size());
}

// The number where there is no name for it.
void append_enumerator(std::string& out, int64_t number, const Type& type) {
    if (type.shape) {
        for (const Enumerator& e : type.shape->enumerators) {
            if (e.value != number) continue;
            out += e.name;
            return;
        }
    }
    append_integer(out, number, type.is_signed);
}

void append_number(std::string& out, int64_t number, const Type& type, bool plain) {
    switch (plain && type.view == View::duration ? View::plain : type.view) {
        case View::plain:
            return append_integer(out, number, type.is_signed);
        case View::duration:
            out += show_duration(number);
            return;
        case View::hex:
            fmt::format_to(std::back_inserter(out), "{:#x}", static_cast<uint64_t>(number));
            return;
        case View::boolean:
            out += number != 0 ? "true" : "false";
            return;
        case View::enumeration:
            return append_enumerator(out, number, type);
    }
}

void append_record(std::string& out, const Average& average, const Type& type) {
    fmt::format_to(std::back_inserter(out), "{{ .count = {}, .average = ", average.count);
    append_number(out, average.value(), type, true);
    out += ", .total = ";
    append_number(out, average.sum, type, true);
    out += " }";
}

void append_stats(std::string& out, const Average& average, const Type& type, bool plain) {
    fmt::format_to(std::back_inserter(out), "count {}, average ", average.count);
    append_number(out, average.value(), type, plain);
    out += ", total ";
    append_number(out, average.sum, type, plain);
}

// function+0x12, with the module of the kernel's in brackets or the program's file in parentheses.
std::string named_frame(const Frame& frame) {
    if (frame.inlined) return frame.function + " (inlined)";
    const std::string object =
        frame.object.empty() ? "" : fmt::format(fmt::runtime(frame.user ? " ({})" : " {}"), frame.object);
    if (!frame.function.empty()) return fmt::format("{}+{:#x}{}", frame.function, frame.offset, object);
    if (frame.object.empty()) return fmt::format("{:#x} [unknown]", frame.address);
    return fmt::format("{:#x}{}", frame.offset, object);
}

std::string perf_frame(const Frame& frame) {
    if (frame.inlined) return frame.function + " (inlined)";
    const std::string_view elsewhere = frame.user || frame.function.empty() ? "[unknown]" : "[kernel.kallsyms]";
    const std::string_view object = frame.object.empty() ? elsewhere : std::string_view(frame.object);
    if (frame.function.empty()) return fmt::format("[unknown] ({})", object);
    return fmt::format("{}+{:#x} ({})", frame.function, frame.offset, object);
}

// function+18@dir/file.c:12; only perf's form has the program's file.
std::string bpftrace_frame(const Frame& frame, bool perf) {
    const std::string object = !perf || !frame.user   ? ""
                               : frame.object.empty() ? " ([unknown])"
                                                      : fmt::format(" ({})", frame.object);
    if (frame.function.empty()) return fmt::format("{:#x}{}", frame.address, perf && frame.user ? " ([unknown])" : "");
    const std::string place = frame.place.empty() ? "" : "@" + frame.place;
    if (frame.inlined) return perf ? frame.function + " (inlined)" : "[inlined] " + frame.function + place;
    return fmt::format("{}+{}{}", frame.function, frame.offset, perf ? object : place);
}

std::vector<std::string> bpftrace_rows(const Stack& stack, StackForm form) {
    if (stack.frames.empty()) return {"        " + stack_rows(stack, form).front()};
    std::vector<std::string> rows;
    for (const Frame& frame : stack.frames) {
        switch (form) {
            case StackForm::names:
                rows.push_back("        " + bpftrace_frame(frame, false));
                break;
            case StackForm::perf:
                rows.push_back(fmt::format("\t{:x} {}", frame.address, bpftrace_frame(frame, true)));
                break;
            case StackForm::raw:
                if (!frame.inlined) rows.push_back(fmt::format("{:x}", frame.address));
                break;
        }
    }
    return rows;
}

// Names come from files of the traced machine.
void append_stack(std::string& out, const Stack& stack, const Type& type) {
    if (is_bpftraces(type)) return append_visible(out, bpftrace_stack(stack, type.stack_form));
    for (const std::string& row : stack_rows(stack, type.stack_form)) {
        out += "    ";
        append_visible(out, row);
        out += '\n';
    }
}

void append_group(std::string& out, const Group& group, const Type& type, bool plain);

struct Appender {
    std::string& out;
    const Type& type;
    bool plain;

    void operator()(int64_t number) const {
        // A count of durations is not a duration.
        append_number(out, number, type, plain || type.aggregation == Aggregation::count);
    }
    void operator()(const std::string& text) const {
        type.kind == Kind::buffer ? append_bytes_shown(out, text) : append_visible(out, text);
    }
    void operator()(const Average& average) const {
        const bool is_stats = type.aggregation == Aggregation::stats;
        if (is_stats) return plain ? append_record(out, average, type) : append_stats(out, average, type, plain);
        append_number(out, average.value(), type, plain);
    }
    void operator()(const Extreme& extreme) const { append_number(out, extreme.value, type, plain); }
    void operator()(const Histogram& histogram) const {
        if (type.shape) return append_buckets(out, histogram, type, plain);
        append_histogram(out, histogram, type.view, plain);
    }
    void operator()(const Distribution& distribution) const {
        append_distribution(out, distribution, type.view, plain);
    }
    void operator()(const Samples& samples) const {
        append_stats(out, {samples.sum, samples.count}, type, plain);
        if (!samples.has_extremes) return;
        out += ", min ";
        append_number(out, samples.least, type, plain);
        out += ", max ";
        append_number(out, samples.greatest, type, plain);
    }
    void operator()(const Series& series) const { append_series(out, series, type, plain); }
    void operator()(Missing) const { out += nothing_text; }
    void operator()(const Stack& stack) const { append_stack(out, stack, type); }
    void operator()(const Group& group) const { append_group(out, group, type, plain); }
};

struct Brackets {
    std::string_view open, close;
};
bool is_record(const Type& type) { return type.kind == Kind::tuple && type.shape && !type.shape->names.empty(); }

Brackets brackets_of(const Type& type) {
    return type.kind == Kind::structure || is_record(type) ? Brackets{"{ ", " }"}
           : type.kind == Kind::array                      ? Brackets{"[", "]"}
                                                           : Brackets{"(", ")"};
}

// As SystemTap: a=0x1 b=0x2
void append_arguments(std::string& out, const Group& group, const Type& type) {
    for (size_t i = 0; i < group.parts.size(); i++) {
        const auto bits = static_cast<uint64_t>(number_of(group.parts[i]));
        const std::string_view name = i < type.shape->names.size() ? std::string_view(type.shape->names[i]) : "";
        fmt::format_to(std::back_inserter(out), "{}{}={:#x}", i > 0 ? " " : "", name, bits);
    }
}

// As bpftrace: { .a = 1, .b = 2 }, [1,2], (1, 2).
void append_group(std::string& out, const Group& group, const Type& type, bool plain) {
    if (type.shape && type.shape->name == arguments_shape) return append_arguments(out, group, type);
    const Brackets brackets = brackets_of(type);
    std::vector<std::string_view> names;
    if (type.kind == Kind::structure) {
        for (const Member& m : type.shape->members) {
            if (!is_hidden(m.type)) names.push_back(m.name);
        }
    }
    if (is_record(type)) names.assign(type.shape->names.begin(), type.shape->names.end());
    out += brackets.open;
    for (size_t i = 0; i < group.parts.size(); i++) {
        if (i > 0) out += type.kind == Kind::array ? "," : ", ";
        if (i < names.size()) fmt::format_to(std::back_inserter(out), ".{} = ", names[i]);
        append_value(out, group.parts[i], plain);
    }
    if (type.kind == Kind::tuple && names.empty() && group.parts.size() == 1) out += ',';
    out += brackets.close;
}

struct NumberOf {
    int64_t operator()(int64_t number) const { return number; }
    int64_t operator()(const std::string&) const { return 0; }
    int64_t operator()(const Average& average) const { return average.value(); }
    int64_t operator()(const Extreme& extreme) const { return extreme.value; }
    int64_t operator()(const Histogram& histogram) const { return static_cast<int64_t>(total(histogram)); }
    int64_t operator()(const Distribution& distribution) const { return static_cast<int64_t>(distribution.count); }
    int64_t operator()(const Samples& samples) const { return static_cast<int64_t>(samples.count); }
    int64_t operator()(const Series& series) const { return series.last().value_or(0); }
    int64_t operator()(Missing) const { return 0; }
    int64_t operator()(const Stack& stack) const { return static_cast<int64_t>(stack.id); }
    int64_t operator()(const Group&) const { return 0; }
};

}  // namespace

void append_visible(std::string& out, std::string_view bytes) {
    if (is_printable_ascii(bytes)) {
        out += bytes;
        return;
    }
    for (size_t at = 0; at < bytes.size();) {
        const std::string_view character = bytes.substr(at, character_length(bytes, at));
        at += character.size();
        if (!is_obeyed(character)) {
            out += character;
            continue;
        }
        for (char c : character) fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
}

void append_bytes_shown(std::string& out, std::string_view bytes) {
    for (char c : bytes) {
        if (c >= 0x20 && c < 0x7f)
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
    }
}

void append_value(std::string& out, const Value& value, bool plain) {
    std::visit(Appender{out, value.type, plain}, value.data);
}

std::string frame_text(const Frame& frame, StackForm form) {
    switch (form) {
        case StackForm::names:
            return named_frame(frame) + (frame.place.empty() ? "" : " at " + frame.place);
        case StackForm::perf:
            return fmt::format("{:x} {}", frame.address, perf_frame(frame));
        case StackForm::raw:
            return fmt::format("{:x}", frame.address);
    }
    return {};
}

std::string bpftrace_stack(const Stack& stack, StackForm form) {
    std::string out = "\n";
    if (stack.id == stack_none) return out;
    for (const std::string& row : bpftrace_rows(stack, form)) out += row + '\n';
    return out;
}

bool is_bpftraces(const Type& type) { return type.kind == Kind::stack && type.view == View::plain; }

std::vector<std::string> stack_rows(const Stack& stack, StackForm form) {
    if (stack.id == stack_none) return {"(no stack)"};
    if (stack.id == stack_lost) return {"(stack not kept)"};
    if (stack.frames.empty()) return {"(stack not found)"};
    std::vector<std::string> rows;
    for (const Frame& frame : stack.frames) {
        if (form != StackForm::raw || !frame.inlined) rows.push_back(frame_text(frame, form));
    }
    return rows;
}

int64_t number_of(const Value& value) { return std::visit(NumberOf{}, value.data); }

bool is_rows(const Value& value) {
    return std::holds_alternative<Histogram>(value.data) || std::holds_alternative<Distribution>(value.data) ||
           std::holds_alternative<Series>(value.data) ||
           (std::holds_alternative<Stack>(value.data) && !is_bpftraces(value.type));
}

std::string show(const Value& value, bool plain) {
    std::string out;
    append_value(out, value, plain);
    return out;
}

}  // namespace lt
