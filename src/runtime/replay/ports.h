// A machine as lt's interpreter and its reports see it: maps as for system calls, variables, time and process.
#pragma once

#include <functional>
#include <memory>

#include "machine/world/machine.h"
#include "runtime/border/plan.h"
#include "runtime/host/host_port.h"
#include "runtime/maps/raw_maps.h"
#include "runtime/session/collect.h"

namespace lt::machine {

// All outlive what is made.
std::unique_ptr<RawMaps> machine_maps(const Plan& plan, Machine& machine);
// `interrupted`: see HostPort.
std::unique_ptr<HostPort> machine_port(const Plan& plan, Machine& machine, Maps& maps, Dispatcher& dispatcher,
                                       std::function<bool()> interrupted);

}  // namespace lt::machine
