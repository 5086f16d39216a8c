// The grammar of `.lt` programs. Its actions only call Builder; what it cannot accept is explained in diagnose.cpp, where keywords without
// a rule stand in a table of what is not there yet: a new construct is a rule here and one row less there.
%require "3.8"
%language "c++"
%define api.namespace {lt}
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
// Bison's tables are not written with these in mind.
#pragma GCC diagnostic ignored "-Wconversion"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif
}

%code requires {
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "parser/ast.h"

namespace lt {
class Builder;
class Lexer;
}  // namespace lt

#define YYLLOC_DEFAULT(current, rhs, n)                                                                         \
    (current) = (n) > 0 ? ::lt::cover(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) : ::lt::Span {                         \
        YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end                                                               \
    }
}

%code {
#include "build.h"
#include "diagnose.h"
#include "lexer.h"

// The generated parser has no limit of its own on its stack, so the lexer is told its height.
#define yylex(lexer) lexer.next(static_cast<size_t>(yystack_.size()))

namespace lt {
using ast::BinaryOp;
using ast::UnaryOp;
}  // namespace lt
}

%param {lt::Lexer& lexer}
%parse-param {lt::Builder& build}

%token END 0
%token BAD RESUME  // a piece of text that was already refused; the place where parsing resumes after a mistake
%token <ast::ProbeSpec> PROBE
%token <std::string> NAME LOCAL MAP STRING
%token <uint64_t> INTEGER
%token <int64_t> DURATION
%token <ast::TypeName> CAST         // a type in parentheses
%token <ast::OffsetOf> OFFSET       // what stands in the parentheses of offsetof
%token ELLIPSIS "..." TRUE "true" FALSE "false"
%token PARAM SPAN TIMEOUT CONFIG MACRO FN IMPORT
%token <std::string> LABEL  // the name in `name=probe`
%token <std::string> C_TEXT  // a line of the C preprocessor, a definition of C
%token <std::string> C_TYPE  // struct, union, enum before a type's name
%token IF_VALUE  // the `if` of a value: $x = if (c) { 1 } else { 2 }
%token IF "if" ELSE "else" RETURN "return" FOR "for" WHILE "while" UNROLL "unroll" BREAK "break" CONTINUE "continue"
%token TYPEOF "typeof" COMPTIME "comptime"
%token LET "let" RANGE ".." BARE_OPEN  // the `{` of a block that stands alone
%token <uint32_t> POSITIONAL
%token PREDICATE_OPEN PREDICATE_CLOSE THRESHOLD WORST SPAN_OPEN SPAN_CLOSE
%token LBRACE "{" RBRACE "}" LPAREN "(" RPAREN ")" LBRACKET "[" RBRACKET "]"
%token COMMA "," SEMICOLON ";" QUESTION "?" COLON ":" DOT "." ARROW "->"
%token ASSIGN "=" ASSIGN_ADD "+=" ASSIGN_SUBTRACT "-=" ASSIGN_MULTIPLY "*=" ASSIGN_DIVIDE "/=" ASSIGN_MODULO "%="
%token ASSIGN_SHIFT_LEFT "<<=" ASSIGN_SHIFT_RIGHT ">>=" ASSIGN_AND "&=" ASSIGN_OR "|=" ASSIGN_XOR "^="
%token INCREMENT "++" DECREMENT "--"
%token LOGICAL_OR "||" LOGICAL_AND "&&" BIT_OR "|" BIT_XOR "^" BIT_AND "&" EQUAL "==" NOT_EQUAL "!="
%token LESS "<" LESS_EQUAL "<=" GREATER ">" GREATER_EQUAL ">=" SHIFT_LEFT "<<" SHIFT_RIGHT ">>"
%token PLUS "+" MINUS "-" STAR "*" SLASH "/" PERCENT "%" NOT "!" TILDE "~"

