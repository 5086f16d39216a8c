// Functions that convert a value, or combine several values; functions about spans and processes.
#include <linux/bpf.h>

#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/spans/call.h"
#include "codegen/lower/spans/pair.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/stack.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/lower/values/variable.h"
#include "codegen/typed/stacks.h"
#include "systemtap/tables/stp.h"

namespace lt {
namespace {

void description_into(Lowering& l, ast::ExprId id, const ast::Call&, ir::Value to) {
    const Type& record = l.type(id);
    size_t part = 1;  // part 0 is the number, which stays zero
    for (const std::string& text : std::get<TextsUse>(l.use(id)).texts) {
        const uint32_t room = padded_size(record.shape->parts[part].size);
        l.b.copy(to, tuple_offset(record, part++), l.b.text(l.unit.text(text, room)), room);
    }
}

constexpr int64_t most_errors = 4095;  // MAX_ERRNO

ir::Value is_error(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    return b.alu(ir::Alu::uge, integer_of(l, node.arguments[0]), b.constant(-most_errors));
}

template <bool process>
ir::Value number_in_namespace(Lowering& l, ast::ExprId, const ast::Call& node) {
    if (l.stuck != ir::no_value) return variable_value(l, {process ? Variable::pid : Variable::tid, 0});
    if (std::get<ast::Name>(l.expr(node.arguments[0]).node).name != "init") return renumbered(l, process);
    Builder& b = l.b;
    const ir::Value both = b.helper(BPF_FUNC_get_current_pid_tgid);
    return process ? b.alu(ir::Alu::lshr, both, b.constant(32)) : b.extend(both, 4, false);
}

ir::Value whole_number(Lowering& l, ast::ExprId id, const ast::Call& node) {
    const ast::ExprId from = node.arguments[0];
    if (pointee(l.type(from)) == nullptr) return integer_of(l, from);
    Builder& b = l.b;
    const Type& type = l.type(id);
    const ir::Value room = b.buffer(8);
    read_bytes(l, room, b.constant(type.size), from, false);
    return b.load(room, 0, static_cast<uint8_t>(type.size), type.is_signed);
}

void whole_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const ast::ExprId from = node.arguments[0];
    const Type& type = l.type(id);
    if (pointee(l.type(from)) == nullptr) return text_into(l, from, to, 0, padded_size(type.size));
    read_bytes(l, to, l.b.constant(type.size), from, type.kind == Kind::string);
}

constexpr std::string_view entry_event = "sys_enter_";

// For a system call that is not in the table, the types distinguish addresses from numbers.
std::string letters_of(const Tracepoint& event, const std::vector<Field>& fields) {
    const StpSystemCall* call = find_stp_system_call(std::string_view(event.event).substr(entry_event.size()));
    std::string letters(call ? call->arguments : "");
    // Arguments with symbolic names are printed as numbers here.
    constexpr std::string_view plain = "diuxs", with_sign = "ASWYN";
    for (char& letter : letters) {
        if (plain.find(letter) == plain.npos) letter = with_sign.find(letter) == with_sign.npos ? 'x' : 'i';
    }
    for (size_t i = letters.size(); i < fields.size(); i++)
        letters += pointee(fields[i].type) || fields[i].type.view == View::hex ? 'x' : 'd';
    return letters.substr(0, fields.size());
}

std::vector<Field> fields_of_call(const Tracepoint& event) {
    std::vector<Field> out;
    for (const Field& field : event.fields) {
        if (field.type.kind == Kind::integer && field.name != syscall_number) out.push_back(field);
    }
    return out;
}

// One argument: its format for the kernel, and its value.
std::pair<std::string_view, ir::Value> formatted_argument(Lowering& l, const Field& field, char letter, uint32_t size) {
    Builder& b = l.b;
    const ir::Value value = argument_value(l, field);
    if (letter == 'x') return {"0x%llx", value};
    if (letter == 'u') return {"%llu", value};
    if (letter == 'd') return {"%lld", value};
    if (letter == 'i') return {"%lld", b.extend(value, 4, true)};
    const ir::Value room = b.buffer(padded_size(size));
    b.store(room, 0, b.constant(0));
    b.helper(BPF_FUNC_probe_read_user_str, {room, b.constant(size), value});
    return {"\"%s\"", room};
}

void syscall_into(Lowering& l, ast::ExprId id, const ast::Call&, ir::Value to) {
    Builder& b = l.b;
    const Tracepoint& event = record(l.body.place);
    const std::vector<Field> fields = fields_of_call(event);
    const std::string letters = letters_of(event, fields);
    const uint32_t size = l.type(id).size;
    const auto bytes = static_cast<uint32_t>(8 * fields.size());
    const ir::Value data = bytes == 0 ? b.constant(0) : b.buffer(bytes);
    std::string format;
    for (size_t i = 0; i < fields.size(); i++) {
        const auto [text, value] = formatted_argument(l, fields[i], letters[i], size);
        b.store_address(data, static_cast<uint32_t>(8 * i), value);
        format += (i > 0 ? ", " : "") + std::string(text);
    }
    const ir::Value format_text = b.text(l.unit.text(format, static_cast<uint32_t>(format.size() + 1)));
    const ir::Value needed = b.helper(BPF_FUNC_snprintf, {to, b.constant(size), format_text, data, b.constant(bytes)});
    count_failure(l, needed);
    if (!l.program.settings.cut_mark.empty()) return;  // marked when it is printed
    b.branch(b.alu(ir::Alu::sgt, needed, b.constant(size)), [&] {
        for (uint32_t i = 2; i <= 4 && i <= size; i++) b.store(to, size - i, b.constant('.'), 1);
    });
}

ir::Value span_age(Lowering& l, ast::ExprId, const ast::Call& node) {
    const uint32_t index = std::get<SpanUse>(l.use(node.arguments[0])).index;
    const PlannedSpan& planned = l.unit.span(index);
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(0));
    const ir::Value now = l.b.helper(BPF_FUNC_ktime_get_ns);
    if (planned.state != SpanState::key) {
        const ir::Value thread = thread_state(l, index, false);
        l.b.branch(thread, [&] {
            l.b.write(result, l.b.call(ir::Library::span_age,
                                       {thread, l.b.constant(planned.opening_size), l.b.constant(planned.depth), now}));
        });
        return l.b.read(result);
    }
    const ir::Value opening = l.b.find(l.unit.layout(index).map, span_key(l, index, node.arguments, 1));
    l.b.branch(opening, [&] {
        const ir::Value time = l.b.load(opening, time_offset);
        const ir::Value later = l.b.alu(ir::Alu::ugt, now, time);
        l.b.branch(time, [&] { l.b.branch(later, [&] { l.b.write(result, l.b.alu(ir::Alu::sub, now, time)); }); });
    });
    return l.b.read(result);
}

