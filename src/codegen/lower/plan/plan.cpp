#include "codegen/lower/plan/plan.h"

#include <algorithm>

#include "base/visible.h"
#include "codegen/lower/plan/shared_maps.h"

namespace lt {
namespace {

// All strings of the program that are not formats. SystemTap scripts build their output from such strings.
std::string own_strings(const ast::Program& program) {
    std::vector<bool> is_format(program.exprs.size(), false);
    for (const ast::Expr& e : program.exprs) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        const FunctionRow* row = call ? find_function(call->name) : nullptr;
        const auto wants = row ? row->wants() : std::span<const Parameter>();
        for (size_t i = 0; i < wants.size() && i < call->arguments.size(); i++)
            if (wants[i].want == Want::format || row->id == Function::time)
                is_format[static_cast<size_t>(call->arguments[i])] = true;
    }
    std::string out;
    for (size_t i = 0; i < program.exprs.size(); i++) {
        const auto* text = std::get_if<ast::String>(&program.exprs[i].node);
        if (text && !is_format[i]) out += text->value + ' ';
    }
    return out;
}

Keep kept_controls(const ast::Program& program) {
    const std::string own = own_strings(program);
    const bool lines = program.settings.keeps_newlines || own.find_first_of("\n\t") != own.npos;
    const bool colors = visible(own, Keep::colors) != visible(own);
    if (!colors) return lines ? Keep::lines : Keep::nothing;
    return lines ? Keep::messages : Keep::colors;
}

void plan_param(Unit& unit, const ParamInfo& info) {
    std::vector<uint8_t>& bytes = unit.plan().param_bytes;
    unit.plan().params.push_back({info.name, info.type, static_cast<uint32_t>(bytes.size()), info.help});
    bytes.insert(bytes.end(), info.bytes.begin(), info.bytes.end());
}

}  // namespace

void plan_settings(Unit& unit) {
    const Settings& settings = unit.program.settings;
    Plan& plan = unit.plan();
    plan.conventions = settings.conventions;
    plan.print_maps = settings.print_maps_on_exit;
    plan.max_errors = settings.max_errors;
    plan.stops_at_exit = settings.stops_at_exit;
    plan.max_cat_bytes = settings.max_cat_bytes;
    plan.cut_mark = settings.cut_mark;
    plan.cut_at = settings.max_strlen;
    plan.mangled = !settings.demangles;
    plan.shows_lines = settings.shows_lines;
    plan.keeps_newlines = kept_controls(unit.program);
}

void plan_params(Unit& unit) {
    for (const ParamInfo& info : unit.typed.params) plan_param(unit, info);
}

PlannedProbe& planned_probe(Unit& unit, const ResolvedPlace& place) {
    PlannedProbe p;
    p.text = place.text;
    p.places = std::max<uint32_t>(1, static_cast<uint32_t>(place.members.size()));
    p.span = place.span;
    if (const auto* period = std::get_if<PeriodPlace>(&place.there)) {
        p.period_ns = period->ns;
        p.times = period->times;
    }
    p.rungs = place.rungs;
    if (place.kind == ProbeKind::begin) p.when = When::begin;
    if (place.kind == ProbeKind::end) p.when = When::end;
    if (place.kind == ProbeKind::error) p.when = When::error;
    if (place.kind == ProbeKind::interval) p.when = When::period;
    if (const auto* signal = std::get_if<SignalPlace>(&place.there)) {
        p.when = signal->parameter.empty() ? When::signal : When::set;
        p.set_param = signal->parameter;
        p.signal = signal->number;
    }
    // a pinned iterator runs whenever it is read
    if (place.kind == ProbeKind::iter && objects(place).pin.empty()) p.when = When::once;
    if (p.rungs.empty()) p.rungs.push_back({Way::run, "", {}});
    unit.plan().probes.push_back(std::move(p));
    return unit.plan().probes.back();
}

PlannedProbe& pattern_probe(Unit& unit, const Body& body) {
    const bool at_end = record(body.place).event.starts_with(syscall_exit);
    const std::pair call{event_place(body.place).by_number->number, at_end};
    const auto is_it = [&](const CallPattern& p) {
        const Body& b = *p.first;
        return b.item == body.item && b.role == body.role && b.endpoint == body.endpoint &&
               b.place.span == body.place.span &&
               event_place(b.place).by_number->pattern == event_place(body.place).by_number->pattern &&
               !p.calls.contains(call);
    };
    auto existing = std::ranges::find_if(unit.patterns, is_it);
    if (existing == unit.patterns.end()) {
        planned_probe(unit, body.place).text = event_place(body.place).by_number->pattern;
        existing = unit.patterns.insert(unit.patterns.end(), {&body, unit.plan().probes.size() - 1});
    }
    existing->calls.insert(call);
    PlannedProbe& all = unit.plan().probes[existing->probe];
    all.places = static_cast<uint32_t>(existing->calls.size());
    return all;
}

PlannedProbe& internal_probe(Unit& unit, std::string text) {
    PlannedProbe p;
    p.text = std::move(text);
    p.internal = true;
    unit.plan().probes.push_back(std::move(p));
    return unit.plan().probes.back();
}

PlannedGate new_gate(Unit& unit) {
    std::vector<uint8_t>& bytes = unit.plan().param_bytes;
    ir::MapDefinition& counts = unit.map_definition(left_out_map(unit));
    const PlannedGate gate{static_cast<uint32_t>(bytes.size()), counts.value_size / uint32_t{sizeof(uint64_t)}};
    bytes.insert(bytes.end(), sizeof(uint64_t), 0);
    counts.value_size += sizeof(uint64_t);
    return gate;
}

uint32_t session_offset(Unit& unit, SessionValue what) {
    std::vector<PlannedSessionValue>& all = unit.plan().session_values;
    const auto existing = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.what == what; });
    if (existing != all.end()) return existing->offset;
    std::vector<uint8_t>& bytes = unit.plan().param_bytes;
    all.push_back({what, static_cast<uint32_t>(bytes.size())});
    bytes.insert(bytes.end(), sizeof(uint64_t), 0);
    return all.back().offset;
}

uint32_t planned_error(Unit& unit, PlannedError error) {
    std::vector<PlannedError>& all = unit.plan().errors;
    const auto existing = std::ranges::find(all, error);
    if (existing != all.end()) return static_cast<uint32_t>(existing - all.begin());
    all.push_back(std::move(error));
    return static_cast<uint32_t>(all.size() - 1);
}

}  // namespace lt
