#include "control.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/text.h"

namespace lt {
namespace {

// Abstract names (unix(7)) begin with a zero byte and vanish with the process.
constexpr std::string_view prefix = "lt/control/";
constexpr size_t longest_line = 4096;

struct Address {
    sockaddr_un address{};
    socklen_t size = 0;
};

Address address_of(pid_t pid) {
    Address a;
    a.address.sun_family = AF_UNIX;
    const std::string name = fmt::format("{}{}", prefix, pid);
    name.copy(a.address.sun_path + 1, sizeof a.address.sun_path - 2);
    a.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return a;
}

void set_patience(int fd, int milliseconds) {
    const timeval t{milliseconds / 1000, milliseconds % 1000 * 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
}

bool may_speak(int fd) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}

// Up to the end of the line, or what came before the other side fell silent.
std::string read_line(int fd) {
    std::string line;
    char part[512];
    while (line.size() < longest_line && line.find('\n') == line.npos) {
        const ssize_t n = recv(fd, part, sizeof part, 0);
        if (n <= 0) break;
        line.append(part, static_cast<size_t>(n));
    }
    return line.substr(0, line.find('\n'));
}

void answer(int fd, const Status& status) {
    const std::string text = status ? "ok\n" : fmt::format("{}\t{}\n", status.error().what, status.error().hint);
    if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) return;  // whoever asked has gone
}

std::vector<pid_t> running() {
    std::vector<pid_t> pids;
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);) {
        const size_t at = line.find(fmt::format("@{}", prefix));
        if (at != line.npos) pids.push_back(static_cast<pid_t>(std::atol(line.c_str() + at + 1 + prefix.size())));
    }
    return pids;
}

Result<pid_t> only_one() {
    const std::vector<pid_t> pids = running();
    if (pids.size() == 1) return pids.front();
    if (pids.empty()) return Error{"no lt with parameters is running", "", 0};
    return Error{"several lt are running", fmt::format("name one by its pid: {}", fmt::join(pids, ", ")), 0};
}

}  // namespace

Result<std::unique_ptr<Control>> Control::listen(Handler handler) {
    std::unique_ptr<Control> control(new Control());
    control->handler_ = std::move(handler);
    control->socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (control->socket_ < 0) return system_error("control: socket", errno);
    const Address a = address_of(getpid());
    if (bind(control->socket_, reinterpret_cast<const sockaddr*>(&a.address), a.size) != 0)
        return system_error("control: bind", errno);
    if (::listen(control->socket_, 4) != 0) return system_error("control: listen", errno);
    return control;
}

Control::~Control() {
    if (socket_ >= 0) close(socket_);
}

void Control::serve() {
    const int fd = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    constexpr int patience_ms = 100;
    set_patience(fd, patience_ms);
    answer(fd, may_speak(fd) ? handler_(read_line(fd))
                             : Status(Error{"only root and the user who runs lt may speak to it", "", 0}));
    close(fd);
}

Status tell_running(pid_t pid, const std::string& line) {
    if (pid == 0) {
        const Result<pid_t> only = only_one();
        if (!only) return only.error();
        pid = *only;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return system_error("control: socket", errno);
    const Address a = address_of(pid);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&a.address), a.size) != 0) {
        close(fd);
        return Error{fmt::format("no lt with parameters runs as process {}", pid), "", 0};
    }
    constexpr int patience_ms = 5000;
    set_patience(fd, patience_ms);
    const std::string text = line + "\n";
    const bool sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
    const std::string said = sent ? read_line(fd) : "";
    close(fd);
    if (said == "ok") return Done{};
    if (said.empty()) return Error{fmt::format("lt, process {}, does not answer", pid), "", 0};
    const size_t tab = said.find('\t');
    return Error{said.substr(0, tab), tab == said.npos ? "" : said.substr(tab + 1), 0};
}

}  // namespace lt
