// A running lt can be spoken to by root and its own user: requests and replies of lines on a socket, see lt-ctl(1). It
// waits for nobody: what a connection has not sent or does not take is left for later, and there are limits to how long
// a line may be, how many connections there are and how long one may be silent, so that no client holds up the tracing.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

class Control {
  public:
    // The lines that answer a request's line.
    using Handler = std::function<std::string(std::string_view request)>;
    static Result<std::unique_ptr<Control>> listen(Handler handler);
    ~Control();
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    int descriptor() const { return epoll_; }  // readable when serve() has something to do
    void serve();

  private:
    using Clock = std::chrono::steady_clock;
    struct Client {
        int socket = -1;
        std::string in, out;
        bool asked = false;                     // it has sent a whole line
        bool leaving = false;                   // nothing is read any more; closed when all is written
        Clock::time_point last = Clock::now();  // something was read or written
    };
    using Position = std::list<Client>::iterator;

    Control() = default;
    Status open();
    bool watch(int descriptor, void* who) const;
    void accept_some();
    void add(int socket);
    void make_room();
    void read_from(Client& client);
    void answer_lines(Client& client);
    void refuse(Client& client, const std::string& why);
    void write_to(Client& client);
    void await(Client& client) const;
    void drop(Position client);
    void drop_silent();
    void set_timer(bool on) const;

    int epoll_ = -1;
    int socket_ = -1;
    int timer_ = -1;
    Handler handler_;
    std::list<Client> clients_;
};

}  // namespace lt
