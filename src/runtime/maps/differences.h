// Maps that are cleared or zeroed without being touched: the old values are remembered and subtracted from later reads.
// An update during a print and clear is then counted once, before or after. If the map fills up, keys are taken out of
// the kernel's map.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/values/decode.h"

namespace lt {

class Differences {
  public:
    // Everything added since the last clear(), given everything that is in the map now. `reported`: a clear() that
    // follows is about this result.
    std::vector<RawEntry> since(const PlannedMap& map, std::vector<RawEntry> now, bool reported = true);

    // The same for the value of one key; nothing if it had no updates.
    std::optional<Bytes> rest(const PlannedMap& map, const Bytes& key, std::optional<Bytes> value) const;

    // Nothing is subtracted.
    bool empty() const { return past_.empty(); }

    // since() was called after the last clear(). (A record of print() may have been lost.)
    bool asked() const { return asked_; }
    // Returns what was so before.
    bool set_asked(bool asked) { return std::exchange(asked_, asked); }
    // The result of the last since(), or `now`, no longer counts. Returns keys without updates for a whole round if the
    // map, which has room for so many keys, fills up and they make room: for taking out any key, lt waits for programs,
    // some 10 ms.
    std::vector<Bytes> clear(const std::optional<std::vector<RawEntry>>& now, size_t room = 0);

    // These entries are no longer in the kernel's map. What was added to them since the last clear() still counts.
    void taken_out(const PlannedMap& map, const std::vector<RawEntry>& entries);

    // The same, but the existing keys stay, with zero.
    void zero(const std::optional<std::vector<RawEntry>>& now);

  private:
    bool shown(const Bytes& key, const Bytes& value) const;

    std::map<Bytes, Bytes> past_;  // by key: to subtract, word by word
    std::set<Bytes> kept_;         // keys that are shown although they had no updates
    std::vector<RawEntry> last_;
    bool asked_ = false;
};

}  // namespace lt
