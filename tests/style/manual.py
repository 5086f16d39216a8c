"""In the manual pages: mdoc takes a word that begins with " as quoted, so that {"min": 4, "max": 7} loses marks; and lt-stp(7)
names each function of SystemTap that lt has, by itself or as one of a family."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
wrong = 0
for page in sorted((root / "man").iterdir()):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if re.match(r"\.[A-Z]", line) and re.search(r'[A-Za-z]":', line):
            print(f'man/{page.name}:{number}: write \\(dq for " in this macro line')
            wrong += 1

# What the page says by an ending, as "those with _quoted", and the families that it shows by some of their members.
endings = re.compile("(_quoted|_utf16|_utf32|_warn|_nofault|_error|_n|2|_pid|_tid|_fileline|_brief)$")
families = re.compile(
    r"(kernel|user)_u?(char|short|int|long|pointer)\d*|([us]\d+|u?longlong|ulong)_arg|(big|little)_endian\d"
    r"|qsq_\w+|read_stopwatch_\w+|sock_\w+_str2num"
)
calls = "\n".join(re.findall(r"^\.(?:P[oq] )?(?:Fn|Ic) .*", (root / "man/lt-stp.7").read_text(), re.M))
words = set(re.findall(r"\w+", calls))
begins = tuple(re.findall(r"(\w+_)\*", calls))


def is_named(name):
    shorter = endings.sub("", name)
    return name in words or name.startswith(begins) or families.fullmatch(name) or (shorter != name and is_named(shorter))


names = re.findall(
    r'StpFunction\{"([a-zA-Z]\w*)", \d+, \d+, StpForm::(?!refused)',
    (root / "src/systemtap/tables/functions.cpp").read_text(),
)
for file in [*(root / "src/systemtap/lib").rglob("*.stp"), *(root / "src/arch").rglob("*.stp")]:
    names += re.findall(r"^function ([a-zA-Z]\w*)", file.read_text(), re.M)
for name in sorted(set(names)):
    if not is_named(name):
        print(f"man/lt-stp.7: name {name}(), which lt has")
        wrong += 1
sys.exit(wrong > 0)
