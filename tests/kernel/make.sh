#!/bin/sh
# make.sh OUTDIR: completes the fake kernels, OUTDIR/stock and OUTDIR/restricted: the files of this folder, the BTF of
# functions.c and a program in bin. `restricted` is `stock` without kprobes, trampolines and ftrace's list of functions.
# CLANG, OBJCOPY (one that knows BPF), CC and CXX name the tools.
set -eu

here=$(dirname "$(readlink -f "$0")")
out=${1:?usage: make.sh OUTDIR}
clang=${CLANG:-clang-19}
objcopy=${OBJCOPY:-llvm-objcopy-19}

mkdir -p "$out"
rm -rf "$out/stock" "$out/restricted"
cp -r "$here/stock" "$out/stock"

"$clang" -target bpf -g -O1 -c "$here/functions.c" -o "$out/functions.o"
"$objcopy" --dump-section ".BTF=$out/stock/btf" "$out/functions.o" /dev/null

mkdir -p "$out/stock/bin" "$out/stock/sys/fs/cgroup"
"${CC:-cc}" -O0 -static -nostdlib -fno-pie -no-pie -fcf-protection=none -fno-stack-protector \
    -Wl,-Ttext=0x401000,--build-id=none "$here/program.c" -o "$out/stock/bin/program"
"$objcopy" --strip-all "$out/stock/bin/program" "$out/stock/bin/stripped"
cp "$out/stock/bin/program" "$out/stock/bin/bash"
"${CC:-cc}" -O0 -g -static -nostdlib -fno-pie -no-pie -fcf-protection=none -fno-stack-protector \
    -Wl,-Ttext=0x401000,--build-id=none "$here/marked.c" -o "$out/stock/bin/marked"
for optimized in 0 2; do
    "${CC:-cc}" -O$optimized -g -ffile-prefix-map="$here/.."=. "$here/../workload/inserts.c" \
        -o "$out/stock/bin/inserts$optimized"
done
"${CXX:-c++}" -std=gnu++20 -O0 -g -ffile-prefix-map="$here/.."=. "$here/../workload/passing.cpp" \
    -o "$out/stock/bin/passing"
# the same, but said to be in Rust
"${CXX:-c++}" -std=gnu++20 -O0 -g -gdwarf-5 -dA -S "$here/../workload/passing.cpp" -o - |
    sed '/byte.*DW_AT_language/s/0x[0-9a-f]*/0x1c/' |
    "${CXX:-c++}" -x assembler - -o "$out/stock/bin/passing-rust"
for part in 0 1 2; do
    "${CXX:-c++}" -O0 -g -ffile-prefix-map="$here/.."=. -DPART=$part -c "$here/../workload/scopes.cpp" -o "$out/scopes$part.o"
done
"${CXX:-c++}" "$out"/scopes[012].o -o "$out/stock/bin/scopes"
"$clang" -O1 -g -ffile-prefix-map="$here/.."=. -DPART=3 -c "$here/../workload/scopes.cpp" -o "$out/spaces.o"
"${CXX:-c++}" "$out/spaces.o" -o "$out/stock/bin/spaces"
rm "$out/functions.o" "$out"/scopes[012].o "$out/spaces.o"

cp -r "$out/stock" "$out/restricted"
rm "$out/restricted/available_filter_functions" "$out/restricted/blacklist"
cp "$here/restricted/"* "$out/restricted/"
