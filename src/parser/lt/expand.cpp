#include "parser/lt/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "arch/arch.h"
#include "base/literal.h"
#include "base/text.h"
#include "parser/chain/expand.h"
#include "parser/tree/params.h"
#include "parser/tree/probe_text.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

std::string_view name_of(Function id) { return function_row(id).name; }

// The words for true and false, in upper or lower case; empty: neither.
std::optional<bool> truth_of(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (text.empty() || text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

// Puts the values of the command line into the tree.
class Placer {
  public:
    Placer(ast::Program& program, const Invocation& given, Diags& diags)
        : program_(program), given_(given), diags_(diags) {}

    void run() {
        for (ast::Item& item : program_.items) {
            if (const auto* config = std::get_if<ast::Config>(&item.node)) settings(*config);
            if (auto* action = std::get_if<ast::Action>(&item.node)) {
                for (ast::ProbeSpec& p : action->probes) probe(p);
            }
            if (auto* span = std::get_if<ast::SpanAction>(&item.node)) {
                for (ast::Endpoint& e : span->opens) probe(e.probe);
                for (ast::Endpoint& e : span->closes) probe(e.probe);
            }
        }
        for (ast::Expr& e : program_.exprs) builtin(e);
        if (program_.settings.uses_environment) environment();  // after the program's own settings, which it overrides
        put_settings(program_);
        // str($1) before $1: only in str() is a word a string. By index: a negative number adds an expression.
        for (size_t i = 0; i < program_.exprs.size(); i++) call(i);
        for (size_t i = 0; i < program_.exprs.size(); i++) {
            if (const auto* p = std::get_if<ast::Positional>(&program_.exprs[i].node))
                program_.exprs[i].node = positional(*p, program_.exprs[i].span);
        }
    }

  private:
    void settings(const ast::Config& config) {
        for (const ast::Config::Setting& s : config.settings) {
            const SettingRow* row = find_setting(s.name);
            if (row == nullptr) {
                unknown_setting(s);
            } else if (!row->set(program_.settings, s.value)) {
                diags_.error(s.value_span, fmt::format("`{}` is not a valid value for `{}`", s.value, row->name)).hint =
                    fmt::format("use {}", row->values);
            }
        }
    }

    void environment() {
        if (const std::string wrong = take_environment(program_.settings); !wrong.empty())
            diags_.error({}, fmt::format("the value of `{}` in the environment is not valid", wrong));
        for (const IgnoredVariable& v : ignored_environment())
            diags_.warning({}, fmt::format("`{}` in the environment has no effect: {}", v.name, v.why));
    }

    void unknown_setting(const ast::Config::Setting& s) {
        std::vector<std::string_view> names;
        for (const SettingRow& row : setting_rows()) names.push_back(row.name);
        const auto near = closest(s.name, names);
        diags_.error(s.name_span, fmt::format("unknown setting `{}`", s.name)).hint =
            near.empty() ? "for example `config = { max_map_keys = 10000 }`" : did_you_mean(near);
    }

    // bpftrace's own library uses such names for its primitives, and a program may use them, too.
    static void builtin(ast::Expr& e) {
        constexpr std::string_view prefix = "__builtin_", architecture = "__builtin_arch";
        auto* name = std::get_if<ast::Name>(&e.node);
        auto* call = std::get_if<ast::Call>(&e.node);
        std::string* text = name ? &name->name : call ? &call->name : nullptr;
        if (!text || !text->starts_with(prefix)) return;
        if (name && *text == architecture) {
            e.node = ast::String{std::string(arch::native.name)};
            return;
        }
        const std::string plain = text->substr(prefix.size());
        if (call ? find_function(plain) != nullptr : plain == "config" || find_variable(plain)) *text = plain;
    }

    std::optional<std::string_view> word(uint32_t number) const {
        if (number == 0 || number > given_.positional.size()) return std::nullopt;
        return given_.positional[number - 1];
    }

    // The number as if it were written in the program.
    ast::ExprNode number_node(const NumberWord& number, Span where) {
        ast::ExprNode size = number.is_duration ? ast::ExprNode(ast::Duration{static_cast<int64_t>(number.size)})
                                                : ast::Integer{number.size};
        if (!number.is_negative) return size;
        return ast::Unary{ast::UnaryOp::minus, program_.add(where, std::move(size))};
    }

    ast::ExprNode positional(const ast::Positional& p, Span where) {
        if (p.number == 0) return ast::Integer{given_.positional.size()};
        const auto text = word(p.number);
        if (!text) return ast::Integer{0};
        if (const auto number = number_word(*text)) return number_node(*number, where);
        return ast::String{std::string(*text)};
    }

    // The number, if it is known before types are.
    std::optional<uint64_t> whole_number(ast::ExprId id) const {
        if (const auto* number = program_.get<ast::Integer>(id)) return number->value;
        const auto* p = program_.get<ast::Positional>(id);
        if (p == nullptr) return std::nullopt;
        if (p->number == 0) return given_.positional.size();
        const auto number = number_word(word(p->number).value_or("0"));
        return number && !number->is_negative ? std::optional(number->size) : std::nullopt;
    }

    void call(size_t index) {
        const auto* node = std::get_if<ast::Call>(&program_.exprs[index].node);
        if (node == nullptr) return;
        if (node->name == name_of(Function::getopt)) return option(index, ast::Call(*node));
        if (node->name == name_of(Function::str) && !node->arguments.empty())
            string_of_word(program_.exprs[index], ast::Call(*node));
    }

    // str($1), str($1 + 2), str($1, 5): at most that many characters of the word.
    void string_of_word(ast::Expr& e, const ast::Call& node) {
        const auto* sum = program_.get<ast::Binary>(node.arguments[0]);
        const bool adds = sum != nullptr && sum->op == ast::BinaryOp::add;
        const auto* p = program_.get<ast::Positional>(adds ? sum->left : node.arguments[0]);
        const auto skipped = adds ? whole_number(sum->right) : std::nullopt;
        if (p == nullptr || (adds && !skipped)) return;
        std::string text =
            p->number == 0 ? std::to_string(given_.positional.size()) : std::string(word(p->number).value_or(""));
        text.erase(0, std::min<uint64_t>(skipped.value_or(0), text.size()));
        const auto length = node.arguments.size() == 2 ? whole_number(node.arguments[1]) : std::nullopt;
        if (length && *length < text.size()) text.resize(*length);
        if (node.arguments.size() == 1 || length) {
            e.node = ast::String{std::move(text)};
        } else {  // the length is known later
            program_.put(node.arguments[0], ast::String{std::move(text)});
        }
    }

    // $1 in the text of a probe.
    void probe(ast::ProbeSpec& spec) {
        const bool is_whole = spec.parts.size() == 1 && spec.parts[0].text.find('$') != std::string::npos;
        put_words(spec);
        if (!is_whole) return;
        const Span span = spec.parts[0].span;  // a word that replaces the whole probe contains colons
        spec.parts = split_probe(spec.parts[0].text, span.begin).parts;
        for (ast::ProbeSpec::Part& part : spec.parts) part.span = span;
    }

    void put_words(ast::ProbeSpec& spec) {
        for (ast::ProbeSpec::Part& part : spec.parts) {
            for (size_t at = part.text.find('$'); at != std::string::npos; at = part.text.find('$', at)) {
                size_t end = at + 1;
                while (end < part.text.size() && std::isdigit(static_cast<unsigned char>(part.text[end])) != 0) end++;
                uint32_t number = 0;
                std::from_chars(part.text.data() + at + 1, part.text.data() + end, number);
                const auto text = word(number);
                if (!text && number > 0) {
                    diags_
                        .error(part.span, fmt::format("there is no `${}`: the script has {}", number,
                                                      plural(given_.positional.size(), "argument")))
                        .hint = "write arguments after the script's name";
                }
                const std::string with(text.value_or(""));
                if (number == 0) break;
                part.text.replace(at, end - at, with);
                at += with.size();
            }
        }
    }

    void option(size_t index, const ast::Call& node) {
        const Span where = program_.exprs[index].span;
        const auto* name = node.arguments.empty() ? nullptr : program_.get<ast::String>(node.arguments[0]);
        if (name == nullptr || node.arguments.size() > 3) {
            diags_.error(where, "`getopt()` takes the name of an option, its default and a description").hint =
                "for example `getopt(\"limit\", 10, \"how many\")`";
            return;
        }
        const bool is_flag = node.arguments.size() < 2;
        const ast::ExprNode otherwise = is_flag ? ast::ExprNode(ast::Boolean{false}) : program_[node.arguments[1]].node;
        const auto* description = node.arguments.size() < 3 ? nullptr : program_.get<ast::String>(node.arguments[2]);
        program_.options.push_back(
            {name->value, is_flag ? "" : written(otherwise), description == nullptr ? "" : description->value});
        if (given_.keeps_options) {
            const ast::ExprId value = node.arguments[is_flag ? 0 : 1];
            return parameter(program_.exprs[index], std::string(name->value), value, otherwise);
        }
        const auto given = std::ranges::find_if(given_.named, [&](const auto& n) { return n.first == name->value; });
        ast::ExprNode value = otherwise;
        if (given != given_.named.end()) value = value_like(otherwise, given->first, given->second, where);
        program_.exprs[index].node = std::move(value);
    }

    // The default replaces one of getopt()'s arguments, which nothing reads after this.
    void parameter(ast::Expr& e, const std::string& name, ast::ExprId value, const ast::ExprNode& otherwise) {
        const bool exists = std::ranges::any_of(program_.items, [&](const ast::Item& item) {
            const auto* p = std::get_if<ast::Parameter>(&item.node);
            return p != nullptr && p->name == name;
        });
        const Span span = e.span;
        const std::string help = program_.options.back().description;
        e.node = ast::Name{name};
        program_.put(value, otherwise);
        if (!exists) program_.items.push_back({span, ast::Parameter{name, span, value, help}});
    }

    std::string written(const ast::ExprNode& node) const {
        if (const auto* text = std::get_if<ast::String>(&node)) return quoted(text->value);
        if (const auto* truth = std::get_if<ast::Boolean>(&node)) return truth->value ? "true" : "false";
        const auto* unary = std::get_if<ast::Unary>(&node);
        if (unary != nullptr && unary->op == ast::UnaryOp::minus) return "-" + written(program_[unary->operand].node);
        const auto* number = std::get_if<ast::Integer>(&node);
        return number == nullptr ? "..." : std::to_string(number->value);
    }

    ast::ExprNode value_like(const ast::ExprNode& otherwise, const std::string& name, const std::string& text,
                             Span where) {
        if (std::holds_alternative<ast::String>(otherwise)) return ast::String{text};
        const auto truth = truth_of(text);
        if (std::holds_alternative<ast::Boolean>(otherwise)) {
            if (!truth) diags_.error({}, fmt::format("`--{}` takes true or false, not `{}`", name, text));
            return ast::Boolean{truth.value_or(false)};
        }
        if (const auto number = number_word(text)) return number_node(*number, where);
        if (!truth) diags_.error({}, fmt::format("`--{}` takes a number, not `{}`", name, text));
        return ast::Integer{truth.value_or(false) ? 1U : 0U};
    }

    ast::Program& program_;
    const Invocation& given_;
    Diags& diags_;
};

}  // namespace

void expand(ast::Program& program, const Invocation& given, Diags& diags) {
    expand_chains(program, diags);
    place_params(program, given, diags);
    Placer(program, given, diags).run();
    expand_calls(program, diags);
    constant_formats(program);
    fold_addresses(program);
}

}  // namespace lt
