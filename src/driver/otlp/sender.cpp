#include "driver/otlp/sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>
#include <utility>

#include "json/json.h"

namespace lt {
namespace {

// The statuses after which OTLP lets a client try again.
constexpr std::array passing{429L, 502L, 503L, 504L};

bool may_pass(CURLcode code, long status) {
    if (status == 0) return code != CURLE_OK;  // there was no answer
    return std::ranges::find(passing, status) != passing.end();
}

// The pause before the next attempt: doubled by each failure, and not the same for all agents.
std::chrono::milliseconds pause_after(unsigned failures, const OtlpLimits& limits) {
    static thread_local std::mt19937 random{std::random_device{}()};
    const unsigned doublings = std::min(failures - 1, 16U);
    const auto whole = std::min(limits.first_pause * (1 << doublings), limits.longest_pause);
    return std::chrono::milliseconds(std::uniform_int_distribution<int64_t>(whole.count() / 2, whole.count())(random));
}

// The number of items that the collector has not taken from a request that it accepted.
size_t rejected_items(const std::string& body, const std::string& field) {
    const nlohmann::json reply = parse_json(body);
    if (!reply.is_object()) return 0;
    const auto part = reply.find("partialSuccess");
    if (part == reply.end() || !part->is_object()) return 0;
    const auto count = part->find(field);
    if (count == part->end()) return 0;
    if (count->is_number_unsigned()) return count->get<size_t>();
    if (!count->is_string()) return 0;
    size_t out = 0;
    const std::string text = count->get<std::string>();
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

}  // namespace

// ---- the caller's side

Result<std::unique_ptr<OtlpSender>> OtlpSender::start(const Curl& curl, const OtlpEndpoint& endpoint,
                                                      std::string_view path, std::string_view items,
                                                      OtlpLimits limits) {
    std::unique_ptr<OtlpSender> sender(new OtlpSender(curl, endpoint, path, items, limits));
    if (const Status prepared = sender->prepare(endpoint); !prepared) return prepared.error();
    try {
        sender->thread_ = std::thread(&OtlpSender::work, sender.get());
    } catch (const std::system_error& failed) {
        return system_error("cannot start a thread", failed.code().value());
    }
    return sender;
}

OtlpSender::~OtlpSender() {
    {
        const std::lock_guard lock(mutex_);
        stops_ = true;
    }
    changed_.notify_all();
    if (multi_) curl_.multi_wakeup(multi_);
    if (thread_.joinable()) thread_.join();
    if (multi_) curl_.multi_cleanup(multi_);
    if (easy_) curl_.easy_cleanup(easy_);
    curl_.slist_free_all(headers_);
}

void OtlpSender::send(std::string body, size_t items) {
    if (items == 0) return;
    {
        const std::lock_guard lock(mutex_);
        queued_bytes_ += body.size();
        queue_.push_back({std::move(body), items});
        make_room();
    }
    changed_.notify_all();
}

// The newest stays, however large it is.
void OtlpSender::make_room() {
    while (queue_.size() > 1 && (queue_.size() > limits_.requests || queued_bytes_ > limits_.bytes)) {
        queued_bytes_ -= queue_.front().body.size();
        drop("queue_full", queue_.front().items);
        queue_.pop_front();
    }
}

size_t OtlpSender::finish(Clock::time_point latest) {
    std::unique_lock lock(mutex_);
    not_before_ = Clock::now();
    changed_.notify_all();
    changed_.wait_until(lock, latest, [&] { return queue_.empty() && sending_ == 0; });
    size_t left = sending_;
    for (const Request& request : queue_) left += request.items;
    return left;
}

OtlpSender::Counts OtlpSender::counts() const {
    const std::lock_guard lock(mutex_);
    Counts out = counts_;
    out.waiting = queue_.size() + (sending_ > 0 ? 1 : 0);
    return out;
}

// ---- the thread

void OtlpSender::work() {
    std::unique_lock lock(mutex_);
    while (!stops_) {
        if (queue_.empty()) {
            changed_.wait(lock);
            continue;
        }
        if (Clock::now() < not_before_) {
            changed_.wait_until(lock, not_before_);
            continue;
        }
        Request request = std::move(queue_.front());
        queue_.pop_front();
        queued_bytes_ -= request.body.size();
        sending_ = request.items;
        lock.unlock();
        const Reply reply = post(request.body);
        lock.lock();
        sending_ = 0;
        settle(std::move(request), reply);
        changed_.notify_all();
    }
}

void OtlpSender::settle(Request request, const Reply& reply) {
    counts_.requests[reply.status != 0 ? fmt::format("{}", reply.status) : "error"]++;
    if (reply.status >= 200 && reply.status < 300) {
        const size_t rejected = std::min(rejected_items(reply.body, rejected_), request.items);
        counts_.accepted += request.items - rejected;
        if (rejected > 0) drop("rejected", rejected);
        counts_.last_success = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
        not_before_ = Clock::now();
        if (!trouble_.empty()) say("");
        return;
    }
    if (may_pass(reply.code, reply.status)) return try_again(std::move(request), reply);
    drop("refused", request.items);
    say(fmt::format("status {}", reply.status));
}

void OtlpSender::try_again(Request request, const Reply& reply) {
    request.failures++;
    const auto wish = std::min<std::chrono::milliseconds>(reply.wish, limits_.longest_wish);
    not_before_ = Clock::now() + std::max(pause_after(request.failures, limits_), wish);
    say(reply.status != 0 ? fmt::format("status {}", reply.status) : curl_.easy_strerror(reply.code));
    queued_bytes_ += request.body.size();
    queue_.push_front(std::move(request));
    make_room();
}

// Once for each new trouble, and when it is over.
void OtlpSender::say(const std::string& what) {
    if (what == trouble_) return;
    if (what.empty())
        fmt::print(stderr, "lt: {}: accepted again\n", shown_);
    else if (!stops_)
        fmt::print(stderr, "lt: {}: {}\n", shown_, what);
    trouble_ = what;
}

// ---- one request

namespace {

// Both count what came. Zero ends the transfer, whose status is known by then.
size_t take_body(char* data, size_t, size_t size, void* body) {
    auto& out = *static_cast<std::pair<std::string, size_t>*>(body);
    if (out.first.size() + size > out.second) return 0;
    out.first.append(data, size);
    return size;
}

size_t count_header(char*, size_t, size_t size, void* left) {
    auto& room = *static_cast<size_t*>(left);
    if (size > room) return 0;
    room -= size;
    return size;
}

}  // namespace

Status OtlpSender::prepare(const OtlpEndpoint& endpoint) {
    easy_ = curl_.easy_init();
    multi_ = curl_.multi_init();
    if (!easy_ || !multi_) return Error{"libcurl cannot make a transfer", "", 0};
    std::vector<std::string> headers{"Content-Type: application/json", "Expect:"};
    headers.insert(headers.end(), endpoint.headers.begin(), endpoint.headers.end());
    for (const std::string& header : headers) headers_ = curl_.slist_append(headers_, header.c_str());
    const auto set = [&](CURLoption option, auto value) { curl_.easy_setopt(easy_, option, value); };
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_USERAGENT, "lt-agent");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.connect.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(limits_.whole.count()));
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_HEADERFUNCTION, &count_header);
    return Done{};
}

