// bpf_snprintf, for every world that programs run in.
#pragma once

#include <span>

#include "execution.h"

namespace lt::machine {

std::span<const Helper> format_helpers();

}  // namespace lt::machine