%precedence "comptime"
%right "?" ":"
%left "||"
%left "&&"
%left "|"
%left "^"
%left "&"
%left "==" "!="
%left "<" "<=" ">" ">="
%left "<<" ">>"
%left "+" "-"
%left "*" "/" "%"

// `@x[` is the key of a map
%nonassoc ALONE
%nonassoc "["

%type <ast::SpanAction> name events head limited
%type <std::vector<ast::Endpoint>> endpoints
%type <ast::Endpoint> endpoint place
%type <ast::ExprId> literal number choice
%type <ast::Block> block open_block else
%type <std::vector<ast::StmtId>> body value_body statements
%type <ast::StmtId> simple compound if
%type <ast::TypeName> type
%type <std::optional<ast::TypeName>> result
%type <std::vector<ast::FunctionItem::Parameter>> fn_parameters fn_list
%type <ast::FunctionItem::Parameter> fn_parameter
%type <ast::Config> settings last_setting
%type <ast::Config::Setting> setting
%type <std::string> word
%type <uint32_t> stars
%type <ast::TypeName> like
%type <std::vector<std::string>> path
%type <ast::Tuple> fields
%type <ast::ExprId> expr unary postfix primary key_part argument
%type <std::vector<ast::ExprId>> arguments given list key
%type <std::optional<ast::BinaryOp>> assign
%type <ast::BinaryOp> step

%%

program: items;
items: %empty | items item;
item: action | span | timeout | parameter | function | macro | map_declaration | config | import | c_text | error RESUME { yyerrok; build.broken(); };

// What only a span may have is accepted before either block: Builder refuses it before the braces.
action: head block { build.action(@$, $1, @2, $2); };
span: limited SPAN_OPEN body SPAN_CLOSE { build.span(@$, $1, {$3}); };
timeout: TIMEOUT expr block { build.timeout(@$, @1, $2, $3); };

limited:
    head
  | head THRESHOLD expr  { $$ = $1; $$.threshold = $3; }
  | head THRESHOLD WORST { $$ = $1; $$.worst = true; }
  ;

head: events { $$ = build.predicates($1); };

events:
    name endpoints                { $$ = $1; $$.opens = $2; }
  | name endpoints "->" endpoints { $$ = $1; $$.opens = $2; $$.closes = $4; }
  ;

name:
    %empty        {}
  | SPAN NAME "=" { $$.name = $2; $$.name_span = @2; }
  ;

endpoints:
    endpoint               { $$.push_back($1); }
  | endpoints "," endpoint { $$ = $1; $$.push_back($3); }
  ;

endpoint:
    place
  | place PREDICATE_OPEN expr PREDICATE_CLOSE { $$ = $1; $$.predicate = $3; $$.predicate_span = cover(@2, @4); }
  ;

place:
    PROBE              { $$.probe = $1; }
  | PROBE "[" list "]" { $$.probe = $1; $$.key = $3; }
  | LABEL "=" PROBE    { $$.probe = $3; $$.probe.label = $1; }
  ;

parameter: declaration | declaration ";";

declaration:
    PARAM NAME "=" literal        { build.parameter(@$, $2, @2, $4, ""); }
  | PARAM NAME "=" literal STRING { build.parameter(@$, $2, @2, $4, $5); }
  ;

function: FN NAME "(" fn_parameters ")" result block {
    build.item(@$, ast::FunctionItem{$2, @2, $4, $6, $7});
};

fn_parameters:
    %empty  {}
  | fn_list { $$ = $1; }
  ;

fn_list:
    fn_parameter             { $$.push_back($1); }
  | fn_list "," fn_parameter { $$ = $1; $$.push_back($3); }
  ;

fn_parameter:
    LOCAL          { $$ = {$1, @1, {}}; }
  | LOCAL ":" type { $$ = {$1, @1, $3}; }
  ;

result:
    %empty   {}
  | ":" type { $$ = $2; }
  ;

