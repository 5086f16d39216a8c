// The type checker of one Body. Maps are shared by all bodies and learn their types from every use, so the whole
// program is gone over until nothing changes; only the last round's diagnostics are kept.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "codegen/compile.h"
#include "codegen/typed.h"
#include "operators.h"
#include "type_names.h"

namespace lt {

// Where in an item an expression stands: decides which values there are.
enum class Region : uint8_t { body, predicate, threshold, timeout };

// All maps of the program by name, in the order of their first use.
class MapTable {
  public:
    explicit MapTable(std::vector<MapInfo>& maps) : maps_(maps) {}
    uint32_t index(const std::string& name, Span where);
    MapInfo& operator[](uint32_t i) { return maps_[i]; }

  private:
    std::vector<MapInfo>& maps_;
};

// Which of the named values of a place are meant.
struct ArgumentSort {
    bool parameters = true;
    bool locals = false;
    bool numbers_only = false;  // and addresses; no number of a system call
};

class BodyChecker {
  public:
    BodyChecker(const ast::Program& program, Typed& typed, Body& body, MapTable& maps, Kernel& kernel, Diags& diags)
        : program_(program), typed_(typed), body_(body), maps_(maps), kernel_(kernel), diags_(diags) {}
    void run();

  private:
    // check.cpp: statements and maps
    void block(const ast::Block& block);
    void statement(const ast::Stmt& stmt);
    void statement(const ast::Stmt& stmt, const ast::Evaluate& node);
    void statement(const ast::Stmt& stmt, const ast::Assign& node);
    void statement(const ast::Stmt& stmt, const ast::If& node);
    void assign_map(const ast::Assign& node, const ast::Map& target);
    void assign_local(const ast::Assign& node, const ast::Local& target);
    void assign_to(uint32_t local, const Type& t, ast::ExprId value);

    // check_flow.cpp: loops, blocks and what is declared in them
    void statement(const ast::Stmt& stmt, const ast::Return& node);
    void statement(const ast::Stmt& stmt, const ast::Let& node);
    void statement(const ast::Stmt& stmt, const ast::Scope& node);
    void statement(const ast::Stmt& stmt, const ast::While& node);
    void statement(const ast::Stmt& stmt, const ast::ForRange& node);
    void statement(const ast::Stmt& stmt, const ast::ForMap& node);
    void statement(const ast::Stmt& stmt, const ast::Unroll& node);
    void statement(const ast::Stmt& stmt, const ast::Jump& node);
    void statement(const ast::Stmt& stmt, const ast::Attempt& node);
    void statement(const ast::Stmt& stmt, const ast::Raise& node);
    void in_loop(const std::function<void()>& body);
    // check_host.cpp: what lt itself does
    bool wants_host(const ast::ItemNode& node) const;
    bool needs_host(Span where);
    bool has_any_part(const ast::Map& map) const;
    void chosen_parts(ast::ExprId id, const ast::Map& map, uint32_t index);
    void order_fits(const ast::MapOrder& order, uint32_t map);
    void limit_fits(ast::ExprId limit);
    // check_samples.cpp: what is asked of what a map collects
    std::optional<uint32_t> collected_map(const FunctionRow& row, ast::ExprId argument);
    void collected_fits(const FunctionRow& row, ast::ExprId argument);
    void extract(uint32_t map, std::vector<int64_t> asked, Span where);
    void collected_shape(uint32_t map, Type& type);
    std::optional<std::vector<int64_t>> linear_bounds(const ast::Call& node);
    Type statistic(ast::ExprId id, const ast::Call& node, const FunctionRow& row);
    std::optional<Type> bucket(const ast::Index& node);
    void in_scope_of_its_own(const std::function<void()>& body);
    uint32_t declare(const std::string& name, Span where, LocalInfo info);
    uint32_t new_local(LocalInfo info);
    static void learned_before(LocalInfo& info, const LocalInfo& last);
    uint32_t& declared(const ast::Stmt& stmt) {
        return body_.declared[static_cast<size_t>(&stmt - program_.stmts.data())];
    }
    struct Known;
    Known* known_local(std::string_view name);
    Type type_of(ast::ExprId id, const ast::Step& node);
    Type counted_truth(ast::ExprId target);
    Type type_of(ast::ExprId id, const ast::Positional& node);
    Type type_of(ast::ExprId id, const ast::BlockValue& node);
    void unused(const ast::BlockValue& node);
    Type type_of(ast::ExprId id, const ast::AnyPart& node);
    Type type_of(ast::ExprId id, const ast::Defined& node);
    Type known_type(ast::ExprId id, ast::ExprId operand);
    void assume_key(MapInfo& info, size_t parts);
    static Type pair_key(const MapInfo& info);
    static Type pair_value(const MapInfo& info);
    Type whole_pair(ast::ExprId id, uint32_t local);
    std::optional<Type> pair_member(ast::ExprId id, const ast::Member& node);
    void collect(ast::ExprId target, ast::ExprId call, const FunctionRow& row);
    bool merge_value(uint32_t map, Type type, Span where);
    void merge_key(uint32_t map, const Type& held, size_t i, Span where);
    uint32_t map_at(ast::ExprId id, const ast::Map& node, bool whole);
    void condition(ast::ExprId id, std::string_view what);
    const FunctionRow* aggregation_of(ast::ExprId id) const;
    const ast::SpanAction& span_node() const { return std::get<ast::SpanAction>(program_.items[body_.item].node); }

