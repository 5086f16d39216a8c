// Explanations of syntax errors, from specific to general; the first that matches is reported.
#include "parser/lt/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/rows.h"
#include "base/text.h"
#include "parser/chain/check.h"
#include "parser/lt/mistake.h"

namespace lt {
namespace {

using K = Parser::symbol_kind;

constexpr std::string_view pair_example =
    "for example `t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ = hist(latency) >`";
constexpr std::string_view name_example = "for example `span slow_read = k:vfs_read < @ = hist(latency) >`";
constexpr std::string_view timeout_example =
    "for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`";
constexpr std::string_view parameter_example = "for example `param slow = 10ms \"report only what is slower\"`";
constexpr std::string_view example = "for example `k:vfs_read { @ = count(); }` or `k:vfs_read < @ = hist(latency) >`";

// The kind of an expected token.
enum class Group : uint8_t { statement, operand, punctuation, operation };

struct Expected {
    SymbolKind kind;
    Group group;
    std::string_view words;
};

// Tokens that are not listed are never suggested: they mean the same as a listed one, or are rarely intended.
constexpr std::array expected_rows = {
    Expected{K::S_PROBE, Group::statement, "a probe"},     Expected{K::S_IF, Group::statement, "a statement"},
    Expected{K::S_TILDE, Group::operand, "an expression"}, Expected{K::S_PREDICATE_CLOSE, Group::punctuation, "`/`"},
    Expected{K::S_SPAN_OPEN, Group::punctuation, "`<`"},   Expected{K::S_SPAN_CLOSE, Group::punctuation, "`>`"},
    Expected{K::S_LBRACE, Group::punctuation, "`{`"},      Expected{K::S_RBRACE, Group::punctuation, "`}`"},
    Expected{K::S_RPAREN, Group::punctuation, "`)`"},      Expected{K::S_RBRACKET, Group::punctuation, "`]`"},
    Expected{K::S_COMMA, Group::punctuation, "`,`"},       Expected{K::S_SEMICOLON, Group::punctuation, "`;`"},
    Expected{K::S_COLON, Group::punctuation, "`:`"},       Expected{K::S_PLUS, Group::operation, "an operator"},
};

// Tokens that can begin a statement.
constexpr std::array statement_starts = {
    K::S_NAME, K::S_LOCAL, K::S_MAP, K::S_STRING, K::S_INTEGER, K::S_DURATION, K::S_ELLIPSIS, K::S_IF,  K::S_RETURN,
    K::S_NOT,  K::S_TILDE, K::S_FOR, K::S_WHILE,  K::S_UNROLL,  K::S_BREAK,    K::S_CONTINUE, K::S_LET,
};

std::string found_words(const Mistake& m) {
    if (m.found == K::S_YYEOF) return "the end of the text";
    constexpr size_t most = 40;
    const std::string_view text = m.text();
    return text.size() <= most ? fmt::format("`{}`", text) : fmt::format("`{}...`", text.substr(0, most));
}

// An error at the end of the text is shown after the last token.
Span found_span(const Mistake& m) {
    const uint32_t before = m.lexer.before.span.end;
    return m.found == K::S_YYEOF ? Span{before, before} : m.span;
}

bool begins_line_between(const Source& source, uint32_t begin, uint32_t end) {
    return source.at({begin, end}).find('\n') != std::string_view::npos;
}

Diag& say(const Mistake& m, Span span, std::string message, std::string_view hint) {
    Diag& diag = m.lexer.diags.error(span, std::move(message));
    diag.hint = hint;
    return diag;
}

bool already_reported(const Mistake& m) { return m.found == K::S_BAD; }

// Is this after the keyword that begins its item, or after an item without a block of its own in < >?
bool follows_any_keyword(const Mistake& m) {
    const SymbolKind keyword = m.lexer.before.keyword;
    if (keyword == K::S_PARAM || keyword == K::S_TIMEOUT) return true;
    return keyword != K::S_YYEMPTY && m.lexer.item_span().begin < m.span.begin;
}

// Is this in the part of an item that follows its keyword, outside of brackets?
bool follows_keyword(const Mistake& m, SymbolKind keyword) {
    return m.lexer.before.keyword == keyword && m.lexer.before.mode == Mode::code && !m.lexer.before.enclosing;
}

// Does the preceding construct seem to end here?
bool stops_here(const Mistake& m) {
    return m.found == K::S_YYEOF || m.found == K::S_SEMICOLON ||
           begins_line_between(m.lexer.source, m.lexer.before.span.end, m.span.begin);
}

// Is the text after a span's block, on the same line, more likely the rest of a comparison than an item?
bool continues_span(const Mistake& m) {
    const auto& closed = m.lexer.last_span;
    const Span item = m.lexer.item_span();
    if (follows_any_keyword(m)) return false;
    if (!closed || item.begin < closed->second.end) return false;
    if (begins_line_between(m.lexer.source, closed->second.end, item.begin)) return false;
    if (item.begin == m.span.begin) return m.found != K::S_YYEOF && m.found != K::S_PROBE;
    const std::string_view first = m.lexer.source.at(item);
    const bool is_word = first.find(':') == std::string_view::npos;
    return is_word && (m.lexer.before.kind == K::S_THRESHOLD || (m.found != K::S_YYEOF && m.found != K::S_PROBE));
}

bool comparison_in_span(const Mistake& m) {
    const auto& closed = m.lexer.last_span;
    const bool closes_early = m.found == K::S_SPAN_CLOSE && !m.wants_operand();
    if (!closes_early && !continues_span(m)) return false;
    Diag& diag = say(m, closed->second, "this `>` closes the span's block",
                     "put a comparison or shift in a span's block in parentheses: `(a > b)`");
    diag.notes.push_back({closed->first, "the block begins here"});
    return true;
}

// After `param` or `span`: a word on another line is probably not the name.
bool is_without_name(const Mistake& m) {
    if (m.expects(K::S_NAME)) return true;
    return m.expects(K::S_ASSIGN) && m.lexer.before.kind == K::S_NAME &&
           begins_line_between(m.lexer.source, m.lexer.item_span().begin, m.lexer.before.span.begin);
}

// The keyword that begins the item.
Span first_word(const Mistake& m) {
    const Span item = m.lexer.item_span();
    const std::string_view text = m.lexer.source.at(item);
    const auto* end = std::ranges::find_if_not(text, is_word_character);
    return {item.begin, item.begin + static_cast<uint32_t>(end - text.begin())};
}

bool broken_parameter(const Mistake& m) {
    if (!follows_keyword(m, K::S_PARAM)) return false;
    const uint32_t end = m.lexer.before.span.end;
    if (is_without_name(m)) {
        say(m, first_word(m), "a parameter needs a name", parameter_example);
    } else if (stops_here(m)) {
        say(m, {end, end}, "a parameter needs a value", parameter_example);
    } else if (m.expects(K::S_ASSIGN)) {
        say(m, m.span, fmt::format("expected `=` after a parameter's name, found {}", found_words(m)),
            parameter_example);
    } else {
        say(m, m.span, "the value of a parameter must be a number, a duration, a string, true or false",
            parameter_example);
    }
    return true;
}

bool more_than_parameter(const Mistake& m) {
    if (m.lexer.before.keyword != K::S_PARAM || m.lexer.before.mode != Mode::probe || stops_here(m)) return false;
    say(m, m.span, fmt::format("unexpected {} after a parameter", found_words(m)),
        "write one number, duration, string, true or false, optionally followed by a text for the help");
    return true;
}

bool name_of_span(const Mistake& m) {
    if (!follows_keyword(m, K::S_SPAN)) return false;
    if (is_without_name(m)) {
        say(m, first_word(m), "a span needs a name after `span`", name_example);
        return true;
    }
    if (!m.expects(K::S_ASSIGN) || m.expects(K::S_PLUS)) return false;
    say(m, found_span(m), fmt::format("expected `=` after a span's name, found {}", found_words(m)), name_example);
    return true;
}

bool name_of_chain(const Mistake& m) {
    if (!follows_keyword(m, K::S_CHAIN)) return false;
    if (m.lexer.before.kind == K::S_CHAIN) {
        say(m, first_word(m), "a chain needs a name after `chain`", chain_example);
        return true;
    }
    if (!m.expects(K::S_ASSIGN) || m.expects(K::S_PLUS)) return false;
    say(m, found_span(m), fmt::format("expected `=` after a chain's name, found {}", found_words(m)), chain_example);
    return true;
}

bool point_of_chain(const Mistake& m) {
    if (m.lexer.before.keyword != K::S_CHAIN || m.lexer.before.enclosing || !m.expects(K::S_PROBE)) return false;
    const Span after = m.lexer.before.span;
    say(m, found_span(m),
        fmt::format("expected an event after `{}`, found {}", m.lexer.source.at(after), found_words(m)), chain_example);
    return true;
}

// `worst` needs a parameter, which only spans have.
bool worst_of_chain(const Mistake& m) {
    if (m.lexer.before.keyword != K::S_CHAIN || m.found != K::S_WORST) return false;
    say(m, m.span, "a chain has no `> worst`", "write a duration or a parameter, as in `> 10ms`");
    return true;
}

bool block_of_chain(const Mistake& m) {
    if (m.lexer.before.keyword != K::S_CHAIN || m.lexer.before.enclosing || !m.expects(K::S_SPAN_OPEN)) return false;
    if (m.found == K::S_LBRACKET) return false;
    if (m.found == K::S_LBRACE) {
        say(m, m.span, "write the block of a chain in `< ... >`", "write `<` instead of `{` and `>` instead of `}`");
        return true;
    }
    const Span head = {m.lexer.item_span().begin, m.lexer.before.span.end};
    say(m, head, "a chain needs a block: `< ... >`", chain_example);
    return true;
}

bool arrow_without_closer(const Mistake& m) {
    if (m.lexer.before.kind != K::S_ARROW || !m.expects(K::S_PROBE)) return false;
    say(m, found_span(m), fmt::format("expected the event that closes the span after `->`, found {}", found_words(m)),
        pair_example);
    return true;
}

bool arrow_too_late(const Mistake& m) {
    if (m.found != K::S_ARROW || !m.expects(K::S_SPAN_OPEN) || !m.expects(K::S_LBRACE)) return false;
    say(m, m.span, "a span has only one `->`", "write `,` between several closing events");
    return true;
}

bool second_key(const Mistake& m) {
    if (m.found != K::S_LBRACKET || m.lexer.before.mode != Mode::head) return false;
    if (m.lexer.before.kind != K::S_RBRACKET) return false;
    say(m, m.span, "an event has only one key", "write several values in one key: `[a, b]`");
    return true;
}

bool broken_timeout(const Mistake& m) {
    if (!follows_keyword(m, K::S_TIMEOUT)) return false;
    if (m.lexer.before.kind == K::S_TIMEOUT) {
        say(m, found_span(m), fmt::format("expected the duration of a timeout, found {}", found_words(m)),
            timeout_example);
        return true;
    }
    if (!m.expects(K::S_LBRACE)) return false;
    const Span head = {m.lexer.item_span().begin, m.lexer.before.span.end};
    say(m, head, "a timeout needs a block: `{ ... }`", timeout_example);
    return true;
}

// A block that is not closed before its timeout.
bool timeout_inside(const Mistake& m) {
    const std::optional<Open>& open = m.lexer.before.enclosing;
    if (!open || open->bracket != Bracket::angle || !m.expects(K::S_SEMICOLON)) return false;
    const Span before = m.lexer.before.span;
    const bool is_found = m.found == K::S_NAME && m.text() == "timeout";
    const bool is_before = m.lexer.before.kind == K::S_NAME && m.lexer.source.at(before) == "timeout" &&
                           contains(statement_starts, m.found);
    if (!is_found && !is_before) return false;
    say(m, is_found ? m.span : before, "`timeout` belongs after the `>` of a span", timeout_example)
        .notes.push_back({open->span, "this `<` is not closed yet"});
    return true;
}

// Is the innermost open bracket the `(` after `for`?
bool is_in_head_of_for(const Mistake& m) {
    const std::optional<Open>& open = m.lexer.before.enclosing;
    if (!open || open->bracket != Bracket::paren) return false;
    std::string_view text = m.lexer.source.at({0, open->span.begin});
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    constexpr std::string_view word = "for";
    if (!text.ends_with(word)) return false;
    text.remove_suffix(word.size());
    return text.empty() || !is_word_character(text.back());
}

// for ($i = 0; $i < 80; $i++)
bool loop_of_c(const Mistake& m) {
    if (m.wants_operand() || m.expects(K::S_PLUS) || !is_in_head_of_for(m)) return false;
    const bool is_assigned = m.found == K::S_ASSIGN && m.expects(K::S_COLON);
    const bool is_first = m.expects(K::S_LOCAL) && contains(std::array{K::S_NAME, K::S_LET, K::S_SEMICOLON}, m.found);
    if (!is_assigned && !is_first) return false;
    say(m, m.span, "a `for` loop goes over a range of integers or over a map",
        "write `for ($i : 0..80) { ... }`; a loop with another condition or step is a `while`");
    return true;
}

bool is_predicate_in_key(const Mistake& m, const Open& open) {
    const bool is_key = open.bracket == Bracket::square && open.outside == Mode::head;
    return is_key && m.found == K::S_LESS && m.lexer.before.kind == K::S_SLASH;
}

// After the ':' of `[args.pid -> t:a:b` follow probes again.
bool belongs_outside(SymbolKind kind, Bracket bracket) {
    const bool is_square = bracket == Bracket::square;
    return kind == K::S_SEMICOLON || kind == K::S_LBRACE || (is_square && (kind == K::S_ASSIGN || kind == K::S_COLON));
}

// The innermost open bracket is the error if the text ends, if the next item begins, or if a token cannot be inside it.
bool never_closed(const Mistake& m) {
    const std::optional<Open>& open = m.lexer.before.enclosing;
    if (!open) return false;
    const bool is_block = open->bracket == Bracket::brace || open->bracket == Bracket::angle;
    const bool ends = m.found == K::S_YYEOF || item_begins(m.lexer, m.span.begin);
    const bool cannot_be_inside = !is_block && !m.wants_operand() && belongs_outside(m.found, open->bracket);
    if (!ends && !cannot_be_inside && !is_predicate_in_key(m, *open)) return false;
    const BracketRow& row = bracket_row(open->bracket);
    say(m, open->span, fmt::format("this `{}` is never closed", row.open), row.hint);
    return true;
}

std::string_view missing_block_hint(const Mistake& m) {
    const std::string_view probe = m.lexer.source.at(m.lexer.before.span);
    if (m.lexer.before.kind == K::S_PROBE && probe.find('/') != std::string_view::npos &&
        probe.find(":/") == std::string_view::npos) {
        return "write a space before the `/` of a predicate";
    }
    const bool same_line = !begins_line_between(m.lexer.source, m.lexer.before.span.end, m.span.begin);
    if (m.found == K::S_PROBE && m.text() == "timeout") return "write `timeout` after the `>` of the span";
    if (m.found == K::S_PROBE && same_line) return "write `,` between two probes";
    return example;
}

bool missing_block(const Mistake& m) {
    if (!m.expects(K::S_SPAN_OPEN) || !m.expects(K::S_LBRACE)) return false;
    const Span head = {m.lexer.item_span().begin, m.lexer.before.span.end};
    say(m, head, "a probe needs a block: `{ ... }` or `< ... >`", missing_block_hint(m));
    return true;
}

bool threshold_without_span(const Mistake& m) {
    if (!m.expects(K::S_SPAN_OPEN) || (m.found != K::S_LBRACE && m.found != K::S_YYEOF)) return false;
    say(m, found_span(m), "a threshold needs the block of a span after it: `< ... >`",
        "for example `k:vfs_read > 10ms < @ = hist(latency) >`");
    return true;
}

bool assignment_as_value(const Mistake& m) {
    if (m.found != K::S_ASSIGN || !m.expects(K::S_PLUS) || m.lexer.before.mode != Mode::code) return false;
    say(m, m.span, "an assignment with `=` is not a value", "to compare, write `==`");
    return true;
}

bool call_without_parens(const Mistake& m) {
    const bool argument = m.found == K::S_STRING || m.found == K::S_INTEGER || m.found == K::S_MAP ||
                          m.found == K::S_LOCAL || m.found == K::S_NAME;
    if (!m.expects(K::S_SEMICOLON) || !argument || m.lexer.before.kind != K::S_NAME) return false;
    const Span name = m.lexer.before.span;
    if (begins_line_between(m.lexer.source, name.end, m.span.begin)) return false;
    const std::string_view word = m.lexer.source.at(name);
    say(m, m.span, fmt::format("unexpected {} after `{}`", found_words(m), word),
        fmt::format("to call a function, write `{}(...)`; between two statements, write `;`", word));
    return true;
}

bool missing_semicolon(const Mistake& m) {
    if (!m.expects(K::S_SEMICOLON) || !contains(statement_starts, m.found)) return false;
    const uint32_t end = m.lexer.before.span.end;
    say(m, {end, end}, "missing `;` between two statements", "write `;` here");
    return true;
}

std::vector<std::string> alternatives(const Mistake& m) {
    std::vector<std::string> words;
    bool begins_statement = false;
    for (const Expected& row : expected_rows) {
        if (!m.expects(row.kind) || (row.kind == K::S_LBRACE && m.wants_operand())) continue;
        const bool is_said = begins_statement && (row.group == Group::operand || row.kind == K::S_SEMICOLON);
        const bool is_vague = row.group == Group::operation && !words.empty();
        if (!is_said && !is_vague) words.emplace_back(row.words);
        if (row.group == Group::statement) begins_statement = true;
    }
    if (words.empty() && m.expects(K::S_NAME)) words.emplace_back("a name");
    if (words.size() > 5) words.resize(5);
    return words;
}

bool unexpected(const Mistake& m) {
    const std::vector<std::string> words = alternatives(m);
    const std::string message = words.empty() ? "unexpected " + found_words(m)
                                              : fmt::format("expected {}, found {}", either(words), found_words(m));
    say(m, found_span(m), message, m.expects(K::S_PROBE) ? example : "");
    return true;
}

struct Explanation {
    bool (*explains)(const Mistake&);
    Extent extent = Extent::block;
};

constexpr std::array explanations = {
    Explanation{already_reported},
    Explanation{comparison_in_span, Extent::to_next_item},
    Explanation{broken_parameter, Extent::line},
    Explanation{more_than_parameter, Extent::line},
    Explanation{name_of_span},
    Explanation{name_of_chain},
    Explanation{worst_of_chain},
    Explanation{point_of_chain},
    Explanation{arrow_without_closer},
    Explanation{arrow_too_late},
    Explanation{second_key},
    Explanation{broken_timeout},
    Explanation{timeout_inside},
    Explanation{loop_of_c},
    Explanation{never_closed},
    Explanation{block_of_chain},
    Explanation{missing_block},
    Explanation{threshold_without_span},
    Explanation{assignment_as_value},
    Explanation{call_without_parens},
    Explanation{missing_semicolon},
    Explanation{unexpected},
};

}  // namespace

Extent diagnose(const Parser::context& at, Lexing& lexer) {
    Mistake mistake = {lexer, at.token(), at.location(), std::vector<SymbolKind>(Parser::YYNTOKENS)};
    const int count = at.expected_tokens(mistake.expected.data(), Parser::YYNTOKENS);
    mistake.expected.resize(static_cast<size_t>(count));
    const auto explains = [&](const Explanation& e) { return e.explains(mistake); };
    const auto* explanation = std::ranges::find_if(explanations, explains);
    return explanation->extent;
}

}  // namespace lt
