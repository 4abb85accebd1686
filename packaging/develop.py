#!/usr/bin/env python3
"""Set up Intentscope beside its sources, then run, test or check it there.

    python3 packaging/develop.py run [--with EXTRA] [-- ARGS]
                                                   set up what the program needs, then start it with ARGS; the extras
                                                   are sentence-transformers (1.2 GB) and postgres
    python3 packaging/develop.py test [-- ARGS]    set up what the tests need too, then run pytest with ARGS (once, that
                                                   fetches sentence-transformers with torch, 1.2 GB on disk, and on
                                                   Linux x86_64 a language model and what runs it, 160 MB)
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

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

OLDEST_PYTHON = (3, 11)
SET_UP_FAILED = 3

PROJECT = Path(__file__).resolve().parent.parent
VENV = PROJECT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PROJECT_FILE = PROJECT / "pyproject.toml"
LOCK = PROJECT / "requirements.lock"
LOCKS = PROJECT / "packaging" / "locks"
MODELS = PROJECT / "packaging" / "models.txt"
TEST_MODELS = PROJECT / "packaging" / "test-models.txt"

WITH_TEST_MODELS = "test-models"
"""Stands among the extras for TEST_MODELS; the project itself has no extra of that name."""

ENCODERS = "sentence-transformers"
"""The extra that needs torch."""
EXTRAS = (ENCODERS, "postgres")
"""Those of the project's extras that its users may want."""
STAMP = VENV / "develop.stamp"
"""What the environment was made from, and the extras in it; written last, so an interrupted set-up has none."""
TURN = VENV / "develop.lock"
"""Locked while one process sets up; a second one waits."""
UNFINISHED = "unfinished"

NOT_SET_UP = (
    "Nothing is set up yet, and nothing was installed for this help. What the program itself takes stands in\n"
    'README.md under "On the command line"; once `run` has set it up, `run -- --help` tells it.'
)

QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""What PySide6's own libraries load from a Linux system, and the Debian package of each."""
TEST_PROGRAMS = {"Xvfb": "xvfb", "xauth": "xauth"}
"""What tests of a real window need on Linux, and the Debian package of each."""

ON_EVERY_CORE = ("--numprocesses", "auto", "--dist", "loadfile", "--max-worker-restart", "0")
"""How all tests run; what a file's tests share is made once. A process that crashed ends the run, which would otherwise
wait for its file for ever."""

SIGNS_OF_NO_NETWORK = (
    "ConnectTimeoutError",
    "Failed to establish a new connection",
    "NameResolutionError",
    "Network is unreachable",
    "NewConnectionError",
    "ProxyError",
    "ReadTimeoutError",
    "Temporary failure in name resolution",
    "getaddrinfo failed",
)
SIGN_OF_ANOTHER_FILE = "DO NOT MATCH THE HASHES"


class SetUpError(Exception):
    """The set-up cannot go on; the message is a sentence for the user, with what to do."""


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
    set_up(frozenset({"dev", ENCODERS, WITH_TEST_MODELS}))
    command = [str(PYTHON), "-P", "-m", "pytest", "-c", str(PROJECT_FILE), "--rootdir", str(PROJECT)]
    if any(Path(word.partition("::")[0]).exists() for word in arguments):
        return hand_over([*command, *arguments])
    # All of it takes every core; whoever names a file, or says how many processes, has it as they say.
    cores = () if any("no:xdist" in word for word in arguments) else ON_EVERY_CORE
    return hand_over([*command, *cores, *arguments, str(PROJECT / "tests")])


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


# --------------------------------------------------------------------------------------------- the Python environment


def set_up(extras: frozenset[str]) -> None:
    """Bring the environment up to date with the project's files; at once when it is."""
    key = environment_key()
    if is_ready(key, extras):
        return
    if VENV.exists() and not VENV.is_dir():
        raise SetUpError(f"{VENV} is in the way: the environment goes into a folder of that name.")
    with one_at_a_time() as turn:
        if not is_ready(key, extras):
            install(key, extras, turn)


