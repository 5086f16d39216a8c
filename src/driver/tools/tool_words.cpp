#include "driver/tools/tool_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diag.h"
#include "base/text.h"
#include "driver/tools/tools.h"
#include "parser/lt/expand.h"
#include "parser/parse.h"
#include "parser/tree/params.h"

namespace lt {
namespace {

constexpr uint32_t any_number = std::numeric_limits<uint32_t>::max();

// Collects the numbers of the words in a tree.
class WordFinder {
  public:
    explicit WordFinder(const Source& script) : script_(script) {}

    ToolWords find(const ast::Program& program) {
        for (const ast::Expr& e : program.exprs)
            if (const auto* p = std::get_if<ast::Positional>(&e.node)) use(p->number == 0 ? any_number : p->number);
        for (const ast::Item& i : program.items) item(i);
        return found_;
    }

  private:
    void use(uint32_t number) { found_.most = std::max(found_.most, number); }

    void item(const ast::Item& item) {
        if (std::holds_alternative<ast::Parameter>(item.node)) use(param_names(script_, item).word);
        if (const auto* action = std::get_if<ast::Action>(&item.node))
            for (const ast::ProbeSpec& spec : action->probes) probe(spec);
        if (const auto* span = std::get_if<ast::SpanAction>(&item.node)) {
            events(span->opens);
            events(span->closes);
        }
        if (const auto* chain = std::get_if<ast::Chain>(&item.node)) {
            for (const ast::Chain::Point& point : chain->points) events(point.events);
            for (const ast::Chain::Unless& unless : chain->unless) events(unless.events);
        }
    }

    void events(const std::vector<ast::Endpoint>& endpoints) {
        for (const ast::Endpoint& endpoint : endpoints) probe(endpoint.probe);
    }

    void probe(const ast::ProbeSpec& spec) {
        for (const ast::ProbeSpec::Part& part : spec.parts) {
            const char* const last = part.text.data() + part.text.size();
            for (size_t at = part.text.find('$'); at != std::string::npos; at = part.text.find('$', at + 1)) {
                uint32_t number = 0;
                const char* const end = std::from_chars(part.text.data() + at + 1, last, number).ptr;
                use(number);
                if (number > 0 && spec.parts.size() == 1 && at == 0 && end == last) found_.probe = number;
            }
        }
    }

    const Source& script_;
    ToolWords found_;
};

// The option that the word may have been meant for, such as "-p 1234"; empty if the tool has none.
std::string option_for_word(const std::string& word, const std::vector<ScriptParam>& params) {
    const bool is_number = parse_number<uint32_t>(word).has_value();
    if (!is_number && word.find_first_of(" :*/'") != word.npos) return "";
    const auto takes_it = [&](const ScriptParam& param) {
        const bool is_text = param.value.starts_with('"');
        return !param.is_flag && is_text != is_number && param.short_name == (is_number ? "p" : "n");
    };
    const auto param = std::ranges::find_if(params, takes_it);
    return param == params.end() ? "" : fmt::format("-{} {}", param->short_name, word);
}

std::string hint_for_word(const Command& command, const std::string& word, const Source& script) {
    const std::string see = fmt::format("`lt {} --help` lists its options", command.tool);
    if (command.has(Option::command))
        return fmt::format("quote a command of several words: `-c '{} {}'`; {}", command.text(Option::command),
                           join(command.positional, " "), see);
    const std::string option = option_for_word(word, params_of(script));
    return option.empty() ? see : fmt::format("did you mean `lt {} {}`? {}", command.tool, option, see);
}

// The command line after "Example: " in a tool's manual; empty if there is none.
std::string example_in(const std::string& manual) {
    constexpr std::string_view mark = "Example: ";
    for (const std::string_view line : split(manual, '\n'))
        if (line.starts_with(mark)) return std::string(line.substr(mark.size()));
    return "";
}

}  // namespace

ToolWords words_of_tool(const Source& script) {
    Diags diags;
    Source whole = script;
    load_imports(whole, diags);
    const ast::Program program = read_tree(whole, diags);
    return diags.has_errors() ? ToolWords{any_number, 0} : WordFinder(whole).find(program);
}

Status words_fit_tool(const Command& command, const Source& script) {
    const std::vector<std::string>& words = command.positional;
    // Most runs: the script is not read twice, which costs time before it is attached.
    if (words.empty() && script.text.find("\n$") == std::string::npos) return Done{};
    const ToolWords taken = words_of_tool(script);
    if (words.size() < taken.probe) {
        const std::string example = example_in(manual_of(script.text));
        return Error{fmt::format("{} needs a probe", command.tool),
                     fmt::format("{}`lt {} --help` explains it",
                                 example.empty() ? "" : fmt::format("for example `{}`; ", example), command.tool),
                     0};
    }
    if (words.size() <= taken.most) return Done{};
    const std::string& word = words[taken.most];
    const std::string hint = hint_for_word(command, word, script);
    if (taken.most == 0) return Error{fmt::format("{} takes no word `{}`", command.tool, word), hint, 0};
    return Error{
        fmt::format("{} takes at most {}; `{}` is one too many", command.tool, plural(taken.most, "word"), word), hint,
        0};
}

}  // namespace lt
