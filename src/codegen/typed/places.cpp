// Names and properties of locations.
#include "codegen/typed/typed.h"

#include <algorithm>

namespace lt {
namespace {

// The name of the function in its language, without the offset of the location; for an inlined function, its own name.
std::string function_of(const UserFunction& place) {
    if (!place.inlined.empty()) return place.inlined;
    return place.spoken.empty() ? place.name.substr(0, place.name.rfind("+0x")) : place.spoken;
}

// That alternative of the location, or an empty one.
template <class T>
const T& there(const ResolvedPlace& place) {
    static const T none;
    const T* found = std::get_if<T>(&place.there);
    return found ? *found : none;
}

}  // namespace

const KernelFunction& kernel_function(const ResolvedPlace& place) {
    const auto* raw = std::get_if<RawEventPlace>(&place.there);
    return raw ? raw->event : there<KernelPlace>(place).function;
}

const UserFunction& user_function(const ResolvedPlace& place) {
    if (const auto* program = std::get_if<ProgramPlace>(&place.there)) return program->function;
    if (const auto* marker = std::get_if<MarkerPlace>(&place.there)) return marker->marker;
    return there<KernelPlace>(place).line;
}

const Tracepoint& record(const ResolvedPlace& place) {
    const auto* socket = std::get_if<SocketPlace>(&place.there);
    return socket ? socket->event : event_place(place).event;
}

const EventPlace& event_place(const ResolvedPlace& place) { return there<EventPlace>(place); }
const ObjectsPlace& objects(const ResolvedPlace& place) { return there<ObjectsPlace>(place); }

bool in_program(const ResolvedPlace& place) { return std::holds_alternative<ProgramPlace>(place.there); }

bool runs_in_program(const ResolvedPlace& place) {
    return in_program(place) || std::holds_alternative<MarkerPlace>(place.there);
}

bool is_decoded(const ResolvedPlace& place) {
    const UserFunction& function = user_function(place);
    return function.ends && !function.ends->exits.empty();
}

bool has_debug_scope(const ResolvedPlace& place) {
    return in_program(place) || !there<KernelPlace>(place).line.path.empty();
}

bool serves_system_calls(const ResolvedPlace& place) {
    return !place.members.empty() && std::holds_alternative<EventPlace>(place.there);
}

std::string_view type_of_probe(const ResolvedPlace& place) {
    return place.special ? "special" : probe_row(place.kind).name;
}

bool is_system_call(const ResolvedPlace& place) { return event_place(place).event.category.ends_with("syscalls"); }

bool called_by_number(const ResolvedPlace& place) {
    return event_place(place).by_number && place.rungs.front().way == Way::system_call;
}

uint32_t argument_words(const KernelFunction& function) {
    uint32_t end = 0;
    for (const Field& p : function.parameters) end = std::max(end, p.offset + padded_size(p.type.size) / 8);
    return end;
}

const std::string& pattern_text(const ResolvedPlace& place) {
    return called_by_number(place) ? event_place(place).by_number->pattern : place.text;
}

std::vector<std::string> place_texts(const ResolvedPlace& place) {
    if (place.members.empty()) return {place.text};
    std::vector<std::string> texts;
    for (const SharedPlace& member : place.members) texts.push_back(member.text);
    return texts;
}

std::vector<std::string> function_names(const ResolvedPlace& place) {
    const bool program = has_debug_scope(place);
    const std::string& name = kernel_function(place).name;
    const auto of_bpf = bpf_function(name);
    if (place.members.empty())
        return {program ? function_of(user_function(place)) : of_bpf ? std::string(of_bpf->name) : name};
    std::vector<std::string> names;
    for (const SharedPlace& member : place.members)
        names.push_back(program ? function_of(member.user) : member.function);
    return names;
}

}  // namespace lt
