// Strings and buffers that are read from memory, and what is asked about strings.
#include <algorithm>

#include "long_text.h"
#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

// The helpers that read a string, and those that read bytes, by whose memory it is.
struct Readers {
    int kernel;
    int user;
};
constexpr Readers text_readers{115, 114};   // bpf_probe_read_kernel_str, bpf_probe_read_user_str
constexpr Readers bytes_readers{113, 112};  // bpf_probe_read_kernel, bpf_probe_read_user

}  // namespace

// Addresses of user memory and of the kernel are told apart by their highest bit, as the architecture lays them out.
void BodyLowering::read_bytes(ir::Value to, ir::Value size, ast::ExprId address, bool text, Span where, bool lenient) {
    const Readers readers = text ? text_readers : bytes_readers;
    const ir::Value from = integer(address);
    const auto read = [&](int helper, std::string_view memory) {
        const std::string_view what = text ? memory : "";
        if_unreadable(b_->helper(helper, {to, size, from}), from, where, what, lenient);
    };
    if (type(address).user_memory) return read(readers.user, "user string");
    b_->branch(
        b_->alu(ir::Alu::slt, from, b_->constant(0)), [&] { read(readers.kernel, "kernel string"); },
        [&] { read(readers.user, "user string"); });
}

// How many bytes: all of what there is room for, or as many as the script says where that is less.
ir::Value BodyLowering::measure(const ast::Call& node, uint32_t most, uint32_t more) {
    if (node.arguments.size() < 2 || std::holds_alternative<ast::Integer>(program_[node.arguments[1]].node))
        return b_->constant(most);
    const ir::Value asked = b_->alu(ir::Alu::add, integer(node.arguments[1]), b_->constant(more));
    return b_->call(ir::Library::at_most, {asked, b_->constant(most)});
}

// str()
void BodyLowering::text_into(ast::ExprId id, const ast::Call& node, ir::Value to) {
    const ast::ExprId from = node.arguments[0];
    const uint32_t size = type(id).size;
    if (type(from).kind != Kind::string)
        return read_bytes(to, measure(node, size, 1), from, true, program_[id].span, node.lenient);
    if (node.arguments.size() == 1) return string_into(from, to, 0, padded(size));
    // a helper reads the program's own memory as well
    b_->helper(text_readers.kernel, {to, measure(node, size, 1), string(from, padded(type(from).size + 1))});
}

// buf(): the length first
void BodyLowering::buffer_into(ast::ExprId id, const ast::Call& node, ir::Value to) {
    const ast::ExprId from = node.arguments[0];
    const ir::Value length = measure(node, type(id).size - buffer_header, 0);
    const ir::Value bytes = b_->address(to, buffer_header);
    b_->store(to, 0, length);
    if (!in_memory(type(from))) return read_bytes(bytes, length, from, false, program_[id].span, node.lenient);
    b_->helper(bytes_readers.kernel,
               {bytes, length, this->bytes(from, padded(std::max(type(from).size, type(id).size - buffer_header)))});
}

ir::Value BodyLowering::text_length(ast::ExprId, const ast::Call& node) {
    const ast::ExprId text = node.arguments[0];
    const uint32_t size = type(text).size;
    return lt::text_length(*b_, {string(text, padded(size)), size});
}

ir::Value BodyLowering::text_contains(ast::ExprId, const ast::Call& node) {
    const auto [text, sought] = std::pair(node.arguments[0], node.arguments[1]);
    const uint32_t size = type(text).size, other = type(sought).size;
    const Text whole{string(text, padded(size)), size}, part{string(sought, padded(other)), other};
    const bool is_long = size > most_in_line || uint64_t{size} * other > most_searched_in_line;
    if (is_long) return b_->alu(ir::Alu::ne, text_found(*b_, whole, part), b_->constant(-1));
    return b_->call(ir::Library::contains, {whole.at, b_->constant(size), part.at, b_->constant(other)});
}

ir::Value BodyLowering::beginnings_compared(ast::ExprId, const ast::Call& node) {
    const auto [left, right] = std::pair(node.arguments[0], node.arguments[1]);
    const uint64_t asked = std::get<ast::Integer>(program_[node.arguments[2]].node).value;
    const uint32_t room = padded(std::max(type(left).size, type(right).size));
    const ir::Value first = string(left, room), second = string(right, room);  // in this order
    const ir::Value order = text_order(*b_, first, second, static_cast<uint32_t>(std::min<uint64_t>(asked, room)));
    return program_.settings.plain_strncmp ? b_->alu(ir::Alu::ne, order, b_->constant(0)) : order;
}

ir::Value BodyLowering::compared(const ast::Binary& node) {
    const uint32_t room = padded(std::max(type(node.left).size, type(node.right).size));
    const ir::Value left = string(node.left, room), right = string(node.right, room);  // in this order
    const ir::Value order = text_order(*b_, left, right, room);
    return arithmetic(node.op, true, order, b_->constant(0));
}

}  // namespace lt
