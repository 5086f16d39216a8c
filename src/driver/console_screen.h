// What the console shows above its prompt: text that is added and stays, and below it a view that is drawn anew in its
// place. Nothing is written before show(), which the editor calls when the cursor is at the begin of an empty line.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "recorder.h"
#include "runtime/printer.h"

namespace lt {

class Screen : public Sink {
  public:
    struct Size {
        size_t width, height;  // characters, lines
    };
    // The lines of the view, within a size.
    using View = std::function<std::string(Size room)>;

    Screen();
    ~Screen() override;
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void write(std::string_view bytes) override;
    void aside(std::string_view bytes) { added_ += bytes; }  // help in editing: it is not recorded
    void flush() override {}
    std::FILE* messages() { return messages_; }  // as write()

    void set_view(View view);  // null: none. What is shown of the last one stays.
    void take_away();          // the view, and what is shown of it
    bool has_view() const { return view_ != nullptr; }
    bool anything_to_show() const;
    int patience() const;  // milliseconds till the view is to be drawn again; -1: there is none
    void show();
    void leave();  // what stands there now stays: the next view begins below
    static Size size();

    // From now on what is shown is told to it; of a view what it has shown last. Null: nobody.
    void record(std::unique_ptr<Recorder> recorder) { recorder_ = std::move(recorder); }
    Recorder* recorder() { return recorder_.get(); }

  private:
    using Clock = std::chrono::steady_clock;
    void erase();
    void draw_view();

    std::unique_ptr<Recorder> recorder_;
    std::string added_;
    std::FILE* messages_ = nullptr;
    View view_;
    size_t shown_ = 0;       // lines of the view on the terminal, above the cursor
    std::string view_text_;  // as of drawn_
    Clock::time_point drawn_{};
    bool in_place_ = true;  // can the terminal go up a line?
};

// Cut to so many characters; tabs become blanks.
std::string cut(std::string_view line, size_t width);

}  // namespace lt
