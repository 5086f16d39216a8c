// The console's output above its prompt: text that stays, and below it a view that is redrawn in place. Nothing is
// written before show(), which the editor calls when the cursor is at the start of an empty line.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/visible.h"
#include "driver/view/recorder.h"
#include "runtime/print/printer.h"

namespace lt {

class Screen : public Sink {
  public:
    struct Size {
        size_t width, height;  // characters, lines
    };
    // Draws the view's lines, within a size.
    using View = std::function<std::string(Size room)>;

    // `most_waiting`: bytes of output that wait for show(); of more, only the end is kept.
    explicit Screen(size_t most_waiting = SIZE_MAX);
    ~Screen() override;
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void write(std::string_view bytes) override;
    // Help during editing, such as names of files: it is not recorded.
    void aside(std::string_view bytes) { add(visible(bytes, Keep::lines)); }
    void flush() override {}
    // The same as write(), as a stream; control characters are escaped.
    std::FILE* messages() { return messages_; }

    void set_view(View view);  // null: no view. The last one's lines stay.
    void take_away();          // removes the view and its lines
    bool anything_to_show() const;
    int patience() const;  // milliseconds until the view is redrawn; -1: there is no view
    void show();
    void leave();  // keeps the view's lines: the next view starts below
    static Size size();

    // Records all output from now on; of a view, its last state. Null: records nothing.
    void record(std::unique_ptr<Recorder> recorder) { recorder_ = std::move(recorder); }
    Recorder* recorder() { return recorder_.get(); }

  private:
    using Clock = std::chrono::steady_clock;
    void add(std::string_view bytes);
    void erase();
    void draw_view();

    std::unique_ptr<Recorder> recorder_;
    const size_t most_waiting_;
    std::string added_;
    uint64_t left_out_ = 0;  // lines before it
    std::FILE* messages_ = nullptr;
    View view_;
    std::vector<size_t> shown_;  // columns of each line of the view on the terminal, above the cursor
    std::string view_text_;      // as in drawn_
    Clock::time_point drawn_{};
    bool in_place_ = true;  // can the terminal move the cursor up?
};

// Truncates to `width` columns of a terminal, of which some characters take two; a line that was longer ends with `…`.
// Tabs become blanks.
std::string cut(std::string_view line, size_t width);

// The rows of a terminal that lines of so many columns take once it has this width: those that are wider are wrapped.
size_t rows_at(const std::vector<size_t>& columns, size_t width);

}  // namespace lt