    // check_expr.cpp: expressions
    Type value(ast::ExprId id);  // of an expression that must have a value
    Type expression(ast::ExprId id);
    Type type_of(ast::ExprId id, const ast::Integer& node);
    Type type_of(ast::ExprId id, const ast::Duration& node);
    Type type_of(ast::ExprId id, const ast::String& node);
    Type type_of(ast::ExprId id, const ast::Name& node);
    Type type_of(ast::ExprId id, const ast::Ellipsis& node);
    Type type_of(ast::ExprId id, const ast::Local& node);
    Type type_of(ast::ExprId id, const ast::Map& node);
    Type type_of(ast::ExprId id, const ast::Call& node);
    Type type_of(ast::ExprId id, const ast::Unary& node);
    Type type_of(ast::ExprId id, const ast::Binary& node);
    Type type_of(ast::ExprId id, const ast::Conditional& node);
    Type variable(ast::ExprId id, const VariableRow& row, std::string_view name);
    Type result_type(ast::ExprId id);
    bool in_scope(ast::ExprId id, const VariableRow& row);
    Type argument(ast::ExprId id, std::string_view name);
    Type marker_argument(ast::ExprId id, uint32_t n);
    Type record_field(ast::ExprId id, const ast::Member& node);
    std::vector<Field>::const_iterator renamed_parameter(const ast::Member& node);
    Type unknown_name(ast::ExprId id, std::string_view name);
    Type unknown_function(const ast::Call& node);
    bool grows(const ast::Binary& node) const;
    bool bounds_strings() const { return program_.settings.bounded_strings || typed_.strings_grow; }
    Type durations(ast::ExprId id, const ast::Binary& node, Type left, Type right);
    Type percentile(ast::ExprId id, const ast::Call& node, const FunctionRow& row);

    // check_args.cpp: `args` as a whole
    bool wanted(const ProgramVariable& v, const ArgumentSort& sort);
    Type whole_arguments(ast::ExprId id);

    // check_program.cpp: what the debug information of a program tells
    Type program_variable(ast::ExprId id, const ast::Member& node);
    Type of_place(Type type);
    Type of_kernel(Type type);
    std::optional<ProgramVariable> variable_named(const ast::Member& node, const ProgramScope& scope);
    Type program_result(ast::ExprId id);
    TypeLookup types_here();

