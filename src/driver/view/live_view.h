// --live: shows the maps of a script below the latest output and redraws them every second, until it ends. If the
// output is not a terminal, prints them again each time.
#pragma once

#include <memory>

#include "driver/report/trace.h"
#include "driver/view/screen.h"
#include "driver/view/view.h"

namespace lt {

class LiveView {
  public:
    static Result<std::unique_ptr<LiveView>> open();
    ~LiveView();
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

    Sink& sink() { return results_; }  // for the script's own output
    std::FILE* messages() { return screen_.messages(); }
    // Starts the view; `traces` outlives it. Call tick() when the descriptor is readable.
    void show(Traces& traces);
    int descriptor() const { return timer_; }
    void tick();
    void end();  // later output replaces the view

  private:
    // Output that comes together is shown together.
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
