// Printing in all forms: everything becomes printf(), sprintf() or print().
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systemtap/names/scope.h"

namespace lt::stp {

bool is_sprinting(StpForm form);  // does it return its text as a value?
bool gives_text(StpForm form);    // is its value a text?
// Flags, width and precision of a conversion, before its letter.
inline constexpr std::string_view before_letter = "-+ #0123456789.*l";
void resolve_print(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row);
void resolve_sprint(Names& scope, ast::ExprId id);
// Strings joined with `.`: becomes one sprintf() if that is shorter. False: unchanged.
bool joins_all(Names& scope, ast::ExprId id);
// A time that ctime() prints later is stored as a time.
void keep_time(Names& scope, ast::ExprId id);
std::optional<uint64_t> constant_of(const Names& scope, ast::ExprId id);

}  // namespace lt::stp
