// The first stage after the parser: finds the locations of probes and the values of parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "codegen/providers/shared/options.h"
#include "codegen/typed/typed.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"

namespace lt {

// Finds the locations of every probe and reads the parameters. In the result every body has one existing location and
// the methods to attach to it.
Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& options, Diags& diags);

// The bytes of a parameter's value from its text: "50ms", "7", any text for a string. The error says which text fits.
Result<std::vector<uint8_t>> param_bytes(const std::string& name, const Type& type, std::string_view text);

}  // namespace lt
