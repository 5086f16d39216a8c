// The steps of a port, in the order in which they are made. Each keeps what the program does.
#pragma once

#include <set>
#include <string>

#include "port/port.h"
#include "tree.h"

namespace lt::port {

// Globals that a program only writes, which SystemTap prints at the end; what prints them is taken out.
std::set<std::string> take_display(Tree& tree, const Source& source);

// Probes that the program can do without: those that are there are plain ones, the others go. Of items that go with
// them the first probe is given back.
std::vector<ast::ProbeSpec> settle_alternatives(Tree& tree, const Machine& machine);

// Locals that aliases of the library give a value to become that; `defined()` goes where the machine knows; maps that
// nothing writes to are 0.
void place_aliases(Tree& tree, const Source& source);
void settle_questions(Tree& tree, const Machine& machine);
void drop_unwritten(Tree& tree, const Source& source);

// Calls of library functions become what they return, where that is one expression; functions that nothing calls go.
// `by_name`: those that give a text become what lt prints by a name, as ntop(), which is no string.
void shorten_functions(Tree& tree, const Source& source, bool by_name);

// The maps of one global that collects become one, of which the rest is asked.
void join_statistics(Tree& tree, const std::set<std::string>& only_written);

// Statements that stand for one of SystemTap's become statements of the block; declarations that lt needs none of go.
void plain_blocks(Tree& tree);
void plain_locals(Tree& tree);

// Loops that count become loops over a range.
void count_in_ranges(Tree& tree);

// In loops over a map the pair stands for what was assigned from it.
void use_pairs(Tree& tree);

// Branches that are never taken, and functions that nothing else calls. True: there were some.
bool drop_dead(Tree& tree);

// Casts that change nothing.
void drop_casts(Tree& tree, const Machine& machine);

// An address that is cast more than once in a block gets a name.
void name_addresses(Tree& tree);

// What is asked first, before anything is done, becomes the predicate.
void make_predicates(Tree& tree);

// An action at an entry and one at the return that hand over values by thread become one span.
void fold_spans(Tree& tree);

// Probes as one types them; items that one has in several become one of several probes.
void short_probes(Tree& tree);
void join_items(Tree& tree);

// What the rest of the program relies on of SystemTap's ways.
void add_settings(Tree& tree, const std::set<std::string>& only_written);

}  // namespace lt::port
