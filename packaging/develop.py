#!/usr/bin/env python3
"""Set up Intentscope beside its sources, then run, test or check it there.

    python3 packaging/develop.py run [--with EXTRA] [-- ARGS]
                                                   set up what the program needs, then start it with ARGS; the extras
                                                   are sentence-transformers (1.2 GB), postgres for a team's
                                                   library and for routes, and for the other servers of routes
                                                   stores-qdrant, -neo4j, -graphiti and -redis
    python3 packaging/develop.py test [-- ARGS]    set up what the tests need too, then run pytest with ARGS (once, that
                                                   fetches sentence-transformers with torch, 1.2 GB on disk, a model
                                                   for it, 90 MB, and on Linux x86_64 a language model and what
                                                   runs it, 160 MB)
    python3 packaging/develop.py check             formatting, lint, types and import contracts
    python3 packaging/develop.py bundle            dist/intentscope: a folder that runs without Python
    python3 packaging/develop.py deb               a Debian package of that folder
    python3 packaging/develop.py acceptance        say what will be built and installed, make that package, install it
                                                   in a bare Debian, use it, and remove it again (Debian, root)
    python3 packaging/develop.py lock [--upgrade]  write the locks anew from pyproject.toml: the versions that stand
                                                   there and what is missing, or the newest of all
    python3 packaging/develop.py audit             ask the OSV service what is known against the locked versions; exit
                                                   code 1 if anything is

Only files whose hashes are in requirements.lock and packaging/locks are installed; any other is refused.
Everything else goes into the folder .venv beside pyproject.toml; when nothing changed, nothing is done. Words about the
set-up go to stderr. `run` and `test` pass on stdin, the working directory and the exit code; 3 means that the set-up
itself failed. Standard library only; Python 3.11 or later, on Linux, macOS and Windows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from environment import (
    ENCODERS,
    EXTRAS,
    PROJECT,
    PROJECT_FILE,
    PYTHON,
    STAMP,
    STORES,
    VENV,
    WITH_TEST_MODELS,
    make_venv,
    one_at_a_time,
    pip,
    set_up,
)
from system_packages import (
    SetUpError,
    missing_libraries,
    missing_test_programs,
    provide_system_packages,
    provide_venv_module,
    say,
)

OLDEST_PYTHON = (3, 11)
SET_UP_FAILED = 3
TESTS_FAILED = 1

NOT_SET_UP = (
    "Nothing is set up yet, and nothing was installed for this help. The program's own commands are described in\n"
    "resources/help/commands.md; after the first `run`, `run -- --help` lists them."
)

ON_EVERY_CORE = ("--numprocesses", "auto", "--dist", "loadfile", "--max-worker-restart", "0")
"""How all tests run; what a file's tests share is made once. A process that crashed ends the run, which would otherwise
wait for its file for ever."""


def main(arguments: Sequence[str]) -> int:
    """Carry out one verb; the exit code."""
    if sys.version_info[:2] < OLDEST_PYTHON:
        say(f"Intentscope needs Python 3.11 or later, and this is Python {sys.version_info[0]}.{sys.version_info[1]}.")
        return SET_UP_FAILED
    verb, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    if verb not in VERBS:
        print(__doc__, file=sys.stdout if verb in ("-h", "--help", "help") else sys.stderr)
        return 0 if verb in ("-h", "--help", "help") else 2
    if {"-h", "--help"} & set(rest) and not STAMP.exists():
        print(f"{__doc__}\n{NOT_SET_UP}")
        return 0
    try:
        return VERBS[verb](rest if verb == "run" else without_dashes(rest))
    except SetUpError as error:
        say(str(error))
    except KeyboardInterrupt:
        say("Interrupted. The next start sets up anew what was left unfinished.")
    except OSError as error:
        say(f"The set-up in {VENV} failed: {error}.")
    return SET_UP_FAILED


def without_dashes(arguments: list[str]) -> list[str]:
    """The arguments behind a `--` that only says that they begin."""
    return arguments[1:] if arguments[:1] == ["--"] else arguments


def run(arguments: list[str]) -> int:
    """Start the program, after installing the extras that are asked for before its own arguments."""
    extras: set[str] = set()
    while arguments[:1] == ["--with"]:
        if arguments[1:2] == [] or arguments[1] not in EXTRAS:
            raise SetUpError(f"`--with` takes one of these: {', '.join(EXTRAS)}.")
        extras.add(arguments[1])
        arguments = arguments[2:]
    arguments = without_dashes(arguments)
    if opens_window(arguments):
        provide_system_packages(missing_libraries())
    set_up(frozenset(extras))
    # -P: a folder `app` in the caller's working directory must not be taken for ours.
    return hand_over([str(PYTHON), "-P", "-m", "app", *arguments])


def test(arguments: list[str]) -> int:
    """Run the tests; paths among the arguments count from the working directory, as everywhere."""
    provide_system_packages(missing_libraries() | missing_test_programs())
    set_up(frozenset({"dev", ENCODERS, *STORES, WITH_TEST_MODELS}))
    command = [str(PYTHON), "-P", "-m", "pytest", "-c", str(PROJECT_FILE), "--rootdir", str(PROJECT)]
    if any(Path(word.partition("::")[0]).exists() for word in arguments):
        return hand_over([*command, *arguments])
    # All of it takes every core; whoever names a file, or says how many processes, has it as they say.
    cores = () if any("no:xdist" in word for word in arguments) else ON_EVERY_CORE
    everything = [*command, *cores, *arguments, str(PROJECT / "tests")]
    if arguments:
        return hand_over(everything)
    if (status := subprocess.call(everything)) != TESTS_FAILED:
        return status
    say("What failed runs once more, one at a time: a real window or server may have lacked time beside others.")
    return hand_over([*command, "--last-failed", "--maxfail", "20", "-rfEp", str(PROJECT / "tests")])


def check(arguments: list[str]) -> int:
    """Run what reads the code without running it; a line each."""
    if arguments:
        raise SetUpError("`check` takes no arguments.")
    set_up(frozenset({"dev"}))
    failed = 0
    for name, command in checks().items():
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, errors="replace", check=False)
        failed += done.returncode != 0
        print(f"{'ok    ' if done.returncode == 0 else 'FAILED'}  {name}", flush=True)
        if done.returncode:
            print(done.stdout + done.stderr, flush=True)
    return 1 if failed else 0


def checks() -> dict[str, list[str]]:
    """What `check` runs, by name."""
    ruff, mypy = [str(PYTHON), "-m", "ruff"], [str(PYTHON), "-m", "mypy", "--strict"]
    ours = ["app", "db", "tests"]
    contracts = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    return {
        "formatting (ruff format)": [*ruff, "format", "--check", *ours, "packaging"],
        "lint (ruff check)": [*ruff, "check", *ours, "packaging"],
        "types (mypy --strict)": [*mypy, *ours],
        # On its own: as a package, the folder would be taken for the library of the name `packaging`.
        "types of packaging's scripts": [*mypy, "--no-explicit-package-bases", "packaging/develop.py"],
        "import contracts (lint-imports)": [str(PYTHON), "-c", contracts],
    }


def lock(arguments: list[str]) -> int:
    """Write the locks anew; the files are printed."""
    import locking

    if arguments not in ([], ["--upgrade"]):
        raise SetUpError("`lock` takes nothing but --upgrade.")
    try:
        made = locking.make(tools(), upgrade=bool(arguments))
    except locking.LockError as error:
        raise SetUpError(str(error)) from None
    print("\n".join(str(path.relative_to(PROJECT)) for path in made))
    return 0


def audit(arguments: list[str]) -> int:
    """What is known against the locked versions, as pip-audit prints it."""
    import locking

    if arguments:
        raise SetUpError("`audit` takes no arguments.")
    try:
        return locking.audit(tools())
    except locking.LockError as error:
        raise SetUpError(str(error)) from None


def build(arguments: list[str], verb: str) -> int:
    """Make an install, or prove one; what comes of it is printed."""
    import bundling
    import debian

    if arguments:
        raise SetUpError(f"`{verb}` takes no arguments.")
    provide_venv_module()
    try:
        made = {"bundle": bundling.bundle, "deb": debian.deb, "acceptance": debian.acceptance}[verb]()
    except bundling.BundleError as error:
        raise SetUpError(str(error)) from None
    print(f"{made} ({bundling.size_of(made) / 1e6:.0f} MB)")
    return 0


VERBS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "test": test,
    "check": check,
    "lock": lock,
    "audit": audit,
    **{verb: partial(build, verb=verb) for verb in ("bundle", "deb", "acceptance")},
}


def tools() -> Path:
    """The Python of an environment that holds what makes and audits the locks, itself installed by its lock."""
    import locking

    folder = locking.TOOLS
    python = folder / PYTHON.relative_to(VENV)
    stamp = folder / "made-from"
    made_from = locking.file_of("tools").read_text(encoding="utf-8") + locking.LOCK.read_text(encoding="utf-8")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == made_from:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    say("Fetching uv and pip-audit.")
    make_venv(folder)
    with one_at_a_time() as descriptor:
        pip([*locking.HASHED, *locking.requirements([locking.CORE, "tools"])], descriptor, python)
    stamp.write_text(made_from, encoding="utf-8")
    return python


def opens_window(arguments: list[str]) -> bool:
    """Whether these arguments of the program open its window; the terminal commands do without a screen."""
    if {"-h", "--help", "--version"} & set(arguments):
        return False
    return not arguments or arguments[0] == "gui" or arguments[0].startswith("-")


def hand_over(command: list[str]) -> int:
    """Become the command: its stdin, working directory, signals and exit code are those of this process."""
    if os.name != "nt":
        os.execv(command[0], command)
    # Windows cannot become another program: wait for it, and leave Ctrl-C to it.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
