#include "runtime/recorder/keep_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

#include "base/text.h"
#include "runtime/border/recording.h"
#include "runtime/bpf/map.h"

namespace lt {
namespace {

constexpr uint64_t megabyte = 1 << 20;
// Two generations of rings for each CPU.
constexpr uint64_t generations = 2;
constexpr uint64_t records_per_second = 20'000;  // of a busy CPU
constexpr uint64_t least_slots = 1 << 10, most_slots = 1 << 22;
constexpr uint64_t largest = uint64_t{3} << 30;  // all of it fits into a file: recording/file.cpp

struct Unit {
    std::string_view name;
    uint64_t size;
    bool is_time;
};
constexpr std::array units{Unit{"ms", 1'000'000, true}, Unit{"s", 1'000'000'000, true}, Unit{"m", 60'000'000'000, true},
                           Unit{"KB", 1 << 10, false},  Unit{"MB", megabyte, false},    Unit{"GB", 1 << 30, false}};

}  // namespace

Status read_keep(const std::string& text, KeepOptions& to) {
    const auto digits = static_cast<size_t>(
        std::ranges::find_if(text, [](unsigned char c) { return std::isdigit(c) == 0; }) - text.begin());
    const auto number = parse_number<uint64_t>(std::string_view(text).substr(0, digits));
    const auto unit = std::ranges::find(units, std::string_view(text).substr(digits), &Unit::name);
    constexpr uint64_t most = 1 << 20;
    if (!number || *number == 0 || *number > most || unit == units.end())
        return Error{fmt::format("`{}` is not a time or a size to keep", text),
                     "for example --keep 10s or --keep 64MB; units are ms, s, m, KB, MB, GB", 0};
    (unit->is_time ? to.time_ns : to.bytes) = *number * unit->size;
    constexpr uint64_t longest = 3'600'000'000'000;
    if (to.bytes > largest || to.time_ns > longest)
        return Error{fmt::format("`{}` is too much to keep", text), "the limit is 3GB or 60m", 0};
    return Done{};
}

KeepSize keep_size(const KeepOptions& options) {
    const auto cpus = static_cast<uint64_t>(std::max(bpf::possible_cpus(), 1));
    const auto system_value = [](int name) { return static_cast<uint64_t>(std::max(sysconf(name), 0L)); };
    const uint64_t room = std::min(system_value(_SC_AVPHYS_PAGES) * system_value(_SC_PAGESIZE) / 4, largest);
    uint64_t slots = 0;
    if (options.bytes != 0) {
        slots = std::bit_floor(std::max<uint64_t>(options.bytes / (generations * cpus * sizeof(KeptSlot)), 1));
    } else {
        slots = std::bit_ceil(options.time_ns / 1'000'000 * records_per_second / 1000);
        while (slots > least_slots && slots * generations * cpus * sizeof(KeptSlot) > room) slots /= 2;
    }
    slots = std::clamp(slots, least_slots, most_slots);
    return {static_cast<uint32_t>(cpus), static_cast<uint32_t>(slots)};
}

}  // namespace lt
