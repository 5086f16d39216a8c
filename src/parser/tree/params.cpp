#include "parser/tree/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/literal.h"
#include "base/text.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// In the largest unit of which it is a whole number.
std::string period_text(int64_t nanoseconds) {
    for (const auto& [size, unit] : {std::pair(1000000000, "s"), std::pair(1000000, "ms"), std::pair(1000, "us")})
        if (nanoseconds % size == 0) return fmt::format("{}{}", nanoseconds / size, unit);
    return fmt::format("{}ns", nanoseconds);
}

// The names of parameters in the text: what follows a `$`.
std::vector<std::pair<size_t, std::string>> names_in(std::string_view text) {
    std::vector<std::pair<size_t, std::string>> names;
    for (size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
        size_t end = at + 1;
        if (end == text.size() || !is_letter(text[end])) continue;
        while (end < text.size() && is_word_character(text[end])) end++;
        names.emplace_back(at, text.substr(at + 1, end - at - 1));
    }
    return names;
}

class ParamPlacer {
  public:
    ParamPlacer(ast::Program& program, const Invocation& given, Diags& diags)
        : program_(program), given_(given), diags_(diags) {}

    void run() {
        std::set<size_t> gone;
        for (size_t i = 0; i < program_.items.size(); i++) {
            ast::Item& item = program_.items[i];
            if (auto* action = std::get_if<ast::Action>(&item.node)) {
                if (is_off(*action)) gone.insert(i);
                for (ast::ProbeSpec& p : action->probes) probe(p);
            }
            if (auto* span = std::get_if<ast::SpanAction>(&item.node)) {
                for (ast::Endpoint& e : span->opens) probe(e.probe);
                for (ast::Endpoint& e : span->closes) probe(e.probe);
            }
        }
        for (const size_t param : fixed_) {
            make_constant(std::get<ast::Parameter>(program_.items[param].node));
            gone.insert(param);
        }
        for (auto i = gone.rbegin(); i != gone.rend(); ++i)
            program_.items.erase(program_.items.begin() + static_cast<ptrdiff_t>(*i));
    }

  private:
    // An interval whose period is a parameter that is 0 now.
    bool is_off(const ast::Action& action) {
        if (action.probes.size() != 1 || action.probes[0].parts.size() < 2) return false;
        const std::vector<ast::ProbeSpec::Part>& parts = action.probes[0].parts;
        const ProbeRow* row = find_probe(parts[0].text);
        if (row == nullptr || row->kind != ProbeKind::interval || !parts[1].text.starts_with('$')) return false;
        const ast::Parameter* param = find(std::string_view(parts[1].text).substr(1));
        const auto number = param == nullptr ? std::nullopt : number_word(value_of(*param));
        return number && number->size == 0;
    }

    // Notes that it is a constant.
    const ast::Parameter* find(std::string_view name) {
        for (size_t i = 0; i < program_.items.size(); i++) {
            const auto* p = std::get_if<ast::Parameter>(&program_.items[i].node);
            if (p == nullptr || p->name != name) continue;
            fixed_.insert(i);
            return p;
        }
        return nullptr;
    }

    const std::string* given(const std::string& name) const {
        const auto is_it = [&](const auto& setting) { return setting.first == name; };
        const auto last = std::find_if(given_.named.rbegin(), given_.named.rend(), is_it);
        return last == given_.named.rend() ? nullptr : &last->second;
    }

    std::string default_of(const ast::Parameter& param) const {
        const ast::ExprNode& node = program_[param.value].node;
        if (const auto* text = std::get_if<ast::String>(&node)) return text->value;
        if (const auto* duration = std::get_if<ast::Duration>(&node)) return period_text(duration->nanoseconds);
        const auto* number = std::get_if<ast::Integer>(&node);
        return number == nullptr ? "" : std::to_string(number->value);
    }

    std::string value_of(const ast::Parameter& param) const {
        const std::string* text = given(param.name);
        return text == nullptr ? default_of(param) : *text;
    }

    void probe(ast::ProbeSpec& spec) {
        for (ast::ProbeSpec::Part& part : spec.parts) {
            const auto names = names_in(part.text);
            for (auto i = names.rbegin(); i != names.rend(); ++i) {
                const auto& [at, name] = *i;
                const ast::Parameter* param = find(name);
                if (param != nullptr) part.text.replace(at, name.size() + 1, value_of(*param));
                // a file or a symbol may have a `$` in its name
                else if (name.size() + 1 == part.text.size())
                    unknown(part, name);
            }
        }
    }

    void unknown(const ast::ProbeSpec::Part& part, const std::string& name) {
        std::vector<std::string_view> names;
        for (const ast::Item& item : program_.items)
            if (const auto* p = std::get_if<ast::Parameter>(&item.node)) names.push_back(p->name);
        const std::vector<std::string> near = closest(name, names);
        diags_.error(part.span, fmt::format("there is no parameter `{}`", name)).hint =
            near.empty() ? fmt::format("declare it: `param {} = 1s`", name) : did_you_mean(near, "$");
    }

    // The value takes the place of the name in all expressions.
    void make_constant(const ast::Parameter& param) {
        program_.options.push_back({param.name, default_of(param), param.help});
        ast::ExprNode value = program_[param.value].node;
        const std::string* text = given(param.name);
        if (text != nullptr) {
            const auto number = number_word(*text);
            const bool is_duration = std::holds_alternative<ast::Duration>(value);
            const bool fits = std::holds_alternative<ast::String>(value) ||
                              (number && !number->is_negative && number->is_duration == is_duration);
            if (!fits) {
                diags_
                    .error({}, fmt::format("`{}` is not a value for `{}`, which is {}", *text, param.name,
                                           is_duration ? "a duration" : "a number"))
                    .hint = fmt::format("for example `--{} {}`", param.name, is_duration ? "1s" : "7");
                return;
            }
            if (auto* duration = std::get_if<ast::Duration>(&value))
                duration->nanoseconds = static_cast<int64_t>(number->size);
            else if (auto* whole = std::get_if<ast::Integer>(&value))
                whole->value = number->size;
            else
                value = ast::String{*text};
        }
        for (ast::Expr& e : program_.exprs)
            if (const auto* name = std::get_if<ast::Name>(&e.node); name && name->name == param.name) e.node = value;
    }

    ast::Program& program_;
    const Invocation& given_;
    Diags& diags_;
    std::set<size_t> fixed_;  // indices of items
};

}  // namespace

ParamNames param_names(const Source& source, const ast::Item& item) {
    constexpr std::string_view keyword = "param";
    const Span name = std::get<ast::Parameter>(item.node).name_span;
    const Span before{item.span.begin + static_cast<uint32_t>(keyword.size()), name.begin};
    const std::string_view text = source.at(before);
    ParamNames names;
    for (size_t at = 0; at < text.size();) {
        const char mark = text[at++];
        if (mark != '-' && mark != '$') continue;
        if (mark == '-') at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
        const size_t begin = at;
        while (at < text.size() && is_word_character(text[at])) at++;
        const std::string_view word = text.substr(begin, at - begin);
        if (mark == '-') {
            names.fits = names.fits && names.short_name.empty() && word.size() == 1;
            names.short_name = word;
        } else {
            names.fits = names.fits && names.word == 0;
            std::from_chars(word.data(), word.data() + word.size(), names.word);
        }
    }
    return names;
}

void place_params(ast::Program& program, const Invocation& given, Diags& diags) {
    ParamPlacer(program, given, diags).run();
}

}  // namespace lt
