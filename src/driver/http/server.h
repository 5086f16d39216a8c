// A small HTTP server that only answers GET and HEAD, in the caller's own thread. It never blocks. The number of
// connections, the size of a request and the time that each may take are limited, so that no client can hold up the
// others: when there are too many, those go first that wait for nothing or have not sent a whole request.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "driver/http/address.h"
#include "runtime/os/spare_file.h"

struct MHD_Daemon;
struct MHD_Connection;

namespace lt {

struct HttpRequest {
    std::string_view path;
    std::string_view accept;  // the header
};

struct HttpReply {
    unsigned status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body;
};

struct HttpLimits {
    size_t connections = 32;
    size_t request_bytes = 16384;               // of a request's line and headers
    std::chrono::milliseconds request{10'000};  // from the connection to its first whole request
    std::chrono::milliseconds reply{30'000};    // to take the reply
    std::chrono::milliseconds idle{120'000};    // between requests
};

class HttpServer {
  public:
    using Answer = std::function<HttpReply(const HttpRequest&)>;
    struct Counts {
        std::map<unsigned, uint64_t> replies;  // by status
        uint64_t dropped = 0;                  // connections that were too slow, or too many
    };

    static Result<std::unique_ptr<HttpServer>> listen(ListenAddress address, Answer answer, HttpLimits limits = {});
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    const ListenAddress& address() const { return address_; }
    const Counts& counts() const { return counts_; }
    size_t connections() const { return clients_.size(); }

    int descriptor() const { return epoll_; }  // readable when serve() has something to do
    int patience() const;  // milliseconds until serve() has to be called in any case; negative: never
    void serve();

  private:
    using Clock = std::chrono::steady_clock;
    struct Client {
        int socket = -1;
        enum class State : uint8_t { unasked, asking, idle } state = State::unasked;
        Clock::time_point since = Clock::now();  // in this state
        bool dropped = false;
    };
    struct Callbacks;  // of the library

    HttpServer(ListenAddress address, Answer answer, HttpLimits limits)
        : address_(std::move(address)), answer_(std::move(answer)), limits_(limits) {}
    Status start();
    std::chrono::milliseconds limit_of(Client::State state) const;
    void drop(Client& client);
    void drop_late();
    void make_room();

    ListenAddress address_;
    const Answer answer_;
    const HttpLimits limits_;
    Descriptor listening_;
    SpareFile spare_;
    MHD_Daemon* daemon_ = nullptr;
    int epoll_ = -1;  // the library's
    std::list<Client> clients_;
    Counts counts_;
};

}  // namespace lt
