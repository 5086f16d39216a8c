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

// The rows of a structure.
template <class T>
inline constexpr std::nullptr_t fields_of{};

template <>
inline constexpr std::tuple fields_of<Span>{FieldRow{"begin", &Span::begin}, FieldRow{"end", &Span::end}};

template <>
inline constexpr std::tuple fields_of<Member>{FieldRow{"name", &Member::name}, FieldRow{"type", &Member::type},
                                              FieldRow{"offset", &Member::offset}, FieldRow{"bit", &Member::bit_offset},
                                              FieldRow{"bits", &Member::bit_size}};

template <>
inline constexpr std::tuple fields_of<Enumerator>{FieldRow{"name", &Enumerator::name},
                                                  FieldRow{"value", &Enumerator::value}};

template <>
inline constexpr std::tuple fields_of<Shape>{
    FieldRow{"name", &Shape::name},       FieldRow{"module", &Shape::module},
    FieldRow{"number", &Shape::number},   FieldRow{"declared", &Shape::declared},
    FieldRow{"parts", &Shape::parts},     FieldRow{"names", &Shape::names},
    FieldRow{"members", &Shape::members}, FieldRow{"enumerators", &Shape::enumerators},
    FieldRow{"buckets", &Shape::buckets}};

template <>
inline constexpr std::tuple fields_of<Type>{FieldRow{"kind", &Type::kind},
                                            FieldRow{"size", &Type::size},
                                            FieldRow{"signed", &Type::is_signed},
                                            FieldRow{"view", &Type::view},
                                            FieldRow{"aggregation", &Type::aggregation},
                                            FieldRow{"user", &Type::user_memory},
                                            FieldRow{"shape", &Type::shape},
                                            FieldRow{"stack", &Type::stack_form},
                                            FieldRow{"naming", &Type::naming}};

template <>
inline constexpr std::tuple fields_of<PerfEvent>{FieldRow{"type", &PerfEvent::type},
                                                 FieldRow{"config", &PerfEvent::config},
                                                 FieldRow{"config1", &PerfEvent::config1},
                                                 FieldRow{"config2", &PerfEvent::config2},
                                                 FieldRow{"access", &PerfEvent::access},
                                                 FieldRow{"every", &PerfEvent::every},
                                                 FieldRow{"by_frequency", &PerfEvent::by_frequency}};

template <>
inline constexpr std::tuple fields_of<SavedAttachment>{
    FieldRow{"program", &SavedAttachment::program},     FieldRow{"at_return", &SavedAttachment::at_return},
    FieldRow{"function", &SavedAttachment::function},   FieldRow{"event", &SavedAttachment::event},
    FieldRow{"number", &SavedAttachment::number},       FieldRow{"cookie", &SavedAttachment::cookie},
    FieldRow{"semaphore", &SavedAttachment::semaphore}, FieldRow{"perf", &SavedAttachment::perf},
    FieldRow{"table", &SavedAttachment::table}};

template <>
inline constexpr std::tuple fields_of<SavedRung>{FieldRow{"way", &SavedRung::way},
                                                 FieldRow{"refused", &SavedRung::refused},
                                                 FieldRow{"attachments", &SavedRung::attachments}};

template <>
inline constexpr std::tuple fields_of<PlannedGate>{FieldRow{"share", &PlannedGate::share},
                                                   FieldRow{"left_out", &PlannedGate::left_out}};

template <>
inline constexpr std::tuple fields_of<PlannedProbe>{
    FieldRow{"text", &PlannedProbe::text},           FieldRow{"internal", &PlannedProbe::internal},
    FieldRow{"span", &PlannedProbe::span},           FieldRow{"when", &PlannedProbe::when},
    FieldRow{"period", &PlannedProbe::period_ns},    FieldRow{"rungs", &PlannedProbe::rungs},
    FieldRow{"places", &PlannedProbe::places},       FieldRow{"signal", &PlannedProbe::signal},
    FieldRow{"of_span", &PlannedProbe::of_span},     FieldRow{"gate", &PlannedProbe::gate},
    FieldRow{"into", &PlannedProbe::collects_into},  FieldRow{"stays", &PlannedProbe::stays},
    FieldRow{"set_param", &PlannedProbe::set_param}, FieldRow{"times", &PlannedProbe::times}};

