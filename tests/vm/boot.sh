# boot.sh, read by `vm`: one boot of a prepared kernel in QEMU with one command in it.
# The host's files reach the guest by virtiofs; stdout and stderr come back over virtio-serial ports, apart and
# unchanged; "done STATUS" comes over a third. Uses `version`, `initrd`, `kernel_folder` and the options of `vm`.

# setpriv: were `vm` itself killed with -9, nothing must go on running.
guarded() { setpriv --pdeathsig TERM -- "$@"; }

# The host's tree for the guest. In a mount namespace where all but the run's folder and those of -w is read-only, so
# that not even a guest that mounts "host" once more can change the host. Where / is no mount point (a plain chroot)
# there is no such namespace to be had, and the guest's overlay alone keeps it from writing.
serve_files() {
    local daemon=(/usr/lib/qemu/virtiofsd "--socket-path=$run/fs.sock" -f -o cache=always -o sandbox=chroot -o xattr
        -o log_level=err)
    mkdir -p "$run/tree" /run/virtiofsd
    # shellcheck disable=SC2016
    if unshare -m --propagation private true 2> /dev/null; then
        guarded unshare -m --propagation private bash -c '
            tree=$1/tree
            mount --rbind / "$tree"
            findmnt -Rlno TARGET "$tree" | while read -r at; do mount -o remount,bind,ro "$at" 2>/dev/null; done
            separator=1
            for folder; do
                [ "$folder" != -- ] || break
                mount --bind "$folder" "$tree$folder"
                separator=$((separator + 1))
            done
            shift $separator
            exec "$@" -o source="$tree"' serve "$run" "${writable[@]}" -- "${daemon[@]}"
    else
        guarded "${daemon[@]}" -o source=/
    fi > "$run/virtiofsd.log" 2>&1 &
    server=$!
    local tries
    for tries in {1..1000}; do
        [ ! -S "$run/fs.sock" ] || return 0
        kill -0 "$server" 2> /dev/null || break
        sleep 0.01
    done
    show_logs
    fail "virtiofsd did not start"
}

# TCG's TSC runs at the host's rate. Told so, the guest need not calibrate it, which fails when the host is busy.
tsc_khz() { awk -F: '/^cpu MHz/ { printf "tsc_early_khz=%d", $2 * 1000; exit }' /proc/cpuinfo; }

# norandmaps: the emulator need not translate each program's code again at a new address (exec 23 -> 8 ms).
# hardened_usercopy, randomize_kstack_offset: Debian's kernels check each copy to or from a program, and read the clock twice
# in each system call. init_on_alloc stays: on Linux 7.3 programs then read pages that were never cleared.
# rcu_expedited: whoever attaches or detaches a probe waits for grace periods, each some ticks of the clock long otherwise.
# lsm: without policies AppArmor and TOMOYO permit everything, but are asked for each path and each exec.
kernel_arguments() {
    echo "console=ttyS0 quiet panic=-1 reboot=t nokaslr mitigations=off norandmaps random.trust_cpu=on tsc=reliable" \
        "hardened_usercopy=off randomize_kstack_offset=off lsm=lockdown,yama,bpf $(tsc_khz)" \
        "rcupdate.rcu_expedited=1 cryptomgr.notests no_timer_check cgroup_no_v1=all lt.dir=$run" \
        "lt.mod=$(kernel_folder "$version")/$(cat "$(kernel_folder "$version")/modules") $append"
}

# Plain emulation: stock kernels crawl under a nested KVM.
qemu_arguments() {
    qemu+=(-M q35 -accel tcg,thread=multi -cpu "$processor" -smp "$cpus" -m "$memory"
        -nodefaults -no-user-config -display none -no-reboot
        -kernel "$(kernel_folder "$version")/vmlinux" -initrd "$initrd" -append "$(kernel_arguments)"
        -chardev "file,id=con,path=$run/console" -serial chardev:con
        -object "memory-backend-memfd,id=mem,size=${memory}M,share=on" -machine memory-backend=mem
        -chardev "socket,id=fs,path=$run/fs.sock"
        -device vhost-user-fs-pci,chardev=fs,tag=host,queue-size=1024
        -device virtio-serial-pci)
    local port
    for port in ctl out err; do
        qemu+=(-chardev "file,id=$port,path=$run/$port" -device "virtserialport,chardev=$port,name=$port")
    done
    [ -z "$network" ] || qemu+=(-netdev "user,id=n0$forward" -device virtio-net-pci,netdev=n0,romfile=)
    [ -n "$disk" ] || return 0
    truncate -s "${disk}M" "$run/disk"
    qemu+=(-drive "if=none,id=d0,file=$run/disk,format=raw,cache=unsafe" -device virtio-blk-pci,drive=d0)
}

write_command() {
    printf 'cd %q || exit 125\n' "$PWD"
    printf 'exec'
    printf ' %q' "$@"
    echo
}

show_logs() { tail -n 40 "$run/console" "$run/qemu.log" "$run/virtiofsd.log" "$run/ctl" >&2 2> /dev/null; }

stop_guest() {
    local process
    for process in "$emulator" "$server"; do
        if [ -n "$process" ]; then kill "$process" 2> /dev/null; fi
    done
    wait 2> /dev/null
    if [ -n "$run" ]; then rm -rf --one-file-system "$run"; fi
    run='' emulator='' server=''
}

# Runs the command in a guest of `version`; returns its status, 124 when out of time, 125 when the guest gave none.
boot() {
    local qemu=() processor readers status code
    ensure_emulator "$version"
    run=$(mktemp -d "${TMPDIR:-/tmp}/lt-vm.XXXXXX")
    write_command "$@" > "$run/cmd"
    printf '%s\n' "${writable[@]}" > "$run/rw"
    mkfifo "$run/out" "$run/err"
    serve_files
    cat "$run/out" & readers=$!
    cat "$run/err" >&2 & readers="$readers $!"
    qemu_arguments
    guarded timeout --foreground "$limit" "${qemu[@]}" < /dev/null > "$run/qemu.log" 2>&1 &
    emulator=$!
    wait "$emulator"
    status=$?
    emulator=
    # If QEMU failed early, nothing has opened the FIFOs for writing and their readers would wait for ever.
    : <> "$run/out"
    : <> "$run/err"
    # shellcheck disable=SC2086
    wait $readers
    if [ -n "$verbose" ]; then cat "$run/ctl" >&2; fi
    code=$(sed -n 's/^done \([0-9]*\) .*/\1/p' "$run/ctl" 2> /dev/null)
    if [ -z "$code" ]; then
        show_logs
        code=125
        [ "$status" != 124 ] || code=124
        say "$version gave no status (QEMU: $status$([ $code != 124 ] || echo ", out of time after $limit s"))"
    fi
    stop_guest
    return "$code"
}
