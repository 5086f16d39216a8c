# For tests of SystemTap's installed examples beside their ports, on one run of a workload. After both.sh.

examples=/usr/share/systemtap/examples

# beside NAME WORDS FILTER COMMAND...: the example with those words and its port; FILTER makes of an output what both must have alike.
# $change is a command of sed for the example.
beside() {
    local name=$1 filter=$3 script=${1##*/}.stp each
    words=$2
    sed "${change-}" "$examples/$name.stp" > "$script"
    echo "== $script"
    # shellcheck disable=SC2086
    shorter "$script" $words || return
    both "$script" 0 "${@:4}" || return
    for each in old new; do $filter < $each.out > $each.told; done
    alike
}

# shorter SCRIPT WORD...: makes the port; says so, if it is no shorter.
shorter() {
    lt port "$@" > new.lt 2> port.err || { cat port.err; return 1; }
    [ "$(lines new.lt)" -lt "$(lines "$1")" ] || echo "$(lines "$1") lines, $(lines new.lt) as .lt"
}

alike() {
    cat old.told
    cmp -s old.told new.told || { echo "and the port:"; cat new.told; grep -h missed old.err new.err; }
}

# The sum of what stands behind the bars of a histogram, as a range it must be in.
buckets() { awk -v least="$1" -v most="$2" '/\|@* +[0-9]+$/ { n += $NF } / [|][@ ]*[|]$/ { n += $(NF - 1) } END { print (n >= least && n <= most ? "as many as there were" : n + 0) }'; }
