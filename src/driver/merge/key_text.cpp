#include "driver/merge/key_text.h"

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace lt {
namespace {

// "a,b\,c" -> "a" and "b,c"; a key of one part has no backslashes.
std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts(1);
    for (size_t i = 0; i < text.size(); i++) {
        if (text[i] == ',')
            parts.emplace_back();
        else
            parts.back() += text[i] == '\\' && i + 1 < text.size() ? text[++i] : text[i];
    }
    return parts;
}

// "name+0x12", "name+0x12 [module]", "0x12 (file) at a.c:3", "name (inlined)"; what follows the number is printed
// again as it is.
Frame frame_of(std::string_view row) {
    Frame frame;
    constexpr std::string_view inlined = " (inlined)", hex = "0x";
    if (row.ends_with(inlined)) {
        frame.inlined = true;
        frame.function = row.substr(0, row.size() - inlined.size());
        return frame;
    }
    const size_t plus = row.find("+0x");
    const size_t number = plus == row.npos ? 0 : plus + 1;
    const std::string_view rest = row.substr(number);
    const size_t end = std::min(rest.find(' '), rest.size());
    const auto offset = rest.starts_with(hex) ? parse_number<uint64_t>(rest.substr(2, end - 2), 16) : std::nullopt;
    frame.offset = offset.value_or(0);
    if (plus != row.npos) frame.function = row.substr(0, plus);
    if (end < rest.size()) frame.object = rest.substr(end + 1);
    return frame;
}

std::optional<Value> part_of(const std::string& text, const Type& type) {
    if (type.kind == Kind::string) return Value{type, text};
    if (type.kind == Kind::stack) return Value{type, stack_of_text(text)};
    if (type.is_signed) {
        const auto number = parse_number<int64_t>(text);
        return number ? std::optional(Value{type, *number}) : std::nullopt;
    }
    const auto number = parse_number<uint64_t>(text);
    return number ? std::optional(Value{type, static_cast<int64_t>(*number)}) : std::nullopt;
}

}  // namespace

std::optional<Type> key_part_type(std::string_view form) {
    Type type;
    type.kind = Kind::string;
    if (form == "text") return type;
    type.kind = Kind::stack;
    type.view = View::hex;
    type.size = 2 * sizeof(uint64_t);
    if (form == "stack") return type;
    if (form == "integer") return integer_type(8, true);
    if (form == "unsigned") return integer_type(8, false);
    if (form == "duration") return integer_type(8, true, View::duration);
    return {};
}

std::optional<std::vector<Value>> key_of_text(std::string_view text, const std::vector<Type>& types) {
    const std::vector<std::string> texts =
        types.size() == 1 ? std::vector<std::string>{std::string(text)} : parts_of(text);
    if (texts.size() != types.size()) return {};
    std::vector<Value> key;
    for (size_t i = 0; i < types.size(); i++) {
        auto part = part_of(texts[i], types[i]);
        if (!part) return {};
        key.push_back(*std::move(part));
    }
    return key;
}

Stack stack_of_text(std::string_view text) {
    Stack stack;
    if (text == "(no stack)") return stack;
    stack.id = stack_lost;
    if (text == "(stack not kept)") return stack;
    stack.id = std::hash<std::string_view>()(text);
    if (stack.id == stack_none || stack.id == stack_lost) stack.id = 1;
    if (text == "(stack not found)") return stack;
    for (const std::string_view row : split(text, '\n')) stack.frames.push_back(frame_of(row));
    return stack;
}

}  // namespace lt
