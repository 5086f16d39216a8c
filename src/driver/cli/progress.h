// A line on the terminal that says what lt is doing when it takes long. It disappears when the work is done.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace lt {

class Progress {
  public:
    // "attaching 5000 probes", shown on standard error. Empty: shows nothing.
    // `instead`: what is shown in its place while it is not empty, called by another thread; may be null.
    explicit Progress(std::string doing, std::function<std::string()> instead = nullptr);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Is standard error a terminal on which nothing else is being drawn?
    static bool has_terminal();

  private:
    void show(const std::stop_token& stop);

    std::string doing_;
    std::function<std::string()> instead_;
    std::mutex mutex_;
    std::condition_variable_any over_;
    std::jthread thread_;
};

}  // namespace lt
