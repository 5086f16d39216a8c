// The text of a value in each view.
#include "runtime/print/show.h"
#include "runtime/border/duration.h"

#include <fmt/format.h>

#include "runtime/border/arguments.h"
#include "runtime/print/causes_text.h"
#include "runtime/print/figures.h"
#include "runtime/print/printer.h"
#include "runtime/values/hist.h"
#include "stdlib/real.h"

namespace lt {
namespace {

void append_integer(std::string& out, int64_t number, bool is_signed) {
    const fmt::format_int text =
        is_signed ? fmt::format_int(number) : fmt::format_int(static_cast<unsigned long long>(number));
    out.append(text.data(), text.size());
}

// Prints the number if it has no name.
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
            out += fmt::format("{:#x}", static_cast<uint64_t>(number));
            return;
        case View::boolean:
            out += number != 0 ? "true" : "false";
            return;
        case View::enumeration:
            return append_enumerator(out, number, type);
    }
}

void append_record(std::string& out, const Average& average, const Type& type) {
    out += fmt::format("{{ .count = {}, .average = ", average.count);
    append_number(out, average.value(type.is_signed), type, true);
    out += ", .total = ";
    append_number(out, average.sum, type, true);
    out += " }";
}

void append_stats(std::string& out, const Average& average, const Type& type, bool plain) {
    out += fmt::format("count {}, average ", average.count);
    append_number(out, average.value(type.is_signed), type, plain);
    out += ", total ";
    append_number(out, average.sum, type, plain);
}

// function+0x12, with the kernel module in brackets or the program's file in parentheses.
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
    if (is_bpftraces(type)) {
        out += bpftrace_stack(stack, type.stack_form);
        return;
    }
    for (const std::string& row : stack_rows(stack, type.stack_form)) {
        out += "    ";
        append_visible(out, row);
        out += '\n';
    }
}

void append_group(std::string& out, const Group& group, const Type& type, ValueStyle style);

struct Appender {
    std::string& out;
    const Type& type;
    ValueStyle style;
    bool plain;

    void operator()(int64_t number) const {
        // A count of durations is not a duration.
        append_number(out, number, type, plain || type.aggregation == Aggregation::count);
    }
    void operator()(const std::string& text) const {
        type.kind == Kind::buffer ? append_bytes_shown(out, text) : append_visible(out, text, style.kept);
    }
    void operator()(const Average& average) const {
        const bool is_stats = type.aggregation == Aggregation::stats;
        if (is_stats) return plain ? append_record(out, average, type) : append_stats(out, average, type, plain);
        append_number(out, average.value(type.is_signed), type, plain);
    }
    void operator()(const Extreme& extreme) const { append_number(out, extreme.value, type, plain); }
    void operator()(const Histogram& histogram) const { append_bars(out, bars_of(histogram, type, plain)); }
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
    void operator()(const Causes& causes) const { append_causes(out, causes, plain); }
    void operator()(Missing) const { out += nothing_text; }
    void operator()(const Stack& stack) const { append_stack(out, stack, type); }
    void operator()(const Group& group) const { append_group(out, group, type, style); }
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
        out += fmt::format("{}{}={:#x}", i > 0 ? " " : "", name, bits);
    }
}

// As bpftrace: { .a = 1, .b = 2 }, [1,2], (1, 2).
void append_group(std::string& out, const Group& group, const Type& type, ValueStyle style) {
    if (type.naming == Naming::why) {
        append_causes(out, causes_of(group), style.plain);
        return append_longest_wait(out, group, style.plain);
    }
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
        if (i < names.size()) out += fmt::format(".{} = ", names[i]);
        append_value(out, group.parts[i], style);
    }
    if (type.kind == Kind::tuple && names.empty() && group.parts.size() == 1) out += ',';
    out += brackets.close;
}

struct NumberOf {
    bool is_signed;
    int64_t operator()(int64_t number) const { return number; }
    int64_t operator()(const std::string&) const { return 0; }
    int64_t operator()(const Average& average) const { return average.value(is_signed); }
    int64_t operator()(const Extreme& extreme) const { return extreme.value; }
    int64_t operator()(const Histogram& histogram) const { return static_cast<int64_t>(total(histogram)); }
    int64_t operator()(const Distribution& distribution) const { return static_cast<int64_t>(distribution.count); }
    int64_t operator()(const Samples& samples) const { return static_cast<int64_t>(samples.count); }
    int64_t operator()(const Series& series) const { return series.last().value_or(0); }
    int64_t operator()(const Causes& causes) const { return causes.total(); }
    int64_t operator()(Missing) const { return 0; }
    int64_t operator()(const Stack& stack) const { return static_cast<int64_t>(stack.id); }
    int64_t operator()(const Group&) const { return 0; }
};

}  // namespace

void append_bytes_shown(std::string& out, std::string_view bytes) {
    for (char c : bytes) {
        if (c >= 0x20 && c < 0x7f)
            out += c;
        else
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
}

void append_value(std::string& out, const Value& value, ValueStyle style) {
    std::visit(Appender{out, value.type, style, style.plain}, value.data);
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
    for (const std::string& row : bpftrace_rows(stack, form)) {
        append_visible(out, row, Keep::tabs);
        out += '\n';
    }
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

const std::vector<Value>& key_parts(const std::vector<Value>& key) {
    const auto* tuple = key.size() == 1 ? std::get_if<Group>(&key.front().data) : nullptr;
    const bool flat = tuple && key.front().type.kind == Kind::tuple && key.front().type.shape->names.empty();
    return flat ? tuple->parts : key;
}

int64_t number_of(const Value& value) { return std::visit(NumberOf{value.type.is_signed}, value.data); }

bool is_rows(const Value& value) {
    return value.type.naming == Naming::why || std::holds_alternative<Histogram>(value.data) ||
           std::holds_alternative<Distribution>(value.data) || std::holds_alternative<Series>(value.data) ||
           (std::holds_alternative<Stack>(value.data) && !is_bpftraces(value.type));
}

std::string show(const Value& value, ValueStyle style) {
    std::string out;
    append_value(out, value, style);
    return out;
}

}  // namespace lt
