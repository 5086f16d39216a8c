# What the workloads of examples.txt are made of. Each does a known number of known things.

# Values that patterns name: keep NAME... makes {NAME} the value of the variable.
keep() {
    local name
    for name; do echo "$name=${!name}" >> kept; done
}

# COUNT writes of 1000 bytes to the file `copied`, then as many reads, by dd.
copy() {  # COUNT [FILE]
    dd if=/dev/zero of="${2:-copied}" bs=1000 count="$1" 2> /dev/null
    dd if="${2:-copied}" of=/dev/null bs=1000 count="$1" 2> /dev/null
}

# Waits until lt, whose command this is, has printed a line that matches, or five minutes: then the row's patterns tell.
LONGEST=300
told() {  # REGEX [FILE]
    local end=$((SECONDS + LONGEST))
    until grep -aqE -- "$1" "${2:-out}" || [ $SECONDS -ge $end ]; do sleep 0.05; done
}

# lt prints what a read of its files in /proc would give; asked again where what is wanted was not there yet.
asked() {  # REGEX of a line of that
    until_told "$1" eval 'kill -USR1 "$PPID"; sleep 2'
}

# Does something again and again until lt has printed a line that matches.
until_told() {  # REGEX COMMAND...
    local end=$((SECONDS + LONGEST))
    until grep -aqE -- "$1" out || [ $SECONDS -ge $end ]; do "${@:2}"; done
}

# Does something between two reports of lt, which begin with a line that matches the first; again until the second is
# matched, because what a report falls into is divided between two of them.
in_interval() {  # REGEX-OF-REPORTS REGEX COMMAND...
    until_told "$2" between_reports "$1" "${@:3}"
}
between_reports() {  # REGEX-OF-REPORTS COMMAND...
    local n end=$((SECONDS + LONGEST))
    n=$(grep -acE -- "$1" out)
    "${@:2}"
    until [ "$(grep -acE -- "$1" out)" -gt "$n" ] || [ $SECONDS -ge $end ]; do sleep 0.1; done
}

# Makes a program that examples look for and that is not installed: standin.c tells what it does.
standin() {  # PATH...
    trap 'rm -f "${STANDINS[@]}"' EXIT
    STANDINS=("$@")
    local path
    for path; do cp "$BUILD/tests/standin" "$path"; done
}

# lt runs in a terminal of its own.
in_terminal() {
    REAL=$LT LT=on_terminal
    on_terminal() { script -qec "stty rows 24 cols 80; $REAL ${*@Q}" /dev/null; }
}

packets() {  # COUNT
    local i
    for ((i = 0; i < $1; i++)); do echo hello > /dev/udp/127.0.0.1/9; done
}

# A block device DEVICE of MB megabytes, and the numbers of it.
device() {  # MB
    trap 'umount disk 2> /dev/null; losetup -d "$DEVICE"' EXIT
    truncate -s "$1M" image
    DEVICE=$(losetup -f --show image)
    NAME=${DEVICE#/dev/}
    MINOR=${NAME#loop}
    export DEVICE NAME
    keep NAME MINOR
}

# A file system of it, mounted at the folder `disk`.
disk() {  # MB
    device "$1"
    mkfs.ext4 -q "$DEVICE"
    mkdir disk
    mount "$DEVICE" disk
}

# Reads and writes in so many pieces: what the page cache holds is dropped first.
forget() { sync; echo 3 > /proc/sys/vm/drop_caches; }
