// What lt's interpreter and its reports see of a machine: maps as system calls would, variables, time and process.
#pragma once

#include <memory>

#include "collect.h"
#include "host_port.h"
#include "machine/machine.h"
#include "raw_maps.h"
#include "runtime/plan.h"

namespace lt::machine {

// All outlive what is made.
std::unique_ptr<RawMaps> machine_maps(const Plan& plan, Machine& machine);
std::unique_ptr<HostPort> machine_port(const Plan& plan, Machine& machine, Maps& maps, Dispatcher& dispatcher);

}  // namespace lt::machine
