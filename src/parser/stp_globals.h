// How the globals of a program are used: as arrays, for statistics, written or read, wherever they are named.
#pragma once

#include "stp_names.h"

namespace lt::stp {

void find_uses(const ast::Program& program, Globals& globals);

}  // namespace lt::stp
