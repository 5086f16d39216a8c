#include "runtime/values/series_fold.h"

#include <algorithm>

namespace lt {

bool join(SeriesPlace& into, const SeriesPlace& one, SeriesOf of, bool is_signed) {
    if (one.empty() || (!into.empty() && into.number > one.number)) return true;
    if (into.empty() || into.number < one.number) {
        into = one;
        return true;
    }
    const uint64_t before = into.value;
    switch (of) {
        case SeriesOf::last:
            if (one.more > into.more) into = one;
            break;
        case SeriesOf::avg:
        case SeriesOf::sum:
            into.value += one.value, into.more += one.more;
            return is_signed ? ((before ^ into.value) & (one.value ^ into.value)) >> 63 == 0 : into.value >= before;
        case SeriesOf::max:
        case SeriesOf::min:
            into.value = std::max(into.value, one.value);
            break;
    }
    return true;
}

namespace {

int64_t shown(const SeriesPlace& place, SeriesOf of, const Type& type) {
    switch (of) {
        case SeriesOf::last:
        case SeriesOf::sum:
            break;
        case SeriesOf::avg:
            return Average{static_cast<int64_t>(place.value), place.more}.value(type.is_signed);
        case SeriesOf::max:
        case SeriesOf::min:
            return static_cast<int64_t>(place.value ^ order_flip(series_order(of), type.is_signed));
    }
    return static_cast<int64_t>(place.value);
}

}  // namespace

Series series_of(std::vector<SeriesPlace> places, const Type& type) {
    const SeriesShape shape = series_shape(type);
    Series out;
    out.interval = shape.interval;
    std::erase_if(places, [](const SeriesPlace& place) { return place.empty(); });
    if (places.empty()) return out;
    std::ranges::sort(places, {}, &SeriesPlace::number);
    const uint64_t last = places.back().number, count = static_cast<uint64_t>(shape.count);
    std::erase_if(places, [&](const SeriesPlace& place) { return last - place.number >= count; });
    for (uint64_t number = places.front().number; const SeriesPlace& place : places) {
        const auto begin = [&] { return (number - 1) * static_cast<uint64_t>(shape.interval); };
        for (; number < place.number; number++) out.points.push_back({begin(), std::nullopt});
        out.points.push_back({begin(), shown(place, shape.of, type)});
        number++;
    }
    return out;
}

}  // namespace lt
