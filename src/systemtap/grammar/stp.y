// The grammar of SystemTap scripts, after the preprocessor. Its actions only call TreeBuilder; link() finds out what
// names mean.
%require "3.8"
%language "c++"
%define api.namespace {lt::stp}
%define api.parser.class {Parser}
%define api.value.type variant
%define api.value.automove
%define api.token.constructor
%define api.location.type {lt::Span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0

%code top {
// Bison's tables trigger these warnings.
#pragma GCC diagnostic ignored "-Wconversion"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif
}

%code requires {
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {
class Feed;
class TreeBuilder;
using Marks = std::pair<bool, bool>;  // ? and !
using Keys = std::vector<std::string>;
}  // namespace lt::stp

#ifndef YYLLOC_DEFAULT
#define YYLLOC_DEFAULT(current, rhs, n)                                                                         \
    (current) = (n) > 0 ? ::lt::cover(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) : ::lt::Span {                         \
        YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end                                                               \
    }
#endif
}

%code {
#include "systemtap/grammar/build.h"
#include "systemtap/grammar/diagnose.h"
#include "systemtap/grammar/feed.h"

// The generated parser does not limit its stack, so the feed gets its height.
#define yylex(feed) feed.next(static_cast<size_t>(yystack_.size()))

using lt::ast::BinaryOp;
using lt::ast::UnaryOp;
}

%param {lt::stp::Feed& feed}
%parse-param {lt::stp::TreeBuilder& build}

%token END 0
%token BAD RESUME  // already reported; where parsing resumes after an error
%token <std::string> NAME "a name" TARGET "a target variable" WHOLE "a $ after a value" AT "an @-word" STRING "a string" EMBEDDED "C" POINT "a probe point"
%token <int64_t> NUMBER "a number"
%token PROBE "probe" GLOBAL "global" PRIVATE "private" FUNCTION "function" IF "if" ELSE "else" FOR "for" FOREACH "foreach" IN "in"
%token LIMIT "limit" RETURN "return" DELETE "delete" WHILE "while" BREAK "break" CONTINUE "continue" NEXT "next" TRY "try" CATCH "catch"
%token T_LONG "long" T_STRING "string"
%token LBRACE "{" RBRACE "}" LPAREN "(" RPAREN ")" LBRACKET "[" RBRACKET "]" COMMA "," SEMICOLON ";"
%token ASSIGN "=" ASSIGN_ADD "+=" ASSIGN_SUBTRACT "-=" ASSIGN_MULTIPLY "*=" ASSIGN_DIVIDE "/=" ASSIGN_MODULO "%=" ASSIGN_LEFT "<<="
%token ASSIGN_RIGHT ">>=" ASSIGN_AND "&=" ASSIGN_OR "|=" ASSIGN_XOR "^=" ASSIGN_JOIN ".=" COLLECT "<<<"
%token QUESTION "?" COLON ":" LOGICAL_OR "||" LOGICAL_AND "&&" BIT_OR "|" BIT_XOR "^" BIT_AND "&" MATCH "=~" NO_MATCH "!~" EQUAL "=="
%token NOT_EQUAL "!=" LESS "<" LESS_EQUAL "<=" GREATER ">" GREATER_EQUAL ">=" SHIFT_LEFT "<<" SHIFT_RIGHT ">>" SHIFT_ZEROS ">>>" DOT "." PLUS "+" MINUS "-"
%token STAR "*" SLASH "/" PERCENT "%" NOT "!" TILDE "~" INCREMENT "++" DECREMENT "--" ARROW "->"

// A statement is as long as possible; an `else` belongs to the nearest `if`.
%precedence SHORT
%precedence "else" ";" NAME TARGET AT STRING EMBEDDED NUMBER "!" "~"
%right "=" "+=" "-=" "*=" "/=" "%=" "<<=" ">>=" "&=" "|=" "^=" ".=" "<<<"
%right "?" ":"
%left "||"
%left "&&"
%left "|"
%left "^"
%left "&"
%left "in"
%left "=~" "!~" "==" "!=" "<" "<=" ">" ">="
%left "<<" ">>" ">>>"
%left "."
%left "+" "-"
%left "*" "/" "%"
%precedence PREFIX
%precedence "++" "--"
%precedence "->" "[" "("

%type <std::vector<Point>> points marked point_path point_part
%type <Marks> marks
%type <std::optional<std::variant<int64_t, std::string>>> point_argument
%type <ast::Block> block statement_block
%type <std::vector<ast::StmtId>> statements
%type <ast::StmtId> statement simple
%type <std::optional<ast::StmtId>> maybe_simple
%type <ast::ExprId> expr literal reference
%type <std::optional<ast::ExprId>> maybe_expr
%type <std::vector<ast::ExprId>> arguments list keys
%type <ast::ExprId> key
%type <Global> global_name
%type <uint64_t> array_size
%type <Function> signature
%type <std::vector<Function::Parameter>> parameters parameter_list
%type <Function::Parameter> parameter
%type <std::string> type
%type <std::optional<ast::BinaryOp>> assign
%type <Each> each each_array
%type <Each::Name> each_name
%type <std::vector<Each::Name>> each_keys each_list
%type <Each::Sort> sort
%type <std::vector<ast::ExprId>> slice
%type <std::optional<ast::ExprId>> each_limit
%type <int64_t> priority

%%

program: items;
items: %empty | items item;
item:
    "probe" points block                          { build.probe(@$, $2, $3); }
  | "probe" points "=" points block               { build.alias(@$, $2, $4, $5, {}); }
  | "probe" points "=" points block "," block     { build.alias(@$, $2, $4, $5, $7); }
  | "probe" points "+=" points block              { build.alias(@$, $2, $4, {}, $5); }
  | privately "global" globals
  | "private" globals
  | privately "function" signature block           { auto f = $3; f.body = $4; build.function(std::move(f)); }
  | privately "function" signature EMBEDDED        { auto f = $3; f.embedded = $4; f.embedded_span = @4; build.function(std::move(f)); }
  | EMBEDDED { build.embedded(@$, $1); }
  | ";"
  | error RESUME { yyerrok; }
  ;
privately: %empty | "private";

points:
    marked
  | points "," marked { $$ = $1; const auto more = $3; $$.insert($$.end(), more.begin(), more.end()); }
  ;
marked:
    point_path marks                 { $$ = $1; const Marks m = $2; for (Point& p : $$) p.span = @$, p.optional |= m.first, p.sufficient |= m.second; }
  | point_path marks "if" "(" expr ")" {
        $$ = $1;
        const Marks m = $2;
        const auto armed = $5;
        for (Point& p : $$) p.span = @1, p.optional |= m.first, p.sufficient |= m.second, p.armed = armed;
    }
  ;
marks: %empty {} | marks "?" { $$ = $1; $$.first = true; } | marks "!" { $$ = $1; $$.second = true; };
point_path:
    point_part
  | point_path "." point_part { $$ = build.product($1, $3); }
  ;
point_part:
    POINT                        { Point p; p.span = @$; p.parts.push_back({@$, $1, {}}); $$.push_back(std::move(p)); }
  | POINT "(" point_argument ")" { Point p; p.span = @$; p.parts.push_back({@$, $1, $3}); $$.push_back(std::move(p)); }
  | "{" points "}"               { $$ = $2; }
  ;
point_argument:
    STRING     { $$ = $1; }
  | NUMBER     { $$ = $1; }
  | "-" NUMBER { $$ = -$2; }
  ;

globals: global | globals "," global;
global:
    global_name             { build.global($1); }
  | global_name "=" literal { auto g = $1; g.value = $3; build.global(std::move(g)); }
  ;
global_name:
    NAME                      { $$.name = $1; $$.span = @1; }
  | NAME array_size           { $$.name = $1; $$.span = @1; $$.size = $2; }
  | NAME "%"                  { $$.name = $1; $$.span = @1; $$.wraps = true; }
  | NAME "%" array_size       { $$.name = $1; $$.span = @1; $$.wraps = true; $$.size = $3; }
  | NAME array_size "%"       { $$.name = $1; $$.span = @1; $$.wraps = true; $$.size = $2; }
  ;
array_size: "[" NUMBER "]" { $$ = static_cast<uint64_t>($2); };
literal:
    NUMBER     { $$ = build.expr(@$, ast::Integer{static_cast<uint64_t>($1)}); }
  | "-" NUMBER { $$ = build.expr(@$, ast::Integer{static_cast<uint64_t>(-$2)}); }
  | STRING     { $$ = build.expr(@$, ast::String{$1}); }
  ;

signature:
    NAME type "(" parameters ")" priority          { $$.name = $1; $$.span = @1; $$.type = $2; $$.parameters = $4; $$.priority = $6; }
  | NAME type "(" parameters ")" ":" "long" priority   { $$.name = $1; $$.span = @1; $$.parameters = $4; $$.type = "long"; $$.priority = $8; }
  | NAME type "(" parameters ")" ":" "string" priority { $$.name = $1; $$.span = @1; $$.parameters = $4; $$.type = "string"; $$.priority = $8; }
  ;
priority: %empty { $$ = 1; } | ":" NUMBER { $$ = $2; };
parameters: %empty {} | parameter_list { $$ = $1; };
parameter_list: parameter { $$.push_back($1); } | parameter_list "," parameter { $$ = $1; $$.push_back($3); };
parameter: NAME type { $$ = {$1, @1, $2}; };
type: %empty {} | ":" "long" { $$ = "long"; } | ":" "string" { $$ = "string"; };

block: "{" statements "}" { $$ = {$2}; };
statements: %empty {} | statements statement { $$ = $1; $$.push_back($2); } | statements ";" { $$ = $1; };

statement_block:
    statement { $$.statements.push_back($1); }
  | ";"       {}
  ;

statement:
    simple %prec SHORT
  | simple ";"
  | block { $$ = build.stmt(@$, ast::Scope{$1}); }
  | "if" "(" expr ")" statement_block %prec SHORT           { $$ = build.stmt(@$, ast::If{$3, $5, {}}); }
  | "if" "(" expr ")" statement_block "else" statement_block { $$ = build.stmt(@$, ast::If{$3, $5, $7}); }
  | "while" "(" expr ")" statement_block { $$ = build.stmt(@$, ast::While{$3, $5}); }
  | "for" "(" maybe_simple ";" maybe_expr ";" maybe_simple ")" statement_block { $$ = build.repeat(@$, $3, $5, $7, $9); }
  | "foreach" "(" each ")" statement_block { $$ = build.foreach(@$, $3, $5); }
  | "try" block "catch" block              { $$ = build.attempt(@$, $2, {}, @3, $4); }
  | "try" block "catch" "(" NAME ")" block { $$ = build.attempt(@$, $2, $5, @5, $7); }
  ;

simple:
    expr %prec SHORT     { $$ = build.evaluate(@$, $1); }
  | "delete" expr %prec SHORT { $$ = build.remove(@$, $2); }
  | "return" %prec SHORT { $$ = build.stmt(@$, ast::Return{}); }
  | "return" expr %prec SHORT { $$ = build.stmt(@$, ast::Return{$2}); }
  | "next"               { $$ = build.evaluate(@$, build.call(@$, std::string(next_call), {})); }
  | "break"              { $$ = build.stmt(@$, ast::Jump{false}); }
  | "continue"           { $$ = build.stmt(@$, ast::Jump{true}); }
  ;
maybe_simple: %empty {} | expr { $$ = build.evaluate(@$, $1); };
maybe_expr: %empty {} | expr { $$ = $1; };

each:
    each_keys "in" each_array                 { $$ = $3; $$.keys = $1; }
  | each_name "=" each_keys "in" each_array   { $$ = $5; $$.keys = $3; $$.value = $1; }
  ;
each_array:
    NAME slice sort each_limit             { $$.array = $1; $$.array_span = @1; $$.slice = $2; $$.sort = $3; $$.limit = $4; }
  | AT "(" arguments ")" sort each_limit   { $$.statistic = build.call(cover(@1, @4), @1, $1, $3); $$.sort = $5; $$.limit = $6; }
  ;
each_keys: each_name { $$.push_back($1); } | "[" each_list "]" { $$ = $2; };
each_list: each_name { $$.push_back($1); } | each_list "," each_name { $$ = $1; $$.push_back($3); };
each_name: NAME sort { $$ = {$1, @1, $2}; };
slice: %empty {} | "[" keys "]" { $$ = $2; };
sort:
    %empty {}
  | "+"    { $$ = {@$, true, false, ""}; }
  | "-"    { $$ = {@$, true, true, ""}; }
  | AT "+" { $$ = {@$, true, false, $1}; }
  | AT "-" { $$ = {@$, true, true, $1}; }
  ;
each_limit: %empty {} | "limit" expr { $$ = $2; };

assign:
    "="   {}
  | "+="  { $$ = BinaryOp::add; }
  | "-="  { $$ = BinaryOp::subtract; }
  | "*="  { $$ = BinaryOp::multiply; }
  | "/="  { $$ = BinaryOp::divide; }
  | "%="  { $$ = BinaryOp::modulo; }
  | "<<=" { $$ = BinaryOp::shift_left; }
  | ">>=" { $$ = BinaryOp::shift_right; }
  | "&="  { $$ = BinaryOp::bit_and; }
  | "|="  { $$ = BinaryOp::bit_or; }
  | "^="  { $$ = BinaryOp::bit_xor; }
  ;

// Assignable expressions, and C values that have members.
reference:
    NAME                    { $$ = build.expr(@$, ast::Name{$1}); }
  | NAME "[" keys "]"       { $$ = build.expr(@$, ast::Map{$1, $3, true}); }
  | NAME "(" arguments ")"  { $$ = build.call(@$, @1, $1, $3); }
  | TARGET                  { $$ = build.expr(@$, ast::Name{$1}); }
  | AT                      { $$ = build.call(@$, $1, {}); }
  | AT "(" arguments ")"    { $$ = build.call(@$, @1, $1, $3); }
  | reference "->" NAME     { $$ = build.expr(@$, ast::Member{$1, $3, @3}); }
  | reference WHOLE         { $$ = build.expr(@$, ast::Member{$1, $2, @2}); }
  | reference "[" list "]"  { $$ = build.index(@$, $1, $3); }
  | "(" expr ")"            { $$ = $2; }
  ;

expr:
    reference %prec SHORT
  | NUMBER   { $$ = build.expr(@$, ast::Integer{static_cast<uint64_t>($1)}); }
  | STRING   { $$ = build.expr(@$, ast::String{$1}); }
  | EMBEDDED { $$ = build.call(@$, std::string(embedded_call), {build.expr(@$, ast::String{$1})}); }
  | reference assign expr %prec "=" { $$ = build.assignment(@$, $1, $2, $3); }
  | reference ".=" expr  { const auto to = $1; $$ = build.assignment(@$, to, {}, build.binary(BinaryOp::add, to, $3)); }
  | reference "<<<" expr { $$ = build.call(@$, @2, std::string(collect_call), {$1, $3}); }
  | expr "?" expr ":" expr { $$ = build.expr(@$, ast::Conditional{$1, $3, $5}); }
  | expr "||" expr { $$ = build.binary(BinaryOp::logical_or, $1, $3); }
  | expr "&&" expr { $$ = build.binary(BinaryOp::logical_and, $1, $3); }
  | expr "|" expr  { $$ = build.binary(BinaryOp::bit_or, $1, $3); }
  | expr "^" expr  { $$ = build.binary(BinaryOp::bit_xor, $1, $3); }
  | expr "&" expr  { $$ = build.binary(BinaryOp::bit_and, $1, $3); }
  | expr "in" NAME { $$ = build.member_of(@$, $3, @3, {$1}); }
  | expr "in" AT "(" arguments ")" { $$ = build.index(@$, build.call(cover(@3, @6), @3, $3, $5), {$1}); }
  | "[" keys "]" "in" NAME { $$ = build.member_of(@$, $5, @5, $2); }
  | expr "=~" expr { $$ = build.match(@$, $1, $3, false); }
  | expr "!~" expr { $$ = build.match(@$, $1, $3, true); }
  | expr "==" expr { $$ = build.binary(BinaryOp::equal, $1, $3); }
  | expr "!=" expr { $$ = build.binary(BinaryOp::not_equal, $1, $3); }
  | expr "<" expr  { $$ = build.binary(BinaryOp::less, $1, $3); }
  | expr "<=" expr { $$ = build.binary(BinaryOp::less_equal, $1, $3); }
  | expr ">" expr  { $$ = build.binary(BinaryOp::greater, $1, $3); }
  | expr ">=" expr { $$ = build.binary(BinaryOp::greater_equal, $1, $3); }
  | expr "<<" expr { $$ = build.binary(BinaryOp::shift_left, $1, $3); }
  | expr ">>" expr { $$ = build.binary(BinaryOp::shift_right, $1, $3); }
  | expr ">>>" expr { $$ = build.shift_zeros(@$, $1, $3); }
  | expr "." expr  { $$ = build.binary(BinaryOp::add, $1, $3); }
  | expr "+" expr  { $$ = build.binary(BinaryOp::add, $1, $3); }
  | expr "-" expr  { $$ = build.binary(BinaryOp::subtract, $1, $3); }
  | expr "*" expr  { $$ = build.binary(BinaryOp::multiply, $1, $3); }
  | expr "/" expr  { $$ = build.binary(BinaryOp::divide, $1, $3); }
  | expr "%" expr  { $$ = build.binary(BinaryOp::modulo, $1, $3); }
  | "-" expr %prec PREFIX { $$ = build.expr(@$, ast::Unary{UnaryOp::minus, $2}); }
  | "+" expr %prec PREFIX { $$ = $2; }
  | "!" expr %prec PREFIX { $$ = build.expr(@$, ast::Unary{UnaryOp::logical_not, $2}); }
  | "~" expr %prec PREFIX { $$ = build.expr(@$, ast::Unary{UnaryOp::bit_not, $2}); }
  | "&" expr %prec PREFIX { $$ = build.call(@$, @1, std::string(address_call), {$2}); }
  | "++" reference { $$ = build.step(@$, $2, BinaryOp::add, true); }
  | "--" reference { $$ = build.step(@$, $2, BinaryOp::subtract, true); }
  | reference "++" { $$ = build.step(@$, $1, BinaryOp::add, false); }
  | reference "--" { $$ = build.step(@$, $1, BinaryOp::subtract, false); }
  ;

arguments: %empty {} | list { $$ = $1; };
list: expr { $$.push_back($1); } | list "," expr { $$ = $1; $$.push_back($3); };
keys: key { $$.push_back($1); } | keys "," key { $$ = $1; $$.push_back($3); };
key: expr | "*" { $$ = build.expr(@$, ast::Name{std::string(wildcard_name)}); };

%%

void lt::stp::Parser::report_syntax_error(const context& at) const {
    if (at.token() != symbol_kind::S_BAD) {
        std::vector<symbol_kind_type> expected(YYNTOKENS);
        expected.resize(static_cast<size_t>(at.expected_tokens(expected.data(), YYNTOKENS)));
        explain(feed, at.token(), at.location(), expected);
    }
    feed.skip();
}

// Only memory exhaustion gets here: syntax errors are reported above.
void lt::stp::Parser::error(const Span&, const std::string&) {}
