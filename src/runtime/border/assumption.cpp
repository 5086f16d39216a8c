#include "runtime/border/assumption.h"

#include <algorithm>

namespace lt {

void assume(std::vector<Assumption>& all, Assumption one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

}  // namespace lt
