#include "base/result.h"

namespace lt {

Error system_error(const std::string& doing, int code) { return {doing + ": " + std::strerror(code), "", code}; }

}  // namespace lt
