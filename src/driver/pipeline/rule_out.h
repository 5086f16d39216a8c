// Ways to attach that the user rules out.
#pragma once

#include <string>
#include <vector>

#include "base/diag.h"
#include "codegen/providers/shared/options.h"

namespace lt {

// --attach-with: rules out all other ways. False, with a diagnostic, for a name that is not a way.
bool rule_out_ways(const std::vector<std::string>& wanted, bool given, ResolveOptions& options, Diags& diags);
// --no-feature: rules out the ways that need one of these.
bool rule_out_features(const std::vector<std::string>& names, ResolveOptions& options, Diags& diags);

}  // namespace lt