macro: MACRO NAME "(" arguments ")" "{" value_body "}" { build.macro(@$, $2, @2, $4, $7); };

map_declaration: map_kind | map_kind ";";
map_kind: LET MAP "=" NAME "(" INTEGER ")" { build.item(@$, ast::MapDeclaration{$2, @2, $4, @4, $6}); };

import: file | file ";";
file: IMPORT STRING { build.item(@$, ast::Import{$2, @2}); };

c_text: C_TEXT { build.item(@$, ast::CText{$1}); };

config: CONFIG "=" "{" last_setting "}" { build.item(@$, $4); };

settings:
    %empty               {}
  | settings ";"         { $$ = $1; }
  | settings setting ";" { $$ = $1; $$.settings.push_back($2); }
  ;

// The last `;` may be left out.
last_setting:
    settings
  | settings setting { $$ = $1; $$.settings.push_back($2); }
  ;

setting: NAME "=" word { $$ = {$1, @1, $3, @3}; };

word:
    NAME        { $$ = $1; }
  | STRING      { $$ = $1; }
  | INTEGER     { $$ = std::to_string($1); }
  | "-" INTEGER { $$ = "-" + std::to_string($2); }
  | "true"  { $$ = "true"; }
  | "false" { $$ = "false"; }
  ;

literal:
    number
  | "-" number { $$ = build.unary(@$, UnaryOp::minus, $2); }
  | STRING     { $$ = build.leaf(@$, ast::String{$1}); }
  ;

number:
    INTEGER  { $$ = build.leaf(@$, ast::Integer{$1}); }
  | DURATION { $$ = build.leaf(@$, ast::Duration{$1}); }
  ;

block: "{" body "}" { $$ = {$2}; };

// Its last expression may be the value of what it is a part of.
open_block: "{" value_body "}" { $$ = {$2}; };

// A `;` stands between statements; it may be left out after a `}` and before the bracket that closes the body.
body: value_body { $$ = $1; build.settle($$); };

// The last expression without a `;` is the value.
value_body:
    statements
  | statements simple { $$ = $1; build.settle($$); $$.push_back($2); }
  ;

statements:
    %empty                {}
  | statements ";"        { $$ = $1; build.settle($$); }
  | statements simple ";" { $$ = $1; build.settle($$); $$.push_back(build.used($2)); }
  | statements compound   { $$ = $1; build.settle($$); $$.push_back($2); }
  ;

simple:
    expr                      { $$ = build.evaluate(@$, $1); }
  | postfix assign expr       { $$ = build.assign(@$, $1, $2, $3); }
  | "return"                  { $$ = build.leave(@$, {}); }
  | "return" expr             { $$ = build.leave(@$, $2); }
  | "break"                   { $$ = build.jump(@$, false); }
  | "continue"                { $$ = build.jump(@$, true); }
  | IMPORT STRING             { $$ = build.import(@$, $2, @2); }
  | "let" LOCAL               { $$ = build.let(@$, $2, @2, {}, {}); }
  | "let" LOCAL "=" expr      { $$ = build.let(@$, $2, @2, {}, $4); }
  | "let" LOCAL ":" type      { $$ = build.let(@$, $2, @2, $4, {}); }
  | "let" LOCAL ":" type "=" expr { $$ = build.let(@$, $2, @2, $4, $6); }
  ;

type:
    NAME                 { $$ = {@$, $1, 0, {}}; }
  | C_TYPE NAME          { $$ = {@$, $1 + " " + $2, 0, {}}; }
  | like
  | type "*"             { $$ = build.address_type(@$, $1); }
  | type "[" INTEGER "]" { $$ = build.array_type(@$, $1, $3); }
  ;

like:
    TYPEOF "(" expr ")" { $$ = {@$, "", 0, {}, false, $3}; }
  | TYPEOF CAST         { $$ = $2; }
  ;