def environment_key() -> str:
    """A digest of all that decides what is installed: this Python, the folder, and what the project files ask for."""
    import tomllib

    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    # Settings of linters and tests change often, and change nothing that is installed.
    asked = repr([project["build-system"], project["project"], project["tool"].get("hatch")])
    lists = (LOCK, *sorted(LOCKS.glob("*.txt")), MODELS, TEST_MODELS)
    parts = [python_version(), str(PROJECT), asked, *(path.read_text(encoding="utf-8") for path in lists)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def python_version() -> str:
    """The part of the version that an environment is bound to: `3.11`."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def read_stamp() -> tuple[str, frozenset[str], str]:
    """Key, extras and folder of the environment that is there; an empty key if its making was never finished."""
    try:
        key, extras, folder = STAMP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return "", frozenset(), ""
    return key, frozenset(extras.split()), folder


def is_ready(key: str, extras: frozenset[str]) -> bool:
    """Whether the environment was made from the same things, and holds these extras."""
    made_from, held, _ = read_stamp()
    return made_from == key and extras <= held and PYTHON.exists()


def install(key: str, extras: frozenset[str], turn: int) -> None:
    """Make the environment if need be, and install into it. `turn` is the lock's file descriptor."""
    import locking

    wanted = read_stamp()[1] | extras
    usable = is_usable()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    if not usable:
        make_environment()
    say("Installing the Python packages that Intentscope needs; the first time this takes a minute or more.")
    parts = [locking.CORE, locking.BUILD, *sorted(wanted - {WITH_TEST_MODELS})]
    try:
        where = torch_for_the_cpu() if ENCODERS in wanted else []
        pip([*locking.HASHED, *locking.requirements(parts), *where], turn)
        # The project itself is these sources, which have no hash; what builds it was installed just now.
        pip(["--no-deps", "--no-build-isolation", "--no-index", "--editable", "."], turn)
        for models in (MODELS, TEST_MODELS) if WITH_TEST_MODELS in wanted else (MODELS,):
            pip([*locking.HASHED, "--requirement", str(models)], turn)
    except SetUpError:
        STAMP.unlink()  # pip has put back what it changed, so the environment itself is whole
        raise
    fresh = STAMP.with_suffix(".new")
    fresh.write_text("\n".join((key, " ".join(sorted(wanted)), str(PROJECT))) + "\n", encoding="utf-8")
    fresh.replace(STAMP)
    say("Set up.")


def torch_for_the_cpu() -> list[str]:
    """On Linux, where the usual index has only torch with CUDA: pip's option for the index that has it without."""
    if not sys.platform.startswith("linux"):
        return []
    import locking

    version = locking.torch_version(locking.file_of(ENCODERS).read_text(encoding="utf-8"))
    options = ["--quiet", "--disable-pip-version-check", "--dry-run", "--no-deps", "--ignore-installed"]
    command = [str(PYTHON), "-I", "-m", "pip", "install", *options, f"torch=={version}"]
    environment = {"PIP_RETRIES": "2", **os.environ, "PIP_USER": "0"}
    asked = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, check=False)
    return ["--extra-index-url", locking.CPU_ONLY] if asked.returncode else []


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
    with one_at_a_time() as turn:
        pip([*locking.HASHED, *locking.requirements([locking.CORE, "tools"])], turn, python)
    stamp.write_text(made_from, encoding="utf-8")
    return python


