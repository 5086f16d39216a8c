# Runs bpftrace programs by bpftrace and by lt under the same workload and tells where they print something else. Tests
# source it: the programs of the workload are copies whose names begin with "w-", so that their lines can be told from
# those of the rest of the machine.

PATH=$PWD:$PATH
for program in true cat stat sync kill setpriv perl dd; do cp "$(type -P $program)" "w-$program"; done

# bpftrace looks for tracefs where systems mount it.
by_bpftrace() {
    unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing 2> /dev/null; exec bpftrace "$@"' - "$@"
}

# What differs from run to run: times, process ids and all other numbers of three or more digits, paddings.
masked() { sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g; s/^[0-9]+ /N /; s/\b[0-9]{3,}\b/N/g; s/ +/ /g; s/ $//'; }

# Lines about the workload and headings, but not what an lt of another test does with the workload's files. Empty lines are
# not looked at: before 0.24 bpftrace printed one for each empty map.
own() { grep -aE '\bw-|^[A-Z][a-z]+ing |^(TIME|PID|Top|SADDR|I/O)' | grep -avE '^[0-9]+ +lt '; }

# same PROGRAM [FILTER]: by both while load.sh runs. The first of all runs finds nothing in the caches and is not looked at.
same() {
    [ -e warm ] || "$BASH" load.sh > warm 2>&1
    local name=${1##*/} filter=${2:-own}
    # the filters are programs, too, and start when all is over
    by_bpftrace -q -c "$BASH $PWD/load.sh" "$1" > raw 2> bpftrace.err
    $filter < raw | masked > bpftrace.out
    if ! [ -s bpftrace.out ]; then echo "$name: bpftrace: $(tail -1 bpftrace.err)"; return; fi
    lt -q -c "$BASH $PWD/load.sh" "$1" > raw 2> lt.err
    $filter < raw | masked > lt.out
    if diff -u bpftrace.out lt.out; then
        echo "$name: the same, $(grep -aq '\bw-' lt.out && echo with || echo without) lines of the workload"
    else
        echo "$name: differs"
        cat lt.err
    fi
}
