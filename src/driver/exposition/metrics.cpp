#include "driver/exposition/metrics.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lt {

std::string_view type_name(MetricType type) {
    constexpr auto names = std::to_array<std::string_view>({"counter", "gauge", "summary", "histogram"});
    static_assert(names.size() == static_cast<size_t>(MetricType::histogram) + 1);
    return names[static_cast<size_t>(type)];
}

std::vector<std::string> sample_names(const Family& family) {
    const std::string& name = family.name;
    switch (family.type) {
        case MetricType::counter:
            return {name + "_total"};
        case MetricType::gauge:
            return {name};
        case MetricType::summary:
            return {name, name + "_sum", name + "_count"};
        case MetricType::histogram:
            return {name, name + "_bucket", name + "_sum", name + "_count"};
    }
    return {};
}

double unscaled(int64_t number, const Family& family) {
    return family.is_unsigned ? static_cast<double>(static_cast<uint64_t>(number)) : static_cast<double>(number);
}

double scaled(int64_t number, const Family& family) {
    return unscaled(number, family) / static_cast<double>(family.divisor);
}

std::string number_text(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", number);
}

std::string number_text(int64_t number, const Family& family) {
    if (family.divisor != 1) return number_text(scaled(number, family));
    return family.is_unsigned ? fmt::format("{}", static_cast<uint64_t>(number)) : fmt::format("{}", number);
}

std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || (quotes && c == '"')) out += '\\';
        out += c == '\n' ? "\\n" : std::string(1, c);
    }
    return out;
}

std::string labels_text(const Labels& labels, std::string_view bound) {
    std::string out;
    for (const Label& label : labels)
        out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", label.name, escaped(label.value, true));
    if (!bound.empty()) out += fmt::format("{}le=\"{}\"", out.empty() ? "" : ",", bound);
    return out.empty() ? out : "{" + out + "}";
}

}  // namespace lt
