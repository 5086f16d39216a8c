// What each name in a body of SystemTap means: globals, locals, target variables, functions. A body is changed in
// place; it must be a copy of its own.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/ast.h"
#include "parser/parse.h"
#include "stdlib/stp.h"
#include "stp_tree.h"

namespace lt::stp {

// What is known of a global from all places that name it.
struct GlobalUse {
    const Global* global = nullptr;
    bool is_array = false;
    bool is_written = false;
    bool is_read = false;
    bool collects = false;  // <<<
    // The maps that keep what is asked of it: "count" always, "sum" ...; all of it in "samples", where one statistic
    // needs the values themselves.
    std::set<std::string> statistics = {};
};
using Globals = std::map<std::string, GlobalUse>;

// The functions of the script and the library by name and number of parameters; those of the script come first.
struct FunctionTable {
    const Function* find(const std::string& name, size_t arguments) const;
    bool has(const std::string& name) const;
    // Those of one name and as many parameters, in the order in which they are tried.
    std::vector<const Function*> overloads(const std::string& name, size_t arguments) const;
    std::vector<const Function*> all;
};
bool is_all_arguments(std::string_view name);  // $$vars, $$parms
bool says_next(const ast::Program& program, const ast::Block& block);
bool is_next(const ast::Program& program, const ast::StmtNode& node);
// The name of a function in the tree: none that means something in lt.
std::string name_in_tree(const Function& function, const FunctionTable& table);

// Where a body stands.
struct Around {
    const StpPoint* row = nullptr;        // none: in a function
    const StpSystemCall* call = nullptr;  // of a system call that is named alone
    std::string module = {};              // in which the place is; empty: in a program, or in several
    std::string mark = {};                // the mark's name; empty: there is none, or a pattern stands for it
    std::string written = {};             // of procfs().write: the parameter that $value is
    bool at_return = false;               // in a span: what is asked of the entry is frozen there
    std::set<std::string> parameters;     // of the function
    const Function* function = nullptr;   // none: in a probe
};

// One statistic, as it is asked for behind an @, and what is kept for it.
struct Statistic {
    std::string_view name;
    std::string_view collects;             // the function of lt that keeps it in a map of its own; empty: none does
    std::array<std::string_view, 2> made;  // of the statistics it is computed from, where there is none
    std::string_view asked;                // the function of lt that is asked for it where all is in one map
};
const Statistic* find_statistic(std::string_view name);  // without its @
// Adds what has to be kept; in one map where entries are sorted by it.
void want(GlobalUse& use, const Statistic& statistic, bool sorts = false);

// To be called when all is wanted: what is kept in one map, though each could have its own.
void join_sums(GlobalUse& use);

// The map that keeps one statistic of a global that collects. Each has one of its own, and only what is asked for is
// kept.
std::string statistic_map(const std::string& global, std::string_view statistic);

// "struct file", "file", "char*": the type to which an address points, as @cast names it.
ast::TypeName pointed_type(std::string text, Span where);

struct Printed;
bool is_sprinting(StpForm form);  // is the text that is made a value?

class NameResolver {
  public:
    NameResolver(ast::Program& program, Globals& globals, const FunctionTable& functions, const Invocation& given,
                 Diags& diags)
        : program_(program), globals_(globals), functions_(functions), given_(given), diags_(diags) {}

    // The body with declarations of its locals before it.
    void body(ast::Block& block, const Around& around);
    void condition(ast::ExprId id, const Around& around);

    const std::set<const Function*>& called() const { return called_; }
    const std::set<std::string>& touched() const { return touched_; }  // globals that have been named
    bool gives_value(const Function& function) const;

