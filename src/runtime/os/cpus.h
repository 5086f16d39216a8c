// The CPUs of this machine.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// The online CPUs, ascending.
Result<std::vector<int>> online_cpus();

// The kernel's list format: "0-3,5", with or without a newline.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

// Finds the CPUs that come online after something was opened on each of them. What was opened on a CPU does not come
// back with it.
class CpuWatch {
  public:
    explicit CpuWatch(const std::vector<int>& opened) : opened_(opened.begin(), opened.end()) {}

    void look();  // call it now and then
    void look_at(const std::vector<int>& online);
    const std::set<int>& unwatched() const { return unwatched_; }

  private:
    std::set<int> opened_;     // and online since
    std::set<int> unwatched_;  // were online without that
};

}  // namespace lt
