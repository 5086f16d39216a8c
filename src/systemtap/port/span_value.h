// Values passed from an entry to a return, and the block at the return without the maps that pass them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systemtap/port/tree.h"

namespace lt::port {

class SpanValues {
  public:
    // `is_call`: from the entry of a call to its return; else between two events.
    SpanValues(Tree& tree, ast::Block body, bool is_call) : tree_(tree), body_(std::move(body)), is_call_(is_call) {}

    // Removes the assignment to a map from the block at the entry; empty if it is not by thread, or if the value cannot
    // be evaluated later.
    std::optional<ast::ExprId> take(ast::Block& entry, const std::string& map);

    // Between two events: the keys at the first and the second one, if they are the same in all uses and the second one
    // deletes what it read. From here on read() refers to the second.
    using Keys = std::pair<std::vector<ast::ExprId>, std::vector<ast::ExprId>>;
    std::optional<Keys> keys_of(const std::optional<ast::ExprId>& predicate);

    // Replaces all uses of the maps in the block at the return. `predicate`: its predicate. `filter`: that of the
    // entry, which skips some calls, so code that does not check for them must not run then. False if something cannot
    // be replaced.
    bool rewrite(const std::optional<ast::ExprId>& predicate, const std::optional<ast::ExprId>& filter);

    // Without maps: replaces subtractions of a clock's value at the entry.
    void rewrite_clocks();

    const ast::Block& body() const { return body_; }

  private:
    struct Value {
        ast::ExprId key;  // the map as written
        ast::ExprId value;
        std::optional<int64_t> unit;  // of a time, in nanoseconds
    };
    enum class Truth : uint8_t { always, never, unknown };

    bool is_plain_key(const ast::Map& map) const;
    bool is_by_thread(const ast::Map& map) const;
    bool is_kept(ast::ExprId id) const;
    ast::ExprId without_locals(const ast::Block& block, ast::ExprId value) const;
    std::optional<int64_t> unit_of(ast::ExprId id) const;
    const Value* read(ast::ExprId id) const;
    bool has_wrong_key() const;

    void inline_reads();
    void inline_differences();
    void replace_locals(const std::function<bool(const ast::Assign&, const std::string& local)>& fits);
    void shorten_latencies();
    Truth truth(ast::ExprId condition) const;
    std::optional<ast::ExprId> rest_of(ast::ExprId condition);
    bool block(ast::Block& block, bool guarded);
    bool statement(ast::StmtId id, bool guarded, std::vector<ast::StmtId>& out);
    bool branch(ast::StmtId id, bool guarded, std::vector<ast::StmtId>& out);
    void replace_reads(ast::ExprId id);
    std::optional<ast::ExprNode> difference(const ast::Binary& node, Span span);
    void replace_clock(ast::ExprId id);
    void compare_latency(ast::ExprId id);
    void divide_latency(ast::ExprId id);
    bool drops(ast::StmtId id) const;
    ast::ExprId removed_by(ast::StmtId id) const;
    bool deletes_all() const;
    bool is_filter(ast::ExprId condition) const;
    bool replace_in_entry(const ast::Block& entry, const std::string& map);
    bool is_left() const;

    Tree& tree_;
    ast::Block body_;
    bool is_call_;
    std::map<std::string, Value> values_;
    std::optional<ast::ExprId> filter_;
};

}  // namespace lt::port
