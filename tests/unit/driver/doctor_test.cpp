#include <gtest/gtest.h>

#include "driver/doctor/doctor_machine.h"

namespace lt {
namespace {

// What root is told must help root: with kernel.kptr_restrict=2 nobody sees addresses.
TEST(Doctor, hidden_addresses_of_symbols) {
    EXPECT_EQ(addresses_finding(9, 9, "1", true).health, Health::good);
    const Finding of_root = addresses_finding(9, 0, "2", true);
    EXPECT_EQ(of_root.health, Health::limited);
    EXPECT_EQ(of_root.advice,
              "sysctl kernel.kptr_restrict=1, since 2 hides them from root, too; kernel stacks show addresses until "
              "then");
    EXPECT_EQ(addresses_finding(9, 0, "2", false).advice,
              "sysctl kernel.kptr_restrict=1, since 2 hides them from root, too; then run as root, or with cap_syslog; "
              "kernel stacks show addresses until then");
    EXPECT_EQ(addresses_finding(9, 0, "1", false).advice,
              "run as root, or with cap_syslog; kernel stacks show addresses until then");
}

}  // namespace
}  // namespace lt
