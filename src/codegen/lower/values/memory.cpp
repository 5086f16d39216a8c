#include "codegen/lower/values/memory.h"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <functional>

#include "codegen/lower/statements/error.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

// The helpers that read a string or bytes from kernel and user memory.
struct Readers {
    int kernel;
    int user;
};

constexpr Readers text_readers{BPF_FUNC_probe_read_kernel_str, BPF_FUNC_probe_read_user_str};
constexpr Readers bytes_readers{BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_user};

}  // namespace

// The highest bit distinguishes user and kernel addresses, according to the architecture's memory layout. In the block
// of a timeout, user memory would be lt's own.
void read_bytes(Lowering& l, ir::Value to, ir::Value size, ast::ExprId address, bool text, Span where, bool lenient) {
    const Readers readers = text ? text_readers : bytes_readers;
    const ir::Value from = integer_of(l, address);
    const auto read = [&](int helper, std::string_view memory) {
        const std::string_view what = text ? memory : "";
        if_unreadable(l, l.b.helper(helper, {to, size, from}), from, where, what, lenient);
    };
    if (l.type(address).user_memory) return read(readers.user, "user string");
    l.b.branch(
        l.b.alu(ir::Alu::slt, from, l.b.constant(0)), [&] { read(readers.kernel, "kernel string"); },
        [&] {
            if (l.stuck != ir::no_value) return l.b.loss(l.unit.loss(LossKind::failed_read, 0));
            read(readers.user, "user string");
        });
}

void count_failure(Lowering& l, ir::Value result) {
    l.b.branch(l.b.alu(ir::Alu::slt, result, l.b.constant(0)),
               [&] { l.b.loss(l.unit.loss(LossKind::failed_read, 0)); });
}

ir::Value read_word(Lowering& l, ir::Value address, uint8_t width, bool is_signed, bool user, Span where,
                    bool lenient) {
    if (!l.raises() || lenient || (l.unit.source.is_library(where.begin) && l.attempts.empty()))
        return l.b.fetch(address, width, is_signed, user, l.unit.loss(LossKind::failed_read, 0));
    const ir::Value room = l.b.buffer(8);
    const int helper = user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel;
    const ir::Value result = l.b.extend(l.b.helper(helper, {room, l.b.constant(width), address}), 4, true);
    if_unreadable(l, result, address, where, "");
    return l.b.load(room, 0, width, is_signed);
}

void if_unreadable(Lowering& l, ir::Value result, ir::Value address, Span where, std::string_view what, bool lenient) {
    if (!l.raises() || lenient || (l.unit.source.is_library(where.begin) && l.attempts.empty()))
        return count_failure(l, result);
    std::string text = what.empty() ? "read fault" : fmt::format("{} copy fault", what);
    if (l.unit.source.at(where).starts_with("kernel_string")) text = "kernel string copy fault";
    if (l.program.settings.systemtap_hints) text += " [man error::fault]";
    l.b.branch(l.b.alu(ir::Alu::slt, result, l.b.constant(0)),
               [&] { raise_error(l, text, near_word(l, where), address); });
}

// The helper replaces the last byte by a zero, so that byte is read separately.
ir::Value read_letters(Lowering& l, ir::Value to, uint32_t size, bool user,
                       const std::function<ir::Value(uint32_t)>& at) {
    const ir::Value all = l.b.constant(size);
    const ir::Value read =
        l.b.helper(user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str, {to, all, at(0)});
    l.b.branch(l.b.alu(ir::Alu::eq, read, all), [&] {
        const ir::Value last = size == 1 ? to : l.b.address(to, size - 1);
        l.b.helper(user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel, {last, l.b.constant(1), at(size - 1)});
    });
    return read;
}

}  // namespace lt
