// --live: the maps of a script above the end of the output, drawn anew each second, until it ends. Where the output is
// no terminal they are printed one after another.
#pragma once

#include <memory>
#include <vector>

#include "console_screen.h"
#include "console_view.h"
#include "trace.h"

namespace lt {

class LiveView {
  public:
    static Result<std::unique_ptr<LiveView>> open();
    ~LiveView();
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

    Sink& sink() { return results_; }  // for what the script prints meanwhile
    std::FILE* messages() { return screen_.messages(); }
    // From now on; `traces` outlives the view. tick() is due when the descriptor is readable.
    void show(Traces& traces);
    int descriptor() const { return timer_; }
    void tick();
    void end();  // what is printed from now on stands in its place

  private:
    // What comes together is shown together.
    class Results final : public Sink {
      public:
        explicit Results(Screen& screen) : screen_(screen) {}
        void write(std::string_view bytes) override { screen_.write(bytes); }
        void flush() override { screen_.show(); }

      private:
        Screen& screen_;
    };

    LiveView() = default;

    Screen screen_;
    Results results_{screen_};
    MapView maps_{{{1, ""}}, true};
    int timer_ = -1;
};

}  // namespace lt
