// `lt` without a program, on a terminal: what is typed is tracing, beside what was typed before. Traces, the control
// socket, signals and keys are waited for in one place; each trace has a session of its own, which is turned when it
// has something to do.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "commands.h"
#include "console_editor.h"
#include "console_entry.h"
#include "console_screen.h"
#include "control.h"
#include "runtime/kernel.h"
#include "trace.h"

namespace lt {

class Console final : public Traces {
  public:
    // The command line's options hold for each trace.
    static Result<std::unique_ptr<Console>> open(const Command& command);
    ~Console() override;
    int run();  // until the person leaves; the exit status

    std::vector<Trace*> traces() override;
    Status stop(Trace& trace) override;

    static std::optional<Error> command_meant(const std::string& text, const std::string& word);

    // What its own commands need.
    Kernel& kernel() { return *kernel_; }
    Screen& screen() { return screen_; }
    void quit() { quitting_ = true; }
    bool start(const std::string& text);  // a new trace; false: what was wrong has been told
    void watch(std::vector<std::pair<int, std::string>> maps);

  private:
    explicit Console(const Command& command) : command_(command) {}
    Status prepare();
    Status block_signals();
    void take_entry(const std::string& text);
    void tell(const Error& error);
    void quieten();
    Wake wait(char& key, bool for_keys);
    Wake poll_once(bool for_keys);
    void take_signals();
    int patience(bool for_keys) const;
    void turn_traces();

    const Command& command_;
    Screen screen_;
    std::unique_ptr<Kernel> kernel_;
    int signals_ = -1;
    Wake signal_ = Wake::output;  // what the last signal asks for; output: nothing
    std::unique_ptr<Control> control_;
    std::vector<std::unique_ptr<Entry>> entries_;
    std::unique_ptr<Editor> editor_;
    int last_number_ = 0;
    bool quitting_ = false;
    std::string again_;  // a text with a mistake, to be edited
};

}  // namespace lt
