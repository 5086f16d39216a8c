// Where a collector is: what is a URL, and the lists in the variables of the environment. A sender that cannot start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/otlp/curl.h"
#include "driver/otlp/endpoint.h"
#include "driver/otlp/sender.h"
#include "unit/no_threads.h"

namespace lt {
namespace {

using testing::ElementsAre;
using testing::Pair;

// The URL and how it is shown, or what is wrong with it.
std::string url_of(const std::string& text) {
    const Result<Curl> curl = load_curl();
    if (!curl) return curl.error().what;
    const Result<OtlpEndpoint> endpoint = otlp_endpoint(*curl, text);
    return endpoint ? endpoint->url + " " + endpoint->shown : endpoint.error().what;
}

TEST(Otlp, TakesUrls) {
    EXPECT_EQ(url_of("http://collector:4318"), "http://collector:4318 http://collector:4318");
    EXPECT_EQ(url_of("https://c.example/otlp//"), "https://c.example/otlp https://c.example/otlp");
    EXPECT_EQ(url_of("http://[::1]:4318/"), "http://[::1]:4318 http://[::1]:4318");
    EXPECT_EQ(url_of("http://me:secret@c:1"), "http://me:secret@c:1 http://...@c:1");
}

TEST(Otlp, RefusesOthers) {
    for (const char* text : {"", "collector:4318", "ftp://c", "http://", "http:///x", "http://c:0", "http://c:70000",
                             "http://c:x", "http://a b", "http://c/?x=1", "http://c#x", "http://c/v1/metrics"})
        EXPECT_THAT(url_of(text), testing::StartsWith("`" + std::string(text) + "` is not the URL of a collector"));
}

TEST(Otlp, ReadsPairs) {
    const Result<OtlpPairs> pairs = otlp_pairs("X", " a=1 ,b=%20x%2C=y,, c=");
    ASSERT_TRUE(pairs);
    EXPECT_THAT(*pairs, ElementsAre(Pair("a", "1"), Pair("b", " x,=y"), Pair("c", "")));
    EXPECT_TRUE(otlp_pairs("X", ""));
    for (const char* text : {"a", "=1", "a=%", "a=%4", "a=%zz", "a=%0d%0aHost: b", "a=1,b"})
        EXPECT_FALSE(otlp_pairs("X", text)) << text;
}

TEST(Otlp, SaysThatItCannotStartAThread) {
    const Result<Curl> curl = load_curl();
    ASSERT_TRUE(curl);
    const NoThreads none;
    const OtlpEndpoint endpoint{"http://localhost:1", "http://localhost:1", {}};
    const auto sender = OtlpSender::start(*curl, endpoint, "/v1/traces", "Spans");
    ASSERT_FALSE(sender);
    EXPECT_EQ(sender.error().what, "cannot start a thread: Resource temporarily unavailable");
}

}  // namespace
}  // namespace lt