  private:
    void block(const ast::Block& block);
    bool leaves(ast::StmtId id) const;
    void exit_last(const ast::Block& block);
    void statement(ast::StmtId id);
    bool is_dead_branch(ast::StmtId id, const ast::If& branch);
    bool asks_defined(ast::ExprId id) const;
    bool decided_by_defined(ast::ExprId id);
    bool joins_all(ast::ExprId id);
    bool has_effect(ast::ExprId id) const;
    bool changes_walked(ast::ExprId target);
    void let_go(ast::StmtId id, ast::ExprId value);
    bool has_no_variables(ast::ExprId id) const;
    void next(ast::StmtId id);
    void keep_given(ast::Block& block);
    void attempt(ast::StmtId id);
    void handle_in_place(ast::StmtId id, const ast::Attempt& node, const std::vector<ast::StmtId>& raises);
    void printed(ast::StmtId id, const ast::Assign& assign);
    void collect_locals(const ast::Block& block);
    void collect_locals(ast::ExprId id);
    void assigned(ast::ExprId target, bool plain);
    void declare(ast::Block& block);

    void expr(ast::ExprId id);
    void name(ast::ExprId id, const ast::Name& node);
    void map(ast::ExprId id, const ast::Map& node);
    void no_array(ast::ExprId id, const std::string& name);
    void global(ast::ExprId id, const GlobalUse& use);
    void target(ast::ExprId id);
    bool shown_whole(ast::ExprId id);
    void returned_text(ast::ExprId id);
    void target_root(ast::ExprId id);
    ast::ExprId root_of(ast::ExprId id) const;
    bool is_target(ast::ExprId id) const;
    // stp_autocast.cpp: what numbers point to that the program has from somewhere else
    void note_type(ast::ExprId target, ast::ExprId value);
    bool may_point(ast::ExprId root) const;
    std::optional<ast::TypeName> pointed_by(ast::ExprId value, uint32_t depth);
    std::optional<ast::TypeName> pointed_by_result(const Function& function, uint32_t depth);
    void cast_by_itself(ast::ExprId id);
    void path(ast::ExprId id);
    void as_long(ast::ExprId id);
    void of_something(ast::ExprId id, const ast::Call& n, const GlobalUse& use);
    void text_at(ast::ExprId id, const ast::Call& n, const StpFunction& row);
    void at_entry(ast::ExprId id);
    void argument_named(ast::ExprId id, const std::string& name);
    ast::ExprNode word(uint64_t number) const;
    ast::ExprNode word_of(ast::ExprId number);
    void special_variable(ast::ExprId id, const std::string& name);

    // stp_calls.cpp
    void call(ast::ExprId id);
    void at_call(ast::ExprId id, const ast::Call& node);
    void native(ast::ExprId id, const ast::Call& node);
    void module_name(ast::ExprId id, const ast::Call& node);
    void container(ast::ExprId id, const std::vector<ast::ExprId>& given);
    void cast(ast::ExprId id, const ast::Call& node);
    void global_variable(ast::ExprId id, const ast::Call& node);
    void delay(ast::ExprId id, const ast::Call& node, const StpFunction& row);
    ast::ExprNode variable(ast::ExprId at, std::string_view name);

