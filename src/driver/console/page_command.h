// The console's `html`: what its traces hold, and what changed since their marks, as a page for a browser.
#pragma once

#include <string>
#include <vector>

#include "driver/report/trace.h"

namespace lt {

Status write_page(const std::vector<Trace*>& traces, const std::string& path);

}  // namespace lt
