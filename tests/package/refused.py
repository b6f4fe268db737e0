"""Whether a compiler refuses the lines of a file that it has to refuse, with the words that are wanted there.

    refused.py <file> <compiler and its flags>...
"""

import re
import subprocess
import sys


def main() -> None:
    file, *compiler = sys.argv[1:]
    with open(file) as text:
        wanted = {number: line.split("// refused: ")[1].strip() for number, line in enumerate(text, 1) if "// refused: " in line}
    options = ["-fsyntax-only", "-fmax-errors=0", "-fdiagnostics-show-template-tree", "-fno-diagnostics-show-caret"]
    run = subprocess.run([*compiler, *options, file], capture_output=True, text=True)
    # A message is what follows the lines that say for whom the template was needed, the last of which is the file's.
    said: dict[int, str] = {}
    place = None
    for line in run.stderr.splitlines():
        here = re.match(re.escape(file) + r":(\d+):", line)
        if here:
            place = int(here.group(1))
        if "error: " in line and place:
            said[place] = said.get(place, "") + line.split("error: ", 1)[1] + "\n"
            place = None if not here else place
    missing = [f"{file}:{number}: not refused with {words!r}, but: {said.get(number)}" for number, words in wanted.items() if words not in said.get(number, "")]
    more = [f"{file}:{number}: refused: {words}" for number, words in said.items() if number not in wanted]
    if missing or more or not wanted:
        sys.exit("\n".join(missing + more) or "nothing is wanted")


if __name__ == "__main__":
    main()
