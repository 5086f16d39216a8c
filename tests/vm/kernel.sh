# kernel.sh, read by `vm`: from a kernel's name to a folder in the cache that boot.sh can start.
# Kernels are Debian's packages, downloaded and unpacked but never installed; apt's own sources and lists stay as they
# are. Uses `here` (this folder), `cache`, `say` and `fail` of `vm`.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

kernel_folder() { echo "$cache/kernels/$1"; }
kernel_is_ready() { [ -s "$(kernel_folder "$1")/vmlinux" ]; }
is_short_name() { [[ $1 =~ ^[0-9]+\.[0-9]+$ || $1 = newest ]]; }

# The suites of Debian in which a kernel is looked for, one after the other.
suites_of() {
    case $1 in
        5.10) echo bullseye ;;
        newest) echo trixie-backports ;;
        6.1 | 6.12) echo bookworm ;;
        *) echo bookworm bullseye trixie trixie-backports ;;
    esac
}

# The version that NAME means: itself, or what the short name stood for when it was fetched. Nothing if not cached.
cached_version() {
    local version=$1
    if is_short_name "$1"; then version=$(cat "$cache/names/$1" 2>/dev/null) || return 0; fi
    if [ -n "$version" ] && kernel_is_ready "$version"; then echo "$version"; fi
}

list_cached() {
    local folder names
    for folder in "$cache"/kernels/*/; do
        [ -s "$folder/vmlinux" ] || continue
        names=$(grep -lxF "$(basename "$folder")" "$cache"/names/* 2>/dev/null | xargs -r -n1 basename | xargs)
        printf '%-36s %-6s %s\n' "$(basename "$folder")" "${names:--}" "$(du -sh "$folder" | cut -f1)"
    done
}

# ---- what apt has on offer; each takes apt's options

# All cloud kernels, oldest first: signed ones with a version, so no meta-package, -dbg or -unsigned.
offered() {
    apt-cache "$@" search --names-only '^linux-image-[0-9]+\.[0-9]+\.[0-9].*-cloud-amd64$' |
        awk '{ sub(/^linux-image-/, "", $1); print $1 }' | sort -V
}

offered_version() {  # NAME APT-OPTIONS...
    local name=$1
    shift
    if [ "$name" = newest ]; then offered "$@" | tail -n 1
    elif is_short_name "$name"; then offered "$@" | grep -E "^${name//./\\.}\.[0-9]" | tail -n 1
    else offered "$@" | grep -xF -- "$name"; fi
}

# "ADDRESS SUITE" of each archive that apt is set up for: first those known to be Debian's; then, because apt tells
# nothing of archives whose lists it has not read yet, all.
archives() {
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE)' | sed -n 's/^Debian //p'
    apt-get --print-uris update | sed -nE "s#^'(.*/)dists/([^/]+)/InRelease'.*#\1 \2#p"
}

# The address of the security archive if $1 is -security, else of the main one. Where only the main one is set up, the
# security archive is looked for beside it.
mirror() {
    local found
    found=$(archives 2> /dev/null |
        awk -v security="${1:-}" '($2 ~ /-security/) == (security != "") { print $1 }' | sed -n 1p)
    if [ -z "$found" ] && [ -n "${1:-}" ]; then
        found=$(mirror)
        found=${found%/}$1/
    fi
    echo "$found"
}

# Sets `private` to the options of an apt that keeps its lists in the cache and knows one suite alone.
private_apt() {  # SUITE
    local suite=$1 state=$cache/apt/$1 main
    main=$(mirror)
    [ -n "$main" ] || { say "apt has no Debian source, so there is no mirror to take packages from"; return 1; }
    mkdir -p "$state/state/lists/partial" "$state/cache/archives/partial"
    printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$main" "$suite" > "$state/list"
    if [ "$suite" = bookworm ]; then
        printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$(mirror -security)" bookworm-security >> "$state/list"
    fi
    private=(-o "Dir::State=$state/state" -o "Dir::Cache=$state/cache" -o "Dir::Etc::sourcelist=$state/list"
        -o Dir::Etc::sourceparts=/dev/null)
    [ -z "$(find "$state/state/lists" -name '*Packages*' -mmin -1440 -print -quit)" ] || return 0
    say "reading the package lists of Debian's $suite into the cache"
    apt-get "${private[@]}" -qq -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any update
}

# ---- from a package to a folder

add_module() {  # MODULES-FOLDER TARGET NAME: with all it depends on, in order; nothing when it is built in
    local modules=$1 target=$2 line file name
    line=$(grep -E "(^|/)${3//_/[-_]}\.ko(\.[a-z0-9]+)?:" "$modules/modules.dep") || return 0
    for file in $(tr ' ' '\n' <<< "${line#*:}" | tac) "${line%%:*}"; do
        name=$(basename "$file")
        name=${name%.ko*}.ko
        [ ! -e "$target/$name" ] || continue
        case $file in
            *.xz) xz -dc "$modules/$file" ;;
            *.zst) zstd -qdc "$modules/$file" ;;
            *) cat "$modules/$file" ;;
        esac > "$target/$name"
        echo "$name" >> "$target/order"
    done
}

# The initramfs: our init and the modules on the way to the host's files. Not stripped: that would drop the signature.
make_initrd() {  # KERNEL-FOLDER OUTPUT
    local modules=$1/$(cat "$1/modules") work module
    work=$(mktemp -d "$cache/initrd.XXXXXX")
    mkdir -p "$work"/{mods,dev,proc,sys,root,ov}
    gcc -static -O2 -o "$work/init" "$here/init.c" || fail "the guest's init does not compile (./dev setup?)"
    for module in virtio_pci virtio_console virtiofs overlay; do add_module "$modules" "$work/mods" $module; done
    (cd "$work" && find . | LC_ALL=C sort | cpio -o -H newc --quiet) > "$2.tmp"
    mv "$2.tmp" "$2"
    rm -rf "$work"
}

