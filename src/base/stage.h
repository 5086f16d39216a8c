// The stages of lt, in order. The compiler passes through those up to `emit`; the others belong to a run.
#pragma once

#include <cstdint>

namespace lt {

enum class Stage : uint8_t {
    parse,    // from here the text is a tree; the text is only used to draw diagnostics
    resolve,  // from here every probe names one existing location and knows the ways to attach it
    check,    // from here every expression has a type and every map a layout
    lower,    // from here sizes and offsets are known and syntax is forgotten
    emit,     // from here the plan is complete: the compiler is not needed any more
    fit,      // replaces all of the above for a saved plan
    load,     // from here the verifier has accepted every program
    attach,   // from here every probe is attached
    run,
};

}  // namespace lt
