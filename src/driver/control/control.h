// The control socket of a running lt: root and its own user can send requests, see lt-ctl(1). It never blocks:
// unfinished reads and writes are continued later. The length of a line, the number of connections and their idle time
// are limited, so that no client can hold up the tracing.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/os/spare_file.h"

namespace lt {

class Control {
  public:
    // Returns the lines that answer a request's line.
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
        bool has_request = false;               // it has sent a whole line
        bool leaving = false;                   // nothing more is read; closed when all is written
        Clock::time_point last = Clock::now();  // last read or write
    };
    using Position = std::list<Client>::iterator;

    Control() = default;
    Status open();
    Status take_name(const std::string& path);
    void remove_name() const;
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

    std::string path_;  // of the socket, once it has one
    ino_t inode_ = 0;   // of the file at that path
    int epoll_ = -1;
    int socket_ = -1;
    int timer_ = -1;
    SpareFile spare_;
    Handler handler_;
    std::list<Client> clients_;
};

}  // namespace lt
