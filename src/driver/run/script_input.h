// Standard input for SystemTap scripts with input.char or input.line: each byte and each line becomes the value of a
// parameter, and the script's code runs for it.
#pragma once

#include <termios.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "driver/report/trace.h"
#include "runtime/session/session.h"

namespace lt {

class ScriptInput {
  public:
    // Null if the script does not ask for it.
    static std::unique_ptr<ScriptInput> of(const Plan& plan, Trace& trace, std::FILE* messages);

    ScriptInput(Trace& trace, bool chars, bool lines, std::FILE* messages);
    ~ScriptInput();
    ScriptInput(const ScriptInput&) = delete;
    ScriptInput& operator=(const ScriptInput&) = delete;

    Status watch(Session& session);

  private:
    void read_some();
    void take(char byte);
    void set(const char* name, const std::string& text);

    Trace& trace_;
    const bool chars_, lines_;
    std::FILE* messages_;
    int epoll_ = -1, always_ = -1;   // always_: readable until the end, for a file that epoll does not take
    std::string line_ = {};          // the line so far
    std::optional<termios> before_;  // the terminal's mode before
};

}  // namespace lt
