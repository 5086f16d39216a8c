// bpf_snprintf, for every environment that programs run in.
#pragma once

#include <span>

#include "machine/execution.h"

namespace lt::machine {

std::span<const Helper> format_helpers();

}  // namespace lt::machine
