// The steps of a port, in order. Each keeps the script's behavior.
#pragma once

#include <set>
#include <string>

#include "systemtap/port/port.h"
#include "systemtap/port/tree.h"

namespace lt::port {

// Globals that a script only writes, which SystemTap prints at the end; removes the statements that print them.
std::set<std::string> take_display(Tree& tree, const Source& source);

// Optional probes: those that exist become plain ones, the others are removed. Returns the first probe of each item
// that is removed with them.
std::vector<ast::ProbeSpec> settle_alternatives(Tree& tree, const Machine& machine);

// Replaces locals that library aliases assign by their values, and `defined()` where the machine knows; maps that
// nothing writes to become 0.
void place_aliases(Tree& tree, const Source& source);
void settle_questions(Tree& tree, const Machine& machine);
void drop_unwritten(Tree& tree, const Source& source);

// Replaces calls of library functions by their result, if that is one expression, and removes functions that are never
// called. `by_name`: functions that return a text become what lt prints by a name, such as ntop(), which is not a
// string.
void shorten_functions(Tree& tree, const Source& source, bool by_name);

// Merges the maps of one global that collects into one, which the queries then use.
void join_statistics(Tree& tree, const std::set<std::string>& only_written);

// Unwraps blocks that stand for one SystemTap statement, and removes declarations that lt does not need.
void plain_blocks(Tree& tree);
void plain_locals(Tree& tree);

// Turns counting loops into loops over a range.
void count_in_ranges(Tree& tree);

// In loops over a map, uses the pair instead of variables assigned from it.
void use_pairs(Tree& tree);

// Removes branches that are never taken, and functions that are then never called. True: there were some.
bool drop_dead(Tree& tree);

// Removes casts that change nothing.
void drop_casts(Tree& tree, const Machine& machine);

// Names addresses that a block casts more than once.
void name_addresses(Tree& tree);

// Turns a condition at the start of a block into the predicate.
void make_predicates(Tree& tree);

// Merges an action at an entry and one at the return that pass values by thread into a span.
void fold_spans(Tree& tree);

// Writes probes in their short form; merges equal items into one with several probes.
void short_probes(Tree& tree);
void join_items(Tree& tree);

// Adds the settings for SystemTap's behavior that the rest relies on.
void add_settings(Tree& tree, const std::set<std::string>& only_written, const Machine& machine);

// Can a text of the script be longer than max_strlen of .lt?
bool has_long_texts(const Tree& tree, const Machine& machine);

}  // namespace lt::port
