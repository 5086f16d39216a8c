// The logarithm of the BPF library, from its own source, beside that of the standard library.
#include <gtest/gtest.h>

#include <bit>

#include "stdlib/bpf/buckets.h"

namespace lt {
namespace {

TEST(Log2, AroundEachPower) {
    EXPECT_EQ(lt_log2(0), 0u);
    for (uint32_t k = 0; k < 64; k++) {
        const uint64_t power = uint64_t{1} << k;
        for (const uint64_t v : {power, power | 1, power | power / 2, power | (power - 1) / 3, 2 * power - 1})
            EXPECT_EQ(lt_log2(v), static_cast<uint32_t>(std::bit_width(v)) - 1) << v;
    }
}

}  // namespace
}  // namespace lt
