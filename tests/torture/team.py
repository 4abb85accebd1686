"""Members of a team killed while others write: acknowledged writes stay, and all agree in the end.

    python -m tests.torture team --kills 20 --writers 4 --seed 1

A real server in a temporary folder, `--writers` profiles that write all the time, and one more whose process is killed
without warning, `--kills` times, at random moments; what is left of it is opened by the next. Before that the first
brings its memories to the server and each other fetches them, killed as often and begun anew.
"""

import argparse
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from app.adapters.secrets import FileSecrets
from app.adapters.store.library import SqlLibrary
from app.adapters.store.team import joining
from app.adapters.store.team.open_library import open_library
from app.domain.errors import StoreBusyError
from app.domain.journal import Edit
from app.domain.library import Memory
from tests.store_servers import postgres_server
from tests.torture.kill import Say, killed

LONGEST = 0.8
"""Maximum life time of a process after opening its library, in seconds."""

FIRST, LONGEST_MOVE = 5_000, 0.7
"""Number of initial memories, and maximum life time in seconds of a process that moves them."""


def opened(folder: Path) -> SqlLibrary:
    return open_library(folder, FileSecrets(folder / "secrets.json"))


def write(folder: Path, name: str, say: Say) -> None:
    """Add memories and report each when acknowledged; sometimes undo one."""
    library = opened(folder)
    say("opened")
    for number in range(1_000_000):
        text = f"{name} {number}"
        with suppress(StoreBusyError):
            written = library.change(Edit("taught"), [Memory((text, f"also {text}"))])
            assert written is not None
            say(f"+{text}")
            if number % 7 == 6:
                say(f"?{text}")
                library.undo(written.step.id)  # by its number: this account has other clients' steps, too
                say(f"-{text}")


def join(folder: Path, address: str, kills: int, chance: Random) -> int:
    """Join the team despite this many kills; return how often it was not complete before."""
    secrets, begun = FileSecrets(folder / "secrets.json"), 0

    def joining_it(say: Say) -> None:
        say("begins")
        joining.join(folder, secrets, address, None)

    for _ in range(kills):
        killed(joining_it, chance, LONGEST_MOVE)
        if joining.status(folder, secrets)[0] is not None:
            return begun
        begun += 1
    joining.join(folder, secrets, address, None)
    return begun


def told(words: list[str]) -> tuple[set[str], set[str]]:
    """Return the texts acknowledged as added and not undone, and those acknowledged as undone."""
    taught, begun, back = ({word[1:] for word in words if word.startswith(sign)} for sign in "+?-")
    return taught - begun, back


def writing(folder: Path, name: str, words: Path) -> int:
    """Fork a process that writes until it is ended, with its reports in a file."""
    copy = os.fork()
    if copy:
        return copy
    try:
        with words.open("w", buffering=1) as file:
            write(folder, name, lambda word: print(word, file=file))
    finally:
        os._exit(1)


def compared(folders: list[Path], taught: set[str], back: set[str]) -> list[str]:
    """Return the differences from the expected state."""
    faults: list[str] = []
    held: list[Counter[str]] = []
    for folder in folders:
        with closing(opened(folder)) as library:
            if library.refusal:
                faults.append(f"{folder.name}: {library.refusal}")
            held.append(Counter(memory.triggers[0] for memory in library.memories()))
            whole = all(memory.triggers[1] == f"also {memory.triggers[0]}" for memory in library.memories())
            faults += [] if whole else [f"{folder.name} holds half a memory"]
    faults += [
        f"{folder.name} differs from the first" for folder, found in zip(folders, held, strict=True) if found != held[0]
    ]
    faults += [f"lost: {text}" for text in sorted(taught - held[0].keys())[:5]]
    faults += [f"came back: {text}" for text in sorted(back & held[0].keys())[:5]]
    faults += [f"doubled: {text}" for text, count in held[0].items() if count > 1][:5]
    return faults


def main(arguments: list[str], until: Callable[[], float] = monotonic) -> int:
    asked = argparse.ArgumentParser(prog="python -m tests.torture team", description=__doc__)
    asked.add_argument("--kills", type=int, default=20)
    asked.add_argument("--writers", type=int, default=4)
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args(arguments)
    chance, begun = Random(options.seed), until()
    with postgres_server() as address, TemporaryDirectory() as made:
        folders = [Path(made) / f"w{number}" for number in range(options.writers + 1)]
        first = [f"first {number}" for number in range(FIRST)]
        with closing(opened(folders[0])) as library:
            library.add("memories", (Memory((text, f"also {text}")) for text in first), Edit("taught"))
        moves = sum(join(folder, address, options.kills, chance) for folder in folders)
        faults = compared(folders, set(first), set())
        print(f"{moves} kills while the library moved, {len(faults)} faults")
        *others, doomed = folders
        copies = [writing(folder, folder.name, folder / "words.txt") for folder in others]
        words: list[str] = []
        for number in range(options.kills):
            words += killed(lambda say, n=number: write(doomed, f"k{n}", say), chance, LONGEST)  # type: ignore[misc]
        for copy in copies:
            os.kill(copy, signal.SIGKILL)
            os.waitpid(copy, 0)
        for folder in others:
            words += (folder / "words.txt").read_text().splitlines()
        sleep(0.2)  # work that the last ones began on the server ends
        taught, back = told(words)
        faults += compared(folders, taught | set(first), back)
        print(
            f"{options.kills + len(others)} kills, {len(others) + 1} writers, {until() - begun:.0f} s: "
            f"{len(taught)} acknowledged, {len(back)} reverted, {len(faults)} faults"
        )
        print("\n".join(faults))
        return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
