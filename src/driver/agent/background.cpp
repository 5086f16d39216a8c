#include "driver/agent/background.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace lt::agent {

constexpr int kNice = 10;  // a program that is compiled can wait for a CPU, whoever asks for numbers cannot

Result<std::unique_ptr<Background>> Background::open() {
    Descriptor done(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!done) return Error{"cannot make an eventfd", "", errno};
    return std::unique_ptr<Background>(new Background(std::move(done)));
}

Background::~Background() {
    if (thread_.joinable()) thread_.join();
}

void Background::add(std::function<void()> work, std::function<void()> then) {
    tasks_.push_back({std::move(work), std::move(then)});
    if (tasks_.size() == 1) begin();
}

void Background::begin() {
    const std::function<void()>& work = tasks_.front().work;
    try {
        thread_ = std::thread([this, &work] {
            ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
            work();
            ::eventfd_write(done_.get(), 1);
        });
    } catch (const std::system_error&) {  // there may be no further thread: others wait instead
        work();
        ::eventfd_write(done_.get(), 1);
    }
}

void Background::turn() {
    pollfd done{done_.get(), POLLIN, 0};
    if (::poll(&done, 1, 0) > 0) end();
}

// The first task stays in the queue meanwhile, so what `then` adds does not begin by itself.
void Background::end() {
    if (thread_.joinable()) thread_.join();
    eventfd_t count = 0;
    ::eventfd_read(done_.get(), &count);
    tasks_.front().then();
    tasks_.pop_front();
    if (!tasks_.empty()) begin();
}

void Background::finish() {
    while (!tasks_.empty()) end();
}

}  // namespace lt::agent
