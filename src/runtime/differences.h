// Maps that are cleared or zeroed without being touched: what was there is remembered and subtracted from what is read
// later. An update that happens while a map is printed and cleared is then counted once, before or after. Keys to which
// nothing has come for a whole round are taken out of the kernel's map, so that it does not fill up.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/decode.h"
#include "runtime/plan.h"

namespace lt {

class Differences {
  public:
    // What has come since the last clear(), of all that is in the map now.
    // `reported`: a clear() that follows is about this.
    std::vector<RawEntry> since(const PlannedMap& map, std::vector<RawEntry> now, bool reported = true);

    // The same of the value of one key; none where nothing has come.
    std::optional<Bytes> rest(const PlannedMap& map, const Bytes& key, Bytes value) const;

    // Deletes a key and gives the value that it had then; none where it was not there.
    using Remove = std::function<std::optional<Bytes>(const Bytes& key)>;
    // Is nothing subtracted?
    bool empty() const { return past_.empty(); }

    // Has since() been asked after the last clear()? A record of print() may have found no room.
    bool asked() const { return asked_; }
    void forget_report() { asked_ = false; }
    // What since() was last asked about, or `now`, counts no more.
    void clear(const std::optional<std::vector<RawEntry>>& now, const Remove& remove);

    // The same, but the keys that were there stay, with zero.
    void zero(const std::optional<std::vector<RawEntry>>& now);

  private:
    bool shown(const Bytes& key, const Bytes& value) const;
    void forget(const Bytes& key, const Remove& remove);

    std::map<Bytes, Bytes> past_;  // by key: to be subtracted, word by word
    std::set<Bytes> kept_;         // keys that are shown although nothing has come to them
    std::vector<RawEntry> last_;
    bool asked_ = false;
};

}  // namespace lt
