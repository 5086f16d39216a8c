#include "runtime/border/param_value.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "base/literal.h"
#include "base/text.h"

namespace lt {
namespace {

// As in bpftrace, upper and lower case are the same, and an option without a value is true.
std::optional<bool> truth_named(std::string_view text) {
    std::string word(text);
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word.empty() || word == "true" || word == "1") return true;
    return word == "false" || word == "0" ? std::optional(false) : std::nullopt;
}

Error unfit(const std::string& name, const Type& type, std::string_view text) {
    const std::string_view example = type.kind == Kind::string     ? "text"
                                     : type.view == View::duration ? "50ms"
                                     : type.view == View::boolean  ? "true"
                                                                   : "7";
    return {fmt::format("`{}` is not a value for `{}`, which is {}", text, name, type_name(type)),
            fmt::format("for example `--{} {}`", name, example), 0};
}

}  // namespace

std::vector<uint8_t> number_bytes(int64_t n) {
    std::vector<uint8_t> out;
    for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<uint8_t>(static_cast<uint64_t>(n) >> shift));
    return out;
}

std::vector<uint8_t> text_bytes(std::string_view text) {
    std::vector<uint8_t> out(text.begin(), text.end());
    out.resize(param_text, 0);
    return out;
}

// Numbers take every form that a script can use.
Result<std::vector<uint8_t>> param_bytes(const std::string& name, const Type& type, std::string_view text) {
    if (type.kind == Kind::string) {
        if (text.size() >= param_text || text.find('\0') != text.npos)
            return Error{fmt::format("`{}` takes up to {} bytes", name, param_text - 1), "", 0};
        return text_bytes(text);
    }
    if (type.view == View::boolean) {
        const auto truth = truth_named(text);
        return truth ? number_bytes(*truth ? 1 : 0) : Result<std::vector<uint8_t>>(unfit(name, type, text));
    }
    const auto number = number_word(trim(text));
    if (!number || number->is_duration != (type.view == View::duration)) return unfit(name, type, text);
    return number_bytes(static_cast<int64_t>(number->is_negative ? 0 - number->size : number->size));
}

}  // namespace lt
