// The grammar of `.lt` programs. Its actions add to a GrowingTree; what it cannot accept is explained in diagnose.cpp, where keywords without
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
#include "parser/tree/ast.h"

namespace lt {
struct GrowingTree;
struct Lexing;
}  // namespace lt

#define YYLLOC_DEFAULT(current, rhs, n)                                                                         \
    (current) = (n) > 0 ? ::lt::cover(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) : ::lt::Span {                         \
        YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end                                                               \
    }
}

%code {
#include "parser/lt/diagnose.h"
#include "parser/lt/expressions.h"
#include "parser/lt/items.h"
#include "parser/lt/lexer.h"
#include "parser/lt/statements.h"
#include "parser/tree/growing_tree.h"

// The generated parser does not limit its stack, so the lexer checks its height.
#define yylex(lexer) next_token(lexer, static_cast<size_t>(yystack_.size()))

namespace lt {
using ast::BinaryOp;
using ast::UnaryOp;
}  // namespace lt
}

%param {lt::Lexing& lexer}
%parse-param {lt::GrowingTree& tree}

%token END 0
%token BAD RESUME  // a piece of text that was already refused; the place where parsing resumes after a mistake
%token <ast::ProbeSpec> PROBE
%token <std::string> NAME LOCAL MAP STRING
%token <uint64_t> INTEGER
%token <int64_t> DURATION
%token <ast::TypeName> CAST         // a type in parentheses
%token <ast::OffsetOf> OFFSET       // what stands in the parentheses of offsetof
%token ELLIPSIS "..." TRUE "true" FALSE "false"
%token PARAM SPAN CHAIN LAST "last" IN "in" UNLESS "unless" TIMEOUT CONFIG MACRO FN IMPORT
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
%token COMMA "," SEMICOLON ";" QUESTION "?" COLON ":" DOT "." ARROW "->" BECOMES "=>"
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
%type <ast::Chain> chain_head
%type <std::vector<ast::Chain::Point>> points
%type <ast::Chain::Point> point
%type <ast::Chain::Point::How> how
%type <std::string> optional_text word
%type <std::vector<ast::Endpoint>> endpoints
%type <ast::Endpoint> endpoint place
%type <ast::Parameter> named
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
item: action | span | timeout | chain | left_out | parameter | function | macro | map_declaration | config | import | c_text | error RESUME { yyerrok; tree.after_broken = true; };

// The grammar accepts the parts of spans before either block; the actions refuse them before braces.
action: head block { add_action(tree, @$, $1, @2, $2); };
span: limited SPAN_OPEN body SPAN_CLOSE { add_span(tree, @$, $1, {$3}); };
timeout: TIMEOUT expr block { add_timeout(tree, @$, @1, $2, $3); };

// The actions check its predicates, keys and stages.
chain:
    chain_head SPAN_OPEN body SPAN_CLOSE                { add_chain(tree, lexer.source, @$, $1, {}, {$3}); }
  | chain_head THRESHOLD expr SPAN_OPEN body SPAN_CLOSE { add_chain(tree, lexer.source, @$, $1, $3, {$5}); }
  ;

chain_head:
    CHAIN NAME "=" points { $$.name = $2; $$.name_span = @2; $$.points = $4; }
  | chain_head "unless" optional_text endpoints { $$ = $1; $$.unless.push_back(unless_of($3, $4)); }
  ;

points:
    point             { $$.push_back($1); }
  | points "->" point { $$ = $1; $$.push_back($3); }
  ;

point: optional_text how endpoints { $$ = point_of($1, @1, $2, $3); };
optional_text: %empty {} | STRING { $$ = $1; };
how: %empty { $$ = ast::Chain::Point::How::event; } | "last" { $$ = ast::Chain::Point::How::last; } | "in" { $$ = ast::Chain::Point::How::in; };
left_out: "else" block { add_left_out(tree, @1, $2); };

limited:
    head
  | head THRESHOLD expr  { $$ = $1; $$.threshold = $3; }
  | head THRESHOLD WORST { $$ = $1; $$.worst = true; }
  ;