    // check_arguments.cpp: what a call is given
    struct Asked;
    void arguments(ast::ExprId id, const ast::Call& node, const FunctionRow& row);
    void argument_fits(const Asked& asked);
    void opening_fits(const Asked& asked);
    void integer_fits(const Asked& asked);
    void string_fits(const Asked& asked);
    void address_or_string_fits(const Asked& asked);
    void bytes_fit(const Asked& asked);
    void number_fits(const Asked& asked);
    void literal_fits(const Asked& asked);
    void word_fits(const Asked& asked);
    void as_it_stands(const Asked& asked, std::string_view what);
    void format_fits(const Asked& asked);
    void value_fits(const Asked& asked);
    bool map_taken(const Asked& asked);
    void map_fits(const Asked& asked);
    void map_or_value_fits(const Asked& asked);
    void distribution_fits(const Asked& asked);
    bool is_statistic_call(ast::ExprId id) const;
    bool collected_entry(ast::ExprId argument);
    void collected_argument(const Asked& asked);
    void percent_fits(const Asked& asked);
    void frames_fit(const Asked& asked);
    void frames_or_form_fit(const Asked& asked);
    void print_arguments(const ast::Call& node);
    void printf_arguments(const ast::Call& node);

    // check_types.cpp: structures, casts, tuples
    Type type_of(ast::ExprId id, const ast::Boolean& node);
    Type type_of(ast::ExprId id, const ast::Member& node);
    Type type_of(ast::ExprId id, const ast::Index& node);
    Type type_of(ast::ExprId id, const ast::Tuple& node);
    Type type_of(ast::ExprId id, const ast::Cast& node);
    Type number_of(const ast::Cast& node, const Type& from, const Type& wanted);
    Type text_as(const ast::Cast& node, const Type& from);
    Type address_as_number(const ast::Cast& node);
    Type type_of(ast::ExprId id, const ast::SizeOf& node);
    Type type_of(ast::ExprId id, const ast::OffsetOf& node);
    Type member(ast::ExprId id, const Type& owner, const ast::Member& node, bool user);
    Type tuple_part(ast::ExprId id, const Type& tuple, Span where, const std::string& number);
    Type element_type(const ast::Index& node, const Type& base, const ast::Integer* number);
    Type dereferenced(ast::ExprId id, Type operand);
    bool supposed_of_user(ast::ExprId address, const Type& to);
    bool said_of_kernel(ast::ExprId address);
    Type address_of(ast::ExprId id, ast::ExprId operand, Type type);
    std::optional<bool> memory_of(ast::ExprId id);
    std::optional<Type> type_like(const ast::TypeName& written);
    Type size_of(ast::ExprId id, ast::ExprId argument);
    uint32_t own_size(ast::ExprId id);
    std::optional<Type> type_named(const ast::TypeName& written);
    std::optional<Type> declared_type(const ast::TypeName& written);
    // check_assumed.cpp: what is compiled in of what the machine has
    void assume_field(const Field& field);
    void assume_result(const KernelFunction& function);
    void assume_size(const Type& type);
    Type assume_layout(Type whole);
    void assume_arguments(uint32_t last);

    Type kept(ast::ExprId id, Type type);
    void show_whole(ast::ExprId id);
    Type measured(const ast::Call& node, Function which);

    // calls_c.cpp
    Type c_call(const ast::Call& node, uint32_t index);

    // check_span.cpp: what only spans have, and parameters
    void span_parts(const ast::SpanAction& node);
    void span_key(const ast::Endpoint& endpoint);
    void merge_span_key(SpanInfo& info, const std::vector<Type>& types, Span where);
    void opening_predicates(const ast::SpanAction& node);
    void merge_entry(ast::ExprId argument, Type type);
    void at_each_opening(size_t diags_before);
    void threshold(const ast::SpanAction& node);
    void timeout(const ast::Timeout& node);
    void entries_in(ast::ExprId id);
    void entries_in(const ast::Block& block);
    Type entry(const ast::Call& node);
    Type age(ast::ExprId id, const ast::Call& node);
    const SpanInfo* span_named(ast::ExprId id);
    std::optional<Type> parameter(ast::ExprId id, std::string_view name);

