#include "base/release.h"

#include <cstdio>

namespace lt {

Release parse_release(const std::string& text) {
    Release release;
    const bool known = std::sscanf(text.c_str(), "%d.%d", &release.major, &release.minor) == 2;
    return known ? release : Release{};
}

}  // namespace lt
