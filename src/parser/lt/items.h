// Grammar actions for items. The grammar accepts the parts of spans before any block; the actions refuse them with a
// clear message.
#pragma once

#include <string>
#include <vector>

#include "parser/tree/growing_tree.h"

namespace lt {

// The predicate after the last event applies to the whole item.
ast::SpanAction predicates(GrowingTree& tree, ast::SpanAction head);
void add_action(GrowingTree& tree, Span span, ast::SpanAction head, Span body_span, ast::Block body);
void add_span(GrowingTree& tree, Span span, ast::SpanAction head, ast::Block body);
// A point of a chain, and events that end it; the predicate after the last event applies to all of them.
ast::Chain::Point point_of(std::string stage, Span stage_span, ast::Chain::Point::How how,
                           std::vector<ast::Endpoint> events);
ast::Chain::Unless unless_of(std::string reason, std::vector<ast::Endpoint> events);
void add_chain(GrowingTree& tree, const Source& source, Span span, ast::Chain head,
               std::optional<ast::ExprId> threshold, ast::Block body);
// The block after `else`, of the preceding item; `word` is the span of the keyword.
void add_left_out(GrowingTree& tree, Span word, ast::Block body);
// The timeout of the preceding item; `word` is the span of the keyword.
void add_timeout(GrowingTree& tree, Span span, Span word, ast::ExprId after, ast::Block body);
void add_macro(GrowingTree& tree, Span span, std::string name, Span name_span, std::vector<ast::ExprId> parameters,
               std::vector<ast::StmtId> body);

// `name` has the name only; the text of the source has the parameter's other names.
void add_parameter(GrowingTree& tree, const Source& source, Span span, ast::Parameter name, ast::ExprId value,
                   std::string help);

}  // namespace lt
