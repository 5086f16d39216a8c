// Statistics: `x <<< value`, and queries of x.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "systemtap/names/scope.h"

namespace lt::stp {

// One statistic, as written after an @, and what it needs.
struct Statistic {
    std::string_view name;
    std::string_view collects;             // lt's function that collects it in a map of its own; empty: there is none
    std::array<std::string_view, 2> made;  // the statistics it is computed from, if there is none
    std::string_view query;                // lt's function that queries it if all is in one map
};
const Statistic* find_statistic(std::string_view name);  // without its @
// Adds what the statistic needs; in one map if entries are sorted by it.
void want(GlobalUse& use, const Statistic& statistic, bool sorts = false);

// Call it after the last want(): keeps count and sum in one map, though each could have its own.
void join_sums(GlobalUse& use);

// The map that keeps one statistic of a global that collects. Each has its own, and only what is queried is kept.
std::string statistic_map(const std::string& global, std::string_view statistic);

// Gives the maps of statistics in which no item collects the types that they would have, in a probe that no kernel has.
void collect_nowhere(ast::Program& program);

// The global that collects in this expression; null: there is none.
const GlobalUse* collecting_global(const Names& scope, ast::ExprId id);
void resolve_collect(Names& scope, ast::ExprId id, const ast::Call& n);
// @count(x), @avg(x) ...; false: not a statistic.
bool resolve_statistic(Names& scope, ast::ExprId id, const ast::Call& n);
// @hist_log(x)[3]
bool resolve_bucket(Names& scope, ast::ExprId id, const ast::Index& n);
bool print_histogram(Names& scope, ast::ExprId id, const ast::Call& n, bool with_newline);
// Reports an assignment to a statistic as an error.
bool no_value_for_statistic(Names& scope, const ast::Assign& assign);
void loop_over_statistic(Names& scope, ast::StmtId id);
// A map for each statistic that it keeps, each with a copy of the key.
std::vector<ast::ExprId> maps_of(Names& scope, ast::ExprId what);

}  // namespace lt::stp
