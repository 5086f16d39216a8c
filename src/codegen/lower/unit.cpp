#include "codegen/lower/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "runtime/border/host_calls.h"

namespace lt {
namespace {

constexpr uint32_t locks = 1024;  // held at one time; one for each program that can run on all CPUs

}  // namespace

Unit::Unit(const ast::Program& program_in, const Typed& typed_in, const Source& source_in, Diags& diags_in)
    : program(program_in), typed(typed_in), source(source_in), diags(diags_in), exclusive(program_in, typed_in) {
    for (size_t i = 0; i < program.c_functions.size(); i++)
        out_.c_functions.push_back(fmt::format("{}{}", ast::c_prefix, i));
    out_.license = program.settings.license;
    out_.abilities = typed.abilities;
}

bool Unit::uses_atomics(bool in_kernel) const {
    const std::function<bool(const ir::Block&)> in_block = [&](const ir::Block& block) {
        return std::ranges::any_of(block, [&](const ir::Op& op) {
            const bool here = op.code == ir::Code::call && ir::library_row(static_cast<ir::Library>(op.symbol)).atomic;
            return here || std::ranges::any_of(op.blocks, in_block);
        });
    };
    return std::ranges::any_of(
        out_.functions,
        [&](const ir::Function& f) { return (f.way != Way::host || !in_kernel) && (f.scratch || in_block(f.body)); });
}

// A relocation adjusts a member's offset, but not its size.
Lowered Unit::take() {
    if (typed.abilities.atomics && uses_atomics(true))
        assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::atomics)});
    else if (!typed.abilities.atomics && uses_atomics(false))
        add_map({std::string(locks_symbol), ir::Storage::hash, 8, 8, locks, true});
    for (const Assumption& a : typed.assumed) assume(a);
    if (!program.c_functions.empty()) compiled_in();  // its clang has compiled layouts in
    for (const ir::Relocation& r : out_.relocations) {
        std::string path;
        for (const Member& m : r.path) path += (path.empty() ? "" : ".") + m.name;
        const Member& last = r.path.back();
        assume({Assumed::member, r.root, path, last.type, uint64_t{last.bit_size != 0}});
    }
    return {std::move(out_), std::move(plan_)};
}

ir::Function& Unit::function(std::string name) {
    out_.functions.emplace_back();
    out_.functions.back().name = std::move(name);
    return out_.functions.back();
}

void Unit::add_span(PlannedSpan span, SpanLayout layout) {
    plan_.spans.push_back(std::move(span));
    layouts_.push_back(std::move(layout));
}

uint32_t Unit::add_map(ir::MapDefinition map) {
    out_.maps.push_back(std::move(map));
    return static_cast<uint32_t>(out_.maps.size() - 1);
}

uint32_t Unit::shared_map(ir::MapDefinition map) {
    const auto existing = std::ranges::find(out_.maps, map.symbol, &ir::MapDefinition::symbol);
    return existing == out_.maps.end() ? add_map(std::move(map)) : static_cast<uint32_t>(existing - out_.maps.begin());
}

uint32_t Unit::text(std::string bytes, uint32_t size) {
    bytes.resize(padded_size(size), '\0');
    const auto existing = std::find(out_.texts.begin(), out_.texts.end(), bytes);
    if (existing != out_.texts.end()) return static_cast<uint32_t>(existing - out_.texts.begin());
    out_.texts.push_back(std::move(bytes));
    return static_cast<uint32_t>(out_.texts.size() - 1);
}

uint32_t Unit::loss(LossKind kind, uint32_t subject) {
    std::vector<PlannedLoss>& all = plan_.losses;
    for (uint32_t i = 0; i < all.size(); i++) {
        if (all[i].kind == kind && all[i].subject == subject) return i;
    }
    all.push_back({kind, subject});
    return static_cast<uint32_t>(all.size() - 1);
}

uint32_t Unit::relocation(ir::Relocation r) {
    const auto same = [&](const ir::Relocation& existing) {
        return existing.ask == r.ask && existing.root == r.root && existing.path == r.path;
    };
    const auto existing = std::find_if(out_.relocations.begin(), out_.relocations.end(), same);
    if (existing != out_.relocations.end()) return static_cast<uint32_t>(existing - out_.relocations.begin());
    out_.relocations.push_back(std::move(r));
    return static_cast<uint32_t>(out_.relocations.size() - 1);
}

uint32_t Unit::event(PlannedEvent event) {
    plan_.events.push_back(std::move(event));
    return static_cast<uint32_t>(plan_.events.size() - 1);
}

}  // namespace lt