stars:
    %empty    { $$ = 0; }
  | stars "*" { $$ = $1 + 1; }
  ;

path:
    NAME          { $$.push_back($1); }
  | path "." NAME { $$ = $1; $$.push_back($3); }
  ;

compound:
    if
  | "while" expr block  { $$ = build.repeat(@$, ast::While{$2, $3}); }
  | "unroll" expr block { $$ = build.repeat(@$, ast::Unroll{$2, $3}); }
  | "for" "(" LOCAL ":" expr ".." expr ")" block { $$ = build.repeat(@$, ast::ForRange{$3, @3, $5, $7, $9}); }
  | "for" LOCAL ":" expr ".." expr block         { $$ = build.repeat(@$, ast::ForRange{$2, @2, $4, $6, $7}); }
  | "for" "(" LOCAL ":" expr ")" block           { $$ = build.for_map(@$, {$3, @3, $5, $7}); }
  | "for" LOCAL ":" expr block                   { $$ = build.for_map(@$, {$2, @2, $4, $5}); }
  | BARE_OPEN value_body "}"  { $$ = build.scope(@$, {$2}); }
  ;

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

step:
    "++" { $$ = BinaryOp::add; }
  | "--" { $$ = BinaryOp::subtract; }
  ;

if: "if" expr open_block else { $$ = build.choose(@$, $2, $3, $4); };

else:
    %empty            {}
  | "else" open_block { $$ = $2; }
  | "else" if         { $$ = {{$2}}; }
  ;

choice: IF_VALUE expr open_block else { $$ = build.chosen(@$, $2, $3, $4); };

expr:
    unary
  | "comptime" expr { $$ = build.known(@$, $2); }
  | expr "?" expr ":" expr { $$ = build.conditional(@$, $1, $3, $5); }
  | expr "?" ":" expr      { const auto condition = $1; $$ = build.conditional(@$, condition, condition, $4); }
  | expr "||" expr { $$ = build.binary(BinaryOp::logical_or, $1, $3); }
  | expr "&&" expr { $$ = build.binary(BinaryOp::logical_and, $1, $3); }
  | expr "|" expr  { $$ = build.binary(BinaryOp::bit_or, $1, $3); }
  | expr "^" expr  { $$ = build.binary(BinaryOp::bit_xor, $1, $3); }
  | expr "&" expr  { $$ = build.binary(BinaryOp::bit_and, $1, $3); }
  | expr "==" expr { $$ = build.binary(BinaryOp::equal, $1, $3); }
  | expr "!=" expr { $$ = build.binary(BinaryOp::not_equal, $1, $3); }
  | expr "<" expr  { $$ = build.binary(BinaryOp::less, $1, $3); }
  | expr "<=" expr { $$ = build.binary(BinaryOp::less_equal, $1, $3); }
  | expr ">" expr  { $$ = build.binary(BinaryOp::greater, $1, $3); }
  | expr ">=" expr { $$ = build.binary(BinaryOp::greater_equal, $1, $3); }
  | expr "<<" expr { $$ = build.binary(BinaryOp::shift_left, $1, $3); }
  | expr ">>" expr { $$ = build.binary(BinaryOp::shift_right, $1, $3); }
  | expr "+" expr  { $$ = build.binary(BinaryOp::add, $1, $3); }
  | expr "-" expr  { $$ = build.binary(BinaryOp::subtract, $1, $3); }
  | expr "*" expr  { $$ = build.binary(BinaryOp::multiply, $1, $3); }
  | expr "/" expr  { $$ = build.binary(BinaryOp::divide, $1, $3); }
  | expr "%" expr  { $$ = build.binary(BinaryOp::modulo, $1, $3); }
  ;