def is_usable() -> bool:
    """Whether the environment that is there can be installed into, rather than made anew."""
    if not PYTHON.exists() or (STAMP.exists() and read_stamp()[2] != str(PROJECT)):
        return False
    question = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([str(PYTHON), "-I", "-c", question], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.returncode == 0 and answer.stdout.strip() == python_version()


def make_environment() -> None:
    """An empty environment in .venv, whatever was there before."""
    ours = {STAMP, TURN}
    for path in VENV.iterdir():
        if path not in ours:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    make_venv(VENV)


def make_venv(folder: Path) -> None:
    """An environment of this Python in a folder."""
    provide_venv_module()
    say(f"Making a Python {python_version()} environment in {folder}.")
    # Started from inside an environment, sys.executable would tie the new one to that.
    base = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run(
        [base, "-I", "-m", "venv", str(folder)], stdout=sys.stderr, stdin=subprocess.DEVNULL, check=False
    )
    if made.returncode:
        raise SetUpError(f"The Python environment in {folder} could not be made; the reason stands above.")


def pip(arguments: list[str], turn: int, python: Path = PYTHON) -> None:
    """pip install, its words to stderr. The child keeps the lock, should this process be killed before it."""
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    command = [str(python), "-I", "-m", "pip", "install", *options, *arguments]
    # Two retries: without a network, pip's five keep a person waiting for a minute.
    environment = {"PIP_RETRIES": "2", **os.environ, "PIP_USER": "0"}
    keep = () if os.name == "nt" else (turn,)
    unreachable = differs = False
    with subprocess.Popen(
        command,
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=keep,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            unreachable |= any(sign in line for sign in SIGNS_OF_NO_NETWORK)
            differs |= SIGN_OF_ANOTHER_FILE in line
            if not line.startswith(("Looking in ", "Requirement already satisfied")):
                sys.stderr.write(line)
    if process.returncode and differs:
        raise SetUpError(
            "A package was refused: its file is not the one that was tested, and pip says above which. "
            "Nothing was installed. Unless you changed the lock yourself, somebody changed the package: do not install "
            "it by hand, and tell the developers."
        )
    if process.returncode and unreachable:
        raise SetUpError(
            "The Python packages cannot be fetched: there is no network, or the package index does not answer. "
            "Connect, then give the same command again."
        )
    if process.returncode:
        raise SetUpError("The Python packages could not be installed; pip says above why.")


@contextlib.contextmanager
def one_at_a_time() -> Iterator[int]:
    """Hold the lock of the environment; its file descriptor."""
    VENV.mkdir(exist_ok=True)
    with TURN.open("a") as file:
        told = False
        while not take_lock(file.fileno()):
            if not told:
                say("Another set-up of the same folder is under way; waiting for it.")
                told = True
            time.sleep(0.2)
        yield file.fileno()


def take_lock(descriptor: int) -> bool:
    """Lock the file for this process until it is closed; False if another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


# ------------------------------------------------------------------------------------------------- the system below it


def opens_window(arguments: list[str]) -> bool:
    """Whether these arguments of the program open its window; the terminal commands do without a screen."""
    if {"-h", "--help", "--version"} & set(arguments):
        return False
    return not arguments or arguments[0] == "gui" or arguments[0].startswith("-")


def missing_libraries() -> dict[str, str]:
    """What Qt needs and this Linux lacks, with the Debian package of each; elsewhere nothing."""
    if not sys.platform.startswith("linux"):
        return {}
    import ctypes

    missing = {}
    for library, package in QT_LIBRARIES.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            missing[library] = package
    return missing


def missing_test_programs() -> dict[str, str]:
    """What the tests' virtual screen needs and this Linux lacks, with the Debian package of each."""
    if not sys.platform.startswith("linux"):
        return {}
    return {program: package for program, package in TEST_PROGRAMS.items() if not shutil.which(program)}


def provide_system_packages(missing: dict[str, str]) -> bool:
    """Install what is missing where we may, else say how; False if something is still missing afterwards.

    That is no reason to stop: Qt may need less here (on Wayland, say), and it speaks up itself if not.
    """
    if not missing:
        return True
    say(f"This system lacks {', '.join(missing)}.")
    packages = sorted(set(missing.values()))
    if not shutil.which("apt-get"):
        say(f"Install them with your system's package manager; Debian's packages are {' '.join(packages)}.")
        return False
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if os.name == "nt" or os.geteuid() != 0:
        say(f"Install them with: sudo {' '.join(command)}")
        return False
    say(f"Installing {' '.join(packages)}.")
    if apt_get("update") and apt_get(*command[1:]):
        return True
    say(f"That failed; apt-get says above why. Once it is mended, give the command again, or: {' '.join(command)}")
    return False


def apt_get(*words: str) -> bool:
    """Run apt-get without questions; whether it went well."""
    done = subprocess.run(
        ["apt-get", "-o", "DPkg::Lock::Timeout=120", *words],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    return done.returncode == 0


def provide_venv_module() -> None:
    """Debian keeps in a package of its own what makes environments."""
    import importlib.util

    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{python_version()}-venv"
    if not provide_system_packages({"Python's ensurepip module": package}):
        raise SetUpError(f"Without it no Python environment can be made. On Debian and Ubuntu it is in {package}.")


# ----------------------------------------------------------------------------------------------------------------- both


def say(sentence: str) -> None:
    """A sentence about the set-up, out of the way of what the program prints."""
    print(sentence, file=sys.stderr, flush=True)


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
