// `lt` without a script, on a terminal: each entry becomes a trace that runs beside the earlier ones. One loop waits
// for traces, the control socket, signals and keys. Each trace has its own session, whose turn() is called when it has
// something to do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/cli/command.h"
#include "driver/console/editor.h"
#include "driver/console/entry.h"
#include "driver/control/commands.h"
#include "driver/control/control.h"
#include "driver/report/trace.h"
#include "driver/view/screen.h"
#include "runtime/border/kernel.h"

namespace lt {

class Console final : public Traces {
  public:
    // The command line's options apply to each trace.
    static Result<std::unique_ptr<Console>> open(const Command& command);
    ~Console() override;
    int run();  // runs until the user leaves; returns the exit status

    std::vector<Trace*> traces() override;
    Status stop(Trace& trace) override;

    static std::optional<Error> command_meant(const std::string& text, const std::string& word);

    // For its own commands.
    Kernel& kernel() { return *kernel_; }
    Screen& screen() { return screen_; }
    void quit() { quitting_ = true; }
    // Starts a new trace, of a script or of a command line of lt; false: the error has been reported.
    bool start(const std::string& text);
    // The same of what a file holds: its name says which language that is, and where imports are.
    bool start_file(const std::string& path, std::string text);
    void watch(std::vector<std::pair<int, std::string>> maps);
    // For a command that takes long: to be called while these descriptors are readable, so that traces go on; true
    // after Ctrl-C.
    std::vector<std::pair<int, std::function<bool()>>> served();

  private:
    explicit Console(const Command& command) : command_(command) {}
    Status prepare();
    Status block_signals();
    void take_entry(const std::string& text);
    bool start(Source source, Command command);
    Result<Command> with_own_options(Command line) const;
    void report(const Error& error);
    void quieten();
    Wake wait(char& key, bool for_keys);
    Wake poll_once(bool for_keys);
    void take_signals();
    int patience(bool for_keys) const;
    void turn_traces();

    const Command& command_;
    Screen screen_{16 << 20};
    std::unique_ptr<Kernel> kernel_;
    int signals_ = -1;
    Wake signal_ = Wake::output;  // requested by the last signal; output: nothing
    std::unique_ptr<Control> control_;
    std::vector<std::unique_ptr<Entry>> entries_;
    std::unique_ptr<Editor> editor_;
    int last_number_ = 0;
    bool quitting_ = false;
};

}  // namespace lt