unary:
    postfix
  | "-" unary { $$ = build.unary(@$, UnaryOp::minus, $2); }
  | "!" unary { $$ = build.unary(@$, UnaryOp::logical_not, $2); }
  | "~" unary { $$ = build.unary(@$, UnaryOp::bit_not, $2); }
  | "*" unary { $$ = build.unary(@$, UnaryOp::dereference, $2); }
  | "&" unary { $$ = build.unary(@$, UnaryOp::address, $2); }
  | CAST unary { $$ = build.cast(@$, $1, $2); }
  | "(" like stars ")" unary { auto type = $2; type.pointers += $3; $$ = build.cast(@$, std::move(type), $5); }
  | step unary { $$ = build.step(@$, $2, $1, true); }
  ;

postfix:
    primary
  | postfix "." NAME  { $$ = build.member(@$, $1, $3, @3); }
  | postfix "->" NAME { $$ = build.member(@$, $1, $3, @3); }
  | postfix "." INTEGER { $$ = build.member(@$, $1, std::to_string($3), @3); }
  | postfix "[" expr "]" { $$ = build.index(@$, $1, $3); }
  | postfix step      { $$ = build.step(@$, $1, $2, false); }
  ;

primary:
    number
  | STRING                 { $$ = build.leaf(@$, ast::String{$1}); }
  | "true"                 { $$ = build.leaf(@$, ast::Boolean{true}); }
  | "false"                { $$ = build.leaf(@$, ast::Boolean{false}); }
  | "..."                  { $$ = build.leaf(@$, ast::Ellipsis{}); }
  | NAME                   { $$ = build.leaf(@$, ast::Name{$1}); }
  | LOCAL                  { $$ = build.leaf(@$, ast::Local{$1}); }
  | POSITIONAL             { $$ = build.leaf(@$, ast::Positional{$1}); }
  | MAP %prec ALONE        { $$ = build.leaf(@$, ast::Map{$1, {}, false}); }
  | MAP "[" key "]"        { $$ = build.map(@$, $1, $3); }
  | NAME "(" arguments ")" { $$ = build.call(@$, $1, @1, $3); }
  | NAME CAST              { $$ = build.type_call(@$, $1, $2); }
  | NAME "(" given "," C_TYPE NAME "," path ")" {
        $$ = build.container(@$, $1, @1, $3, {cover(@5, @6), $5 + " " + $6, 0, {}}, $8);
    }
  | NAME OFFSET            { $$ = build.leaf(@$, $2); }
  | "(" expr ")"           { $$ = $2; }
  | "(" ")"                { $$ = build.leaf(@$, ast::Tuple{}); }
  | "(" expr "," ")"       { $$ = build.tuple(@$, $2); }
  | "(" expr "," list ")"  { $$ = build.tuple(@$, $2, $4); }
  | "(" fields ")"         { $$ = build.record(@$, $2); }
  | "{" value_body "}"     { $$ = build.block_value(@$, $2); }
  | choice
  ;

key:
    key_part         { $$.push_back($1); }
  | key "," key_part { $$ = $1; $$.push_back($3); }
  ;

key_part:
    expr
  | "*"  { $$ = build.leaf(@$, ast::AnyPart{}); }
  ;

arguments:
    %empty {}
  | given
  ;

given:
    argument           { $$.push_back($1); }
  | given "," argument { $$ = $1; $$.push_back($3); }
  ;

argument:
    expr
  | like  { $$ = build.leaf(@$, ast::OffsetOf{$1, {}}); }
  ;

fields:
    NAME "=" expr            { $$.names.push_back($1); $$.parts.push_back($3); }
  | fields "," NAME "=" expr { $$ = $1; $$.names.push_back($3); $$.parts.push_back($5); }
  ;

list:
    expr          { $$.push_back($1); }
  | list "," expr { $$ = $1; $$.push_back($3); }
  ;

%%

void lt::Parser::report_syntax_error(const context& at) const { lexer.skip_item(diagnose(at, lexer)); }

// Only memory exhaustion could come here: syntax errors are reported above.
void lt::Parser::error(const Span&, const std::string&) {}
