"""Files written where links, pipes or foreign files are, and leftovers of kills.

A command may refuse with a message, or write its file. It may not touch the target of a link, wait for a pipe, or
leave a draft behind.
"""

import contextlib
import json
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType

import app.__main__ as front_door
from app import files
from app.adapters.store.library import SqlLibrary
from app.domain.library import Memory
from app.services.system.clients import CLIENTS
from app.surfaces.cli.connect import BACKUP
from tests.torture.attempts import NO_ENCODER, Attempt, FellError, Round, expect
from tests.torture.kill import Say, killed

PAIRS = [word for pair in NO_ENCODER for word in ("--set", pair)]
NOBODY = 65_534
SECONDS = 20
"""Maximum time of a command in seconds; normally it takes less than one."""

MINE = "what its owner wrote\n"


def taught(folder: Path, count: int = 3, size: int = 20) -> Path:
    library = SqlLibrary.open(folder)
    library.add("memories", (Memory((f"phrase {number}",), response="x" * size) for number in range(count)))
    library.close()
    return folder


# --------------------------------------------------------------------------------------------------- what lies there

Plant = Callable[[Path, Path], None]
"""Function that puts something at a path, to damage files in a home folder."""


def link(led: str, path: Path, home: Path) -> None:
    path.symlink_to(led.format(home=os.path.relpath(home, path.parent)))


def pipe(path: Path, _home: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, _home: Path) -> None:
    path.mkdir()


def foreign(path: Path, _home: Path) -> None:
    path.write_text("{}")
    path.chmod(0o666)
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)


def linked_folder(path: Path, home: Path) -> None:
    """Link the folder of the file to the home folder."""
    path.parent.rmdir()
    path.parent.symlink_to(os.path.relpath(home, path.parent.parent))


PLANTS: dict[str, Plant] = {
    "a link to a file": partial(link, "{home}/rc"),
    "a link to no file": partial(link, "{home}/new"),
    "a link to a folder": partial(link, "{home}"),
    "a link to itself": lambda path, _: path.symlink_to(path.name),
    "a link to a device": partial(link, "/dev/null"),
    "a pipe": pipe,
    "a folder": folder,
    "another user's file": foreign,
    "a linked folder": linked_folder,
}

# ------------------------------------------------------------------------------------------------- where it is written

