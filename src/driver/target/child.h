// The command of -c: started with lt, held until every probe is attached, ended with lt.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace lt {

class Child {
  public:
    // Splits into words as a shell does; taken_off: and unquotes them, with no substitution except of variables; stand:
    // splits at blanks only.
    enum class Quotes : uint8_t { taken_off, stand };
    // From here on the process exists, but waits.
    static Result<std::unique_ptr<Child>> start(const std::string& command, Quotes quotes);
    ~Child();  // sends SIGTERM if it has not ended, and does not wait long for one that ignores it or is stopped
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Lets it run, unless it has been killed. An Error if the program cannot be executed.
    Status release();
    int descriptor() const { return pidfd_; }  // readable once it has ended
    pid_t pid() const { return pid_; }
    // "exited with status 3", "was killed by signal 9 (Killed)"; empty while it runs or if it succeeded
    std::string trouble();

  private:
    Child() = default;

    pid_t pid_ = -1;
    int pidfd_ = -1;
    int start_ = -1;   // written to: run
    int failed_ = -1;  // read from: why it could not be executed
    bool released_ = false;
    bool reaped_ = false;
};

}  // namespace lt
