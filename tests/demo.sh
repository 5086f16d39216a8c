#!/bin/bash
# The one-liner for a few seconds under a small workload that copies to user space all the time; lt is then stopped as
# Ctrl-C would, and prints its histogram. Runs as root on any kernel that has a way to trace the function.
set -uo pipefail
set -m  # or lt, in the background, would be started with SIGINT ignored

lt=${LT_BUILD:-$(dirname "$(readlink -f "$0")")/../build}/lt
script='k:copy_to_user < @ns = hist(...) >'
seconds=${1:-3}

# Asked of the kernel rather than read from lt's output, which is to be seen as it is.
is_attached() { readlink "/proc/$tracer/fd"/* 2> /dev/null | grep -qE '^anon_inode:.?(perf_event|bpf_link)'; }

workload() {
    local end=$((SECONDS + seconds))
    while [ $SECONDS -lt $end ]; do
        cat /etc/passwd > /dev/null
        dd if=/dev/zero of=/dev/null bs=64 count=1000 status=none
    done
}

echo "# lt -e '$script'"
"$lt" -e "$script" &
tracer=$!
deadline=$((SECONDS + 60))
until is_attached; do
    kill -0 $tracer 2> /dev/null || { wait $tracer; exit; }
    [ $SECONDS -lt $deadline ] || { echo "demo: lt has attached nothing in 60 s" >&2; kill $tracer; exit 1; }
    sleep 0.1
done
sleep 0.5  # the other CPUs, and the other places of the function
workload
kill -INT $tracer
wait $tracer
