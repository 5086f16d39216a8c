// Durations for people: three significant digits below a minute, clock style above. A value is rounded first and then
// gets its unit, so that rounding carries into the next unit (never "1000us").
#include "runtime/border/duration.h"

#include <fmt/format.h>

namespace lt {
namespace {

constexpr uint64_t second = 1'000'000'000;
constexpr uint64_t minute = 60 * second;
constexpr uint64_t hour = 60 * minute;

uint64_t round_to(uint64_t value, uint64_t step) { return (value + step / 2) / step * step; }

// The value of the third significant digit.
uint64_t third_digit(uint64_t nanoseconds) {
    const uint64_t unit = unit_of(nanoseconds).nanoseconds;
    if (unit == 1) return 1;
    if (nanoseconds < 10 * unit) return unit / 100;
    return nanoseconds < 100 * unit ? unit / 10 : unit;
}

std::string in_units(uint64_t rounded) {
    const DurationUnit& unit = unit_of(rounded);
    const uint64_t hundredths = rounded % unit.nanoseconds * 100 / unit.nanoseconds;
    std::string number = fmt::format("{}.{:02}", rounded / unit.nanoseconds, hundredths);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    return number.append(unit.name);
}

// "1m30s", "2h05m", "2h"
std::string on_clock(uint64_t large, char large_name, uint64_t small, char small_name) {
    if (small == 0) return fmt::format("{}{}", large, large_name);
    return fmt::format("{}{}{:02}{}", large, large_name, small, small_name);
}

std::string magnitude(uint64_t nanoseconds) {
    const uint64_t digits = round_to(nanoseconds, third_digit(nanoseconds));
    if (digits < minute) return in_units(digits);
    const uint64_t seconds = round_to(nanoseconds, second);
    if (seconds < hour) return on_clock(seconds / minute, 'm', seconds % minute / second, 's');
    const uint64_t minutes = round_to(nanoseconds, minute);
    return on_clock(minutes / hour, 'h', minutes % hour / minute, 'm');
}

}  // namespace

std::string show_duration(int64_t nanoseconds) {
    const uint64_t bits = static_cast<uint64_t>(nanoseconds);
    return nanoseconds < 0 ? "-" + magnitude(0 - bits) : magnitude(bits);
}

}  // namespace lt
