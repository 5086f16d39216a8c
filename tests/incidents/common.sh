# For the incidents in this folder: each is a script that begins an incident, waits until it goes on, runs the command that
# it is given, and ends the incident. Without a command it waits for Ctrl-C:
#   tests/incidents/quota lt triage
#   tests/incidents/quota
# Status 77, with a sentence: this machine cannot stage it.
set -uo pipefail
programs=${LT_BUILD:-$(dirname "$(readlink -f "$0")")/../../build}/tests
work=$(mktemp -d)
pids=()
groups=()
undo=()

cannot() {
    echo "$1"
    exit 77
}

finish() {
    local pid group command i
    # the last one first: what reads a file ends before what provides it
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill -KILL -- "-${pids[i]}" 2> /dev/null; done
    for pid in ${pids[@]+"${pids[@]}"}; do wait "$pid" 2> /dev/null; done
    for command in ${undo[@]+"${undo[@]}"}; do $command > /dev/null 2>&1; done
    for group in ${groups[@]+"${groups[@]}"}; do
        until rmdir "$group" 2> /dev/null || [ ! -d "$group" ]; do sleep 0.05; done
    done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# Starts a part of the incident (a kind of build/tests/incident, or another program there), in a process group of its own,
# and waits until it says that it is on. `in_groups` are control groups for it.
in_groups=()
begin() {
    local on=$work/on.${#pids[@]} program=$programs/$1
    if [ -x "$program" ]; then shift; else program=$programs/incident; fi
    [ -x "$program" ] || cannot "build it first: ninja -C build incident slow_file"
    : > "$on"
    setsid bash -c 'for group in "${@:3:$2}"; do echo $$ > "$group/cgroup.procs" || exit; done
        shift $(($2 + 2)) && exec "$@"' - - ${#in_groups[@]} ${in_groups[@]+"${in_groups[@]}"} "$program" "$@" >> "$on" &
    pids+=($!)
    until grep -q on "$on"; do
        kill -0 $! 2> /dev/null || cannot "$1 did not begin"
        sleep 0.05
    done
}

# A new control group with this controller (cpu, memory, io): prints nothing, sets `group`, and `version` to 1 or 2.
new_group() {
    local name=$1 controller=$1 root
    [ "$name" != io ] || name=blkio
    root=$(awk -v name="$name" '$3 == "cgroup" && $4 ~ "(^|,)" name "(,|$)" { print $2; exit }' /proc/mounts)
    version=1
    if [ -z "$root" ]; then
        version=2
        root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
        [ -n "$root" ] || cannot "no control groups are mounted"
        grep -qw "$controller" "$root/cgroup.controllers" || cannot "no control group has the controller $controller"
        echo "+$controller" > "$root/cgroup.subtree_control" || cannot "the controller $controller cannot be used"
    fi
    group=$root/lt-incident-$$
    mkdir "$group" || cannot "no control group can be made"
    groups+=("$group")
    in_groups=("$group")
}

# The incident goes on: runs the command.
goes_on() {
    if [ $# = 0 ]; then
        echo "$(basename "$0") goes on; Ctrl-C ends it"
        sleep infinity
    fi
    "$@"
    exit
}
