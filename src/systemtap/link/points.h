// Maps probe points to lt's probes: by a row of the table, or through aliases, whose bodies then belong to the probe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "systemtap/grammar/tree.h"
#include "systemtap/tables/stp.h"

namespace lt::stp {

// A probe point with its aliases resolved.
struct Place {
    const StpPoint* row = nullptr;
    std::vector<std::string> arguments;  // of its parts, in order
    Point point;                         // without aliases
    std::string named;                   // as in the script
    std::vector<const Alias*> aliases;   // innermost first
    std::vector<ast::ExprId> armed;      // conditions
    ast::Alternative alternative;
};

class PointFinder {
  public:
    // Makes an alias for a system call that the library does not have; null: the point is not a system call's.
    using SystemCall = std::function<const Alias*(const Point&)>;

    // `groups` counts the groups of alternatives in the whole script.
    PointFinder(const Tree& tree, SystemCall system_call, uint32_t& groups, Diags& diags)
        : tree_(tree), system_call_(std::move(system_call)), diags_(diags), groups_(groups) {}

    std::vector<Place> places(const std::vector<Point>& points);

  private:
    void add(const Point& point, const Place& outside, uint32_t depth);
    void add_all(const std::vector<Point>& points, const std::vector<PointPart>& suffix, const Place& outside,
                 uint32_t depth);
    const StpPoint* row_of(const Point& point) const;
    bool add_kinds(const Point& point, const Place& outside);
    void add_row(const StpPoint& row, const Point& point, Place place);
    void unknown(const Point& point, const Place& outside);

    const Tree& tree_;
    SystemCall system_call_;
    Diags& diags_;
    std::vector<Place> out_;
    uint32_t& groups_;
    size_t looked_at_ = 0;  // points, of the probe
    bool gave_up_ = false;  // an error says why
};

std::string parameter_of(const Place& place);  // for procfs().write: the parameter that `lt set` sets

// The row's text for a place, with the arguments inserted: "kretprobe:vfs_read", as parts.
ast::ProbeSpec probe_of(const Place& place, std::string_view shape);

}  // namespace lt::stp
