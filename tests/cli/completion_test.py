#!/usr/bin/env python3
"""What bash, zsh and fish complete behind `dynolith`, asked of the shells themselves.

    completion_test.py <program>
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

# The words of a line before the cursor, and what must and must not be offered.
CASES = [
    ([""], {"serve", "check", "lab", "completion"}, {"simulate", "item"}),
    (["se"], {"serve"}, {"check"}),
    (["serve", "--au"], {"--auth"}, {"--admin", "--data"}),
    (["serve", "--auth", ""], {"off", "shape", "verify"}, {"--admin", "serve"}),
    (["serve", "--admin", "--cl"], {"--clock"}, {"--auth"}),
    (["lab", ""], {"simulate", "measure", "check"}, {"serve"}),
    (["lab", "simulate", "--js"], {"--json"}, {"--endpoint"}),
    (["completion", ""], {"bash", "zsh", "fish"}, {"serve"}),
    (["check", "dat"], {"data-folder/"}, {"serve", "--help"}),
    (["serve", "--data", "dat"], {"data-folder/"}, {"--help"}),
    (["serve", "--port", ""], set(), {"--auth", "serve", "off"}),
]

# An interactive shell in a terminal of its own, in which what would be offered is printed instead, between two marks.
ZSH_SHELL = r"""
PS1=
autoload -U compinit && compinit -D -u
source completion.zsh
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)* ]]; then builtin compadd "$@"; return; fi
  typeset -a hits
  builtin compadd -A hits "$@"
  # What _describe adds has its descriptions beside it, and files have their folder in front.
  print -rl -- "offered:"${^hits}
}
zstyle ':completion:*' completer _complete
compprefuncs=( begin_offers )
comppostfuncs=( end_offers )
begin_offers() { print; print BEGIN-OFFERS; compprefuncs=( begin_offers ) }
end_offers() { print END-OFFERS; exit }
bindkey '^I' complete-word
print READY''-NOW
"""
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./shell.zsh'
zpty -r shell discarded '*READY-NOW*'
zpty -n -w shell "$1"$'\t'
zpty -r shell shown '*END-OFFERS*'
print -r -- "$shown"
"""


def bash_offers(words: list[str], folder: pathlib.Path) -> set[str]:
    script = "source ./completion.bash; COMP_WORDS=(dynolith \"$@\"); COMP_CWORD=$#; _dynolith 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=folder, capture_output=True, text=True, check=True)
    return {name + "/" if (folder / name).is_dir() and name else name for name in done.stdout.split("\n")}


def fish_offers(words: list[str], folder: pathlib.Path) -> set[str]:
    done = subprocess.run(["fish", "--no-config", "-c", "source completion.fish; complete -C \"$argv\"",
                           " ".join(["dynolith", *words])], cwd=folder, capture_output=True, text=True, check=True)
    return {line.split("\t")[0] for line in done.stdout.splitlines()}


def zsh_offers(words: list[str], folder: pathlib.Path) -> set[str]:
    (folder / "shell.zsh").write_text(ZSH_SHELL)
    done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", " ".join(["dynolith", *words])], cwd=folder, capture_output=True,
                          text=True, check=True, timeout=300)
    offered = {line[len("offered:"):] for line in done.stdout.split() if line.startswith("offered:")}
    return {name + "/" if (folder / name).is_dir() and name else name for name in offered}


def main() -> None:
    program = pathlib.Path(sys.argv[1]).resolve()
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "data-folder").mkdir()
        for shell, offers in (("bash", bash_offers), ("fish", fish_offers), ("zsh", zsh_offers)):
            if not shutil.which(shell):
                sys.exit(f"{shell} is not installed: tools/dev test installs it")
            script = subprocess.run([program, "completion", shell], capture_output=True, text=True, check=True).stdout
            (folder / f"completion.{shell}").write_text(script)
            for words, wanted, unwanted in CASES:
                got = offers(words, folder)
                if not wanted <= got or got & unwanted:
                    failed.append(f"{shell}: {words}: {sorted(got)} lack {sorted(wanted - got)}, have {sorted(got & unwanted)}")
    refused = subprocess.run([program, "completion", "tcsh"], capture_output=True, text=True, check=False)
    if refused.returncode != 2 or "bash" not in refused.stderr:
        failed.append(f"tcsh: {refused}")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
