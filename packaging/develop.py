#!/usr/bin/env python3
"""Set up Intentscope in its source folder, then run, test or check it there.

    python3 packaging/develop.py run [--with EXTRA] [-- ARGS]
                                                   install what the program needs, then start it with ARGS; extras
                                                   are sentence-transformers (1.2 GB), postgres for a team's
                                                   library and for routes, and for the other servers of routes
                                                   stores-qdrant, -neo4j, -graphiti and -redis
    python3 packaging/develop.py test [-- ARGS]    install what the tests need, then run pytest with ARGS (the first run
                                                   downloads sentence-transformers with torch, 1.2 GB on disk, a model
                                                   for it, 90 MB, and on Linux x86_64 a language model and its
                                                   engine, 160 MB)
    python3 packaging/develop.py check             check formatting, lint, types and import contracts
    python3 packaging/develop.py bundle            build dist/intentscope, a folder that runs without Python
    python3 packaging/develop.py deb               build a Debian package of that folder
    python3 packaging/develop.py acceptance        name what it installs, then build, install, use and remove it
                                                   in a minimal Debian (Debian, root)
    python3 packaging/develop.py lock [--upgrade]  write the lock files from pyproject.toml; --upgrade: newest versions
    python3 packaging/develop.py audit             ask the OSV service for vulnerabilities of locked versions; 1 if any

Packages go into the folder .venv beside pyproject.toml. Only files whose hashes are in requirements.lock and
packaging/locks are installed. If nothing changed, nothing is installed. Messages of the set-up go to stderr. `run` and
`test` pass on stdin, the working directory and the exit code; exit code 3 means that the set-up failed.

Standard library only; Python 3.11 or later, on Linux, macOS and Windows.
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

NOT_SET_UP = (
    "Nothing is set up yet, and nothing was installed for this help. The program's own commands are described in\n"
    "resources/help/commands.md; after the first `run`, `run -- --help` lists them."
)


def main(arguments: Sequence[str]) -> int:
    """Run one verb and return the exit code."""
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
        say("Interrupted. The next start finishes the set-up.")
    except OSError as error:
        say(f"The set-up in {VENV} failed: {error}.")
    return SET_UP_FAILED


def without_dashes(arguments: list[str]) -> list[str]:
    """Return the arguments without a leading `--`."""
    return arguments[1:] if arguments[:1] == ["--"] else arguments


def run(arguments: list[str]) -> int:
    """Install the extras given with `--with`, then start the program with the other arguments."""
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
    # -P: a folder `app` in the working directory must not be imported instead.
    return hand_over([str(PYTHON), "-P", "-m", "app", *arguments])


def test(arguments: list[str]) -> int:
    """Run the tests; paths in the arguments are relative to the working directory."""
    provide_system_packages(missing_libraries() | missing_test_programs())
    set_up(frozenset({"dev", ENCODERS, *STORES, WITH_TEST_MODELS}))
    command = [str(PYTHON), "-P", "-m", "pytest", "-c", str(PROJECT_FILE), "--rootdir", str(PROJECT)]
    if any(Path(word.partition("::")[0]).exists() for word in arguments):
        return hand_over([*command, *arguments])
    # The whole suite, unless the arguments say otherwise, on every core, by file; a crashed worker ends the run.
    by_file = ["--numprocesses", str(workers()), "--dist", "loadfile", "--max-worker-restart", "0"]
    options = arguments if any("no:xdist" in word for word in arguments) else [*by_file, *arguments]
    everything = [*command, *options, str(PROJECT / "tests")]
    if arguments:
        return hand_over(everything)
    if (status := wait_for(everything)) != 1:  # no test has failed
        return status
    say("What failed runs once more, one at a time: a real window or server may have lacked time beside others.")
    again = ["--last-failed", "--last-failed-no-failures", "none", "--maxfail", "20", "-rfEp"]
    return hand_over([*command, *again, str(PROJECT / "tests")])


def workers() -> int:
    """Return the number of test processes: cores + 1, at most one for 1.5 GB of memory."""
    cores = os.cpu_count() or 1
    if os.name == "nt":  # the standard library does not know the memory
        return cores
    return max(1, min(cores + 1, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 1_500_000_000))


def check(arguments: list[str]) -> int:
    """Run all static checks and print a line for each."""
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
    """Return the commands of `check` by name."""
    ruff, mypy = [str(PYTHON), "-m", "ruff"], [str(PYTHON), "-m", "mypy", "--strict"]
    ours = ["app", "db", "tests"]
    contracts = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    return {
        "formatting (ruff format)": [*ruff, "format", "--check", *ours, "packaging"],
        "lint (ruff check)": [*ruff, "check", *ours, "packaging"],
        "types (mypy --strict)": [*mypy, *ours],
        # Separate: mypy would take the folder for the library `packaging`.
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
    """Print known vulnerabilities of the locked versions."""
    import locking

    if arguments:
        raise SetUpError("`audit` takes no arguments.")
    try:
        return locking.audit(tools())
    except locking.LockError as error:
        raise SetUpError(str(error)) from None


def build(arguments: list[str], verb: str) -> int:
    """Build or test an installer, and print its path and size."""
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
    """Return the Python of the environment with uv and pip-audit, which is installed from a lock."""
    import locking

    folder = locking.TOOLS
    python = folder / PYTHON.relative_to(VENV)
    stamp = folder / "made-from"
    made_from = locking.file_of("tools").read_text(encoding="utf-8") + locking.LOCK.read_text(encoding="utf-8")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == made_from:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    say("Installing uv and pip-audit.")
    make_venv(folder)
    with one_at_a_time() as descriptor:
        pip([*locking.HASHED, *locking.requirements([locking.CORE, "tools"])], descriptor, python)
    stamp.write_text(made_from, encoding="utf-8")
    return python


def opens_window(arguments: list[str]) -> bool:
    """Check if the program's arguments open the window; other commands need no screen."""
    if {"-h", "--help", "--version"} & set(arguments):
        return False
    return not arguments or arguments[0] == "gui" or arguments[0].startswith("-")


def hand_over(command: list[str]) -> int:
    """Replace this process by the command; on Windows, wait for it and return its exit code."""
    if os.name != "nt":
        os.execv(command[0], command)
    return wait_for(command)


def wait_for(command: list[str]) -> int:
    """Run the command, which alone handles Ctrl+C, and return its exit code."""
    import signal

    signal.signal(signal.SIGINT, lambda *_: None)  # the command would inherit SIG_IGN
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
