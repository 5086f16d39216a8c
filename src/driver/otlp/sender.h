// Sends requests of OTLP/HTTP to a collector, from a thread of its own: whatever the collector does or does not do, the
// caller never waits. Requests wait in a queue of bounded size, oldest first. One that fails in a way that may pass is
// sent again, after a growing pause or as long as the collector says; others are dropped and counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"
#include "driver/otlp/curl.h"
#include "driver/otlp/endpoint.h"

namespace lt {

struct OtlpLimits {
    size_t requests = 64;                      // that wait
    size_t bytes = 16 << 20;                   // of these
    size_t reply_bytes = 65536;                // of headers, and of the body: the rest is not read
    std::chrono::milliseconds connect{5'000};  // to be connected
    std::chrono::milliseconds whole{10'000};   // for a whole request and its reply
    std::chrono::milliseconds first_pause{1'000}, longest_pause{60'000};  // before the next attempt
    std::chrono::milliseconds longest_wish{600'000};                      // of a collector's Retry-After
};

class OtlpSender {
  public:
    // Items are data points or spans.
    struct Counts {
        std::map<std::string, uint64_t> requests;  // answers and failures: by status, or "error"
        std::map<std::string, uint64_t> dropped;   // items, by reason: "queue_full", "refused", "rejected"
        uint64_t accepted = 0;                     // items
        size_t waiting = 0;                        // requests
        int64_t last_success = 0;                  // nanoseconds since 1970; 0: never
    };

    // `path` comes after the endpoint's URL, `items` is what requests hold, for messages and for the reply's rejected
    // items: "DataPoints", "Spans". The library outlives the sender.
    static Result<std::unique_ptr<OtlpSender>> start(const Curl& curl, const OtlpEndpoint& endpoint,
                                                     std::string_view path, std::string_view items,
                                                     OtlpLimits limits = {});
    ~OtlpSender();  // gives up what waits
    OtlpSender(const OtlpSender&) = delete;
    OtlpSender& operator=(const OtlpSender&) = delete;

    void send(std::string body, size_t items);
    // Waits until everything is sent or dropped, at most until this time; returns the number of items that are not.
    size_t finish(std::chrono::steady_clock::time_point latest);
    Counts counts() const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Request {
        std::string body;
        size_t items = 0;
        unsigned failures = 0;  // attempts so far
    };
    struct Reply {
        CURLcode code = CURLE_OK;
        long status = 0;               // 0: there was none
        std::chrono::seconds wish{0};  // Retry-After
        std::string body;
    };

    OtlpSender(const Curl& curl, const OtlpEndpoint& endpoint, std::string_view path, std::string_view items,
               OtlpLimits limits)
        : curl_(curl),
          url_(endpoint.url + std::string(path)),
          shown_(endpoint.shown + std::string(path)),
          rejected_("rejected" + std::string(items)),
          limits_(limits) {}
    Status prepare(const OtlpEndpoint& endpoint);
    void work();
    Reply post(const std::string& body);
    void settle(Request request, const Reply& reply);
    void try_again(Request request, const Reply& reply);
    void drop(const std::string& reason, size_t items) { counts_.dropped[reason] += items; }
    void make_room();
    void say(const std::string& what);

    const Curl& curl_;
    const std::string url_, shown_, rejected_;
    const OtlpLimits limits_;
    curl_slist* headers_ = nullptr;
    CURL* easy_ = nullptr;
    CURLM* multi_ = nullptr;

    mutable std::mutex mutex_;  // of everything below
    std::condition_variable changed_;
    std::deque<Request> queue_;
    size_t queued_bytes_ = 0;
    size_t sending_ = 0;  // items of the request that is being sent
    bool stops_ = false;
    Clock::time_point not_before_ = Clock::now();
    std::string trouble_;  // what was said last; empty: all is well
    Counts counts_;
    std::thread thread_;  // last: it uses the others
};

}  // namespace lt
