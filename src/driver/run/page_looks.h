// For --html: looks at the maps of a run four times a second, for their pictures over time.
#pragma once

#include <chrono>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/os/descriptor.h"
#include "runtime/page/page.h"
#include "runtime/session/session.h"

namespace lt {

class PageLooks {
  public:
    // All of them outlive it.
    PageLooks(Page& page, const Plan& plan, Session& session);

    Status start();  // the maps are empty now; skips those that lose values again
  private:
    void look();
    Status wake_each(std::chrono::nanoseconds period);

    Page& page_;
    Session& session_;
    std::vector<size_t> maps_;
    std::chrono::nanoseconds period_ = std::chrono::milliseconds(250);
    Descriptor timer_;
};

}  // namespace lt
