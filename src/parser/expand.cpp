#include "expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "probe_text.h"
#include "stdlib/builtins.h"

namespace lt {
namespace {

std::string_view name_of(Function id) { return function_row(id).name; }

std::optional<uint64_t> integer_of(std::string_view text) {
    const bool is_hex = text.starts_with("0x");
    if (is_hex) text.remove_prefix(2);
    const bool is_negative = !is_hex && text.starts_with("-");
    if (is_negative) text.remove_prefix(1);
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value, is_hex ? 16 : 10);
    if (error != std::errc{} || at != end || text.empty()) return std::nullopt;
    return is_negative ? uint64_t{0} - value : value;
}

// Puts in their places what the command line gives.
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
        if (program_.settings.uses_environment) environment();  // goes before what the program sets
        put_settings(program_);
        // str($1) before $1: only there a word is one.
        for (ast::Expr& e : program_.exprs) call(e);
        for (ast::Expr& e : program_.exprs) {
            if (const auto* p = std::get_if<ast::Positional>(&e.node)) e.node = positional(*p);
        }
    }

  private:
    void settings(const ast::Config& config) {
        for (const ast::Config::Setting& s : config.settings) {
            const SettingRow* row = find_setting(s.name);
            if (row == nullptr) {
                unknown_setting(s);
            } else if (!row->set(program_.settings, s.value)) {
                diags_.error(s.value_span, fmt::format("'{}' is no value for {}", s.value, row->name)).hint =
                    fmt::format("it takes {}", row->values);
            }
        }
    }

    void environment() {
        if (const std::string wrong = take_environment(program_.settings); !wrong.empty())
            diags_.error({}, fmt::format("the value of {} in the environment does not fit", wrong));
        for (const IgnoredVariable& v : ignored_environment())
            diags_.warning({}, fmt::format("{} in the environment has no effect: {}", v.name, v.why));
    }

    void unknown_setting(const ast::Config::Setting& s) {
        std::vector<std::string_view> names;
        for (const SettingRow& row : setting_rows()) names.push_back(row.name);
        const auto near = closest(s.name, names);
        diags_.error(s.name_span, fmt::format("there is no setting '{}'", s.name)).hint =
            near.empty() ? "for example config = { max_map_keys = 10000 }"
                         : fmt::format("did you mean {}?", either(near));
    }

    // bpftrace's own library calls what it is made of by such names, and so can a program.
    static void builtin(ast::Expr& e) {
        constexpr std::string_view prefix = "__builtin_", architecture = "__builtin_arch";
        auto* name = std::get_if<ast::Name>(&e.node);
        auto* call = std::get_if<ast::Call>(&e.node);
        std::string* text = name ? &name->name : call ? &call->name : nullptr;
        if (!text || !text->starts_with(prefix)) return;
        if (name && *text == architecture) {
            e.node = ast::String{"x86_64"};
            return;
        }
        const std::string plain = text->substr(prefix.size());
        if (call ? find_function(plain) != nullptr : plain == "config" || find_variable(plain)) *text = plain;
    }

    std::optional<std::string_view> word(uint32_t number) const {
        if (number == 0 || number > given_.positional.size()) return std::nullopt;
        return given_.positional[number - 1];
    }

    ast::ExprNode positional(const ast::Positional& p) const {
        if (p.number == 0) return ast::Integer{given_.positional.size()};
        const auto text = word(p.number);
        if (!text) return ast::Integer{0};
        if (const auto value = integer_of(*text)) return ast::Integer{*value};
        return ast::String{std::string(*text)};
    }

    void call(ast::Expr& e) {
        const auto* node = std::get_if<ast::Call>(&e.node);
        if (node == nullptr) return;
        if (node->name == name_of(Function::getopt)) return option(e, *node);
        if (node->name != name_of(Function::str) || node->arguments.empty()) return;
        const auto* sum = std::get_if<ast::Binary>(&program_[node->arguments[0]].node);
        const bool adds = sum != nullptr && sum->op == ast::BinaryOp::add;
        const auto* p = std::get_if<ast::Positional>(&program_[adds ? sum->left : node->arguments[0]].node);
        const auto* behind = adds ? std::get_if<ast::Integer>(&program_[sum->right].node) : nullptr;
        if (p == nullptr || (adds && behind == nullptr)) return;
        std::string text =
            p->number == 0 ? std::to_string(given_.positional.size()) : std::string(word(p->number).value_or(""));
        if (behind != nullptr) text.erase(0, std::min<uint64_t>(behind->value, text.size()));
        e.node = ast::String{std::move(text)};
    }

    // $1 inside of a probe's text.
    void probe(ast::ProbeSpec& spec) {
        const bool is_whole = spec.parts.size() == 1 && spec.parts[0].text.find('$') != std::string::npos;
        put_words(spec);
        if (!is_whole) return;
        const Span span = spec.parts[0].span;  // a word that stands for all of it has colons
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
                        .error(part.span, fmt::format("there is no ${}: the script was given {} words", number,
                                                      given_.positional.size()))
                        .hint = "write them behind the script's name";
                }
                const std::string with(text.value_or(""));
                if (number == 0) break;
                part.text.replace(at, end - at, with);
                at += with.size();
            }
        }
    }

    void option(ast::Expr& e, const ast::Call& node) {
        const auto* name =
            node.arguments.empty() ? nullptr : std::get_if<ast::String>(&program_[node.arguments[0]].node);
        if (name == nullptr || node.arguments.size() > 3) {
            diags_.error(e.span, "getopt() takes the name of an option, its default and what it is for").hint =
                "for example getopt(\"limit\", 10, \"how many\")";
            return;
        }
        const bool is_flag = node.arguments.size() < 2;
        const ast::ExprNode otherwise = is_flag ? ast::ExprNode(ast::Boolean{false}) : program_[node.arguments[1]].node;
        const auto* description =
            node.arguments.size() < 3 ? nullptr : std::get_if<ast::String>(&program_[node.arguments[2]].node);
        program_.options.push_back(
            {name->value, is_flag ? "" : written(otherwise), description == nullptr ? "" : description->value});
        const auto given = std::find_if(given_.named.begin(), given_.named.end(),
                                        [&](const auto& n) { return n.first == name->value; });
        if (given == given_.named.end()) {
            e.node = otherwise;
            return;
        }
        e.node = value_like(otherwise, given->first, given->second);
    }

    static std::string written(const ast::ExprNode& node) {
        if (const auto* text = std::get_if<ast::String>(&node)) return quoted(text->value);
        if (const auto* truth = std::get_if<ast::Boolean>(&node)) return truth->value ? "true" : "false";
        const auto* number = std::get_if<ast::Integer>(&node);
        return number == nullptr ? "..." : std::to_string(number->value);
    }

    ast::ExprNode value_like(const ast::ExprNode& otherwise, const std::string& name, const std::string& text) {
        if (std::holds_alternative<ast::String>(otherwise)) return ast::String{text};
        const bool is_truth = std::holds_alternative<ast::Boolean>(otherwise);
        if (text == "true" || text.empty()) return is_truth ? ast::ExprNode(ast::Boolean{true}) : ast::Integer{1};
        if (text == "false") return is_truth ? ast::ExprNode(ast::Boolean{false}) : ast::Integer{0};
        const auto value = integer_of(text);
        if (!value) diags_.error({}, fmt::format("--{} takes a number, not '{}'", name, text));
        return is_truth ? ast::ExprNode(ast::Boolean{value.value_or(0) != 0}) : ast::Integer{value.value_or(0)};
    }

    ast::Program& program_;
    const Invocation& given_;
    Diags& diags_;
};

}  // namespace

void expand(ast::Program& program, const Invocation& given, Diags& diags) {
    Placer(program, given, diags).run();
    expand_calls(program, diags);
    constant_formats(program);
    fold_addresses(program);
}

}  // namespace lt
