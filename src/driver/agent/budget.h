// One limit of overhead for all scripts together: while they cost more than it allows, the costliest one must save.
#pragma once

#include <map>
#include <string>

namespace lt::agent {

class SharedBudget {
  public:
    explicit SharedBudget(double share) : budget_(share) {}

    // The limit of a script from here on, given its current cost: shares of all CPUs' time. No limit for a script if
    // another one costs more.
    double allowance(const std::string& script, double share);
    void forget(const std::string& script) { shares_.erase(script); }

    double budget() const { return budget_; }
    double share(const std::string& script) const;  // the last one
    double total() const;

  private:
    double budget_;
    std::map<std::string, double> shares_;
};

}  // namespace lt::agent
