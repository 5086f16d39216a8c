// string =~ "pattern": comparisons of the string with the texts that the pattern stands for.
#include <fmt/format.h>

#include "stp_clone.h"
#include "stp_names.h"
#include "stp_regex.h"

namespace lt::stp {
namespace {

constexpr uint64_t most_bytes = 511;

// Makes expressions of lt about one string.
class Matcher {
  public:
    Matcher(ast::Program& program, Span where, ast::ExprId text) : program_(program), where_(where), text_(text) {}

    ast::ExprId way(const RegexWay& way) {
        if (way.parts.size() == 2) return both(way);
        const std::string& part = way.parts.front();
        if (way.at_begin && way.at_end) return binary(ast::BinaryOp::equal, text(), string(part));
        if (way.at_begin) return begins(part);
        if (way.at_end) return ends(part);
        return binary(ast::BinaryOp::greater_equal, found(text(), part), number(0));
    }
    ast::ExprId any(ast::ExprId a, ast::ExprId b) { return binary(ast::BinaryOp::logical_or, a, b); }
    ast::ExprId as_number(ast::ExprId id) { return add(ast::Conditional{id, number(1), number(0)}); }

  private:
    ast::ExprId add(ast::ExprNode node) { return program_.add(where_, std::move(node)); }
    ast::ExprId number(uint64_t n) { return add(ast::Integer{n}); }
    ast::ExprId string(const std::string& s) { return add(ast::String{s}); }
    ast::ExprId text() { return clone(program_, text_); }
    ast::ExprId call(const char* name, std::vector<ast::ExprId> given) {
        return add(ast::Call{name, where_, std::move(given)});
    }
    ast::ExprId plain(ast::ExprId value) { return add(ast::Cast{{where_, "int64", 0, {}}, value}); }
    ast::ExprId binary(ast::BinaryOp op, ast::ExprId a, ast::ExprId b) { return add(ast::Binary{op, a, b}); }
    ast::ExprId length() { return plain(call("strlen", {text()})); }
    ast::ExprId found(ast::ExprId in, const std::string& part) {
        if (part.empty()) return number(0);
        return plain(call("strstr", {in, string(part)}));
    }
    ast::ExprId begins(const std::string& part) {
        return binary(ast::BinaryOp::equal, call("substr", {text(), number(0), number(part.size())}), string(part));
    }
    ast::ExprId ends(const std::string& part) {
        const ast::ExprId from = binary(ast::BinaryOp::subtract, length(), number(part.size()));
        const ast::ExprId last = call("substr", {text(), from, number(part.size())});
        return binary(ast::BinaryOp::logical_and, binary(ast::BinaryOp::greater_equal, length(), number(part.size())),
                      binary(ast::BinaryOp::equal, last, string(part)));
    }
    // The second part behind the first.
    ast::ExprId both(const RegexWay& way) {
        const std::string &first = way.parts[0], &second = way.parts[1];
        const ast::ExprId one =
            way.at_begin ? begins(first) : binary(ast::BinaryOp::greater_equal, found(text(), first), number(0));
        const ast::ExprId behind = way.at_begin
                                       ? number(first.size())
                                       : binary(ast::BinaryOp::add, found(text(), first), number(first.size()));
        if (!way.at_end) {
            const ast::ExprId rest = call("substr", {text(), behind, number(most_bytes)});
            return binary(ast::BinaryOp::logical_and, one,
                          binary(ast::BinaryOp::greater_equal, found(rest, second), number(0)));
        }
        const ast::ExprId room =
            binary(ast::BinaryOp::less_equal, binary(ast::BinaryOp::add, behind, number(second.size())), length());
        return binary(ast::BinaryOp::logical_and, one, binary(ast::BinaryOp::logical_and, room, ends(second)));
    }

    ast::Program& program_;
    Span where_;
    ast::ExprId text_;
};

}  // namespace

void NameResolver::match(ast::ExprId id, const ast::Call& n) {
    const auto* pattern = std::get_if<ast::String>(&node(n.arguments[1]));
    if (pattern == nullptr) {
        diags_.error(span(n.arguments[1]), "a regular expression is a string in quotes");
        return;
    }
    const Result<std::vector<RegexWay>> ways = regex_ways(pattern->value);
    if (!ways) {
        diags_
            .error(span(n.arguments[1]), fmt::format("lt does not match {} in a regular expression", ways.error().what))
            .hint = "there are texts, (a|b), [abc], x?, .*, ^ and $; isinstr(string, part) looks for a part";
        return;
    }
    expr(n.arguments[0]);
    Matcher matcher(program_, span(id), n.arguments[0]);
    ast::ExprId all = matcher.way(ways->front());
    for (size_t i = 1; i < ways->size(); i++) all = matcher.any(all, matcher.way((*ways)[i]));
    put(id, node(matcher.as_number(all)));
}

}  // namespace lt::stp
