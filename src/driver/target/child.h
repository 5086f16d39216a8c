// The command of -c: started with lt, held until every probe is attached, ended with lt.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace lt {

class Child {
  public:
    // Splits into words as a shell does; taken_off: and unquotes them, with no substitution except of variables; stand:
    // splits at blanks only.
    enum class Quotes : uint8_t { taken_off, stand };
    // While it waits the process shares lt's memory, or has a copy. The kernel finds the process to which a uprobe is
    // bound by its memory: with a shared one, lt would be traced, too.
    enum class Memory : uint8_t { shared, copied };
    // From here on the process exists, but waits.
    static Result<std::unique_ptr<Child>> start(const std::string& command, Quotes quotes, Memory memory);
    ~Child();  // sends SIGTERM if it has not ended, and does not wait long for one that ignores it or is stopped
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Lets it run, unless it has been killed. An Error if the program cannot be executed.
    Status release();
    int descriptor() const { return pidfd_; }  // readable once it has ended
    pid_t pid() const { return pid_; }
    // "exited with status 3", "was killed by signal 9 (Killed)"; empty while it runs or if it succeeded
    std::string trouble();

    // For the new process.
    struct Waiting {
        pid_t parent;
        int start;      // read from: run
        int other_end;  // of the same pipe
        int failed;     // written to: why it could not be executed
        char** argv;
    };

  private:
    Child() = default;

    std::vector<std::string> words_;
    std::vector<char*> arguments_;  // of execvp
    Waiting waiting_{};
    std::unique_ptr<std::byte[]> stack_;

    pid_t pid_ = -1;
    int pidfd_ = -1;
    int start_ = -1;   // written to: run
    int failed_ = -1;  // read from: why it could not be executed
    bool released_ = false;
    bool reaped_ = false;
};

}  // namespace lt
