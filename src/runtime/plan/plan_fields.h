// The fields of a saved plan: for each structure a row per field, by which it is written and read.
#pragma once

#include <string_view>
#include <tuple>

#include "runtime/plan/saved_plan.h"
#include "runtime/plan/saved_rung.h"

namespace lt {

template <class Owner, class Value>
struct FieldRow {
    std::string_view name;
    Value Owner::* member;
};
template <class Owner, class Value>
FieldRow(const char*, Value Owner::*) -> FieldRow<Owner, Value>;

// Converts to any field's type, so that the fields of a structure can be counted.
struct AnyField {
    template <class T>
    operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, class... Fields>
constexpr size_t field_count(Fields... fields) {
    if constexpr (requires { T{fields..., AnyField{}}; })
        return field_count<T>(fields..., AnyField{});
    else
        return sizeof...(fields);
}

// A structure has `rows`; an enumeration has `last`, its greatest value.
template <class T>
struct Described;

template <>
struct Described<Span> {
    static constexpr std::tuple rows{FieldRow{"begin", &Span::begin}, FieldRow{"end", &Span::end}};
};

template <>
struct Described<Member> {
    static constexpr std::tuple rows{FieldRow{"name", &Member::name}, FieldRow{"type", &Member::type},
                                     FieldRow{"offset", &Member::offset}, FieldRow{"bit", &Member::bit_offset},
                                     FieldRow{"bits", &Member::bit_size}};
};

template <>
struct Described<Enumerator> {
    static constexpr std::tuple rows{FieldRow{"name", &Enumerator::name}, FieldRow{"value", &Enumerator::value}};
};

template <>
struct Described<Shape> {
    static constexpr std::tuple rows{FieldRow{"name", &Shape::name},       FieldRow{"module", &Shape::module},
                                     FieldRow{"number", &Shape::number},   FieldRow{"declared", &Shape::declared},
                                     FieldRow{"parts", &Shape::parts},     FieldRow{"names", &Shape::names},
                                     FieldRow{"members", &Shape::members}, FieldRow{"enumerators", &Shape::enumerators},
                                     FieldRow{"buckets", &Shape::buckets}};
};

template <>
struct Described<Type> {
    static constexpr std::tuple rows{FieldRow{"kind", &Type::kind},
                                     FieldRow{"size", &Type::size},
                                     FieldRow{"signed", &Type::is_signed},
                                     FieldRow{"view", &Type::view},
                                     FieldRow{"aggregation", &Type::aggregation},
                                     FieldRow{"user", &Type::user_memory},
                                     FieldRow{"shape", &Type::shape},
                                     FieldRow{"stack", &Type::stack_form},
                                     FieldRow{"naming", &Type::naming}};
};

template <>
struct Described<PerfEvent> {
    static constexpr std::tuple rows{FieldRow{"type", &PerfEvent::type},
                                     FieldRow{"config", &PerfEvent::config},
                                     FieldRow{"config1", &PerfEvent::config1},
                                     FieldRow{"config2", &PerfEvent::config2},
                                     FieldRow{"access", &PerfEvent::access},
                                     FieldRow{"every", &PerfEvent::every},
                                     FieldRow{"by_frequency", &PerfEvent::by_frequency}};
};

template <>
struct Described<SavedAttachment> {
    static constexpr std::tuple rows{
        FieldRow{"program", &SavedAttachment::program},     FieldRow{"at_return", &SavedAttachment::at_return},
        FieldRow{"function", &SavedAttachment::function},   FieldRow{"event", &SavedAttachment::event},
        FieldRow{"number", &SavedAttachment::number},       FieldRow{"cookie", &SavedAttachment::cookie},
        FieldRow{"semaphore", &SavedAttachment::semaphore}, FieldRow{"perf", &SavedAttachment::perf},
        FieldRow{"table", &SavedAttachment::table}};
};

template <>
struct Described<SavedRung> {
    static constexpr std::tuple rows{FieldRow{"way", &SavedRung::way}, FieldRow{"refused", &SavedRung::refused},
                                     FieldRow{"attachments", &SavedRung::attachments}};
};

template <>
struct Described<PlannedGate> {
    static constexpr std::tuple rows{FieldRow{"share", &PlannedGate::share},
                                     FieldRow{"left_out", &PlannedGate::left_out}};
};

template <>
struct Described<PlannedProbe> {
    static constexpr std::tuple rows{
        FieldRow{"text", &PlannedProbe::text},           FieldRow{"internal", &PlannedProbe::internal},
        FieldRow{"span", &PlannedProbe::span},           FieldRow{"when", &PlannedProbe::when},
        FieldRow{"period", &PlannedProbe::period_ns},    FieldRow{"rungs", &PlannedProbe::rungs},
        FieldRow{"places", &PlannedProbe::places},       FieldRow{"signal", &PlannedProbe::signal},
        FieldRow{"of_span", &PlannedProbe::of_span},     FieldRow{"gate", &PlannedProbe::gate},
        FieldRow{"into", &PlannedProbe::collects_into},  FieldRow{"stays", &PlannedProbe::stays},
        FieldRow{"set_param", &PlannedProbe::set_param}, FieldRow{"times", &PlannedProbe::times}};
};

template <>
struct Described<PlannedMap> {
    static constexpr std::tuple rows{FieldRow{"name", &PlannedMap::name},
                                     FieldRow{"symbol", &PlannedMap::symbol},
                                     FieldRow{"shape", &PlannedMap::shape},
                                     FieldRow{"key", &PlannedMap::key},
                                     FieldRow{"key_size", &PlannedMap::key_size},
                                     FieldRow{"value", &PlannedMap::value},
                                     FieldRow{"value_size", &PlannedMap::value_size},
                                     FieldRow{"keeps_order", &PlannedMap::keeps_order},
                                     FieldRow{"shrinks", &PlannedMap::shrinks},
                                     FieldRow{"entries", &PlannedMap::max_entries},
                                     FieldRow{"by_difference", &PlannedMap::cleared_by_difference},
                                     FieldRow{"generation", &PlannedMap::generation},
                                     FieldRow{"adder", &PlannedMap::adder}};
};

template <>
struct Described<PlannedPercentile> {
    static constexpr std::tuple rows{FieldRow{"map", &PlannedPercentile::map},
                                     FieldRow{"share", &PlannedPercentile::share}};
};

template <>
struct Described<EventField> {
    static constexpr std::tuple rows{FieldRow{"type", &EventField::type}, FieldRow{"offset", &EventField::offset},
                                     FieldRow{"percentile", &EventField::percentile}};
};

template <>
struct Described<PlannedPosition> {
    static constexpr std::tuple rows{FieldRow{"file", &PlannedPosition::file}, FieldRow{"line", &PlannedPosition::line},
                                     FieldRow{"column", &PlannedPosition::column}};
};

template <>
struct Described<PlannedEvent> {
    static constexpr std::tuple rows{
        FieldRow{"kind", &PlannedEvent::kind},       FieldRow{"format", &PlannedEvent::format},
        FieldRow{"map", &PlannedEvent::map},         FieldRow{"top", &PlannedEvent::top},
        FieldRow{"divisor", &PlannedEvent::divisor}, FieldRow{"fields", &PlannedEvent::fields},
        FieldRow{"size", &PlannedEvent::size},       FieldRow{"timed", &PlannedEvent::timed},
        FieldRow{"printed", &PlannedEvent::printed}, FieldRow{"where", &PlannedEvent::where}};
};

template <>
struct Described<PlannedLoss> {
    static constexpr std::tuple rows{FieldRow{"kind", &PlannedLoss::kind}, FieldRow{"subject", &PlannedLoss::subject}};
};

template <>
struct Described<PlannedTimeout> {
    static constexpr std::tuple rows{
        FieldRow{"span", &PlannedTimeout::span}, FieldRow{"after", &PlannedTimeout::after_ns},
        FieldRow{"param", &PlannedTimeout::param}, FieldRow{"program", &PlannedTimeout::program}};
};

template <>
struct Described<PlannedSpan> {
    static constexpr std::tuple rows{FieldRow{"text", &PlannedSpan::text},
                                     FieldRow{"name", &PlannedSpan::name},
                                     FieldRow{"symbol", &PlannedSpan::symbol},
                                     FieldRow{"state", &PlannedSpan::state},
                                     FieldRow{"key", &PlannedSpan::key},
                                     FieldRow{"depth", &PlannedSpan::depth},
                                     FieldRow{"opening", &PlannedSpan::opening_size}};
};

template <>
struct Described<PlannedError> {
    static constexpr std::tuple rows{FieldRow{"text", &PlannedError::text}, FieldRow{"near", &PlannedError::near},
                                     FieldRow{"address", &PlannedError::has_address},
                                     FieldRow{"where", &PlannedError::where}};
};

template <>
struct Described<PlannedParam> {
    static constexpr std::tuple rows{FieldRow{"name", &PlannedParam::name}, FieldRow{"type", &PlannedParam::type},
                                     FieldRow{"offset", &PlannedParam::offset}, FieldRow{"help", &PlannedParam::help}};
};

template <>
struct Described<PlannedSessionValue> {
    static constexpr std::tuple rows{FieldRow{"what", &PlannedSessionValue::what},
                                     FieldRow{"offset", &PlannedSessionValue::offset}};
};

template <>
struct Described<PlannedCounter> {
    static constexpr std::tuple rows{FieldRow{"symbol", &PlannedCounter::symbol},
                                     FieldRow{"event", &PlannedCounter::event},
                                     FieldRow{"name", &PlannedCounter::name}};
};

template <>
struct Described<Assumption> {
    static constexpr std::tuple rows{FieldRow{"what", &Assumption::what}, FieldRow{"owner", &Assumption::owner},
                                     FieldRow{"name", &Assumption::name}, FieldRow{"type", &Assumption::type},
                                     FieldRow{"number", &Assumption::number}};
};

template <>
struct Described<Conventions> {
    static constexpr std::tuple rows{FieldRow{"plain_integers", &Conventions::plain_integers},
                                     FieldRow{"c_integers", &Conventions::c_integers},
                                     FieldRow{"marks_zero", &Conventions::marks_zero},
                                     FieldRow{"announces_attached", &Conventions::announces_attached},
                                     FieldRow{"positions", &Conventions::positions},
                                     FieldRow{"parts_maps", &Conventions::parts_maps},
                                     FieldRow{"orders_maps", &Conventions::orders_maps},
                                     FieldRow{"empty_maps", &Conventions::empty_maps},
                                     FieldRow{"whole_iterators", &Conventions::whole_iterators},
                                     FieldRow{"binds_command", &Conventions::binds_command}};
};

template <>
struct Described<Plan> {
    static constexpr std::tuple rows{FieldRow{"object", &Plan::object},
                                     FieldRow{"probes", &Plan::probes},
                                     FieldRow{"maps", &Plan::maps},
                                     FieldRow{"events", &Plan::events},
                                     FieldRow{"errors", &Plan::errors},
                                     FieldRow{"max_errors", &Plan::max_errors},
                                     FieldRow{"stops_at_exit", &Plan::stops_at_exit},
                                     FieldRow{"spans", &Plan::spans},
                                     FieldRow{"timeouts", &Plan::timeouts},
                                     FieldRow{"losses", &Plan::losses},
                                     FieldRow{"params", &Plan::params},
                                     FieldRow{"param_bytes", &Plan::param_bytes},
                                     FieldRow{"session_values", &Plan::session_values},
                                     FieldRow{"counters", &Plan::counters},
                                     FieldRow{"walk", &Plan::walk},
                                     FieldRow{"books", &Plan::books},
                                     FieldRow{"family", &Plan::family},
                                     FieldRow{"conventions", &Plan::conventions},
                                     FieldRow{"print_maps", &Plan::print_maps},
                                     FieldRow{"max_cat_bytes", &Plan::max_cat_bytes},
                                     FieldRow{"cut_mark", &Plan::cut_mark},
                                     FieldRow{"cut_at", &Plan::cut_at},
                                     FieldRow{"mangled", &Plan::mangled},
                                     FieldRow{"shows_lines", &Plan::shows_lines},
                                     FieldRow{"keeps_newlines", &Plan::keeps_newlines},
                                     FieldRow{"skips_own", &Plan::skips_own},
                                     FieldRow{"ends_by_word", &Plan::ends_by_word},
                                     FieldRow{"assumed", &Plan::assumed}};
};

template <>
struct Described<Source::Part> {
    static constexpr std::tuple rows{FieldRow{"begin", &Source::Part::begin}, FieldRow{"name", &Source::Part::name},
                                     FieldRow{"library", &Source::Part::is_library}};
};

template <>
struct Described<Source> {
    static constexpr std::tuple rows{FieldRow{"name", &Source::name}, FieldRow{"text", &Source::text},
                                     FieldRow{"parts", &Source::parts}, FieldRow{"dialect", &Source::dialect}};
};

template <>
struct Described<SavedPlan> {
    static constexpr std::tuple rows{
        FieldRow{"version", &SavedPlan::version},       FieldRow{"machine", &SavedPlan::machine},
        FieldRow{"source", &SavedPlan::source},         FieldRow{"unsafe", &SavedPlan::unsafe},
        FieldRow{"timestamps", &SavedPlan::timestamps}, FieldRow{"sampled", &SavedPlan::sampled},
        FieldRow{"plans", &SavedPlan::plans},           FieldRow{"releases", &SavedPlan::releases}};
};

template <auto value>
struct LastValue {
    static constexpr auto last = value;
};
template <>
struct Described<Keep> : LastValue<Keep::messages> {};
template <>
struct Described<Kind> : LastValue<Kind::buffer> {};
template <>
struct Described<View> : LastValue<View::enumeration> {};
template <>
struct Described<Naming> : LastValue<Naming::why> {};
template <>
struct Described<Aggregation> : LastValue<Aggregation::why> {};
template <>
struct Described<StackForm> : LastValue<StackForm::raw> {};
template <>
struct Described<Way> : LastValue<Way::typed_tracepoint> {};
template <>
struct Described<When> : LastValue<When::attached> {};
template <>
struct Described<MapShape> : LastValue<MapShape::per_cpu_array> {};
template <>
struct Described<EventKind> : LastValue<EventKind::snapshot> {};
template <>
struct Described<LossKind> : LastValue<LossKind::cpu_unwatched> {};
template <>
struct Described<SpanState> : LastValue<SpanState::frame> {};
template <>
struct Described<SessionValue> : LastValue<SessionValue::day_offset> {};
template <>
struct Described<Assumed> : LastValue<last_assumed> {};

}  // namespace lt
