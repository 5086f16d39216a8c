// Standard input for programs of SystemTap that have input.char or input.line: each byte and each line becomes the
// value of a parameter, for which the program's own code runs.
#pragma once

#include <termios.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "runtime/session.h"
#include "trace.h"

namespace lt {

class ScriptInput {
  public:
    // None where the program does not ask for it.
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
    int epoll_ = -1, always_ = -1;  // always_: readable until the end, in the place of a file that cannot be waited for
    std::string line_ = {};         // what has come of it
    std::optional<termios> before_;  // how the terminal was
};

}  // namespace lt