unpack_kernel() {  # VERSION FOLDER: its packages lie in there as *.deb
    local version=$1 folder=$2 deb modules image
    for deb in "$folder"/*.deb; do dpkg -x "$deb" "$folder/root" || return; done
    rm -f "$folder"/*.deb
    modules=root/lib/modules/$version
    [ -d "$folder/$modules" ] || modules=root/usr/lib/modules/$version
    image=$folder/root/boot/vmlinuz-$version
    [ -e "$image" ] || image=$folder/$modules/vmlinuz  # where packages from 7.x keep it
    depmod -b "$folder/${modules%/lib/modules/*}" "$version" || return
    echo "$modules" > "$folder/modules"
    python3 "$here/extract_vmlinux.py" "$image" "$folder/vmlinux"
}

download() {  # VERSION FOLDER APT-OPTIONS...
    local version=$1 folder=$2 part
    shift 2
    local want=("linux-image-$version")
    # From 7.x on a kernel is split over several packages.
    for part in base binary modules; do
        if apt-cache "$@" show "linux-$part-$version" > /dev/null 2>&1; then want+=("linux-$part-$version"); fi
    done
    (cd "$folder" && apt-get "$@" -qq -o APT::Sandbox::User=root download "${want[@]}") >&2
}

fetch_with() {  # NAME APT-OPTIONS...: 1 when this apt does not have it
    local name=$1 version work
    shift
    version=$(offered_version "$name" "$@")
    [ -n "$version" ] || return 1
    say "fetching $version"
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    if download "$version" "$work" "$@" && unpack_kernel "$version" "$work"; then
        rm -rf "$(kernel_folder "$version")"
        mkdir -p "$cache/kernels" "$cache/names"
        mv "$work" "$(kernel_folder "$version")"
        if is_short_name "$name"; then echo "$version" > "$cache/names/$name"; fi
        return 0
    fi
    rm -rf "$work"
    return 1
}

# First as apt is, without touching it; then, where it knows no such kernel or its lists are too old, with our own.
# `newest` is what a certain suite has, whatever apt is set up for.
fetch() {
    local private=() suite
    [ "$1" = newest ] || ! fetch_with "$1" || return 0
    for suite in $(suites_of "$1"); do
        private_apt "$suite" && fetch_with "$1" "${private[@]}" && return
    done
    fail "kernel $1 cannot be fetched: apt has no such package or cannot download it (see above)." \
        "Names are 5.10, 6.1, 6.12, newest and full versions such as 6.1.0-56-cloud-amd64." \
        "Is there a network? Does 'apt-get update' work? Kernels are wanted once only, then kept in $cache."
}

# Sets `version` and makes sure that its folder is ready. Two calls at once fetch once.
ensure_kernel() {
    version=$(cached_version "$1")
    if [ -z "$version" ]; then
        mkdir -p "$cache"
        exec 9> "$cache/lock"
        flock 9
        version=$(cached_version "$1")
        if [ -z "$version" ]; then fetch "$1"; fi
        version=$(cached_version "$1")
        exec 9>&-
    fi
    [ -n "$version" ] || fail "kernel $1 was fetched but cannot be used"
}

# ---- the emulator

# From 6.18 on the kernel needs cmpxchg16b for BPF timers, task storage and arenas. QEMU 7.2, which Debian 12 has, gets it
# wrong (see README.md), so such kernels run in the QEMU of bookworm-backports, unpacked into the cache and not installed.
needs_newer_emulator() { [ "$(printf '%s\n' 6.18 "$1" | sort -V | head -n 1)" = 6.18 ]; }

fetch_emulator() {
    local private=() work
    private_apt bookworm-backports || return
    say "fetching QEMU of bookworm-backports"
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    (cd "$work" && apt-get "${private[@]}" -qq -o APT::Sandbox::User=root download qemu-system-x86 \
        qemu-system-common qemu-system-data seabios) >&2 &&
        for deb in "$work"/*.deb; do dpkg -x "$deb" "$work/root" || return; done &&
        mv "$work/root" "$cache/qemu"
    rm -rf "$work"
    [ -x "$cache/qemu/usr/bin/qemu-system-x86_64" ]
}

# Sets `qemu` to QEMU's command and `processor` to what it emulates.
ensure_emulator() {  # VERSION
    local share=$cache/qemu/usr/share
    qemu=(qemu-system-x86_64) processor=qemu64,-cx16
    needs_newer_emulator "$1" || return 0
    if [ ! -x "$cache/qemu/usr/bin/qemu-system-x86_64" ]; then
        exec 9> "$cache/lock"
        flock 9
        [ -x "$cache/qemu/usr/bin/qemu-system-x86_64" ] || fetch_emulator ||
            fail "kernel $1 needs QEMU of bookworm-backports, which cannot be fetched (see above)"
        exec 9>&-
    fi
    qemu=("$cache/qemu/usr/bin/qemu-system-x86_64" -L "$share/qemu" -L "$share/seabios") processor=qemu64
}

# Sets `initrd`; made anew when init.c has changed.
ensure_initrd() {
    local folder
    folder=$(kernel_folder "$1")
    initrd=$folder/initrd.$(sha256sum "$here/init.c" | cut -c1-12)
    [ -s "$initrd" ] && return
    exec 9> "$cache/lock"
    flock 9
    [ -s "$initrd" ] || make_initrd "$folder" "$initrd"
    exec 9>&-
}
