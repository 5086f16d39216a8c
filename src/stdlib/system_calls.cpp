#include "stdlib/system_calls.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

struct Row {
    int64_t number;
    std::string_view name;
};
constexpr Row rows[] = {
#include "system_calls.inc"
};

}  // namespace

std::string_view system_call_name(int64_t number) {
    const auto* row = std::ranges::find_if(rows, [&](const Row& r) { return r.number == number; });
    return row == std::end(rows) ? std::string_view() : row->name;
}

}  // namespace lt
