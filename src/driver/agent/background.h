// Work that takes long, one after another in a thread of its own: the caller can answer others meanwhile. Where no
// thread can be started, the caller does it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "base/result.h"
#include "runtime/os/descriptor.h"

namespace lt::agent {

class Background {
  public:
    static Result<std::unique_ptr<Background>> open();
    ~Background();  // waits for the work that has begun; nothing follows
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    // `work` is called in the other thread after all that was added before; `then` by turn(), before the next work
    // begins.
    void add(std::function<void()> work, std::function<void()> then);
    int descriptor() const { return done_.get(); }  // readable when turn() has something to do
    void turn();
    void finish();  // waits for everything that was added

  private:
    struct Task {
        std::function<void()> work, then;
    };

    explicit Background(Descriptor done) : done_(std::move(done)) {}
    void begin();
    void end();

    Descriptor done_;         // an eventfd
    std::deque<Task> tasks_;  // the first one is being done
    std::thread thread_;
};

}  // namespace lt::agent
