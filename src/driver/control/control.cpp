#include "driver/control/control.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "driver/control/control_address.h"
#include "driver/control/protocol.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

// in one turn; then tracing gets its turn
constexpr int most_accepted = 32;
constexpr size_t most_read = 16 * 1024;

// Unlike rename(), link() does not take the name from another process, which can have the same number in another PID
// namespace.
Status give_name(const std::string& socket, const std::string& path) {
    if (::link(socket.c_str(), path.c_str()) == 0) return Done{};
    if (errno != EEXIST) return system_error("control: link", errno);
    if (!somebody_listens(path)) {
        ::unlink(path.c_str());
        if (::link(socket.c_str(), path.c_str()) == 0) return Done{};
    }
    return Error{fmt::format("{} is the socket of a process that has the same number in another PID namespace; give "
                             "each namespace a folder {} of its own",
                             path, path.substr(0, path.rfind('/'))),
                 "", 0};
}

}  // namespace

Result<std::unique_ptr<Control>> Control::listen(Handler handler) {
    std::unique_ptr<Control> control(new Control());
    control->handler_ = std::move(handler);
    if (Status opened = control->open(); !opened) return opened.error();
    return control;
}

Status Control::open() {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (epoll_ < 0 || timer_ < 0 || socket_ < 0) return system_error("control: socket", errno);
    control_processes();  // removes the sockets that killed processes have left behind
    const Result<std::string> folder = own_control_folder();
    if (!folder) return folder.error();
    if (Status named = take_name(fmt::format("{}/{}", *folder, getpid())); !named) return named;
    if (!watch(socket_, &socket_) || !watch(timer_, &timer_)) return system_error("control: epoll", errno);
    return Done{};
}

// The socket gets its name when it listens: a socket on which no process listens counts as left behind. Anybody may
// connect; the peer's identity is checked afterwards.
Status Control::take_name(const std::string& path) {
    const auto now = static_cast<uint32_t>(monotonic_now());  // a process of another PID namespace can have this number
    const std::string before = fmt::format("{}.{:x}{}", path, now, new_name);
    const Result<ControlAddress> a = control_address(before);
    if (!a) return a.error();
    if (bind(socket_, a->get(), a->size) != 0) return system_error("control: bind", errno);
    struct stat about{};
    const bool listens = ::lstat(before.c_str(), &about) == 0 && ::listen(socket_, most_accepted) == 0 &&
                         ::chmod(before.c_str(), 0666) == 0;
    Status named = listens ? give_name(before, path) : Status(system_error("control: listen", errno));
    ::unlink(before.c_str());
    if (!named) return named;
    path_ = path;
    inode_ = about.st_ino;
    return Done{};
}

// By then the path can be the socket of another process.
void Control::remove_name() const {
    struct stat about{};
    if (!path_.empty() && ::lstat(path_.c_str(), &about) == 0 && about.st_ino == inode_) ::unlink(path_.c_str());
}

Control::~Control() {
    remove_name();
    for (const Client& client : clients_) close(client.socket);
    for (const int descriptor : {socket_, timer_, epoll_})
        if (descriptor >= 0) close(descriptor);
}

bool Control::watch(int descriptor, void* who) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = who;
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Control::serve() {
    std::array<epoll_event, most_connections + 2> events;
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
    bool callers = false, late = false;
    for (int i = 0; i < ready; i++) {
        void* who = events[static_cast<size_t>(i)].data.ptr;
        callers |= who == &socket_;
        late |= who == &timer_;
        if (who == &socket_ || who == &timer_) continue;
        auto& client = *static_cast<Client*>(who);
        client.out.empty() ? read_from(client) : write_to(client);
    }
    // Only now, so that the events' pointers stayed valid.
    clients_.remove_if([](const Client& client) {
        const bool done = client.leaving && client.out.empty();
        if (done) close(client.socket);
        return done;
    });
    if (callers) accept_some();
    if (late) drop_silent();
    if (clients_.empty()) set_timer(false);
}

void Control::accept_some() {
    for (int i = 0; i < most_accepted; i++) {
        const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        const bool out_of_files = socket < 0 && (errno == EMFILE || errno == ENFILE);
        if (out_of_files && spare_.turn_away(socket_)) continue;
        if (socket < 0) return;
        add(socket);
    }
}

// A peer that is not allowed gets one line, if it takes it.
void Control::add(int socket) {
    if (!trusted_peer(socket, geteuid())) {
        const std::string no = error_line({"only root and the user who runs lt may send it commands", "", 0});
        if (send(socket, no.data(), no.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) errno = 0;
        close(socket);
        return;
    }
    if (clients_.size() >= most_connections) make_room();
    clients_.emplace_back().socket = socket;
    if (!watch(socket, &clients_.back())) return drop(std::prev(clients_.end()));
    if (clients_.size() == 1) set_timer(true);
}

// Closes the connections that have not sent a request first, then those idle for longest.
void Control::make_room() {
    const auto before = [](const Client& a, const Client& b) {
        return a.has_request != b.has_request ? !a.has_request : a.last < b.last;
    };
    drop(std::ranges::min_element(clients_, before));
}

void Control::read_from(Client& client) {
    std::array<char, most_read> part;
    const ssize_t n = recv(client.socket, part.data(), part.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        client.leaving = true;
        return;
    }
    client.last = Clock::now();
    client.in.append(part.data(), static_cast<size_t>(n));
    answer_lines(client);
    write_to(client);
}

// One at a time: the next request is answered when the client has taken the reply.
void Control::answer_lines(Client& client) {
    while (client.out.empty() && !client.leaving) {
        const size_t end = client.in.find('\n');
        if (std::min(end, client.in.size()) > longest_request)
            return refuse(client, fmt::format("a line can have at most {} bytes", longest_request));
        if (end == client.in.npos) return;
        const std::string line = client.in.substr(0, end);
        client.in.erase(0, end + 1);
        client.has_request = true;
        client.out = handler_(line);
    }
}

void Control::refuse(Client& client, const std::string& why) {
    client.in.clear();
    client.out = error_line({why, "", 0});
    client.leaving = true;
}

void Control::write_to(Client& client) {
    while (!client.out.empty()) {
        const ssize_t n = send(client.socket, client.out.data(), client.out.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN) {
            client.out.clear();
            client.leaving = true;
        }
        if (n < 0) break;
        client.last = Clock::now();
        client.out.erase(0, static_cast<size_t>(n));
        if (client.out.empty()) answer_lines(client);
    }
    await(client);
}

// While there is something to write, nothing is read.
void Control::await(Client& client) const {
    epoll_event event{};
    event.events = client.out.empty() && !client.leaving ? EPOLLIN : EPOLLOUT;
    event.data.ptr = &client;
    if (epoll_ctl(epoll_, EPOLL_CTL_MOD, client.socket, &event) != 0) client.leaving = true;
}

void Control::drop(Position client) {
    close(client->socket);
    clients_.erase(client);
}

void Control::drop_silent() {
    uint64_t times = 0;
    if (read(timer_, &times, sizeof times) < 0) return;
    const auto oldest = Clock::now() - std::chrono::seconds(idle_seconds);
    for (auto client = clients_.begin(); client != clients_.end();) {
        const auto next = std::next(client);
        if (client->last < oldest) drop(client);
        client = next;
    }
}

// Ticks once a second, while there are connections.
void Control::set_timer(bool on) const {
    const itimerspec period{{on ? 1 : 0, 0}, {on ? 1 : 0, 0}};
    timerfd_settime(timer_, 0, &period, nullptr);
}

}  // namespace lt
