#include "runtime/os/cpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "base/text.h"

namespace lt {
namespace {

// Far above any kernel's NR_CPUS: a malformed range must not exhaust memory.
constexpr int most_cpus = 1 << 16;

std::optional<int> parse_cpu(std::string_view text) {
    const auto value = parse_number<int>(text);
    return value && *value >= 0 && *value < most_cpus ? value : std::nullopt;
}

struct CpuRange {
    int first, last;
};

std::optional<CpuRange> parse_range(std::string_view text) {
    size_t dash = text.find('-');
    auto first = parse_cpu(text.substr(0, dash));
    auto last = dash == std::string_view::npos ? first : parse_cpu(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return CpuRange{*first, *last};
}

}  // namespace

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    for (std::string_view part : split(trim(text), ',')) {
        auto range = parse_range(part);
        if (!range || (!cpus.empty() && range->first <= cpus.back()))
            return Error{fmt::format("not a list of CPUs: {}", quoted(text)), ""};
        for (int cpu = range->first; cpu <= range->last; cpu++) cpus.push_back(cpu);
    }
    return cpus;
}

Result<std::vector<int>> online_cpus() {
    const std::string path = "/sys/devices/system/cpu/online";
    std::ifstream in(path);
    std::string text;
    if (!std::getline(in, text)) return Error{"cannot read " + path, ""};
    auto cpus = parse_cpu_list(text);
    if (!cpus) return cpus.error_in(path);
    return cpus;
}

void CpuWatch::look() {
    if (const Result<std::vector<int>> online = online_cpus()) look_at(*online);
}

void CpuWatch::look_at(const std::vector<int>& online) {
    std::erase_if(opened_, [&](int cpu) { return std::ranges::find(online, cpu) == online.end(); });
    for (const int cpu : online)
        if (!opened_.contains(cpu)) unwatched_.insert(cpu);
}

}  // namespace lt
