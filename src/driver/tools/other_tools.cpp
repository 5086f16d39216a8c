#include "driver/tools/other_tools.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

struct OtherToolRow {
    std::string_view name;
    std::string_view words;
};
constexpr std::array other_tools{
    OtherToolRow{"bashreadline", "-e 'ur:/bin/bash:readline { print(str(retval)); }'"},
    OtherToolRow{"btrfsdist", "fsdist -t btrfs"},
    OtherToolRow{"ext4dist", "fsdist -t ext4"},
    OtherToolRow{"functrace", "trace k:FUNCTION"},
    OtherToolRow{"iolatency", "biolatency"},
    OtherToolRow{"iosnoop", "biosnoop"},
    OtherToolRow{"javagc", "gc"},
    OtherToolRow{"nfsdist", "fsdist -t nfs4"},
    OtherToolRow{"offcpudist", "cpudist -O"},
    OtherToolRow{"pidpersec", "funccount t:sched:sched_process_fork"},
    OtherToolRow{"pythongc", "gc"},
    OtherToolRow{"rubygc", "gc"},
    OtherToolRow{"slabratetop", "-e 't:kmem:kmem_cache_alloc { @[ksym(args.call_site)] = stats(args.bytes_alloc); }'"},
    OtherToolRow{"ssllatency", "sslatency"},
    OtherToolRow{"tcptracer", "tcpstates"},
    OtherToolRow{"tplist", "-l 't:*'"},
    OtherToolRow{"tpoint", "trace t:CATEGORY:EVENT"},
    OtherToolRow{"vfscount", "funccount 'k:vfs_*'"},
    OtherToolRow{"xfsdist", "fsdist -t xfs"},
    OtherToolRow{"zfsdist", "fsdist -t zfs"},
    OtherToolRow{"zfsslower", "fsslower -t zfs"},
};

}  // namespace

std::string_view words_for_other_tool(std::string_view name) {
    const auto* const row = std::ranges::find(other_tools, name, &OtherToolRow::name);
    return row == other_tools.end() ? std::string_view{} : row->words;
}

}  // namespace lt
