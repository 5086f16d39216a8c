// Maps that are cleared without being touched: what was there is remembered and subtracted from what is read later. An
// update that happens while a map is printed and cleared is then counted once, before or after. Keys to which nothing
// has come for a whole round are taken out of the kernel's map, so that it does not fill up.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "runtime/decode.h"
#include "runtime/plan.h"

namespace lt {

class Differences {
  public:
    // What has come since the last clear(), of all that is in the map now.
    std::vector<RawEntry> since(const PlannedMap& map, std::vector<RawEntry> now);

    // Deletes a key and gives the value that it had then; none where it was not there.
    using Remove = std::function<std::optional<Bytes>(const Bytes& key)>;
    // Has since() been asked after the last clear()? A record of print() may have found no room.
    bool asked() const { return asked_; }
    // What since() was last asked about, or `now`, counts no more.
    void clear(const std::optional<std::vector<RawEntry>>& now, const Remove& remove);

  private:
    void forget(const Bytes& key, const Remove& remove);

    std::map<Bytes, Bytes> past_;  // by key: to be subtracted, word by word
    std::vector<RawEntry> last_;
    bool asked_ = false;
};

}  // namespace lt
