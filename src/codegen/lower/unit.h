// The state that the whole program shares: the plan, the maps and texts that its functions use, and their losses. The
// functions are made one after the other.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diag.h"
#include "codegen/compile.h"
#include "codegen/ir/ir.h"
#include "codegen/typed/exclusive.h"
#include "codegen/typed/typed.h"

namespace lt {

// In an opening of a span: the frame (between two events: the thread), then the time.
constexpr uint32_t frame_offset = 0;
constexpr uint32_t time_offset = 8;

// A value that is frozen at the opening of a span: an argument, or the expression of entry().
struct FrozenValue {
    std::string source;  // expressions with the same source share one value; see frozen_source()
    ast::ExprId expr;
    std::optional<Type> joined = {};  // fits every opening; otherwise each body has its own type
    uint32_t offset = 0;              // in the opening
    uint32_t room = 8;                // bytes, a multiple of 8
};

// The layout of a span's openings, and their map.
struct SpanLayout {
    uint32_t map = 0;
    std::vector<FrozenValue> frozen = {};
    // Between two events: the part of the key that names the thread, and the map that marks threads with openings.
    std::optional<uint32_t> thread_at = {};
    std::optional<uint32_t> threads = {};
    std::optional<uint32_t> why = {};  // where the sums of `why` are in an opening
};

// System calls that are called by number and come from one pattern share a probe. Each call appears only once.
struct CallPattern {
    const Body* first = nullptr;
    size_t probe = 0;                                // index into Plan::probes
    std::set<std::pair<uint32_t, bool>> calls = {};  // number, and whether it is the end of the call
};

class Unit {
  public:
    Unit(const ast::Program& program, const Typed& typed, const Source& source, Diags& diags);
    // The finished program. The unit is empty afterwards.
    Lowered take();
    // A new function. The reference is valid until the next one is made.
    ir::Function& function(std::string name);

    Plan& plan() { return plan_; }
    const Plan& plan() const { return plan_; }
    PlannedMap& map(uint32_t i) { return plan_.maps[i]; }
    PlannedSpan& span(uint32_t i) { return plan_.spans[i]; }
    uint32_t spans() const { return static_cast<uint32_t>(plan_.spans.size()); }
    const SpanLayout& layout(uint32_t span) const { return layouts_[span]; }
    void add_span(PlannedSpan span, SpanLayout layout);
    uint32_t param(uint32_t i) const { return plan_.params[i].offset; }

    // The index of a new map.
    uint32_t add_map(ir::MapDefinition map);
    // The index of the map with this symbol; creates the map on first use.
    uint32_t shared_map(ir::MapDefinition map);
    ir::MapDefinition& map_definition(uint32_t i) { return out_.maps[i]; }

    // Padded with zeros to `size`. Equal texts, losses, and relocations share one entry.
    uint32_t text(std::string bytes, uint32_t size);
    uint32_t zeros(uint32_t size) { return text("", size); }
    uint32_t loss(LossKind kind, uint32_t subject);
    uint32_t relocation(ir::Relocation r);
    uint32_t event(PlannedEvent event);
    const PlannedEvent& planned(uint32_t event) const { return plan_.events[event]; }

    void assume(const Assumption& a) { lt::assume(plan_.assumed, a); }
    // The program contains information about the kernel or a traced program that cannot be looked up by name elsewhere.
    void compiled_in() { assume({Assumed::release}); }

    // lt cannot run this body itself, because it needs something that only the kernel has.
    void leave_to_kernel(size_t body) { kernel_bodies_.push_back(body); }
    const std::vector<size_t>& kernel_bodies() const { return kernel_bodies_; }

    const ast::Program& program;
    const Typed& typed;
    const Source& source;
    Diags& diags;
    const Exclusive exclusive;
    std::vector<CallPattern> patterns;

  private:
    bool uses_atomics(bool in_kernel) const;  // or also in what lt runs itself
    ir::Program out_;
    Plan plan_;
    std::vector<SpanLayout> layouts_;  // indexed as Plan::spans
    std::vector<size_t> kernel_bodies_;
};

}  // namespace lt