// multi_wakeup() ends it early.
OtlpSender::Reply OtlpSender::post(const std::string& body) {
    Reply out;
    std::pair<std::string, size_t> received{"", limits_.reply_bytes};
    size_t header_room = limits_.reply_bytes;
    curl_.easy_setopt(easy_, CURLOPT_POSTFIELDS, body.data());
    curl_.easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_.easy_setopt(easy_, CURLOPT_WRITEDATA, &received);
    curl_.easy_setopt(easy_, CURLOPT_HEADERDATA, &header_room);
    curl_.multi_add_handle(multi_, easy_);
    int running = 1;
    bool stopped = false;
    while (running > 0 && !stopped) {
        if (curl_.multi_perform(multi_, &running) != CURLM_OK) break;
        if (running > 0) curl_.multi_poll(multi_, nullptr, 0, 1000, nullptr);
        const std::lock_guard lock(mutex_);
        stopped = stops_;
    }
    out.code = CURLE_ABORTED_BY_CALLBACK;
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left))
        if (message->msg == CURLMSG_DONE) out.code = message->data.result;
    curl_off_t wish = 0;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &out.status);
    curl_.easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &wish);
    curl_.multi_remove_handle(multi_, easy_);
    // The rest of an answer matters little: one that breaks off or never ends has a status, too.
    if (out.code == CURLE_ABORTED_BY_CALLBACK) out.status = 0;
    out.wish = std::chrono::seconds(std::max<curl_off_t>(wish, 0));
    out.body = std::move(received.first);
    return out;
}

}  // namespace lt
