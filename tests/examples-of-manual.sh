#!/bin/bash
# examples-of-manual.sh l|L LEAST: compiles, in an empty folder, the programs of the manual of the language that trace
# functions of the kernel (l) or that do not (L), of which there are LEAST or more.
"$LT_TREE/tests/examples-of-manual.py" "$LT_TREE/man/lt-language.7" | sed "s|/usr/bin/server:handle|$LT_BUILD/tests/workload:nest|" > all
csplit -q -z -f example. all '/^== /' '{*}'
for example in $(grep "-${1}E" '(^|[ "])k:' example.*); do
    sed 1d "$example" > x.lt
    grep -q '[<{] .*[>}]$' x.lt && grep -qv '^fn\|^macro' x.lt || echo 'BEGIN { exit(); }' >> x.lt
    lt check x.lt > out 2> err && echo compiles || { cat x.lt err; }
done > said
grep -v '^compiles$' said
test "$(grep -c '^compiles$' said)" -ge "$2" && echo "the examples compile"
