#include "codegen/lower/values/long_text.h"

namespace lt {
namespace {

ir::Value byte_at(Builder& b, Text text, ir::Value i) {
    const ir::Value inside = b.call(ir::Library::at_most, {i, b.constant(text.size - 1)});
    return b.load(b.address_plus(text.at, inside), 0, 1);
}

ir::Value long_length(Builder& b, Text text) {
    const uint32_t length = b.new_slot();
    b.write(length, b.constant(text.size));
    b.long_loop(b.constant(text.size), [&] {
        const ir::Value i = b.turn();
        const auto end = [&] {
            b.write(length, i);
            b.stop();
        };
        b.branch(byte_at(b, text, i), [] {}, end);
    });
    return b.read(length);
}

ir::Value long_order(Builder& b, ir::Value left, ir::Value right, uint32_t size) {
    const uint32_t order = b.new_slot();
    b.write(order, b.constant(0));
    b.long_loop(b.constant(size), [&] {
        const ir::Value i = b.turn(), l = byte_at(b, {left, size}, i), r = byte_at(b, {right, size}, i);
        const auto differ = [&] {
            const ir::Value above = b.alu(ir::Alu::ugt, l, r);
            b.write(order, b.alu(ir::Alu::sub, b.alu(ir::Alu::shl, above, b.constant(1)), b.constant(1)));
            b.stop();
        };
        b.branch(b.alu(ir::Alu::ne, l, r), differ, [&] { b.branch(l, [] {}, [&] { b.stop(); }); });
    });
    return b.read(order);
}

// Continues after `next` if the part does not begin at i.
void begins_at(Builder& b, Text text, Text part, ir::Value i, const std::function<void()>& found, uint32_t next) {
    if (part.size <= most_in_line) {
        const ir::Value begins =
            b.call(ir::Library::begins_at, {text.at, b.constant(text.size), part.at, b.constant(part.size), i});
        return b.branch(begins, found);
    }
    b.long_loop(b.constant(part.size), [&] {
        const ir::Value j = b.turn(), wanted = byte_at(b, part, j), at = b.alu(ir::Alu::add, i, j);
        b.branch(wanted, [] {}, found);
        b.branch(b.alu(ir::Alu::uge, at, b.constant(text.size)), [&] { b.quit(next); });
        b.branch(b.alu(ir::Alu::ne, byte_at(b, text, at), wanted), [&] { b.quit(next); });
    });
    found();
}

ir::Value long_found(Builder& b, Text text, Text part) {
    const uint32_t where = b.new_slot();
    b.write(where, b.constant(-1));
    b.scope([&](uint32_t all) {
        b.long_loop(b.constant(text.size), [&] {
            const ir::Value i = b.turn();
            const auto found = [&] {
                b.write(where, i);
                b.quit(all);
            };
            b.scope([&](uint32_t next) { begins_at(b, text, part, i, found, next); });
            b.branch(byte_at(b, text, i), [] {}, [&] { b.stop(); });
        });
    });
    return b.read(where);
}

}  // namespace

ir::Value text_length(Builder& b, Text text) {
    if (text.size > most_in_line) return long_length(b, text);
    return b.call(ir::Library::length, {text.at, b.constant(text.size)});
}

ir::Value text_order(Builder& b, ir::Value left, ir::Value right, uint32_t size) {
    if (size > most_in_line) return long_order(b, left, right, size);
    return b.call(ir::Library::compare, {left, right, b.constant(size)});
}

ir::Value bytes_equal(Builder& b, ir::Value left, ir::Value right, uint32_t size) {
    const uint32_t same = b.new_slot();
    b.write(same, b.constant(1));
    b.long_loop(b.constant(size / 8), [&] {
        const ir::Value word = b.call(ir::Library::at_most, {b.turn(), b.constant(size / 8 - 1)});
        const ir::Value at = b.alu(ir::Alu::mul, word, b.constant(8));
        const ir::Value l = b.load(b.address_plus(left, at), 0), r = b.load(b.address_plus(right, at), 0);
        const auto differ = [&] {
            b.write(same, b.constant(0));
            b.stop();
        };
        b.branch(b.alu(ir::Alu::ne, l, r), differ);
    });
    return b.read(same);
}

bool is_long_search(const Builder& b, Text text, Text part) {
    const bool in_loop = !b.loops().own && b.loops().frames > 0;
    const uint64_t most = in_loop ? most_searched_in_loop : most_searched_in_line;
    return text.size > most_in_line || uint64_t{text.size} * part.size > most;
}

ir::Value text_found(Builder& b, Text text, Text part) {
    if (is_long_search(b, text, part)) return long_found(b, text, part);
    return b.call(ir::Library::find, {text.at, b.constant(text.size), part.at, b.constant(part.size)});
}

}  // namespace lt