    // stp_statistics.cpp
    const GlobalUse* collecting(ast::ExprId id) const;
    bool statistic(ast::ExprId id, const ast::Call& node);
    bool no_value_for_statistic(const ast::Assign& assign);
    void collect(ast::ExprId id, const ast::Call& node);
    void loop_over_statistic(ast::StmtId id);
    void value_of_samples(const ast::ForMap& loop, std::string_view function);
    std::vector<ast::ExprId> maps_of(ast::ExprId what);  // one for each statistic, with a copy of the key
    ast::ExprId map_of(ast::ExprId what, std::string_view statistic);
    std::optional<ast::Call> histogram(const ast::Call& asked);
    bool bucket(ast::ExprId id, const ast::Index& node);
    bool print_histogram(ast::ExprId id, const ast::Call& node, bool with_newline);
    void by_row(ast::ExprId id, ast::Call node, const StpFunction& row);
    void argument(ast::ExprId id, const ast::Call& node, const StpFunction& row);
    void number_at(ast::ExprId id, const ast::Call& node, const StpFunction& row);
    void address_of(ast::ExprId id, const ast::Call& node);
    ast::ExprNode moved_target(ast::ExprId id);
    void named_number(ast::ExprId id, const ast::Call& node);
    void size_of(ast::ExprId id, const ast::Call& node);
    void error(ast::ExprId id, const ast::Call& node);
    // stp_context.cpp
    void abort(ast::ExprId id, const ast::Call& n);
    void register_value(ast::ExprId id, const ast::Call& n, const StpFunction& row);
    void fact(ast::ExprId id, const ast::Call& n, const StpFunction& row);
    void system_call_number(ast::ExprId id, const ast::Call& n);
    void symbol_part(ast::ExprId id, const ast::Call& n, const StpFunction& row);
    void sprinted(ast::ExprId id);
    void keep_time(ast::ExprId id);
    void printing(ast::ExprId id, const ast::Call& node, const StpFunction& row);
    static void add_text(Printed& out, std::string_view text);
    void add_value(Printed& out, ast::ExprId value);
    bool add_sprint(Printed& out, ast::ExprId value);
    bool prints_all(ast::ExprId id) const;
    void add_joined(Printed& out, const std::vector<ast::ExprId>& arguments, StpForm form);
    void add_format(Printed& out, ast::ExprId where, const std::vector<ast::ExprId>& arguments);
    void add_memory(Printed& out, ast::ExprId where, const std::string& modifiers, char letter,
                    const std::function<std::optional<ast::ExprId>()>& take);
    void take_width(ast::ExprId where, bool of_string, std::optional<ast::ExprId> value, std::string& piece,
                    std::optional<ast::ExprId>& wide);
    std::optional<uint64_t> constant(ast::ExprId id) const;
    void add_padded(Printed& out, ast::ExprId value, ast::ExprId wide, bool left);
    bool part_of_time(ast::ExprId id, const ast::Call& node);
    void removal(ast::ExprId id, const ast::Call& node);
    bool has_wildcard(const ast::Map& map) const;
    ast::StmtId each_chosen(ast::ExprId id, const ast::Map& chosen,
                            const std::function<ast::Block(std::vector<ast::ExprId>)>& act);
    void remove_chosen(ast::ExprId id, const ast::Map& chosen);
    void any_chosen(ast::ExprId id, const ast::Map& chosen);
    void arguments(const ast::Call& node);
    bool count_fits(ast::ExprId id, const ast::Call& node, uint32_t least, uint32_t most);
    void value_in_c(ast::ExprId id, const ast::Call& node);
    void unknown_function(const ast::Call& node);
    void put(ast::ExprId id, ast::ExprNode node) { program_.exprs[static_cast<size_t>(id)].node = std::move(node); }
    ast::ExprId moved(ast::ExprId id);  // what stands at `id`, in a place of its own
    ast::ExprId add(ast::ExprId like, ast::ExprNode node) { return program_.add(program_[like].span, std::move(node)); }
    const ast::ExprNode& node(ast::ExprId id) const { return program_[id].node; }
    Span span(ast::ExprId id) const { return program_[id].span; }

    ast::Program& program_;
    Globals& globals_;
    const FunctionTable& functions_;
    const Invocation& given_;
    Diags& diags_;
    const Around* around_ = nullptr;
    struct Seen {
        bool plain = false;  // is there an assignment that gives it its type?
    };
    std::map<std::string, Seen> locals_;
    std::map<std::string, ast::ExprId> given_types_;  // by local: what it is first given
    std::set<const Function*> called_;
    std::set<std::string> touched_;
    std::optional<ast::ExprId> printed_;  // what is printed as it is: no string has to be made of it
    std::vector<std::string> walked_;     // arrays over which the loops around this go
    uint32_t loops_ = 0;
    size_t errors_ = 0;    // calls of error() so far
    size_t followed_ = 0;  // blocks around this statement in which others come after
};

}  // namespace lt::stp
