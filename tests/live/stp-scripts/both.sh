# For tests of old scripts: a program of SystemTap's and its port see the same of a workload, once they trace.

# How long a program is, without comments, empty lines and lines of a brace alone.
lines() { grep -vcE '^ *(//.*|#.*|/?[*].*|[{}<>]?)$' "$1"; }

# port OLD WORD...: makes new.lt, and says how much shorter it is.
port() {
    lt port "$@" > new.lt 2> port.err || { cat port.err; return 1; }
    echo "$(lines "$1") lines, $(lines new.lt) as .lt"
}

# traced NAME...: COMMAND runs, in a process that is the target where that is 0, once each of the programs traces.
traced() {
    local name process at=$target tracers=()
    mkfifo go
    bash -c 'read -r _ < go; exec "$@"' bash "${command[@]}" &
    process=$!
    [ "$at" != 0 ] || at=$process
    for name; do
        local given=(new.lt)
        [ "$name" != new ] || ! grep -q '^param target' new.lt || given+=(--target "$at")
        # shellcheck disable=SC2206
        [ "$name" = new ] || given=("$old" $words -x "$at")
        mkfifo $name.ready  # one each: the last tracer may still have its own open
        # shellcheck disable=SC2086
        lt -q $unsafe "${given[@]}" --ready-fd 3 3> $name.ready > $name.out 2> $name.err &
        tracers+=($!)
        if ! read -r _ < $name.ready; then
            cat $name.err
            kill "${tracers[@]}" $process 2> /dev/null
            return 1
        fi
    done
    echo > go
    wait $process
    kill -INT "${tracers[@]}"
    wait "${tracers[@]}"
    rm go ./*.ready
}

# both OLD TARGET COMMAND...: OLD and new.lt trace one run of COMMAND, with $apart a run each. What they print is in
# old.out and new.out, old.err and new.err. $words are the words of OLD, $unsafe is an option.
both() {
    old=$1 target=$2
    shift 2
    command=("$@")
    if [ "$apart" ]; then traced old && traced new; else traced old new; fi || return
    # Anything but what a script says and what is told about the kernel.
    grep -hvE '^WARNING: |note: |^ +|missed because a program was already running|left without a return|was interrupted$' old.err new.err
    return 0
}
