// What lt's interpreter and its reports see of a machine: maps as system calls would, variables, time and process.
#pragma once

#include <memory>

#include "machine/machine.h"
#include "runtime/border/plan.h"
#include "runtime/host/host_port.h"
#include "runtime/maps/raw_maps.h"
#include "runtime/session/collect.h"

namespace lt::machine {

// All outlive what is made.
std::unique_ptr<RawMaps> machine_maps(const Plan& plan, Machine& machine);
std::unique_ptr<HostPort> machine_port(const Plan& plan, Machine& machine, Maps& maps, Dispatcher& dispatcher);

}  // namespace lt::machine
