#include "driver/cli/failure.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/diag.h"

namespace lt {

int failure(const Error& error) {
    if (error.what.empty()) return 1;
    Diags diags;
    diags.error({}, error.what).hint = error.hint;
    fmt::print(stderr, "{}", draw({}, diags.all().front(), false));
    return 1;
}

int misuse(const Error& error) {
    failure(error);
    return 2;
}

}  // namespace lt
