// libmicrohttpd speaks HTTP; what it has no limit for is limited here by shutting the connection's socket down, which
// the library sees as its end.
#include "driver/http/server.h"

#include <microhttpd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <utility>

namespace lt {
namespace {

// A client that uses a proxy can send the whole URL: "http://node:9435/metrics".
std::string_view path_of(std::string_view url) {
    constexpr std::string_view scheme = "http://";
    if (!url.starts_with(scheme)) return url;
    const size_t path = url.find('/', scheme.size());
    return path == url.npos ? "/" : url.substr(path);
}

}  // namespace

struct HttpServer::Callbacks {
    static HttpServer& server(void* self) { return *static_cast<HttpServer*>(self); }
    static Client* client_of(MHD_Connection* connection) {
        const MHD_ConnectionInfo* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        return info ? static_cast<Client*>(info->socket_context) : nullptr;
    }
    static void enter(Client* client, Client::State state) {
        if (client) client->state = state, client->since = Clock::now();
    }

    static void connection(void* self, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode what) {
        HttpServer& own = server(self);
        if (what == MHD_CONNECTION_NOTIFY_STARTED) {
            own.make_room();
            Client& client = own.clients_.emplace_back();
            client.socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
            *context = &client;
        } else {
            own.clients_.remove_if([&](const Client& each) { return &each == *context; });
            *context = nullptr;
        }
    }

    static void completed(void*, MHD_Connection* connection, void**, MHD_RequestTerminationCode) {
        enter(client_of(connection), Client::State::idle);
    }

    // Called when the headers have arrived, and again when a body has: nothing that has one is answered otherwise than
    // by a refusal, for which the body is not read.
    static MHD_Result request(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                              const char*, size_t*, void**) {
        HttpServer& own = server(self);
        enter(client_of(connection), Client::State::asking);
        HttpReply reply;
        const bool reads = std::string_view(method) == "GET" || std::string_view(method) == "HEAD";
        if (reads) {
            const char* accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
            reply = own.answer_({path_of(url), accept ? accept : ""});
        } else {
            reply = {MHD_HTTP_METHOD_NOT_ALLOWED, reply.content_type, "only GET and HEAD are answered\n"};
        }
        own.counts_.replies[reply.status]++;
        MHD_Response* response =
            MHD_create_response_from_buffer(reply.body.size(), reply.body.data(), MHD_RESPMEM_MUST_COPY);
        if (!response) return MHD_NO;
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.content_type.c_str());
        if (!reads) {
            MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
            MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
        }
        const MHD_Result queued = MHD_queue_response(connection, reply.status, response);
        MHD_destroy_response(response);
        return queued;
    }

    // Mistakes of clients are counted, not logged.
    static void log(void*, const char*, std::va_list) {}
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(ListenAddress address, Answer answer, HttpLimits limits) {
    std::unique_ptr<HttpServer> server(new HttpServer(std::move(address), std::move(answer), limits));
    if (const Status started = server->start(); !started) return started.error();
    return server;
}

Status HttpServer::start() {
    Result<Descriptor> socket = listening_socket(address_);
    if (!socket) return socket.error();
    // The library's own limit leaves room for connections that are being dropped.
    const auto most = static_cast<unsigned>(2 * limits_.connections);
    const auto idle_seconds = static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(limits_.idle).count());
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, address_.port, nullptr, nullptr, &Callbacks::request,
                               this, MHD_OPTION_EXTERNAL_LOGGER, &Callbacks::log, nullptr, MHD_OPTION_LISTEN_SOCKET,
                               socket->get(), MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_CONNECTION_TIMEOUT,
                               idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.request_bytes,
                               MHD_OPTION_NOTIFY_CONNECTION, &Callbacks::connection, this, MHD_OPTION_NOTIFY_COMPLETED,
                               &Callbacks::completed, nullptr, MHD_OPTION_END);
    if (!daemon_) return system_error("cannot serve HTTP on " + address_text(address_), errno);
    listening_ = *std::move(socket);
    epoll_ = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    return Done{};
}

HttpServer::~HttpServer() {
    if (!daemon_) return;
    MHD_quiesce_daemon(daemon_);  // else the library would close the listening socket, too
    MHD_stop_daemon(daemon_);
}

int HttpServer::patience() const {
    MHD_UNSIGNED_LONG_LONG library = 0;
    int out = clients_.empty() ? -1 : 1000;  // to look for late clients
    if (MHD_get_timeout(daemon_, &library) == MHD_YES) {
        const auto bounded = static_cast<int>(std::min<MHD_UNSIGNED_LONG_LONG>(library, 1000));
        out = out < 0 ? bounded : std::min(out, bounded);
    }
    return out;
}

void HttpServer::serve() {
    drop_late();
    counts_.dropped += spare_.turn_away_if_out_of_files(listening_.get(), static_cast<unsigned>(limits_.connections));
    MHD_run(daemon_);
}

std::chrono::milliseconds HttpServer::limit_of(Client::State state) const {
    switch (state) {
        case Client::State::unasked:
            return limits_.request;
        case Client::State::asking:
            return limits_.reply;
        case Client::State::idle:
            return limits_.idle;
    }
    return limits_.request;
}

void HttpServer::drop(Client& client) {
    if (std::exchange(client.dropped, true)) return;
    ::shutdown(client.socket, SHUT_RDWR);
    counts_.dropped++;
}

void HttpServer::drop_late() {
    const Clock::time_point now = Clock::now();
    for (Client& client : clients_)
        if (now - client.since > limit_of(client.state)) drop(client);
}

// Clients that get a reply are dropped last.
void HttpServer::make_room() {
    const auto stays = [](const Client& client) { return !client.dropped; };
    if (static_cast<size_t>(std::ranges::count_if(clients_, stays)) < limits_.connections) return;
    const auto before = [](const Client& a, const Client& b) {
        const bool is_asking = a.state == Client::State::asking, other_is = b.state == Client::State::asking;
        if (a.dropped != b.dropped) return b.dropped;
        return is_asking != other_is ? other_is : a.since < b.since;
    };
    drop(*std::ranges::min_element(clients_, before));
}

}  // namespace lt
