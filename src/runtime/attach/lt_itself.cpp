// Programs that lt starts itself: in the kernel, through an iterator over tasks, and in its own interpreter.
#include "runtime/attach/way.h"

namespace lt {
namespace {

Opened open_nothing(Opening&, const Attachment&, int) { return std::vector<Hook>{}; }

}  // namespace

extern constinit const WayAttach run_way{.open = open_nothing};
extern constinit const WayAttach walk_way{.open = open_nothing};
extern constinit const WayAttach host_way{.open = open_nothing};

}  // namespace lt
