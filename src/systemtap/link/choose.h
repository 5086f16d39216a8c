// (@defined($a) ? $a : $b)->member becomes @defined($a) ? $a->member : $b->member: a target variable, and any part of
// it whose address or value is used, is a path of members from one root.
#pragma once

#include "parser/tree/ast.h"

namespace lt::stp {

void follow_choices(ast::Program& program);

}  // namespace lt::stp
