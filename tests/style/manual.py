"""In the manual pages: mdoc takes a word that begins with " as quoted, so that {"min": 4, "max": 7} loses marks."""
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
sys.exit(wrong > 0)
