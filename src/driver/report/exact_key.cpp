#include "driver/report/exact_key.h"

#include <fmt/format.h>

#include "runtime/print/json_value.h"

namespace lt {
namespace {

std::string exact_part(const Value& part) {
    if (const auto* stack = std::get_if<Stack>(&part.data)) return fmt::format("{} {}", stack->id, stack->process);
    if (const auto* group = std::get_if<Group>(&part.data)) return exact_key(group->parts);
    return json_key(std::vector<Value>{part});
}

}  // namespace

std::string exact_key(const std::vector<Value>& key) {
    std::string out;
    for (const Value& part : key) {
        const std::string text = exact_part(part);
        out += fmt::format("{}:{}", text.size(), text);
    }
    return out;
}

}  // namespace lt
