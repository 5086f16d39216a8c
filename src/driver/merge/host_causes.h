// Causes that the runs have recorded: maps of why(), and maps with causes in their keys, such as `@[why.cause] = count()`.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/merge/host_map.h"
#include "driver/merge/outliers.h"
#include "stdlib/causes.h"

namespace lt {

class HostCauses {
  public:
    // The maps outlive it.
    explicit HostCauses(std::span<const HostMap> maps);

    // The cause that costs a call on this host the most more than on the other hosts (the median). It is looked up
    // under the same key, or else in the sum over all keys of a map. None if no map says it, or nothing has grown by a
    // tenth of the time of a call.
    std::optional<HostCause> of(size_t host, const std::vector<Value>& key) const;

  private:
    // By cause; `whole` is the number of calls, or the sum of all causes.
    struct Parts {
        std::array<double, cause_count + 1> parts{};
        double whole = 0;
    };
    using ByHost = std::map<size_t, Parts>;
    struct Table {
        std::string_view map;
        bool of_calls;  // of why(): nanoseconds, and the whole is the number of calls
        std::map<std::vector<std::string>, ByHost> by_key;
        ByHost all;
    };
    static std::optional<Table> table_of(const HostMap& map);
    static std::optional<HostCause> grown(const Table& table, const ByHost& hosts, size_t host);

    std::vector<Table> tables_;
};

}  // namespace lt
