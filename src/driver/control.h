// A running lt can be spoken to: `lt set NAME=VALUE` sets a parameter of it. It listens on a socket that is named after
// its process and takes one line per connection, from root or from its own user; the answer is "ok" or the error.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

class Control {
  public:
    using Handler = std::function<Status(std::string_view line)>;
    static Result<std::unique_ptr<Control>> listen(Handler handler);
    ~Control();
    Control(const Control&) = delete;
    Control& operator=(const Control&) = delete;

    int descriptor() const { return socket_; }  // readable when somebody wants to speak
    void serve();  // takes one connection, which may wait for no more than a tenth of a second

  private:
    Control() = default;
    int socket_ = -1;
    Handler handler_;
};

// Sends a line to a running lt and waits for its answer. pid 0: the only one that runs.
Status tell_running(pid_t pid, const std::string& line);

}  // namespace lt