head: events { $$ = predicates(tree, $1); };

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
  | PROBE "[" list "=>" list "]" { $$.probe = $1; $$.key = $3; $$.next_key = $5; }
  | LABEL "=" PROBE    { $$.probe = $3; $$.probe.label = $1; }
  ;

parameter: declaration | declaration ";";

declaration:
    PARAM named "=" literal        { add_parameter(tree, lexer.source, @$, $2, $4, ""); }
  | PARAM named "=" literal STRING { add_parameter(tree, lexer.source, @$, $2, $4, $5); }
  ;

// Its other names on the command line stand before its own; they are read from the text (parser/tree/params.h).
named:
    NAME             { $$.name = $1; $$.name_span = @1; }
  | "-" NAME named   { $$ = $3; }
  | POSITIONAL named { $$ = $2; }
  ;

function: FN NAME "(" fn_parameters ")" result block {
    tree.add_item(@$, ast::FunctionItem{$2, @2, $4, $6, $7});
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

macro: MACRO NAME "(" arguments ")" "{" value_body "}" { add_macro(tree, @$, $2, @2, $4, $7); };

map_declaration: map_kind | map_kind ";";
map_kind: LET MAP "=" NAME "(" INTEGER ")" { tree.add_item(@$, ast::MapDeclaration{$2, @2, $4, @4, $6}); };

import: file | file ";";
file: IMPORT STRING { tree.add_item(@$, ast::Import{$2, @2}); };

c_text: C_TEXT { tree.add_item(@$, ast::CText{$1}); };

config: CONFIG "=" "{" last_setting "}" { tree.add_item(@$, $4); };

settings:
    %empty               {}
  | settings ";"         { $$ = $1; }
  | settings setting ";" { $$ = $1; $$.settings.push_back($2); }
  ;

// The last `;` is optional.
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
  | "-" number { $$ = tree.add(@$, ast::Unary{UnaryOp::minus, $2}); }
  | STRING     { $$ = tree.add(@$, ast::String{$1}); }
  | "true"     { $$ = tree.add(@$, ast::Boolean{true}); }
  | "false"    { $$ = tree.add(@$, ast::Boolean{false}); }
  ;

number:
    INTEGER  { $$ = tree.add(@$, ast::Integer{$1}); }
  | DURATION { $$ = tree.add(@$, ast::Duration{$1}); }
  ;

block: "{" body "}" { $$ = {$2}; };

// The last expression of the body may be the block's value.
open_block: "{" value_body "}" { $$ = {$2}; };

// A `;` separates statements; it is optional after a `}` and before the bracket that closes the body.
body: value_body { $$ = $1; settle(tree, $$); };

// A last expression without a `;` is the value.
value_body:
    statements
  | statements simple { $$ = $1; settle(tree, $$); $$.push_back($2); }
  ;

statements:
    %empty                {}
  | statements ";"        { $$ = $1; settle(tree, $$); }
  | statements simple ";" { $$ = $1; settle(tree, $$); $$.push_back(used(tree, $2)); }
  | statements compound   { $$ = $1; settle(tree, $$); $$.push_back($2); }
  ;

simple:
    expr                      { $$ = tree.add(@$, ast::Evaluate{$1}); }
  | postfix assign expr       { $$ = add_assignment(tree, @$, $1, $2, $3); }
  | "return"                  { $$ = tree.add(@$, ast::Return{}); }
  | "return" expr             { $$ = tree.add(@$, ast::Return{$2}); }
  | "break"                   { $$ = tree.add(@$, ast::Jump{false}); }
  | "continue"                { $$ = tree.add(@$, ast::Jump{true}); }
  | IMPORT STRING             { $$ = add_import(tree, @$, $2, @2); }
  | "let" LOCAL               { $$ = tree.add(@$, ast::Let{$2, @2, {}, {}}); }
  | "let" LOCAL "=" expr      { $$ = tree.add(@$, ast::Let{$2, @2, {}, $4}); }
  | "let" LOCAL ":" type      { $$ = tree.add(@$, ast::Let{$2, @2, $4, {}}); }
  | "let" LOCAL ":" type "=" expr { $$ = tree.add(@$, ast::Let{$2, @2, $4, $6}); }
  ;

type:
    NAME                 { $$ = {@$, $1, 0, {}}; }
  | C_TYPE NAME          { $$ = {@$, $1 + " " + $2, 0, {}}; }
  | like
  | type "*"             { $$ = address_type(@$, $1); }
  | type "[" INTEGER "]" { $$ = array_type(tree, @$, $1, $3); }
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
  | "while" expr block  { $$ = tree.add(@$, ast::While{$2, $3}); }
  | "unroll" expr block { $$ = tree.add(@$, ast::Unroll{$2, $3}); }
  | "for" "(" LOCAL ":" expr ".." expr ")" block { $$ = tree.add(@$, ast::ForRange{$3, @3, $5, $7, $9}); }
  | "for" LOCAL ":" expr ".." expr block         { $$ = tree.add(@$, ast::ForRange{$2, @2, $4, $6, $7}); }
  | "for" "(" LOCAL ":" expr ")" block           { $$ = add_for_map(tree, @$, {$3, @3, $5, $7}); }
  | "for" LOCAL ":" expr block                   { $$ = add_for_map(tree, @$, {$2, @2, $4, $5}); }
  | BARE_OPEN value_body "}"  { $$ = tree.add(@$, ast::Scope{{$2}}); }
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

if: "if" expr open_block else { $$ = tree.add(@$, ast::If{$2, $3, $4}); };

else:
    %empty            {}
  | "else" open_block { $$ = $2; }
  | "else" if         { $$ = {{$2}}; }
  ;

choice: IF_VALUE expr open_block else { $$ = add_choice(tree, @$, $2, $3, $4); };

expr:
    unary
  | "comptime" expr { $$ = tree.add(@$, ast::Defined{$2, true}); }
  | expr "?" expr ":" expr { $$ = tree.add(@$, ast::Conditional{$1, $3, $5}); }
  | expr "?" ":" expr      { const auto condition = $1; $$ = tree.add(@$, ast::Conditional{condition, condition, $4}); }
  | expr "||" expr { $$ = add_binary(tree, BinaryOp::logical_or, $1, $3); }
  | expr "&&" expr { $$ = add_binary(tree, BinaryOp::logical_and, $1, $3); }
  | expr "|" expr  { $$ = add_bitwise(tree, BinaryOp::bit_or, $1, @1, $3, @3); }
  | expr "^" expr  { $$ = add_bitwise(tree, BinaryOp::bit_xor, $1, @1, $3, @3); }
  | expr "&" expr  { $$ = add_bitwise(tree, BinaryOp::bit_and, $1, @1, $3, @3); }
  | expr "==" expr { $$ = add_binary(tree, BinaryOp::equal, $1, $3); }
  | expr "!=" expr { $$ = add_binary(tree, BinaryOp::not_equal, $1, $3); }
  | expr "<" expr  { $$ = add_binary(tree, BinaryOp::less, $1, $3); }
  | expr "<=" expr { $$ = add_binary(tree, BinaryOp::less_equal, $1, $3); }
  | expr ">" expr  { $$ = add_binary(tree, BinaryOp::greater, $1, $3); }
  | expr ">=" expr { $$ = add_binary(tree, BinaryOp::greater_equal, $1, $3); }
  | expr "<<" expr { $$ = add_binary(tree, BinaryOp::shift_left, $1, $3); }
  | expr ">>" expr { $$ = add_binary(tree, BinaryOp::shift_right, $1, $3); }
  | expr "+" expr  { $$ = add_binary(tree, BinaryOp::add, $1, $3); }
  | expr "-" expr  { $$ = add_binary(tree, BinaryOp::subtract, $1, $3); }
  | expr "*" expr  { $$ = add_binary(tree, BinaryOp::multiply, $1, $3); }
  | expr "/" expr  { $$ = add_binary(tree, BinaryOp::divide, $1, $3); }
  | expr "%" expr  { $$ = add_binary(tree, BinaryOp::modulo, $1, $3); }
  ;

unary:
    postfix
  | "-" unary { $$ = tree.add(@$, ast::Unary{UnaryOp::minus, $2}); }
  | "!" unary { $$ = tree.add(@$, ast::Unary{UnaryOp::logical_not, $2}); }
  | "~" unary { $$ = tree.add(@$, ast::Unary{UnaryOp::bit_not, $2}); }
  | "*" unary { $$ = tree.add(@$, ast::Unary{UnaryOp::dereference, $2}); }
  | "&" unary { $$ = tree.add(@$, ast::Unary{UnaryOp::address, $2}); }
  | CAST unary { $$ = tree.add(@$, ast::Cast{$1, $2}); }
  | "(" like stars ")" unary { auto type = $2; type.pointers += $3; $$ = tree.add(@$, ast::Cast{std::move(type), $5}); }
  | step unary { $$ = add_step(tree, @$, $2, $1, true); }
  ;

postfix:
    primary
  | postfix "." NAME  { $$ = tree.add(@$, ast::Member{$1, $3, @3}); }
  | postfix "->" NAME { $$ = tree.add(@$, ast::Member{$1, $3, @3}); }
  | postfix "." INTEGER { $$ = tree.add(@$, ast::Member{$1, std::to_string($3), @3}); }
  | postfix "[" expr "]" { $$ = tree.add(@$, ast::Index{$1, $3}); }
  | postfix step      { $$ = add_step(tree, @$, $1, $2, false); }
  ;

primary:
    number
  | STRING                 { $$ = tree.add(@$, ast::String{$1}); }
  | "true"                 { $$ = tree.add(@$, ast::Boolean{true}); }
  | "false"                { $$ = tree.add(@$, ast::Boolean{false}); }
  | "..."                  { $$ = tree.add(@$, ast::Ellipsis{}); }
  | NAME                   { $$ = add_name(tree, @$, $1); }
  | LOCAL                  { $$ = tree.add(@$, ast::Local{$1}); }
  | POSITIONAL             { $$ = tree.add(@$, ast::Positional{$1}); }
  | MAP %prec ALONE        { $$ = tree.add(@$, ast::Map{$1, {}, false}); }
  | MAP "[" key "]"        { $$ = add_map(tree, @$, $1, $3); }
  | NAME "(" arguments ")" { $$ = add_call(tree, @$, $1, @1, $3); }
  | NAME CAST              { $$ = add_type_call(tree, @$, $1, $2); }
  | NAME "(" given "," C_TYPE NAME "," path ")" {
        $$ = add_container(tree, @$, $1, @1, $3, {cover(@5, @6), $5 + " " + $6, 0, {}}, $8);
    }
  | NAME OFFSET            { $$ = tree.add(@$, $2); }
  | "(" expr ")"           { $$ = $2; }
  | "(" ")"                { $$ = tree.add(@$, ast::Tuple{}); }
  | "(" expr "," ")"       { $$ = tree.add(@$, ast::Tuple{{$2}}); }
  | "(" expr "," list ")"  { auto parts = $4; parts.insert(parts.begin(), $2); $$ = tree.add(@$, ast::Tuple{parts}); }
  | "(" fields ")"         { $$ = add_record(tree, @$, $2); }
  | "{" value_body "}"     { $$ = add_block_value(tree, @$, $2); }
  | choice
  ;

key:
    key_part         { $$.push_back($1); }
  | key "," key_part { $$ = $1; $$.push_back($3); }
  ;

key_part:
    expr
  | "*"  { $$ = tree.add(@$, ast::AnyPart{}); }
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
  | like  { $$ = tree.add(@$, ast::OffsetOf{$1, {}}); }
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

void lt::Parser::report_syntax_error(const context& at) const { skip_item(lexer, diagnose(at, lexer)); }

// Only memory exhaustion could come here: syntax errors are reported above.
void lt::Parser::error(const Span&, const std::string&) {}