template <>
inline constexpr std::tuple fields_of<PlannedMap>{FieldRow{"name", &PlannedMap::name},
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

template <>
inline constexpr std::tuple fields_of<PlannedPercentile>{FieldRow{"map", &PlannedPercentile::map},
                                                         FieldRow{"share", &PlannedPercentile::share}};

template <>
inline constexpr std::tuple fields_of<EventField>{FieldRow{"type", &EventField::type},
                                                  FieldRow{"offset", &EventField::offset},
                                                  FieldRow{"percentile", &EventField::percentile}};

template <>
inline constexpr std::tuple fields_of<PlannedPosition>{FieldRow{"file", &PlannedPosition::file},
                                                       FieldRow{"line", &PlannedPosition::line},
                                                       FieldRow{"column", &PlannedPosition::column}};

template <>
inline constexpr std::tuple fields_of<PlannedEvent>{
    FieldRow{"kind", &PlannedEvent::kind},       FieldRow{"format", &PlannedEvent::format},
    FieldRow{"map", &PlannedEvent::map},         FieldRow{"top", &PlannedEvent::top},
    FieldRow{"divisor", &PlannedEvent::divisor}, FieldRow{"fields", &PlannedEvent::fields},
    FieldRow{"size", &PlannedEvent::size},       FieldRow{"timed", &PlannedEvent::timed},
    FieldRow{"printed", &PlannedEvent::printed}, FieldRow{"where", &PlannedEvent::where}};

template <>
inline constexpr std::tuple fields_of<PlannedLoss>{FieldRow{"kind", &PlannedLoss::kind},
                                                   FieldRow{"subject", &PlannedLoss::subject}};

template <>
inline constexpr std::tuple fields_of<PlannedTimeout>{
    FieldRow{"span", &PlannedTimeout::span}, FieldRow{"after", &PlannedTimeout::after_ns},
    FieldRow{"param", &PlannedTimeout::param}, FieldRow{"program", &PlannedTimeout::program}};

template <>
inline constexpr std::tuple fields_of<PlannedSpan>{FieldRow{"text", &PlannedSpan::text},
                                                   FieldRow{"name", &PlannedSpan::name},
                                                   FieldRow{"symbol", &PlannedSpan::symbol},
                                                   FieldRow{"state", &PlannedSpan::state},
                                                   FieldRow{"key", &PlannedSpan::key},
                                                   FieldRow{"depth", &PlannedSpan::depth},
                                                   FieldRow{"opening", &PlannedSpan::opening_size}};

template <>
inline constexpr std::tuple fields_of<PlannedError>{
    FieldRow{"text", &PlannedError::text}, FieldRow{"near", &PlannedError::near},
    FieldRow{"address", &PlannedError::has_address}, FieldRow{"where", &PlannedError::where}};

template <>
inline constexpr std::tuple fields_of<PlannedParam>{
    FieldRow{"name", &PlannedParam::name}, FieldRow{"type", &PlannedParam::type},
    FieldRow{"offset", &PlannedParam::offset}, FieldRow{"help", &PlannedParam::help}};

template <>
inline constexpr std::tuple fields_of<PlannedSessionValue>{FieldRow{"what", &PlannedSessionValue::what},
                                                           FieldRow{"offset", &PlannedSessionValue::offset}};

template <>
inline constexpr std::tuple fields_of<PlannedCounter>{FieldRow{"symbol", &PlannedCounter::symbol},
                                                      FieldRow{"event", &PlannedCounter::event},
                                                      FieldRow{"name", &PlannedCounter::name}};

template <>
inline constexpr std::tuple fields_of<Assumption>{
    FieldRow{"what", &Assumption::what}, FieldRow{"owner", &Assumption::owner}, FieldRow{"name", &Assumption::name},
    FieldRow{"type", &Assumption::type}, FieldRow{"number", &Assumption::number}};

template <>
inline constexpr std::tuple fields_of<Conventions>{FieldRow{"plain_integers", &Conventions::plain_integers},
                                                   FieldRow{"c_integers", &Conventions::c_integers},
                                                   FieldRow{"marks_zero", &Conventions::marks_zero},
                                                   FieldRow{"announces_attached", &Conventions::announces_attached},
                                                   FieldRow{"positions", &Conventions::positions},
                                                   FieldRow{"parts_maps", &Conventions::parts_maps},
                                                   FieldRow{"orders_maps", &Conventions::orders_maps},
                                                   FieldRow{"empty_maps", &Conventions::empty_maps},
                                                   FieldRow{"whole_iterators", &Conventions::whole_iterators},
                                                   FieldRow{"binds_command", &Conventions::binds_command}};

template <>
inline constexpr std::tuple fields_of<Plan>{FieldRow{"object", &Plan::object},
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

template <>
inline constexpr std::tuple fields_of<Source::Part>{FieldRow{"begin", &Source::Part::begin},
                                                    FieldRow{"name", &Source::Part::name},
                                                    FieldRow{"library", &Source::Part::is_library}};

template <>
inline constexpr std::tuple fields_of<Source>{FieldRow{"name", &Source::name}, FieldRow{"text", &Source::text},
                                              FieldRow{"parts", &Source::parts}, FieldRow{"dialect", &Source::dialect}};

template <>
inline constexpr std::tuple fields_of<SavedPlan>{
    FieldRow{"version", &SavedPlan::version},       FieldRow{"machine", &SavedPlan::machine},
    FieldRow{"source", &SavedPlan::source},         FieldRow{"unsafe", &SavedPlan::unsafe},
    FieldRow{"timestamps", &SavedPlan::timestamps}, FieldRow{"sampled", &SavedPlan::sampled},
    FieldRow{"plans", &SavedPlan::plans},           FieldRow{"releases", &SavedPlan::releases}};

// The greatest value of each enumeration.
inline constexpr std::tuple last_values{
    Keep::messages,           Kind::buffer,        View::enumeration,       Naming::why,
    Aggregation::why,         StackForm::raw,      Way::typed_tracepoint,   When::attached,
    MapShape::per_cpu_array,  EventKind::snapshot, LossKind::cpu_unwatched, SpanState::frame,
    SessionValue::day_offset, last_assumed};

}  // namespace lt
