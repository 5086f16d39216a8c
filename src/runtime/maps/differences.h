// Maps that are cleared or zeroed without being touched: the old values are remembered and subtracted from later reads.
// An update during a print and clear is then counted once, before or after. If the map fills up, keys without updates
// for a whole round are removed from the kernel's map.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
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
    std::optional<Bytes> rest(const PlannedMap& map, const Bytes& key, Bytes value) const;

    // How a key leaves the kernel's map. `now` returns its value, `take` deletes it and returns the value that it had
    // then; nothing if it does not exist. `wait` returns once every program that runs now has ended.
    struct Removal {
        std::function<Status()> wait;
        std::function<std::optional<Bytes>(const Bytes& key)> now, take;
    };
    // Nothing is subtracted.
    bool empty() const { return past_.empty(); }

    // since() was called after the last clear(). (A record of print() may have been lost.)
    bool asked() const { return asked_; }
    void forget_report() { asked_ = false; }
    // The result of the last since(), or `now`, no longer counts. If the map fills up, which has room for so many keys,
    // those without updates for a whole round are removed, unless a program that was suspended inside the round has
    // updated them by the time it has ended. An addition is lost only if a program begins after that and has found the
    // key, but not yet added to it, at the moment in which the key is deleted: some 10 ns for a key that was idle. So
    // keys are removed only when necessary, and because that waits for programs, some 10 ms, only when it makes room.
    Status clear(const std::optional<std::vector<RawEntry>>& now, const Removal& removal, size_t room = 0);

    // The same, but the existing keys stay, with zero.
    void zero(const std::optional<std::vector<RawEntry>>& now);

  private:
    bool shown(const Bytes& key, const Bytes& value) const;
    Status forget(const std::vector<Bytes>& idle, const Removal& removal);

    std::map<Bytes, Bytes> past_;  // by key: to subtract, word by word
    std::set<Bytes> kept_;         // keys that are shown although they had no updates
    std::vector<RawEntry> last_;
    bool asked_ = false;
};

}  // namespace lt
