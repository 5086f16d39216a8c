// Texts in a port: SystemTap's have up to 511 bytes, lt's 63 unless the script sets max_strlen.
#include <algorithm>
#include <array>
#include <optional>

#include "stdlib/format.h"
#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

constexpr size_t usual_letters = 63;

class TextSizes {
  public:
    TextSizes(const Tree& tree, const Machine& machine) : tree_(tree), machine_(machine) {}

    // Can the function return more than the usual letters?
    bool is_long(ast::ExprId id) const {
        if (const auto* both = joined(id)) return is_text(id) && (is_kept(both->left) || is_kept(both->right));
        const auto* call = tree_.get<ast::Call>(id);
        if (call == nullptr) return false;
        if (call->name == "name_text") return true;  // of a stack: all its addresses
        if (call->name == "sprintf") return printed(*call).value_or(usual_letters + 1) > usual_letters;
        if (call->name != "str" || call->arguments.size() != 1) return false;
        const auto* member = tree_.get<ast::Member>(call->arguments[0]);
        return !member || member->field != "comm";
    }

    // Is a text appended to a variable or a map?
    bool grows(ast::StmtId id) const {
        const auto* assign = tree_.get<ast::Assign>(id);
        return assign != nullptr && assign->op == ast::BinaryOp::add && is_text(assign->value);
    }

  private:
    const ast::Binary* joined(ast::ExprId id) const {
        const auto* binary = tree_.get<ast::Binary>(id);
        return binary && binary->op == ast::BinaryOp::add ? binary : nullptr;
    }
    bool is_text(ast::ExprId id) const {
        if (const auto* both = joined(id)) return is_text(both->left) || is_text(both->right);
        return tree_.get<ast::String>(id) || tree_.call(id, {"sprintf", "str", "substr", "name_text"}) ||
               machine_.type(tree_.origin(id)) == Known::other;
    }
    // lt gives a text that is joined to one of these the size max_strlen if it can grow.
    bool is_kept(ast::ExprId id) const { return tree_.get<ast::Local>(id) || tree_.get<ast::Map>(id); }

    // The most letters that sprintf() makes; empty: unknown.
    std::optional<size_t> printed(const ast::Call& call) const {
        const auto* format = tree_.get<ast::String>(call.arguments[0]);
        if (format == nullptr) return {};
        FormatReader reader(format->value);
        size_t all = 0, value = 0;
        while (const auto piece = reader.next()) {
            if (!piece->takes_value()) {
                all += piece->span.end - piece->span.begin;
                continue;
            }
            if (++value >= call.arguments.size()) return {};
            const auto letters = printed(*piece, call.arguments[value]);
            if (!letters) return {};
            all += std::max<size_t>({piece->width, piece->precision.value_or(0), *letters});
        }
        return all;
    }
    std::optional<size_t> printed(const FormatPiece& piece, ast::ExprId value) const {
        constexpr size_t of_comm = 15;
        using enum Conversion;
        constexpr std::array numbers{decimal, unsigned_, hex, upper_hex, character};
        if (std::ranges::find(numbers, piece.conversion) != numbers.end())
            return digits(value, piece.conversion == decimal);
        if (piece.conversion != string) return {};
        if (const auto* text = tree_.get<ast::String>(value)) return text->value.size();
        if (tree_.is_name(value, "comm")) return of_comm;
        const bool is_number =
            tree_.is_name(value, "pid") || tree_.is_name(value, "tid") || tree_.get<ast::Integer>(value);
        if (!is_number) return {};
        return digits(value, true);
    }
    // With the sign. A number below zero has 16 hexadecimal digits, whatever its size.
    size_t digits(ast::ExprId value, bool is_decimal) const {
        constexpr size_t of_word = 6, of_int = 11, most = 20;
        constexpr uint64_t word = 0xffff;
        if (const auto* call = tree_.call(value, {"bswap"})) return digits(call->arguments[0], is_decimal);
        const ast::ExprId number = tree_.bare(value);
        const auto* cast = tree_.get<ast::Cast>(number);
        if (cast && cast->type.pointers == 0 && cast->type.name == "uint16") return of_word;
        const auto* binary = tree_.get<ast::Binary>(number);
        const bool is_masked = binary && binary->op == ast::BinaryOp::bit_and;
        const auto* mask = is_masked ? tree_.get<ast::Integer>(tree_.bare(binary->right)) : nullptr;
        if (mask && mask->value <= word) return of_word;
        const uint32_t size = machine_.size(tree_.origin(number));
        const bool is_unsigned = machine_.type(tree_.origin(number)) == Known::small_unsigned;
        if (is_unsigned && size <= sizeof(uint16_t)) return of_word;
        return (is_decimal || is_unsigned) && size > 0 && size <= sizeof(int32_t) ? of_int : most;
    }

    const Tree& tree_;
    const Machine& machine_;
};

}  // namespace

bool has_long_texts(const Tree& tree, const Machine& machine) {
    const TextSizes sizes(tree, machine);
    return std::ranges::any_of(tree.program.items, [&](const ast::Item& item) {
        bool grows = false;
        if (const ast::Block* body = Tree::body(item))
            tree.each_stmt(*body, [&](ast::StmtId id) { grows = grows || sizes.grows(id); });
        return grows || tree.any_expr(item, [&](ast::ExprId id) { return sizes.is_long(id); });
    });
}

}  // namespace lt::port
