// Tells the programs of `why` where the functions are in which threads wait.
#pragma once

#include "base/result.h"
#include "runtime/load/object.h"

namespace lt {

enum class WhyPlaces : uint8_t {
    not_needed,  // the object has no such programs
    known,       // but for functions that this kernel does not have
    hidden,      // the kernel hides its addresses: what a thread waits for is then called "other"
};
Result<WhyPlaces> fill_why_places(LoadedObject& object);

}  // namespace lt
