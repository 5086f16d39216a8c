// What the places of one program are called.
#include "codegen/typed.h"

#include <algorithm>

namespace lt {
namespace {

// As its language has it, without how far behind its begin the place is; of an inlined function that one.
std::string function_of(const UserFunction& place) {
    if (!place.inlined.empty()) return place.inlined;
    return place.spoken.empty() ? place.name.substr(0, place.name.rfind("+0x")) : place.spoken;
}

}  // namespace

bool in_program(const ResolvedPlace& place) { return probe_row(place.kind).place == Place::binary_function; }

bool runs_in_program(const ResolvedPlace& place) {
    return in_program(place) || probe_row(place.kind).place == Place::marker;
}

bool has_debug_scope(const ResolvedPlace& place) {
    return in_program(place) || (probe_row(place.kind).place == Place::kernel_function && !place.user.path.empty());
}

bool serves_system_calls(const ResolvedPlace& place) {
    return !place.members.empty() && !place.tracepoint.event.empty();
}

std::string_view type_of_probe(const ResolvedPlace& place) {
    return place.special ? "special" : probe_row(place.kind).name;
}

bool called_by_number(const ResolvedPlace& place) {
    return place.by_number && place.rungs.front().way == Way::system_call;
}

uint32_t argument_words(const KernelFunction& function) {
    uint32_t end = 0;
    for (const Field& p : function.parameters) end = std::max(end, p.offset + padded_size(p.type.size) / 8);
    return end;
}

const std::string& pattern_text(const ResolvedPlace& place) {
    return called_by_number(place) ? place.by_number->pattern : place.text;
}

std::vector<std::string> place_texts(const ResolvedPlace& place) {
    if (place.members.empty()) return {place.text};
    std::vector<std::string> texts;
    for (const SharedPlace& member : place.members) texts.push_back(member.text);
    return texts;
}

std::vector<std::string> function_names(const ResolvedPlace& place) {
    const bool program = has_debug_scope(place);
    if (place.members.empty()) return {program ? function_of(place.user) : place.function.name};
    std::vector<std::string> names;
    for (const SharedPlace& member : place.members)
        names.push_back(program ? function_of(member.user) : member.function);
    return names;
}

}  // namespace lt
