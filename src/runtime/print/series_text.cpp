#include "runtime/print/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "runtime/os/timestamps.h"
#include "runtime/print/printer.h"

namespace lt {
namespace {

constexpr int64_t second = 1'000'000'000;
constexpr int64_t graph = 53;  // columns, with the bars on both sides

// The number of fractional digits that distinguish intervals, and their format.
struct Precision {
    int64_t unit;
    size_t digits;
    std::string_view name;
};
constexpr std::array precisions{Precision{second, 0, ""}, Precision{1'000'000, 3, ".ms"}, Precision{1'000, 6, ".us"},
                                Precision{1, 9, ".ns"}};

const Precision& precision_of(int64_t interval) {
    return *std::ranges::find_if(precisions, [&](const Precision& p) { return interval % p.unit == 0; });
}

tm local_time(int64_t unix_time) {
    const time_t seconds = unix_time / second;
    tm t{};
    ::localtime_r(&seconds, &t);
    return t;
}

std::string fraction(int64_t unix_time, size_t digits) {
    return digits == 0 ? "" : fmt::format(".{:09}", unix_time % second).substr(0, digits + 1);
}

using Wide = __int128;  // holds all 64-bit numbers, signed and unsigned

Wide wide(int64_t value, bool is_signed) { return is_signed ? Wide{value} : Wide{static_cast<uint64_t>(value)}; }

struct Scale {
    Wide least, greatest;
    // The column of a value, of `columns` in all.
    int64_t column(Wide value, int64_t columns) const {
        return static_cast<int64_t>((value - least) * columns / (greatest - least));
    }
};

// A single value gets room on both sides, as far as its type has numbers there.
Scale scale_of(const Series& series, bool is_signed) {
    const Wide lowest = is_signed ? Wide{INT64_MIN} : 0, highest = is_signed ? Wide{INT64_MAX} : Wide{UINT64_MAX};
    Scale s{highest, lowest};
    for (const Series::Point& p : series.points) {
        if (!p.value) continue;
        s.least = std::min(s.least, wide(*p.value, is_signed));
        s.greatest = std::max(s.greatest, wide(*p.value, is_signed));
    }
    if (s.least < s.greatest) return s;
    return {std::max(s.least - 1, lowest), std::min(s.greatest + 1, highest)};
}

}  // namespace

std::string interval_time(uint64_t begin) {
    const int64_t time = unix_time(begin);
    const tm t = local_time(time);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                       t.tm_min, t.tm_sec, fraction(time, 9));
}

void append_series(std::string& out, const Series& series, const Type& type, bool plain) {
    if (series.points.empty()) return;
    const Scale scale = scale_of(series, type.is_signed);
    const Precision& precision = precision_of(series.interval);
    const auto number = [&](int64_t n) { return show(Value{integer_type(8, type.is_signed, type.view), n}, plain); };
    const size_t margin = 8 + (precision.digits == 0 ? 0 : precision.digits + 1);
    const std::string line(static_cast<size_t>(graph) - 2, '_');
    const std::string bounds =
        fmt::format("{:{}} {:<21}{:>32}\n", "", margin, number(static_cast<int64_t>(scale.least)),
                    number(static_cast<int64_t>(scale.greatest)));
    const int64_t zero = scale.least < 0 && scale.greatest > 0 ? scale.column(0, graph) : 0;
    out += bounds;
    out += fmt::format("{:<{}} |{}|\n", fmt::format("hh:mm:ss{}", precision.name), margin, line);
    for (const Series::Point& p : series.points) {
        const int64_t time = unix_time(p.begin);
        const tm t = local_time(time);
        std::string row(static_cast<size_t>(graph), ' ');
        row.front() = row.back() = '|';
        if (zero > 0) row[static_cast<size_t>(zero)] = '.';
        if (p.value) row[static_cast<size_t>(scale.column(wide(*p.value, type.is_signed), graph - 1))] = '*';
        out += fmt::format("{:02}:{:02}:{:02}{} {} {}\n", t.tm_hour, t.tm_min, t.tm_sec,
                           fraction(time, precision.digits), row, p.value ? number(*p.value) : "-");
    }
    out += fmt::format("{:{}} v{}v\n", "", margin, line);
    out += bounds;
}

}  // namespace lt
