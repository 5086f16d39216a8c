#include "runtime/names/naming.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace lt {
namespace {

// The time zone while it lives; then the one before.
class TimeZone {
  public:
    explicit TimeZone(const char* name) {
        if (const char* before = std::getenv("TZ")) before_ = before;
        ::setenv("TZ", name, 1);
        ::tzset();
    }
    ~TimeZone() {
        before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
        ::tzset();
    }
    TimeZone(const TimeZone&) = delete;
    TimeZone& operator=(const TimeZone&) = delete;

  private:
    std::optional<std::string> before_;
};

constexpr uint64_t some_time = 1'700'000'000'123'456'789;

std::string at_some_time(const std::string& format, bool utc) { return time_text(format, some_time, utc, 0); }

TEST(Naming, SecondsSince1970AreTheSameInEachTimeZone) {
    for (const char* zone : {"UTC", "CET-1", "EST5"}) {
        const TimeZone there(zone);
        for (const bool utc : {false, true}) {
            EXPECT_EQ(at_some_time("%s", utc), "1700000000") << zone;
            EXPECT_EQ(at_some_time("<%s.%f>", utc), "<1700000000.123456>") << zone;
            EXPECT_EQ(at_some_time("%12s|%-s|%_12s|%012s|%0_12s", utc),
                      "  1700000000|1700000000|  1700000000|001700000000|  1700000000")
                << zone;
        }
    }
}

TEST(Naming, OtherConversionsStayAsTheyAre) {
    const TimeZone there("CET-1");
    EXPECT_EQ(at_some_time("%F %T", true), "2023-11-14 22:13:20");
    EXPECT_EQ(at_some_time("%F %T", false), "2023-11-14 23:13:20");
    EXPECT_EQ(at_some_time("%%s %%f 100%", true), "%s %f 100%");
    EXPECT_EQ(at_some_time("%6d|%-d|%Ey", true), "000014|14|23");
    EXPECT_EQ(at_some_time("", true), "");
}

TEST(Naming, TimesOfAnyLengthArePrinted) {
    const std::string before(600, 'x');
    EXPECT_EQ(at_some_time(before + "%Y", true), before + "2023");
    EXPECT_EQ(at_some_time("%3000Y", true), std::string(2996, '0') + "2023");
    EXPECT_EQ(at_some_time("%9999999s", true), "(more than 1 MiB)");
}

}  // namespace
}  // namespace lt
