// What the places of one program are called.
#include "codegen/typed.h"

namespace lt {

std::vector<std::string> place_texts(const ResolvedPlace& place) {
    if (place.members.empty()) return {place.text};
    std::vector<std::string> texts;
    for (const SharedPlace& member : place.members) texts.push_back(member.text);
    return texts;
}

std::vector<std::string> function_names(const ResolvedPlace& place) {
    const bool program = probe_row(place.kind).place == Place::binary_function;
    if (place.members.empty()) return {program ? place.user.name : place.function.name};
    std::vector<std::string> names;
    for (const SharedPlace& member : place.members) names.push_back(program ? member.user.name : member.function);
    return names;
}

}  // namespace lt
