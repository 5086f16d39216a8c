// What lt is at, told on a terminal where it takes long, in a line that vanishes when it is done.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace lt {

class Progress {
  public:
    // "attaching 5000 probes". Shown on standard error; empty: nothing ever is.
    explicit Progress(std::string doing);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Is there a terminal for it, which nothing else is drawn on meanwhile?
    static bool has_terminal();

  private:
    void show(const std::stop_token& stop);

    std::string doing_;
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::jthread thread_;
};

}  // namespace lt