WRITERS: dict[str, Callable[[Path], list[str]]] = {
    "backup": lambda file: ["backup", "--output", str(file)],
    "export": lambda file: ["export", "--kind", "memories", "--output", str(file)],
    "export, powers": lambda file: ["export", "--kind", "powers", "--output", str(file)],
    "a library's folder": lambda file: ["export", "--kind", "library", "--output", str(file)],
    "detect": lambda file: ["detect", "phrase", "--output", str(file)],
    "settings": lambda file: ["settings", "--output", str(file)],
    "doctor": lambda file: ["doctor", "--output", str(file)],
    "routes": lambda file: ["routes", "--export", str(file)],
    "the list of assistants": lambda file: ["connect", "--output", str(file)],
}
CONNECTED: dict[str, Callable[[Path], list[str]]] = {
    f"connect {client.key}{' --undo' if undo else ''}": partial(
        lambda key, undo, file: ["connect", key, "--file", str(file), "--undo" if undo else "--yes"], client.key, undo
    )
    for client in CLIENTS
    for undo in (False, True)
}


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    """Raise FellError if the block takes too long, as on a pipe without a writer."""

    def too_long(_number: int, _frame: FrameType | None) -> None:
        raise FellError(f"it takes more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(words: list[str], profile: Path) -> int:
    files.PIPE_SECONDS = 0.2
    with Path(os.devnull).open("w") as quiet, contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        try:
            with in_time():
                return front_door.main([*words, "--profile", str(profile), *PAIRS]) or 0
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1


def state(place: Path) -> dict[str, object]:
    """Return everything at a place, without following links."""
    found: dict[str, object] = {}
    for path in sorted(place.rglob("*")):
        mode = path.lstat().st_mode
        is_file = stat.S_ISREG(mode)
        found[str(path.relative_to(place))] = path.read_bytes() if is_file else stat.S_IFMT(mode)
    return found


def planted(writers: dict[str, Callable[[Path], list[str]]], plant: Plant, round_: Round) -> str:
    """A command whose file or backup exists: by a relative path in a folder from elsewhere."""
    home, clone = round_.folder / "home", round_.folder / "clone"
    home.mkdir()
    (home / "rc").write_text(MINE)
    (clone / "sub").mkdir(parents=True)
    name, words = round_.chance.choice(sorted(writers.items()))
    file = Path("sub", "x.json")
    profile = round_.shared / "profile"
    if not profile.exists():
        taught(profile)
    with contextlib.chdir(clone):
        with_backup = writers is CONNECTED and plant is not linked_folder and round_.chance.random() < 0.5
        if with_backup:
            file.write_text("" if "codex" in name else json.dumps({"mcpServers": {}, "servers": {}}))
        plant(file.with_name(file.name + BACKUP) if with_backup else file, home)
        there = state(clone)
        code = run(words(file), profile)
        expect(code in (0, 1, 2), f"{name} ended with {code}")
        after = state(clone)
        expect(state(home) == {"rc": MINE.encode()}, f"{name} wrote to the home")
        expect(not [one for one in after if one.endswith(".part") or ".intentscope-" in one], f"{name} left a draft")
        is_folder = plant is folder and name == "a library's folder"
        expect(is_folder or after == there, f"{name} changed what lay there")
        expect(is_folder or code != 0 or "--undo" in name, f"{name} said that all is well")
    return "refused" if code else "done"


def prepared_draft(round_: Round) -> str:
    """A folder writable by everybody, with prepared drafts under every former name."""
    shared, bank = round_.folder / "shared", round_.folder / "bank"
    shared.mkdir()
    shared.chmod(0o777)
    bank.write_text(MINE)
    name, words = round_.chance.choice([(name, words) for name, words in WRITERS.items() if "folder" not in name])
    file = shared / "x.db"
    for draft in ("x.db.part", f".x.db.{os.getpid()}.part", ".x.db.part", "x.db-journal", "x.db.part-journal"):
        path = shared / draft
        if round_.chance.random() < 0.5:
            path.symlink_to(bank)
        else:
            foreign(path, shared)
    before = state(shared)
    if not (round_.shared / "profile").exists():
        taught(round_.shared / "profile")
    expect(run(words(file), round_.shared / "profile") in (0, 1), f"{name} could not write its file")
    after = state(shared)
    expect(bank.read_text() == MINE, f"{name} wrote through a draft")
    found = file.lstat()
    expect(stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid(), f"the file of {name} is not its user's")
    expect(name != "backup" or stat.S_IMODE(found.st_mode) == 0o600, "others may read the copy")
    expect({one for one in after if one != "x.db"} == set(before), f"{name} left something")
    return "written"


# ----------------------------------------------------------------------------------------------------- what kills leave


def left_by_kills(name: str, words: Callable[[Path], list[str]], round_: Round) -> str:
    """A command that is killed, and then the next start, or the next such command."""
    profile, out = taught(round_.folder / "profile", 2_000, 500), round_.folder / "out"
    out.mkdir()
    temporary = round_.folder / "tmp"
    temporary.mkdir()
    other = round_.folder / "other.db"
    if name == "restore":
        expect(run(["backup", "--output", str(other)], profile) == 0, "no copy could be made")
    given = words(other if name == "restore" else out / "x.json")

    def work(say: Say) -> None:
        os.environ["TMPDIR"] = str(temporary)
        sys.modules["tempfile"].tempdir = None  # type: ignore[attr-defined]
        say("begun")
        while front_door.main([*given, "--profile", str(profile), *PAIRS]) == 0:
            (out / "x.json").unlink(missing_ok=True)

    killed(work, round_.chance, 1.5)
    leftovers = hidden(round_.folder)
    expect(not os.listdir(temporary), f"{name} left something among the system's temporary files")
    expect(all(path.lstat().st_mode & 0o077 == 0 for path in leftovers if path.is_dir()), "others may look into it")
    SqlLibrary.open(profile).close()
    expect(not hidden(profile), f"the next start left {hidden(profile)}")
    run(given, profile)
    expect(not hidden(round_.folder), f"{name} left {hidden(round_.folder)} again")
    return "removed" if leftovers else "nothing left"


def hidden(place: Path) -> list[Path]:
    return [path for path in place.rglob("*") if path.name.startswith(".intentscope-") or ".part" in path.name]


KILLED: dict[str, Callable[[Path], list[str]]] = {
    "backup": lambda _: ["backup"],
    "backup elsewhere": WRITERS["backup"],
    "restore": lambda file: ["restore", str(file)],
    "export": WRITERS["export"],
    "connect": CONNECTED["connect cursor"],
}


ATTEMPTS = [
    *(
        Attempt("places", f"{name} where a command writes", partial(planted, WRITERS, plant))
        for name, plant in PLANTS.items()
    ),
    *(
        Attempt("places", f"{name} where connect writes", partial(planted, CONNECTED, plant))
        for name, plant in PLANTS.items()
    ),
    Attempt("places", "drafts prepared in a folder of everybody's", prepared_draft),
    *(Attempt("places", f"a killed {name}", partial(left_by_kills, name, words), 2) for name, words in KILLED.items()),
]

if sys.platform == "win32":
    ATTEMPTS = []
