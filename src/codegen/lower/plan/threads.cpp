// Spans between two events whose key names a thread or a process: finds which part of the key that is.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/lower/plan/plan.h"
#include "codegen/lower/unit.h"

namespace lt {
namespace {

constexpr uint32_t marks = 65536;  // same as LT_MARKS in stdlib/bpf/span.bpf.c

// Members of tracepoint records and of struct task_struct that contain the number of a thread or process.
constexpr std::array<std::string_view, 7> thread_members{"pid",      "tgid",      "tid",       "prev_pid",
                                                         "next_pid", "child_pid", "common_pid"};

bool is_thread(const ast::Program& program, ast::ExprId id) {
    if (const auto* member = std::get_if<ast::Member>(&program[id].node))
        return std::ranges::find(thread_members, member->field) != thread_members.end();
    const auto* name = std::get_if<ast::Name>(&program[id].node);
    const VariableRow* row = name ? find_variable(name->name) : nullptr;
    return row && (row->id == Variable::pid || row->id == Variable::tid);
}

// The part of the key that names a thread at each opening event.
std::optional<size_t> thread_part(const ast::Program& program, const SpanInfo& info) {
    const auto& node = std::get<ast::SpanAction>(program.items[info.item].node);
    for (size_t part = 0; part < info.key.size(); part++) {
        const auto names_thread = [&](const ast::Endpoint& e) {
            return e.key.empty() || (part < e.key.size() && is_thread(program, e.key[part]));
        };
        if (info.key[part].kind == Kind::integer && std::ranges::all_of(node.opens, names_thread)) return part;
    }
    return {};
}

}  // namespace

// A thread number alone does not give a key of several parts, so all openings are searched, but only for a thread that
// has opened something.
void plan_thread(Unit& unit, const SpanInfo& info, SpanLayout& layout) {
    const auto part = info.between_events && unit.typed.thread_end ? thread_part(unit.program, info) : std::nullopt;
    if (!part || (info.key.size() > 1 && !unit.typed.looks_through)) return;
    layout.thread_at = 0;
    for (size_t i = 0; i < *part; i++) *layout.thread_at += padded_size(info.key[i].size);
    if (info.key.size() == 1) return;
    layout.threads = unit.add_map({fmt::format("lt_threads_{}", unit.spans()), ir::Storage::array, 4, marks, 1, false});
    unit.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
}

}  // namespace lt
