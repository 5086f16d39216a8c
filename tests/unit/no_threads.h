// A process that cannot start a thread, as under a limit of them, until it is destroyed: no memory is large enough for
// the stack of one.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace lt {

class NoThreads {
  public:
    NoThreads() {
        constexpr size_t more_than_there_is = size_t{1} << 60;
        pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        pthread_getattr_default_np(&huge);
        pthread_attr_setstacksize(&huge, more_than_there_is);
        pthread_setattr_default_np(&huge);
        pthread_attr_destroy(&huge);
    }
    ~NoThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

  private:
    pthread_attr_t before_;
};

}  // namespace lt
