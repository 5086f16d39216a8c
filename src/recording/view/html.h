// A late call as a page of its own: nothing is loaded from elsewhere. Light or dark as the reader's system is.
#pragma once

#include <string>

#include "recording/explain.h"

namespace lt {

std::string html_page(const Recording& recording, const Explainer& explainer, const Explanation& explanation);

}  // namespace lt
