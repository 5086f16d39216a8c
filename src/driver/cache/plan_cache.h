// Files in the user's cache folder, $XDG_CACHE_HOME/lt/plans or ~/.cache/lt/plans, each with a value under a key. It is
// only a cache: what cannot be read is not there, and what cannot be written is not kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/os/descriptor.h"

namespace lt {

class PlanCache {
  public:
    // Nothing if there is no such folder and none can be made, or if others could write it or replace a folder on the
    // way.
    static std::optional<PlanCache> open();

    // Exactly what was kept for this key; a damaged file is as good as none.
    std::optional<std::string> find(std::string_view key) const;
    // Replaces the value, all at once. If there are many, those that were not used for the longest time are removed.
    void keep(std::string_view key, std::string_view value) const;

  private:
    explicit PlanCache(Descriptor folder) : folder_(std::move(folder)) {}
    void remove(const std::string& name) const;
    void remove_oldest() const;

    Descriptor folder_;
};

}  // namespace lt