  public:  // for the rules of calls (calls.h), besides value()
    Type value_of(ast::ExprId id) { return value(id); }
    const ResolvedPlace& place() const { return body_.place; }
    // Those of the place; empty after an error.
    std::optional<ArgumentsUse> readable_arguments(ast::ExprId id, const ArgumentSort& sort);
    bool on_host() const { return body_.host; }
    bool passed_over() const { return passed_over_ > 0; }
    Type of_row(const Type& type) const { return type == truth_type() ? truth() : type; }
    Type truth() const { return program_.settings.shows_truths ? truth_type() : integer_type(); }  // of a comparison
    const ast::Expr& expr(ast::ExprId id) const { return program_[id]; }
    const ast::Program& program() const { return program_; }
    const Type& checked(ast::ExprId id) { return slot(id); }
    uint32_t width(ast::ExprId id);
    uint32_t letters(ast::ExprId id) const { return most_letters(program_, body_, id); }
    std::optional<int64_t> known(ast::ExprId id) const;
    std::optional<std::string_view> known_text(ast::ExprId id) const;
    bool in_action() const { return body_.role == Role::action; }
    void say(ast::ExprId id, Use what) { use(id) = std::move(what); }
    const Use& said(ast::ExprId id) { return use(id); }
    Diag& error(ast::ExprId id, std::string message) { return diags_.error(span(id), std::move(message)); }
    Kernel& kernel() { return kernel_; }
    void assume(Assumption one) { lt::assume(typed_.assumed, std::move(one)); }
    void assume_symbol(const std::string& name, uint64_t address) { assume({Assumed::symbol, "", name, {}, address}); }
    const Settings& settings() const { return program_.settings; }
    uint32_t longest_string() const { return program_.settings.max_strlen; }

  private:
    Type call_by_rule(ast::ExprId id, const ast::Call& node, const FunctionRow& row);
    Type series(const ast::Call& node, Type type);
    Type bucketed(const ast::Call& node, const FunctionRow& row, Type type);
    bool in_span() const { return body_.role != Role::action; }
    // Is an expression evaluated when the span opens?
    bool opening() const {
        return region_ == Region::predicate || (body_.role == Role::open && region_ != Region::timeout);
    }
    std::string program_text(ast::ExprId id) const;  // a short form of an expression, for hints
    Span span(ast::ExprId id) const { return program_[id].span; }
    Type& slot(ast::ExprId id) { return body_.types[static_cast<uint32_t>(id)]; }
    Use& use(ast::ExprId id) { return body_.uses[static_cast<uint32_t>(id)]; }

    // A local that can be named here, innermost last.
    struct Known {
        std::string name;
        uint32_t index;
        uint32_t level;       // of the block in which it was first written
        bool is_open = true;  // is that block still open?
    };
    std::vector<Known> known_;
    std::vector<LocalInfo> before_;  // the locals of the round before
    uint32_t level_ = 0;
    uint32_t loops_ = 0;        // around this, in the same function
    uint32_t passed_over_ = 0;  // branches around this that are never taken
    std::vector<const ast::BlockValue*> calls_;
    static constexpr uint32_t no_local = ~0u;
    std::vector<uint32_t> attempts_;  // around this: the local with the message, or none

    const ast::Program& program_;
    Typed& typed_;
    Body& body_;
    MapTable& maps_;
    Kernel& kernel_;
    Diags& diags_;
    Region region_ = Region::body;
    std::optional<ast::ExprId> indexed_;  // a histogram of which one bucket is asked
    std::optional<ast::ExprId> printed_;  // an argument of print() or printf() as it stands
};

// Is it a type of the kernel, which lies elsewhere in another one?
bool moves(const Type& type);

// Names that stand twice or for two things.
void check_names(const ast::Program& program, Typed& typed, Diags& diags);

}  // namespace lt
