#include <array>

#include "base/rows.h"
#include "codegen/providers/provider.h"

namespace lt {

extern const Provider nothing_provider, period_provider, event_provider, raw_event_provider, kernel_function_provider,
    system_call_provider, binary_function_provider, marker_provider, clock_provider, counter_provider, address_provider,
    signal_provider, kernel_objects_provider, socket_event_provider;

namespace {

struct Row {
    Place place;
    const Provider* provider;
};
constexpr std::array rows{
    Row{Place::nothing, &nothing_provider},
    Row{Place::period, &period_provider},
    Row{Place::event, &event_provider},
    Row{Place::raw_event, &raw_event_provider},
    Row{Place::kernel_function, &kernel_function_provider},
    Row{Place::system_call, &system_call_provider},
    Row{Place::binary_function, &binary_function_provider},
    Row{Place::marker, &marker_provider},
    Row{Place::clock, &clock_provider},
    Row{Place::counter, &counter_provider},
    Row{Place::address, &address_provider},
    Row{Place::signal, &signal_provider},
    Row{Place::kernel_objects, &kernel_objects_provider},
    Row{Place::socket_event, &socket_event_provider},
};
static_assert(in_enum_order(rows, &Row::place, static_cast<size_t>(Place::socket_event) + 1));

}  // namespace

const Provider& provider(Place place) { return *rows[static_cast<size_t>(place)].provider; }

}  // namespace lt