void numbers_into(Lowering& l, ast::ExprId id, const ast::Call&, ir::Value to) {
    const auto& all = std::get<ArgumentsUse>(l.use(id));
    uint32_t offset = 0;
    const auto store = [&](ir::Value value) {
        l.b.store(to, offset, value);
        offset += 8;
    };
    for (const Field& field : all.fields) store(argument_value(l, field));
    for (const ProgramVariable& v : all.variables) store(program_value(l, v));
}

void stack_at_call(Lowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    const Variable which = *stack_variable(find_function(node.name)->id);
    stack_into(l, which, stack_request(l.program, node).frames, to);
}

// function, number, bytes, statement
constexpr CodeRule value_rules[] = {
    {Function::entry, first_argument},
    {Function::kptr, first_argument},
    {Function::uptr, first_argument},
    {Function::size_of, known_number},
    {Function::kstack, nullptr, stack_at_call},
    {Function::ustack, nullptr, stack_at_call},
    {Function::age, span_age},
    {Function::is_str, known_number},
    {Function::is_ptr, known_number},
    {Function::is_array, known_number},
    {Function::is_integer, known_number},
    {Function::is_unsigned_integer, known_number},
    {Function::is_literal, known_number},
    {Function::default_str_length, known_number},
    {Function::kfunc_exist, known_number},
    {Function::kfunc_allowed, known_number},
    {Function::is_err, is_error},
    {Function::pid_in, number_in_namespace<true>},
    {Function::tid_in, number_in_namespace<false>},
    {Function::type_info, nullptr, description_into},
    {Function::all_args, nullptr, numbers_into},
    {Function::whole, whole_number, whole_into},
    {Function::syscall_args, nullptr, syscall_into},
};

}  // namespace

std::span<const CodeRule> value_code() { return value_rules; }

}  // namespace lt
