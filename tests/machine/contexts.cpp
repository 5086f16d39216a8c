// Layouts are those of Linux: struct pt_regs, a trampoline's array of u64, the record of a tracepoint. What a
// program must not rely on holds poison.
#include "machine/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>

#include "arch/arch.h"

namespace lt::machine {
namespace {

constexpr uint32_t most_arguments = 12;

const std::span<const arch::Register> argument_registers = arch::native.arguments;
const size_t registers_size = std::ranges::max(arch::native.registers, {}, &arch::Register::offset).offset + 8;
// struct bpf_perf_event_data: the registers, then the sample's period and address.
const size_t sample_size = registers_size + 16;

constexpr Address trampoline_at = 0xffffc80000b00000;
constexpr Address kernel_stack_at = 0xffffc90000a00000;
constexpr uint64_t frame_size = 256;
constexpr Address user_stack_at = 0x7ffc00001000;

Error mistake(std::string what) { return {std::move(what), "", 0}; }

void put(Bytes& bytes, size_t offset, uint64_t value, size_t size = 8) { std::memcpy(&bytes[offset], &value, size); }

// ---- arguments of functions

std::optional<uint32_t> numbered(std::string_view name) {
    if (!name.starts_with("arg")) return {};
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(name.data() + 3, name.data() + name.size(), number);
    if (error != std::errc{} || stop != name.data() + name.size() || number >= most_arguments) return {};
    return number;
}

std::optional<uint32_t> argument_number(std::string_view name, const std::vector<Field>& parameters) {
    if (const auto number = numbered(name)) return number;
    const auto named = std::ranges::find(parameters, name, &Field::name);
    return named == parameters.end() ? std::nullopt : std::optional(named->offset);
}

using ArgumentValues = std::array<uint64_t, most_arguments>;

Result<ArgumentValues> arguments_of(const Hit& hit, const std::vector<Field>& parameters) {
    ArgumentValues values{};
    for (const auto& [name, given] : hit.values) {
        const auto number = argument_number(name, parameters);
        const auto* value = std::get_if<uint64_t>(&given);
        if (!number) return mistake(fmt::format("{} has no argument `{}`", hit.place, name));
        if (!value) return mistake(fmt::format("argument `{}` is not a number", name));
        values[*number] = *value;
    }
    return values;
}

std::vector<Field> parameters_of(Kernel& kernel, const Attachment& attachment) {
    const auto function = kernel.function(subject(attachment));
    return function ? function->parameters : std::vector<Field>{};
}

// ---- contexts

// At a return the registers of the arguments hold whatever the function left there.
Bytes registers_of(const Hit& hit, const ArgumentValues& values, Address stack, size_t size) {
    Bytes context(size, poison);
    for (size_t i = 0; i < argument_registers.size() && !hit.at_return(); i++)
        put(context, argument_registers[i].offset, values[i]);
    if (hit.at_return()) put(context, arch::native.result.offset, *hit.result);
    put(context, arch::native.stack_pointer.offset, stack);
    return context;
}

// The return address, then the arguments that found no register.
Bytes stack_of(const ArgumentValues& values) {
    Bytes stack(8 * (1 + most_arguments - argument_registers.size()), poison);
    for (size_t i = argument_registers.size(); i < most_arguments; i++)
        put(stack, 8 * (1 + i - argument_registers.size()), values[i]);
    return stack;
}

// Calls inside each other lie below each other. After a return the return address has been taken off, but a breakpoint
// stops before that.
Address stack_pointer(Address base, Way way, const Hit& hit, const Environment& environment) {
    return base - frame_size * environment.call_depth + (hit.at_return() && !lt::way_row(way).decoded ? 8 : 0);
}

Result<Bytes> in_registers(Kernel& kernel, const Attachment& attachment, const Hit& hit, Environment& environment,
                           size_t size, Way way) {
    auto values = arguments_of(hit, parameters_of(kernel, attachment));
    if (!values) return values.error();
    const Address stack = stack_pointer(kernel_stack_at, way, hit, environment);
    if (!hit.at_return()) environment.kernel.put(stack, stack_of(*values));
    return registers_of(hit, *values, stack, size);
}

Result<Bytes> kprobe_context(Kernel& kernel, const Attachment& attachment, const Hit& hit, Environment& environment) {
    return in_registers(kernel, attachment, hit, environment, registers_size, Way::kprobe);
}

Result<Bytes> sample_context(Kernel& kernel, const Attachment& attachment, const Hit& hit, Environment& environment) {
    return in_registers(kernel, attachment, hit, environment, sample_size, Way::breakpoint);
}

template <Way way>
Result<Bytes> uprobe_context(Kernel&, const Attachment&, const Hit& hit, Environment& environment) {
    auto values = arguments_of(hit, {});
    if (!values) return values.error();
    const Address stack = stack_pointer(user_stack_at, way, hit, environment);
    if (!hit.at_return()) environment.user.put(stack, stack_of(*values));
    return registers_of(hit, *values, stack, registers_size);
}

// A trampoline hands on the arguments of the entry also at the return, behind them the result.
Result<Bytes> trampoline_context(Kernel& kernel, const Attachment& attachment, const Hit& hit,
                                 Environment& environment) {
    const std::vector<Field> parameters = parameters_of(kernel, attachment);
    auto values = arguments_of(hit, parameters);
    if (!values) return values.error();
    size_t words = 0;  // a structure can take two
    for (const Field& p : parameters) words += padded_size(p.type.size) / 8;
    environment.function_arguments = words;
    environment.context_at = trampoline_at - frame_size * environment.call_depth;
    Bytes context(8 * (words + (hit.at_return() ? 1 : 0)));
    for (size_t i = 0; i < words; i++) put(context, 8 * i, (*values)[i]);
    if (hit.at_return()) put(context, 8 * words, *hit.result);
    return context;
}

// ---- tracepoints

// `__data_loc` points at bytes behind the fields.
void put_located(Bytes& record, const Field& field, const std::string& text) {
    const uint64_t length = text.size() + 1;
    put(record, field.offset, length << 16 | (record.size() - (field.relative ? field.offset + 4 : 0)), 4);
    record.insert(record.end(), text.begin(), text.end());
    record.push_back(0);
}

Status put_field(Bytes& record, const Field& field, const Given& given) {
    const auto* text = std::get_if<std::string>(&given);
    if (!text && field.type.kind == Kind::integer) {
        put(record, field.offset, std::get<uint64_t>(given), field.type.size);
        return Done{};
    }
    if (!text || field.type.kind != Kind::string)
        return mistake(fmt::format("field `{}` is {}", field.name, type_name(field.type)));
    if (field.data_location) return put_located(record, field, *text), Done{};
    if (text->size() > field.type.size)
        return mistake(fmt::format("field `{}` has {} bytes", field.name, field.type.size));
    std::copy(text->begin(), text->end(), record.begin() + field.offset);
    return Done{};
}

size_t record_size(const Tracepoint& tracepoint) {
    size_t size = 8;  // the fields that all tracepoints have
    for (const Field& field : tracepoint.fields)
        size = std::max<size_t>(size, field.offset + (field.data_location ? 4 : field.type.size));
    return (size + 7) / 8 * 8;
}

Result<Bytes> tracepoint_context(Kernel& kernel, const Attachment& attachment, const Hit& hit, Environment&) {
    const auto* call = std::get_if<CallSite>(&attachment.site);
    const TracepointSite& at = call ? call->own : std::get<TracepointSite>(attachment.site);
    auto tracepoint = kernel.tracepoint(at.category, at.event);
    if (!tracepoint) return tracepoint.error();
    Bytes record(record_size(*tracepoint));
    for (const auto& [name, given] : hit.values) {
        const auto field = std::find_if(tracepoint->fields.begin(), tracepoint->fields.end(),
                                        [&](const Field& f) { return f.name == name; });
        if (field == tracepoint->fields.end()) return mistake(fmt::format("{} has no field `{}`", hit.place, name));
        if (auto done = put_field(record, *field, given); !done) return done.error();
    }
    return record;
}

// The arguments one behind the other, 8 bytes each.
Result<Bytes> raw_tracepoint_context(Kernel& kernel, const Attachment& attachment, const Hit& hit, Environment&) {
    const auto tracepoint = kernel.raw_tracepoint(std::get<RawTracepointSite>(attachment.site).event);
    const std::vector<Field> parameters = tracepoint ? tracepoint->parameters : std::vector<Field>{};
    auto values = arguments_of(hit, parameters);
    if (!values) return values.error();
    Bytes context(8 * parameters.size());
    for (size_t i = 0; i < parameters.size(); i++) put(context, 8 * i, (*values)[i]);
    return context;
}

struct WayRow {
    Way way;
    Result<Bytes> (*context)(Kernel&, const Attachment&, const Hit&, Environment&);
};
constexpr std::array ways{
    WayRow{Way::tracepoint, tracepoint_context},
    WayRow{Way::fentry, trampoline_context},
    WayRow{Way::kprobe, kprobe_context},
    WayRow{Way::kprobe_multi, kprobe_context},
    WayRow{Way::uprobe, uprobe_context<Way::uprobe>},
    WayRow{Way::ret_multi, uprobe_context<Way::ret_multi>},
    WayRow{Way::ret, uprobe_context<Way::ret>},
    WayRow{Way::uprobe_multi, uprobe_context<Way::uprobe_multi>},
    WayRow{Way::breakpoint, sample_context},
    WayRow{Way::raw_tracepoint, raw_tracepoint_context},
    WayRow{Way::system_call, tracepoint_context},
};

}  // namespace

Result<Bytes> make_context(Kernel& kernel, Way way, const Attachment& attachment, const Hit& hit,
                           Environment& environment) {
    for (const WayRow& row : ways)
        if (row.way == way) return row.context(kernel, attachment, hit, environment);
    return mistake(fmt::format("{} is not hit from outside", attachment.program));
}

}  // namespace lt::machine
