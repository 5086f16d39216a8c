#include "stdlib/functions/topics.h"

#include <array>

namespace lt {
namespace {

constexpr std::array topics{
    TopicRow{"span", "PROBE < statements >: opens when a call begins, and runs the statements when it returns.",
             "sc:read < @ns = hist(latency); >"},
    TopicRow{"pair", "PROBE[key] -> PROBE[key] < statements >: a span between two events with the same key.",
             "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ns = hist(latency); >"},
    TopicRow{"chain",
             "chain NAME = \"stage\" PROBE[key] -> \"stage\" PROBE[key] -> PROBE[key] < statements >: how long each "
             "stage took. `last`, `in`, `unless` and `else`: lt-language(7).",
             "chain wakeup = \"sleep\" t:sched:sched_switch[args.prev_pid] /args.prev_state != 0/ -> \"run queue\" "
             "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @[stage] = dist(latency); >"},
    TopicRow{
        "stage",
        "In the block of a chain: the name of a stage; a statement with `stage` or `latency` is repeated for each.",
        "chain woken = \"sleep\" t:sched:sched_switch[args.prev_pid] /args.prev_state != 0/ -> \"run queue\" "
        "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @[stage] = stats(latency); >"},
    TopicRow{"total", "In the block and the threshold of a chain: how long the request took, all stages together.",
             "chain waking = \"sleep\" t:sched:sched_switch[args.prev_pid] /args.prev_state != 0/ -> \"run queue\" "
             "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ns = dist(total); >"},
    TopicRow{"reason", "In the block after a chain's `else`: why the request could not be split into its stages.",
             "chain slept = \"sleep\" t:sched:sched_switch[args.prev_pid] /args.prev_state != 0/ -> \"run queue\" "
             "t:sched:sched_wakeup[args.pid] -> t:sched:sched_switch[args.next_pid] < @ns = dist(total); > else { "
             "@unsplit[reason] = count(); }"},
    TopicRow{"timeout",
             "SPAN timeout TIME { statements }: they run once for a span that is still open after this time.",
             "sc:openat < @ns = hist(latency); > timeout 5s { printf(\"%s: %s\\n\", comm, latency); }"},
    TopicRow{"threshold", "SPAN > TIME: the statements run only for calls that take longer.",
             "sc:fsync > 10ms < print((comm, latency)); >"},
    TopicRow{"worst", "SPAN > worst: the statements run only for calls that are slower than all before them.",
             "sc:fsync > worst < print((comm, latency)); >"},
    TopicRow{"predicate", "PROBE /condition/: the event counts only where the condition holds; also called a filter.",
             "sc:read /comm == \"dd\"/ < @ns = hist(latency); >"},
    TopicRow{"map", "@name or @name[key, ...]: a value for each key; maps that are not empty are printed at the end.",
             "sc:read { @[comm, pid] = count(); }"},
    TopicRow{"key", "What stands in the brackets of a map: numbers, strings, stacks, tuples; several with commas.",
             "profile:99hz { @[comm, kstack] = count(); }"},
    TopicRow{"aggregation",
             "count, sum, min, max, avg, stats, hist, lhist, dist, tseries, samples, why: collected on each CPU.",
             "sc:read < @[comm] = dist(latency); >"},
    TopicRow{"duration", "A number with a unit: 100ns, 1.5us, 10ms, 2s, 1m. Durations are printed with a unit.",
             "sc:read > 1.5ms < @slow = count(); >"},
    TopicRow{"variable", "$name or `let name = value`: belongs to one run of a block.",
             "sc:read { $size = args.count; if ($size > 4096) { @big = count(); } }"},
    TopicRow{"tuple",
             "(a, b): several values as one, whose parts are .0 and .1; in (name = a, size = b) they have names.",
             "sc:read { $who = (comm, pid); @[$who.0] = count(); }"},
    TopicRow{"macro",
             "macro NAME(PARAMETERS) { statements }: each call is replaced by these statements and the last value.",
             "macro add(size, @to) { @to = sum(size); } sc:read { add(args.count, @bytes); }"},
    TopicRow{"config", "config = { NAME = VALUE; ... }: settings of the script; `lt help NAME` explains each.",
             "config = { max_map_keys = 100; } sc:read { @[comm] = count(); }"},
    TopicRow{"param", "param NAME = VALUE: an option of the script, `lt slow.lt --slow 50ms`; `lt set` changes it.",
             "param slow = 10ms \"how slow a call must be\" sc:fsync > slow < @[comm] = count(); >"},
    TopicRow{"pattern", "* and ? in a probe match any letters; the block can ask for `probe` or `func`.",
             "t:sched:sched_wakeup* { @[probe] = count(); }"},
    TopicRow{"stack", "kstack and ustack: the functions that led to the event, of the kernel and of the program.",
             "profile:99hz { @[ustack, kstack] = count(); }"},
    TopicRow{"cause", "why() adds up where the time of spans went: running, run queue, locks, disk, network and more.",
             "sc:fsync < @[comm] = why(); >"},
    TopicRow{"comment", "// to the end of the line, or /* ... */.", "BEGIN { exit(); }  // nothing else"},
    TopicRow{
        "loop", "for (name : first..last), for (pair : @map), while (condition), unroll (number).",
        "interval:1s { for ($entry : @count) { print($entry); } clear(@count); } sc:* { @count[comm] = count(); }"},
};

}  // namespace

std::span<const TopicRow> topic_rows() { return topics; }

}  // namespace lt
